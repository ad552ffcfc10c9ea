import type * as nodeVm from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { heapCollection, idleCollection, laterCollection } from "../../src/domain/garbage-collection.ts";

// Mutants killed: nothing collected; a collection for each call, or for the first alone; one that keeps its thread alive, or
// comes at another time; one beside requests, or that comes again and again; the process's flag left set.

const SETTLING_MS = 15_000;
const IDLE_MS = 3_000;
const { collect } = vi.hoisted(() => ({ collect: vi.fn() }));

vi.mock("node:vm", async (original) => {
  const vm = await original<typeof nodeVm>();
  return {
    ...vm,
    runInNewContext: (code: string) => {
      collect.mockImplementation(vm.runInNewContext(code) as () => void);
      return collect;
    },
  };
});

beforeEach(() =>
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }),
);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  collect.mockReset();
});

describe("heapCollection", () => {
  it("lets go what nothing holds, and nothing else", async () => {
    const collectHeap = heapCollection();
    const held = [new Float64Array(16)];
    const garbage = new WeakRef([new Float64Array(16)]);
    const kept = new WeakRef(held);
    await new Promise(setImmediate);

    collectHeap();

    expect(garbage.deref()).toBeUndefined();
    expect(kept.deref()).toBe(held);
  });

  it("leaves no context that is made after it with the function, nor the next caller without one", async () => {
    const vm = await vi.importActual<typeof nodeVm>("node:vm");
    for (let call = 0; call < 3; call++) {
      heapCollection();
      expect(vm.runInNewContext("typeof gc")).toBe("undefined");
    }
  });
});

describe("laterCollection", () => {
  it("collects once for all calls of some seconds, and again for later ones", () => {
    const collectLater = laterCollection();
    for (let round = 1; round <= 3; round++) {
      collectLater();
      vi.advanceTimersByTime(SETTLING_MS - 1);
      collectLater();
      expect(collect).toHaveBeenCalledTimes(round - 1);
      vi.advanceTimersByTime(1);
      expect(collect).toHaveBeenCalledTimes(round);
      vi.advanceTimersByTime(10 * SETTLING_MS);
      expect(collect).toHaveBeenCalledTimes(round);
    }
  });

  it("does not keep its thread alive", () => {
    const set = vi.spyOn(globalThis, "setTimeout");

    laterCollection()();

    const timer = set.mock.results[0]!.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
  });
});

describe("idleCollection", () => {
  it("collects once, when nothing was asked for some seconds", () => {
    let requests = 7;
    const collectWhenIdle = idleCollection(() => requests);
    vi.advanceTimersByTime(10 * IDLE_MS);
    expect(collect).not.toHaveBeenCalled();

    collectWhenIdle();
    for (let look = 0; look < 5; look++) {
      requests += 1;
      vi.advanceTimersByTime(IDLE_MS);
    }
    expect(collect).not.toHaveBeenCalled();

    vi.advanceTimersByTime(IDLE_MS);
    expect(collect).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(10 * IDLE_MS);
    expect(collect).toHaveBeenCalledTimes(1);
  });

  it("collects once for calls that follow one another, counted from the last", () => {
    const collectWhenIdle = idleCollection(() => 0);
    for (let call = 0; call < 3; call++) {
      collectWhenIdle();
      vi.advanceTimersByTime(IDLE_MS - 1);
    }
    expect(collect).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(collect).toHaveBeenCalledTimes(1);

    collectWhenIdle();
    vi.advanceTimersByTime(IDLE_MS);
    expect(collect).toHaveBeenCalledTimes(2);
  });

  it("does not keep its thread alive", () => {
    const set = vi.spyOn(globalThis, "setInterval");

    idleCollection(() => 0)();

    const timer = set.mock.results[0]!.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
  });
});
