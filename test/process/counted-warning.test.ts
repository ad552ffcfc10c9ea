import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CountedWarning } from "../../src/process/counted-warning.ts";

// Mutants killed by hand: a line each time; the first one late; the count not begun anew; a line where nothing happened;
// what happened in a pause never told; no second pause.

describe("CountedWarning", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("warns at once, and then every ten seconds of how often it happened meanwhile", () => {
    const counts: number[] = [];
    const warning = new CountedWarning((count) => counts.push(count));

    warning.note();
    expect(counts).toEqual([1]);
    for (let i = 0; i < 3; i++) warning.note(100);
    vi.advanceTimersByTime(9_999);
    expect(counts).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(counts).toEqual([1, 300]);
    warning.note();
    vi.advanceTimersByTime(10_000);
    expect(counts).toEqual([1, 300, 1]);
  });

  it("is silent where nothing happened, and warns at once again afterwards", () => {
    const counts: number[] = [];
    const warning = new CountedWarning((count) => counts.push(count));

    warning.note(7);
    vi.advanceTimersByTime(60_000);
    expect(counts).toEqual([7]);
    warning.note();

    expect(counts).toEqual([7, 1]);
  });
});
