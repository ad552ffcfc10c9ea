import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlidingWindow } from "../../src/http/rate-limit.ts";

// Mutants tried by hand, each killed: `<` for `<=` in forgetting, no wrap of the ring, counting refusals,
// Math.floor for Math.ceil in the waiting time.
describe("SlidingWindow", () => {
  it("accepts exactly what the definition accepts: fewer than limit accepted in the 60 s before", () => {
    fc.assert(
      fc.property(limit, gapsMs, (max, gaps) => {
        const window = new SlidingWindow(max);
        const accepted: number[] = [];
        let nowMs = 0;

        for (const gapMs of gaps) {
          nowMs += gapMs;
          const recent = accepted.filter((at) => at > nowMs - 60_000).length;
          expect(window.accept(nowMs)).toBe(recent < max);
          if (recent < max) accepted.push(nowMs);
        }
      }),
    );
  });

  it("is free again exactly after the seconds it names, and not a second earlier", () => {
    fc.assert(
      fc.property(limit, gapsMs, (max, gaps) => {
        const window = new SlidingWindow(max);
        let nowMs = 0;
        for (const gapMs of gaps) {
          nowMs += gapMs;
          if (window.accept(nowMs)) continue;
          const seconds = window.secondsUntilFree(nowMs);

          expect(seconds).toBeGreaterThanOrEqual(1);
          expect(seconds).toBeLessThanOrEqual(60);
          if (seconds > 1) expect(window.accept(nowMs + (seconds - 1) * 1000 - 1)).toBe(false);
          nowMs += seconds * 1000;
          expect(window.accept(nowMs)).toBe(true);
        }
      }),
    );
  });

  it("names the same wait on every thread, whose clocks start at different times", () => {
    const first = new SlidingWindow(1);
    const other = new SlidingWindow(1, 5_000, first.memory);
    first.accept(20_000);

    expect([other.accept(25_000), other.secondsUntilFree(25_000)]).toEqual([false, 50]);
  });

  it("names no wait of nothing to whom a refusal is told late", () => {
    const window = new SlidingWindow(1);
    window.accept(0);
    window.accept(59_999);

    expect([60_000, 61_000].map((nowMs) => window.secondsUntilFree(nowMs))).toEqual([1, 1]);
  });

  it("counts down to zero and never below", () => {
    const window = new SlidingWindow(3);
    const remaining = [0, 1, 2, 3, 4].map((nowMs) => {
      window.accept(nowMs);
      return window.remaining;
    });

    expect(remaining).toEqual([2, 1, 0, 0, 0]);
  });
});

const limit = fc.integer({ min: 1, max: 7 });
const gapsMs = fc.array(fc.integer({ min: 0, max: 25_000 }), { minLength: 1, maxLength: 60 });
