import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LimitedLines } from "../../src/process/limited-lines.ts";

describe("LimitedLines", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("logs the first ten of a minute, and at its end how many there were besides", () => {
    const { log, told } = limited();

    for (let i = 0; i < 5; i++) log("a");
    vi.advanceTimersByTime(59_999);
    for (let i = 0; i < 1_000; i++) log("b");
    expect(told).toEqual([...Array<string>(5).fill("a"), ...Array<string>(5).fill("b")]);
    vi.advanceTimersByTime(1);

    expect(told.slice(10)).toEqual([995]);
  });

  it("begins anew with each minute, and has nothing to add where none was left out", () => {
    const { log, told } = limited();

    for (let minute = 0; minute < 3; minute++) {
      for (let i = 0; i < (minute === 1 ? 11 : 10); i++) log("a");
      vi.advanceTimersByTime(60_000);
    }
    vi.advanceTimersByTime(600_000);

    expect(told).toEqual([...Array<string>(20).fill("a"), 1, ...Array<string>(10).fill("a")]);
  });

  it("ends before the minute does, and lets the next minute be one", () => {
    const { log, end, told } = limited();

    log("a");
    vi.advanceTimersByTime(59_000);
    end();
    for (let i = 0; i < 11; i++) log("b");
    vi.advanceTimersByTime(1_000);
    log("c");

    expect(told).toEqual(["a", ...Array<string>(10).fill("b")]);
    vi.advanceTimersByTime(59_000);
    expect(told.at(-1)).toBe(2);
  });

  it("ends before the minute does, and then says the same", () => {
    const { log, end, told } = limited();

    end();
    for (let i = 0; i < 12; i++) log("a");
    end();
    vi.advanceTimersByTime(60_000);

    expect(told).toEqual([...Array<string>(10).fill("a"), 2]);
  });
});

function limited() {
  const told: (string | number)[] = [];
  const lines = new LimitedLines((count) => told.push(count));
  return { told, log: (line: string) => lines.log(() => void told.push(line)), end: () => lines.end() };
}
