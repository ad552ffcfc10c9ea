import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withinMs } from "../../src/domain/within-ms.ts";

// Mutants killed by hand: the timer left where the promise rejects, or where it resolves; the late value first.

describe("withinMs", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("gives what comes of a promise in time, and leaves no timer", async () => {
    expect(await withinMs(Promise.resolve("read"), 1_000, () => "late")).toBe("read");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives what stands for it once it is late", async () => {
    const never = new Promise<string>(() => undefined);
    const given = withinMs(never, 1_000, () => "late");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await given).toBe("late");
  });

  it("rejects as the promise does, and leaves no timer", async () => {
    const failing = Promise.reject(new Error("broken"));
    await expect(withinMs(failing, 1_000, () => "late")).rejects.toThrow("broken");
    expect(vi.getTimerCount()).toBe(0);
  });
});
