import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import {
  marketMultiplierOf,
  recalibratedFactors,
  sigmaMultiplierOf,
  UNCORRECTED,
  updateMultipliers,
} from "../../../src/risk/scenarios/sigma-recalibration.ts";
import { returned, TAIL } from "../../support/forecast-rows.ts";
import { between } from "../../support/arbitraries.ts";

// Mutants killed by hand: no clamp; sides swapped; the log return for the loss; a loss of just the VaR for a breach.

const multiplier = fc.double({ min: 0.8, max: 1.5, noNaN: true });
const multipliers = fc.record({
  long95: multiplier,
  long99: multiplier,
  short95: multiplier,
  short99: multiplier,
});
const simpleReturn = between(-0.5, 1);

describe("updateMultipliers", () => {
  it("moves each by its own breach: ln m by 0.02 (breach − p), within 0.8 and 1.5", () => {
    fc.assert(
      fc.property(multipliers, simpleReturn, (before, change) => {
        const after = updateMultipliers(before, { long: TAIL, short: TAIL, outcome: returned(change) });

        const loss = -Math.expm1(Math.log1p(change));
        const moved = (value: number, isBreach: boolean, p: number): number =>
          Math.min(1.5, Math.max(0.8, value * Math.exp(0.02 * (Number(isBreach) - p))));
        expect(after.long95).toBeCloseTo(moved(before.long95, loss > 0.02, 0.05), 12);
        expect(after.long99).toBeCloseTo(moved(before.long99, loss > 0.04, 0.01), 12);
        expect(after.short95).toBeCloseTo(moved(before.short95, -loss > 0.02, 0.05), 12);
        expect(after.short99).toBeCloseTo(moved(before.short99, -loss > 0.04, 0.01), 12);
      }),
    );
  });

  it("counts what a position lost of its notional, and only more than its VaR, for a breach", () => {
    const breached = (change: number): readonly boolean[] => {
      const after = updateMultipliers(UNCORRECTED, { long: TAIL, short: TAIL, outcome: returned(change) });
      return (["long95", "long99", "short95", "short99"] as const).map((name) => after[name] > 1);
    };
    expect(breached(-0.0199)).toEqual([false, false, false, false]);
    expect(breached(-0.0201)).toEqual([true, false, false, false]);
    expect(breached(-0.0399)).toEqual([true, false, false, false]);
    expect(breached(0.0201)).toEqual([false, false, true, false]);
    expect(breached(0.0401)).toEqual([false, false, true, true]);
    // A price that stands still loses nothing, not more than a VaR of nothing.
    const still = { ...TAIL, var95: 0, var99: 0 };
    const { long95, short99 } = updateMultipliers(UNCORRECTED, {
      long: still,
      short: still,
      outcome: returned(0),
    });
    expect(Math.max(long95, short99)).toBeLessThan(1);
  });

  it("never moves the multiplier of sigma by more than 2 % a day", () => {
    fc.assert(
      fc.property(multipliers, simpleReturn, (before, change) => {
        const after = updateMultipliers(before, { long: TAIL, short: TAIL, outcome: returned(change) });

        expect(Math.abs(Math.log(sigmaMultiplierOf(after) / sigmaMultiplierOf(before)))).toBeLessThan(0.02);
      }),
    );
  });

  it("comes to rest where sigma is right: a forecast a fifth too low is corrected, and stays corrected", () => {
    const random = createRandom(11);
    let state = UNCORRECTED;
    const path: number[] = [];
    for (let day = 0; day < 3_000; day++) {
      const m = sigmaMultiplierOf(state);
      const tail = { var95: 1.645 * 0.02 * m, var99: 2.326 * 0.02 * m };
      const numbers = { ...tail, expectedShortfall95: tail.var95, expectedShortfall99: tail.var99 };
      const logReturn = 0.025 * random.normal();
      const outcome = { logReturn, logLow: Math.min(0, logReturn), logHigh: Math.max(0, logReturn) };
      state = updateMultipliers(state, { long: numbers, short: numbers, outcome });
      path.push(sigmaMultiplierOf(state));
    }
    const late = path.slice(-1_500);

    expect(late.reduce((sum, m) => sum + m, 0) / late.length).toBeGreaterThan(1.15);
    expect(late.reduce((sum, m) => sum + m, 0) / late.length).toBeLessThan(1.35);
  });
});

describe("sigmaMultiplierOf", () => {
  it("is the geometric mean: opposite corrections cancel", () => {
    expect(sigmaMultiplierOf(UNCORRECTED)).toBe(1);
    expect(sigmaMultiplierOf({ long95: 1.25, long99: 0.8, short95: 1.25, short99: 0.8 })).toBeCloseTo(1, 12);
    expect(sigmaMultiplierOf({ long95: 1.21, long99: 1, short95: 1.21, short99: 1 })).toBeCloseTo(1.1, 12);
  });
});

describe("marketMultiplierOf", () => {
  it("is 1 as long as no asset has a lesson, then their geometric mean", () => {
    expect(marketMultiplierOf([])).toBe(1);
    expect(marketMultiplierOf([0.9, 1.2])).toBeCloseTo(Math.sqrt(0.9 * 1.2), 12);
  });
});

describe("recalibratedFactors", () => {
  it("multiplies the variance of a day by its square, all of it in hours 5 to 24, and leaves the other hours alone", () => {
    fc.assert(
      fc.property(multiplier, fc.array(multiplier, { minLength: 168, maxLength: 168 }), (m, seasonal) => {
        const factors = recalibratedFactors(Float64Array.from(seasonal), m);

        const taught = factors[4]! / seasonal[4]!;
        factors.forEach((factor, step) => {
          const hour = step + 1;
          const isTaught = hour >= 5 && hour <= 24;
          expect(factor).toBeCloseTo(seasonal[step]! * (isTaught ? taught : 1), 12);
        });
        expect((4 + 20 * taught ** 2) / 24).toBeCloseTo(m ** 2, 12);
      }),
    );
  });
});
