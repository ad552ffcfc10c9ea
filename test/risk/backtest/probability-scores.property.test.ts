import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auc } from "../../../src/risk/backtest/auc.ts";
import { baseRate, brierScore, murphyDecomposition } from "../../../src/risk/backtest/brier.ts";
import {
  clusteredDieboldMariano,
  type DieboldMarianoTest,
} from "../../../src/risk/backtest/diebold-mariano.ts";
import { fitIsotonic, isotonicAt } from "../../../src/risk/backtest/isotonic.ts";
import { logLoss } from "../../../src/risk/backtest/log-loss.ts";
import { fitPlatt, plattAt } from "../../../src/risk/backtest/platt.ts";
import {
  equalMassBins,
  equalWidthBins,
  expectedCalibrationError,
} from "../../../src/risk/backtest/reliability.ts";
import { wilsonInterval } from "../../../src/risk/backtest/wilson-interval.ts";

// Mutants that these laws kill: within-bin covariance without its 2; the last bin open at 1; ties in AUC counted whole;
// violators pooled by plain instead of weighted means; interpolation from the wrong knot; Platt without the intercept;
// the prior added to the wrong coefficient; clusters joined across dates; Bartlett weights without +1.

const probability = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.1, 0.5, 1));
const outcome = fc.constantFrom(0, 1);
const forecasts = fc
  .array(fc.tuple(probability, outcome), { minLength: 1, maxLength: 60, size: "max" })
  .map((rows) => ({ p: rows.map(([p]) => p), y: rows.map(([, y]) => y) }));
/** Both classes occur and no forecast is exactly 0 or 1. */
const mixed = fc
  .array(fc.tuple(fc.double({ min: 0.02, max: 0.98, noNaN: true }), outcome), {
    minLength: 2,
    maxLength: 60,
    size: "max",
  })
  .map((rows) => ({
    p: [...rows.map(([p]) => p), 0.3, 0.3, 0.7, 0.7],
    y: [...rows.map(([, y]) => y), 0, 1, 0, 1],
  }));

