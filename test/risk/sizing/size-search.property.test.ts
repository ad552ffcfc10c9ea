import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { largestWithin } from "../../../src/risk/sizing/size-search.ts";
import { bisectedSize } from "../../oracle/size-bisection.ts";
import { magnitude } from "../../support/arbitraries.ts";

const PRECISION = 0.005;

/** Slacks that fall with the size: straight, bent, with a step, from nothing, of a limit that has no measure. */
const slacks = fc
  .record({
    limitUsd: magnitude(0.1, 1e9),
    power: magnitude(0.2, 4),
    scale: magnitude(1e-6, 1e6),
    kind: fc.constantFrom("smooth", "step", "bent", "level", "unmeasured"),
  })
  .map(({ limitUsd, power, scale, kind }) => (usd: number): number => {
    const slack = scale * (1 - (usd / limitUsd) ** power);
    if (kind === "unmeasured") return slack >= 0 ? Infinity : -Infinity;
    if (kind === "level") return slack >= 0 ? 0 : -scale;
    if (kind === "step") return slack >= 0 ? slack + scale : slack - 100 * scale;
    return kind === "bent" ? Math.min(slack, scale * 0.1 * (1 - usd / limitUsd)) : slack;
  });

/*
 * Mutants killed: a size beyond the kept one taken as kept, one short of the refused as refused; refused sizes taken as
 * kept; no aim beyond the crossing; the refused end returned.
 */
describe("largestWithin", () => {
  it("is what plain bisection finds, to the last bit", () => {
    fc.assert(
      fc.property(slacks, magnitude(0.5, 1e9), (slackOf, upperUsd) => {
        const slow = bisectedSize(upperUsd, PRECISION, (usd) => slackOf(usd) >= 0);
        expect(largestWithin(upperUsd, PRECISION, slackOf)).toBe(slow);
      }),
      { numRuns: 2000 },
    );
  });

  it("answers nothing where nothing may be asked for, and asks nothing", () => {
    for (const upperUsd of [0, -5, -Infinity]) {
      let asked = 0;
      const slackOf = (): number => (asked += 1);

      expect(largestWithin(upperUsd, PRECISION, slackOf)).toBe(0);
      expect(asked).toBe(0);
    }
  });

  it("takes a slack that is not a number for a limit that is broken", () => {
    expect(largestWithin(1e6, PRECISION, () => Number.NaN)).toBe(0);
    const known = largestWithin(1e6, PRECISION, (usd) => (usd < 1000 ? 1 : Number.NaN));
    expect(known).toBeLessThan(1000);
    expect(known * (1 + PRECISION)).toBeGreaterThanOrEqual(1000);
  });

  it("asks again where a halving falls within a hair of a straight limit", () => {
    const hair = fc.tuple(magnitude(1e-7, 1e-3), fc.constantFrom(1, -1)).map(([size, sign]) => sign * size);
    fc.assert(
      fc.property(magnitude(1e3, 1e8), fc.integer({ min: 1, max: 4095 }), hair, (upperUsd, step, off) => {
        // Halvings in logarithms fall on the upper bound's 4096th roots.
        const limitUsd = upperUsd ** (step / 4096) * (1 + off);
        const slow = bisectedSize(upperUsd, PRECISION, (usd) => limitUsd - usd >= 0);
        expect(largestWithin(upperUsd, PRECISION, (usd) => limitUsd - usd)).toBe(slow);
      }),
      { numRuns: 2000 },
    );
  });

  it("asks a straight limit six times where plain bisection asks fourteen", () => {
    fc.assert(
      fc.property(magnitude(10, 1e7), magnitude(1.2, 1e3), (limitUsd, times) => {
        let asked = 0;
        largestWithin(Math.min(1e8, limitUsd * times), PRECISION, (usd) => {
          asked += 1;
          return limitUsd - usd;
        });
        expect(asked).toBeLessThanOrEqual(6);
      }),
    );
  });

  it("asks at most two times more than plain bisection, whatever the limit's shape", () => {
    fc.assert(
      fc.property(slacks, magnitude(1, 1e8), (slackOf, upperUsd) => {
        let slow = 0;
        let asked = 0;
        bisectedSize(upperUsd, PRECISION, (usd) => {
          slow += 1;
          return slackOf(usd) >= 0;
        });
        largestWithin(upperUsd, PRECISION, (usd) => {
          asked += 1;
          return slackOf(usd);
        });
        expect(asked).toBeLessThanOrEqual(slow + 2);
      }),
    );
  });
});
