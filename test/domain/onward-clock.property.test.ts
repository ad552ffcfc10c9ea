import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OnwardClock } from "../../src/domain/onward-clock.ts";

// Mutants tried: a set-back that is forgotten when the next one comes; one that is counted twice; a time that is told by the
// clock as it was. Each fails below.

const stepsMs = fc.array(fc.integer({ min: -86_400_000, max: 86_400_000 }), { minLength: 1 });

describe("OnwardClock", () => {
  it("goes on by what the other clock goes on, and by nothing where that is set back", () => {
    fc.assert(
      fc.property(stepsMs, (steps) => {
        let wallMs = 1_800_000_000_000;
        const onward = new OnwardClock({ nowMs: () => wallMs });
        for (const stepMs of steps) {
          const beforeMs = onward.nowMs();
          wallMs += stepMs;
          expect(onward.nowMs() - beforeMs).toBe(Math.max(0, stepMs));
        }
      }),
    );
  });

  it("tells by the other clock as long ago as by its own when something was", () => {
    fc.assert(
      fc.property(stepsMs, fc.nat(86_400_000), (steps, agoMs) => {
        let wallMs = 1_800_000_000_000;
        const onward = new OnwardClock({ nowMs: () => wallMs });
        for (const stepMs of steps) {
          onward.nowMs();
          wallMs += stepMs;
        }
        expect(onward.wallMsOf(onward.nowMs() - agoMs)).toBe(wallMs - agoMs);
      }),
    );
  });
});