describe("brierScore", () => {
  it("lies in [0, 1] and is the base rate's uncertainty for a constant forecast of it", () => {
    fc.assert(
      fc.property(forecasts, ({ p, y }) => {
        const score = brierScore(p, y)!;
        const rate = baseRate(y)!;
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(
          brierScore(
            p.map(() => rate),
            y,
          ),
        ).toBeCloseTo(rate * (1 - rate), 12);
      }),
    );
  });

  it("is the sum of Murphy's parts to 1e-12, for any number of bins", () => {
    fc.assert(
      fc.property(forecasts, fc.integer({ min: 1, max: 20 }), ({ p, y }, bins) => {
        const parts = murphyDecomposition(p, y, bins)!;
        const sum =
          parts.reliability -
          parts.resolution +
          parts.uncertainty +
          parts.withinBinVariance -
          parts.withinBinCovariance;
        expect(Math.abs(sum - brierScore(p, y)!)).toBeLessThan(1e-12);
        expect(parts.reliability).toBeGreaterThanOrEqual(0);
        expect(parts.resolution).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("bins", () => {
  it("lose nothing: counts, events and forecasts add up in both kinds", () => {
    fc.assert(
      fc.property(forecasts, fc.integer({ min: 1, max: 12 }), ({ p, y }, bins) => {
        for (const { bins: all } of [equalWidthBins(p, y, bins), equalMassBins(p, y, bins)]) {
          expect(all.reduce((sum, bin) => sum + bin.count, 0)).toBe(p.length);
          expect(all.reduce((sum, bin) => sum + bin.events, 0)).toBe(
            y.reduce<number>((sum, one) => sum + one, 0),
          );
          expect(all.reduce((sum, bin) => sum + bin.count * bin.meanForecast, 0)).toBeCloseTo(
            p.reduce((sum, one) => sum + one, 0),
            9,
          );
        }
        const counts = equalMassBins(p, y, bins).bins.map((bin) => bin.count);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        expect(expectedCalibrationError(equalWidthBins(p, y, 1))).toBeCloseTo(
          Math.abs(baseRate(p)! - baseRate(y)!),
          12,
        );
      }),
    );
  });
});

describe("auc", () => {
  it("is the share of pairs in the right order, ties half", () => {
    fc.assert(
      fc.property(forecasts, ({ p, y }) => {
        let pairs = 0;
        let right = 0;
        p.forEach((event, i) => {
          p.forEach((other, j) => {
            if (y[i] !== 1 || y[j] !== 0) return;
            pairs++;
            right += event > other ? 1 : event === other ? 0.5 : 0;
          });
        });
        const value = auc(p, y);
        if (pairs === 0) expect(value).toBeNull();
        else expect(value).toBeCloseTo(right / pairs, 12);
      }),
    );
  });

  it("ignores increasing maps and turns over with the forecasts", () => {
    fc.assert(
      fc.property(forecasts, ({ p, y }) => {
        const value = auc(p, y);
        const coarse = p.map((one) => Math.round(one * 1000) / 1000);
        const mirrored = auc(
          coarse.map((one) => 1 - one),
          y,
        );
        expect(
          auc(
            coarse.map((one) => 2 * one + 1),
            y,
          ),
        ).toBe(auc(coarse, y));
        if (value === null) expect(mirrored).toBeNull();
        else expect(mirrored).toBeCloseTo(1 - auc(coarse, y)!, 12);
      }),
    );
  });
});

describe("fitIsotonic", () => {
  it("is non-decreasing, keeps the mean, never raises the Brier score and is idempotent", () => {
    fc.assert(
      fc.property(forecasts, ({ p, y }) => {
        const curve = fitIsotonic(p, y, null)!;
        const fitted = p.map((one) => isotonicAt(curve, one));
        for (let k = 1; k < curve.y.length; k++) expect(curve.y[k]!).toBeGreaterThanOrEqual(curve.y[k - 1]!);
        expect(baseRate(fitted)).toBeCloseTo(baseRate(y)!, 12);
        expect(brierScore(fitted, y)!).toBeLessThanOrEqual(brierScore(p, y)! + 1e-12);
        const again = fitIsotonic(p, fitted, null)!;
        again.y.forEach((value, k) => {
          expect(value).toBeCloseTo(curve.y[k]!, 12);
        });
      }),
    );
  });

  it("treats a weight as so many equal observations", () => {
    const rows = fc.array(fc.tuple(fc.nat(5), fc.nat(9), fc.integer({ min: 1, max: 4 })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(rows, (all) => {
        const weighted = fitIsotonic(
          all.map(([x]) => x),
          all.map(([, y]) => y),
          all.map(([, , w]) => w),
        )!;
        const repeated = all.flatMap(([x, y, w]) => new Array<readonly [number, number]>(w).fill([x, y]));
        const plain = fitIsotonic(
          repeated.map(([x]) => x),
          repeated.map(([, y]) => y),
          null,
        )!;
        weighted.y.forEach((value, k) => {
          expect(value).toBeCloseTo(plain.y[k]!, 10);
        });
      }),
    );
  });

  it("reads straight lines between knots", () => {
    const curve = fitIsotonic([0, 1, 3], [0, 0.5, 1], null)!;

    expect([-1, 0.5, 1, 2, 9].map((at) => isotonicAt(curve, at))).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });
});

describe("fitPlatt", () => {
  it("without a prior gives the outcomes' mean and no worse log loss", () => {
    fc.assert(
      fc.property(mixed, ({ p, y }) => {
        const map = fitPlatt(p, y, null, 0);
        const after = p.map((one) => plattAt(map, one));
        expect(baseRate(after)).toBeCloseTo(baseRate(y)!, 5);
        expect(logLoss(after, y)!).toBeLessThanOrEqual(logLoss(p, y)! + 1e-12);
      }),
    );
  });

  it("with all the weight on the prior leaves forecasts alone, and any prior keeps the fit finite", () => {
    fc.assert(
      fc.property(forecasts, fc.double({ min: 0.1, max: 10, noNaN: true }), ({ p, y }, weight) => {
        const strong = fitPlatt(p, y, null, 1e12);
        expect(strong.intercept).toBeCloseTo(0, 6);
        expect(strong.slope).toBeCloseTo(1, 6);
        const weak = fitPlatt(p, y, null, weight);
        expect(Number.isFinite(weak.intercept) && Number.isFinite(weak.slope)).toBe(true);
      }),
    );
  });
});

describe("fitPlatt with a prior", () => {
  it("cannot be improved by any small change of its two numbers", () => {
    const nudge = fc.double({ min: -0.01, max: 0.01, noNaN: true });
    fc.assert(
      fc.property(
        mixed,
        fc.double({ min: 0.5, max: 20, noNaN: true }),
        nudge,
        nudge,
        ({ p, y }, weight, a, b) => {
          const cost = (intercept: number, slope: number): number =>
            y.length *
              logLoss(
                p.map((one) => plattAt({ intercept, slope }, one)),
                y,
              )! +
            (weight / 2) * (intercept ** 2 + (slope - 1) ** 2);
          const { intercept, slope } = fitPlatt(p, y, null, weight);
          expect(cost(intercept + a, slope + b)).toBeGreaterThanOrEqual(cost(intercept, slope) - 1e-9);
        },
      ),
    );
  });
});

describe("wilsonInterval", () => {
  it("solves (p̂ − p)² = z² p(1−p)/n at its ends and contains the share", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (n, some) => {
        const events = some % (n + 1);
        const share = events / n;
        const { low, high } = wilsonInterval(events, n, 0.95);
        for (const end of [low, high]) {
          expect((share - end) ** 2).toBeCloseTo((1.959963984540054 ** 2 * end * (1 - end)) / n, 10);
        }
        expect(low).toBeLessThanOrEqual(share);
        expect(high).toBeGreaterThanOrEqual(share);
      }),
    );
  });

  it("reaches 0 exactly without an event, 1 exactly where all are events, and lies inside otherwise", () => {
    for (let n = 1; n <= 500; n++) {
      expect(wilsonInterval(0, n, 0.95).low).toBe(0);
      expect(wilsonInterval(n, n, 0.95).high).toBe(1);
      expect(wilsonInterval(1, n + 1, 0.95).low).toBeGreaterThan(0);
      expect(wilsonInterval(n, n + 1, 0.95).high).toBeLessThan(1);
    }
  });
});

describe("Diebold–Mariano", () => {
  const losses = fc
    .array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 })), {
      minLength: 3,
      maxLength: 60,
      size: "max",
    })
    .map((rows) => ({ a: Float64Array.from(rows, ([a]) => a), b: Float64Array.from(rows, ([, b]) => b) }));

  const daily = (a: Float64Array, b: Float64Array, lags: number): DieboldMarianoTest =>
    clusteredDieboldMariano(
      a,
      b,
      a.map((_, t) => t),
      lags,
    );

  it("turns over when the forecasts are exchanged", () => {
    fc.assert(
      fc.property(losses, fc.nat(5), ({ a, b }, lags) => {
        const one = daily(a, b, lags);
        const other = daily(b, a, lags);
        expect(other.meanDifference).toBeCloseTo(-one.meanDifference, 12);
        if (one.statistic !== null) expect(other.statistic).toBeCloseTo(-one.statistic, 9);
      }),
    );
  });

  it("is the mean over its Newey-West error, by the double sum", () => {
    fc.assert(
      fc.property(losses, fc.nat(5), ({ a, b }, lags) => {
        const d = Array.from(a, (one, t) => one - b[t]!);
        const mean = d.reduce((sum, one) => sum + one, 0) / d.length;
        let square = 0;
        d.forEach((x, i) => {
          d.forEach(
            (y, j) => (square += Math.max(0, 1 - Math.abs(i - j) / (lags + 1)) * (x - mean) * (y - mean)),
          );
        });
        const { statistic } = daily(a, b, lags);
        if (square < 1e-6) return; // nothing but rounding: the estimate may be 0
        expect(statistic).toBeCloseTo((mean * d.length) / Math.sqrt(square), 6);
      }),
    );
  });

  it("says nothing of an error that there is nothing to estimate from", () => {
    const at = (a: number, b: number, count: number): DieboldMarianoTest =>
      daily(new Float64Array(count).fill(a), new Float64Array(count).fill(b), 2);

    expect(at(3, 1, 8)).toEqual({ meanDifference: 2, statistic: null });
    expect(at(1, 3, 1)).toEqual({ meanDifference: -2, statistic: null });
    expect(at(1, 1, 8)).toEqual({ meanDifference: 0, statistic: null });
    // Here the mean of seven equal differences is another number than each of them.
    expect(at(1e-4, 0, 7).statistic).toBeNull();
  });

  it("says nothing of the error of one date, however many assets are judged on it", () => {
    fc.assert(
      fc.property(losses, fc.nat(5), ({ a, b }, lags) => {
        const third = (values: Float64Array): Float64Array => values.map((value) => value / 3);
        const oneDate = new Float64Array(a.length);
        expect(clusteredDieboldMariano(third(a), third(b), oneDate, lags).statistic).toBeNull();
      }),
    );
  });

  it("is not impressed by copies: assets that move as one count as one", () => {
    fc.assert(
      fc.property(losses, fc.integer({ min: 2, max: 5 }), fc.nat(3), ({ a, b }, copies, lags) => {
        const repeat = (values: Float64Array): Float64Array =>
          Float64Array.from(values).reduce<number[]>((all, value) => {
            for (let i = 0; i < copies; i++) all.push(value);
            return all;
          }, []) as unknown as Float64Array;
        const dates = repeat(a.map((_, t) => t));
        const one = daily(a, b, lags);
        const many = clusteredDieboldMariano(repeat(a), repeat(b), dates, lags);
        if (one.statistic !== null) expect(many.statistic).toBeCloseTo(one.statistic, 9);
      }),
    );
  });
});
