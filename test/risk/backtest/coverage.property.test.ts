import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { breachDurationTest } from "../../../src/risk/backtest/breach-durations.ts";
import { christoffersenTest } from "../../../src/risk/backtest/christoffersen.ts";
import { dynamicQuantileTest } from "../../../src/risk/backtest/dynamic-quantile.ts";
import {
  EMPTY_E_PROCESS,
  eProcessesOf,
  eValueOfShortfall,
  eValueOfVar,
  updateEProcess,
} from "../../../src/risk/backtest/e-process.ts";
import { mcNeilFreyTest, shortfallZ2 } from "../../../src/risk/backtest/es-tests.ts";
import { fzLoss, tickLoss } from "../../../src/risk/backtest/fz-loss.ts";
import { kupiecTest } from "../../../src/risk/backtest/kupiec.ts";
import { breachCount, breachesOf, type TailRecord } from "../../../src/risk/backtest/tail-record.ts";
import { trafficLight } from "../../../src/risk/backtest/traffic-light.ts";
import { listDurations, weibullLogLikelihood } from "../../oracle/weibull-likelihood.ts";

// Mutants that these laws kill: dropping the 0 ln 0 guard; swapping p and 1−p; counting ties as breaches; forgetting
// n10 in the pooled rate; >= 0.99 for yellow; the first duration without its +1; treating the last duration as
// complete; one Gram–Schmidt column skipped; λ·e without the −λ; ES/VaR swapped in FZ0; p·(L−v) for (L−v)/p.

const tailProbability = fc.constantFrom(0.01, 0.025, 0.05, 0.1);
const bits = fc.array(fc.constantFrom(0, 0, 0, 0, 1), { minLength: 2, maxLength: 120, size: "max" });
const magnitude = fc.double({ min: 1e-4, max: 0.5, noNaN: true });

/** Forecasts with ES above VaR, and losses on both sides of them. */
const record: fc.Arbitrary<TailRecord> = fc
  .tuple(
    tailProbability,
    fc.array(
      fc.tuple(
        fc.double({ min: -2, max: 3, noNaN: true }),
        magnitude,
        fc.double({ min: 1.01, max: 2, noNaN: true }),
      ),
      { minLength: 12, maxLength: 80, size: "max" },
    ),
  )
  .map(([p, rows]) => ({
    tailProbability: p,
    loss: Float64Array.from(rows, ([position, threshold]) => position * threshold),
    valueAtRisk: Float64Array.from(rows, ([, threshold]) => threshold),
    expectedShortfall: Float64Array.from(rows, ([, threshold, ratio]) => threshold * ratio),
  }));

describe("breachesOf", () => {
  it("calls only a loss beyond the VaR a breach, not one that equals it", () => {
    fc.assert(
      fc.property(record, (r) => {
        expect(breachCount(breachesOf({ ...r, loss: r.valueAtRisk }))).toBe(0);
        const beyond = r.valueAtRisk.map((threshold) => threshold * 1.001);
        expect(breachCount(breachesOf({ ...r, loss: beyond }))).toBe(r.loss.length);
      }),
    );
  });
});

describe("kupiecTest", () => {
  it("is 0 where the rate equals the tail probability, and otherwise positive", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 2, max: 50 }), (x, k) => {
        expect(kupiecTest(x, x * k, 1 / k).likelihoodRatio).toBeCloseTo(0, 9);
        expect(kupiecTest(x + 1, x * k, 1 / k).likelihoodRatio).toBeGreaterThan(0);
      }),
    );
  });

  it("is never below 0, nor its p-value above 1, where the rate misses the tail probability by rounding only", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (x) => {
        const { likelihoodRatio, pValue } = kupiecTest(x, 20 * x, 1 - 0.95);
        expect(likelihoodRatio).toBeGreaterThanOrEqual(0);
        expect(pValue).toBeCloseTo(1, 6);
      }),
    );
  });

  it("has one-sided p-values that overlap in exactly the observed count", () => {
    fc.assert(
      fc.property(bits, tailProbability, (b, p) => {
        const x = breachCount(Uint8Array.from(b));
        const { tooManyPValue, tooFewPValue } = kupiecTest(x, b.length, p);
        let pointMass = (1 - p) ** (b.length - x);
        for (let k = 1; k <= x; k++) pointMass *= ((b.length - x + k) * p) / k;
        expect(tooManyPValue + tooFewPValue).toBeCloseTo(1 + pointMass, 10);
        expect(Math.min(tooManyPValue, tooFewPValue)).toBeGreaterThan(0);
      }),
    );
  });
});

describe("christoffersenTest", () => {
  it("adds up, keeps every p-value in [0, 1] and is finite for any record", () => {
    fc.assert(
      fc.property(
        fc.oneof(bits, fc.constant(new Array(30).fill(0)), fc.constant(new Array(30).fill(1))),
        tailProbability,
        (b, p) => {
          const breaches = Uint8Array.from(b as number[]);
          const coverage = kupiecTest(breachCount(breaches), breaches.length, p);
          const test = christoffersenTest(breaches, p);

          expect(test.independenceRatio).toBeGreaterThanOrEqual(0);
          expect(test.conditionalCoverageRatio).toBe(coverage.likelihoodRatio + test.independenceRatio);
          for (const value of [coverage.pValue, test.independencePValue, test.conditionalCoveragePValue]) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1);
          }
          const { n00, n01, n10, n11 } = test.transitions;
          expect(n00 + n01 + n10 + n11).toBe(breaches.length - 1);
          expect(n01 + n11).toBe(breachCount(breaches.subarray(1)));
        },
      ),
    );
  });

  it("is the likelihood of a chain against that of one rate, step by step", () => {
    fc.assert(
      fc.property(bits, tailProbability, (b, p) => {
        const steps = b.slice(1).map((now, t) => [b[t]!, now] as const);
        const rateAmong = (rows: readonly (readonly [number, number])[]): number =>
          rows.filter(([, now]) => now === 1).length / rows.length;
        const logOf = (rate: number, now: number): number => Math.log(now === 1 ? rate : 1 - rate);
        const rates = [0, 1].map((before) => rateAmong(steps.filter(([was]) => was === before)));
        let ratio = 0;
        for (const [was, now] of steps) ratio += 2 * (logOf(rates[was]!, now) - logOf(rateAmong(steps), now));
        expect(christoffersenTest(Uint8Array.from(b), p).independenceRatio).toBeCloseTo(ratio, 9);
      }),
    );
  });

  it("is never below 0 where breaches come as often after a breach as after calm", () => {
    // n00 / n01 = n10 / n11, so that the ratio is 0 but for rounding.
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), (calms, breaches) => {
        const pairs = chainOf(calms * calms, calms * breaches, breaches * breaches);
        const { independenceRatio, independencePValue } = christoffersenTest(pairs, 0.01);
        expect(independenceRatio).toBeGreaterThanOrEqual(0);
        expect(independencePValue).toBeCloseTo(1, 6);
      }),
    );
  });

  it("sees time: reversing swaps the two kinds of change, so the ratio hardly moves", () => {
    fc.assert(
      fc.property(bits, tailProbability, (b, p) => {
        const forward = christoffersenTest(Uint8Array.from(b), p).transitions;
        const backward = christoffersenTest(Uint8Array.from(b.toReversed()), p).transitions;
        expect(backward).toEqual({ ...forward, n01: forward.n10, n10: forward.n01 });
      }),
    );
  });
});

describe("trafficLight", () => {
  it("has the supervisor's zones at 250 days and 1 %", () => {
    const zones = Array.from({ length: 13 }, (_, x) => trafficLight(x, 250, 0.01).zone);

    expect(zones.indexOf("yellow")).toBe(5);
    expect(zones.indexOf("red")).toBe(10);
  });

  it("is the zone of the probability of so few breaches, summed count by count, and green without one", () => {
    for (const p of [0.01, 0.05]) {
      for (let n = 1; n <= 400; n++) {
        let probability = (1 - p) ** n;
        let soFew = 0;
        for (let x = 0; x <= Math.min(n, 40); x++) {
          soFew += probability;
          probability *= ((n - x) * p) / ((x + 1) * (1 - p));
          // One of two at 1 % is 0.9999 itself, but for rounding.
          if (Math.abs(soFew - 0.9999) < 1e-12) continue;
          const zone = x === 0 || soFew < 0.95 ? "green" : soFew < 0.9999 ? "yellow" : "red";
          expect([n, x, trafficLight(x, n, p).zone]).toEqual([n, x, zone]);
        }
      }
    }
  });

  it("never improves with one more breach", () => {
    const rank = { green: 0, yellow: 1, red: 2 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), tailProbability, fc.nat(60), (n, p, x) => {
        const fewer = trafficLight(Math.min(x, n - 1), n, p);
        const more = trafficLight(Math.min(x, n - 1) + 1, n, p);
        expect(rank[more.zone]).toBeGreaterThanOrEqual(rank[fewer.zone]);
        expect(more.cumulativeProbability).toBeGreaterThanOrEqual(fewer.cumulativeProbability);
      }),
    );
  });
});

describe("breachDurationTest", () => {
  it("finds a shape that no other shape and rate beat, and the likelihood ratio against shape 1", () => {
    fc.assert(
      fc.property(bits, fc.double({ min: 0.2, max: 4, noNaN: true }), (b, otherShape) => {
        const test = breachDurationTest(Uint8Array.from(b));
        const durations = listDurations(b);
        const complete = durations.filter((duration) => !duration.isCensored).length;
        if (complete === 0) {
          expect(test).toBeNull();
          return;
        }
        const best = (shape: number): number => {
          const rate =
            (complete / durations.reduce((sum, { length }) => sum + length ** shape, 0)) ** (1 / shape);
          return weibullLogLikelihood(durations, rate, shape);
        };
        expect(test).not.toBeNull();
        if (test!.shape > 10) return; // breaches at equal distances: the likelihood has no maximum
        expect(best(test!.shape)).toBeGreaterThanOrEqual(best(otherShape) - 1e-9);
        expect(test!.likelihoodRatio).toBeCloseTo(2 * (best(test!.shape) - best(1)), 6);
      }),
    );
  });
});

describe("dynamicQuantileTest", () => {
  it("does not change when the VaR is measured in other units, which spans the same space", () => {
    fc.assert(
      fc.property(record, fc.double({ min: 0.1, max: 10, noNaN: true }), (r, unit) => {
        const scaled = (values: Float64Array): Float64Array => values.map((value) => value * unit);
        const other = { ...r, loss: scaled(r.loss), valueAtRisk: scaled(r.valueAtRisk) };
        fc.pre(breachCount(breachesOf(r)) === breachCount(breachesOf(other)));
        const a = dynamicQuantileTest(r)!;
        const b = dynamicQuantileTest(other)!;
        expect(b.statistic).toBeCloseTo(a.statistic, 6);
        expect(b.degreesOfFreedom).toBe(a.degreesOfFreedom);
      }),
    );
  });

  it("does not change with a VaR that moves by some hundred-millionths only, which spans the same space as its moves", () => {
    fc.assert(
      fc.property(record, (r) => {
        const moves = r.valueAtRisk.map((_, t) => (t * t * 7919) % 1009);
        const loss = r.loss.map((value, t) => (value > r.valueAtRisk[t]! ? 1e6 : -1e6));
        const still = { ...r, loss, valueAtRisk: moves.map((move) => 1 + move * 2 ** -34) };
        const moving = { ...r, loss, valueAtRisk: moves };

        expect(dynamicQuantileTest(still)!.statistic).toBeCloseTo(dynamicQuantileTest(moving)!.statistic, 8);
      }),
    );
  });

  it("without a breach is n p/(1−p) on the constant alone, whatever the VaR", () => {
    fc.assert(
      fc.property(record, (r) => {
        const calm = { ...r, loss: r.loss.map(() => -1) };
        const { statistic, degreesOfFreedom, pValue } = dynamicQuantileTest(calm)!;
        const p = r.tailProbability;
        expect(statistic).toBeCloseTo(((r.loss.length - 4) * p) / (1 - p), 9);
        expect(degreesOfFreedom).toBeLessThanOrEqual(2);
        expect(pValue).toBeGreaterThan(0);
      }),
    );
  });
});

describe("shortfall statistics", () => {
  it("Z2 is the severity of breaches weighted by their realised frequency: 1 − mean(loss/ES) x/(np)", () => {
    fc.assert(
      fc.property(record, (r) => {
        const ratios = [...r.loss]
          .map((loss, t) => loss / r.expectedShortfall[t]!)
          .filter((_, t) => r.loss[t]! > r.valueAtRisk[t]!);
        const severity = ratios.reduce((sum, ratio) => sum + ratio, 0) / Math.max(1, ratios.length);
        const frequency = breachCount(breachesOf(r)) / (r.loss.length * r.tailProbability);
        expect(shortfallZ2(r)).toBeCloseTo(1 - severity * frequency, 9);
      }),
    );
  });

  it("both see only understatement grow when losses beyond the VaR grow", () => {
    fc.assert(
      fc.property(record, fc.double({ min: 1.01, max: 3, noNaN: true }), (r, factor) => {
        const worse = {
          ...r,
          loss: r.loss.map((loss, t) => (loss > r.valueAtRisk[t]! ? loss * factor : loss)),
        };
        expect(shortfallZ2(worse)).toBeLessThanOrEqual(shortfallZ2(r));
        const before = mcNeilFreyTest(r);
        if (before === null) return;
        expect(before.pValue).toBeGreaterThanOrEqual(0);
        expect(before.pValue).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("has no McNeil-Frey statistic of equal breaches, whichever way their mean is rounded", () => {
    fc.assert(
      fc.property(magnitude, fc.integer({ min: 0, max: 40 }), (size, count) => {
        const column = (value: number): Float64Array => new Float64Array(count).fill(value);
        const equal = { loss: column(size), valueAtRisk: column(0), expectedShortfall: column(0) };
        expect(mcNeilFreyTest({ ...equal, tailProbability: 0.01 })).toBeNull();
      }),
    );
  });
});

describe("e-processes", () => {
  it("is a fair game: the expected capital after a period of a correct model is the capital before it", () => {
    fc.assert(
      fc.property(tailProbability, fc.double({ min: 0.001, max: 0.9, noNaN: true }), (p, bet) => {
        const won = updateEProcess(EMPTY_E_PROCESS, eValueOfVar(2, 1, p), bet).logCapital;
        const lost = updateEProcess(EMPTY_E_PROCESS, eValueOfVar(1, 1, p), bet).logCapital;
        expect(p * Math.exp(won) + (1 - p) * Math.exp(lost)).toBeCloseTo(1, 12);
      }),
    );
  });

  it("bets on the shortfall with mean 1 when the tail mean is right", () => {
    fc.assert(
      fc.property(
        fc.array(magnitude, { minLength: 1, maxLength: 20, size: "max" }),
        magnitude,
        fc.integer({ min: 2, max: 9 }),
        (excesses, v, k) => {
          // A population of k × m outcomes of which the m in the tail lie `excess` beyond the VaR.
          const shortfall = v + excesses.reduce((sum, excess) => sum + excess, 0) / excesses.length;
          const p = 1 / k;
          const mean =
            excesses.reduce((sum, excess) => sum + eValueOfShortfall(v + excess, v, shortfall, p), 0) /
            (excesses.length * k);
          expect(mean).toBeCloseTo(1, 6);
        },
      ),
    );
  });

  it("does not depend on how the record is cut: folding it whole or in two halves gives one capital", () => {
    fc.assert(
      fc.property(record, (r) => {
        const whole = eProcessesOf(r, 0.02, null);
        let capital = EMPTY_E_PROCESS;
        for (let t = 0; t < r.loss.length; t++) {
          capital = updateEProcess(
            capital,
            eValueOfVar(r.loss[t]!, r.valueAtRisk[t]!, r.tailProbability),
            0.02,
          );
        }
        expect(whole.valueAtRisk).toEqual(capital);
        expect(whole.valueAtRisk.logCapitalMax).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("eProcessesOf with times", () => {
  it("starts anew with every month: what is left is the running month alone", () => {
    fc.assert(
      fc.property(record, fc.integer({ min: 0, max: 60 }), (r, firstDay) => {
        const timeMs = Float64Array.from(r.loss, (_, t) => Date.UTC(2026, 0, 1 + firstDay + t, 12));
        const lastMonth = new Date(timeMs.at(-1)!).toISOString().slice(0, 7);
        const from = timeMs.findIndex((time) => new Date(time).toISOString().startsWith(lastMonth));
        const running = {
          tailProbability: r.tailProbability,
          loss: r.loss.slice(from),
          valueAtRisk: r.valueAtRisk.slice(from),
          expectedShortfall: r.expectedShortfall.slice(from),
        };

        expect(eProcessesOf(r, 0.02, timeMs)).toEqual(eProcessesOf(running, 0.02, null));
      }),
    );
  });
});

describe("fzLoss and tickLoss", () => {
  it("are lowest on average for the sample's own quantile and tail mean", () => {
    const sample = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), {
      minLength: 10,
      maxLength: 60,
      size: "max",
    });
    const guess = fc.double({ min: 0.001, max: 2, noNaN: true });
    fc.assert(
      fc.property(sample, fc.integer({ min: 1, max: 5 }), guess, guess, (losses, tail, v, e) => {
        const descending = losses.toSorted((a, b) => b - a);
        const p = tail / losses.length;
        const trueVar = descending[tail]!;
        const trueShortfall = descending.slice(0, tail).reduce((sum, loss) => sum + loss, 0) / tail;
        const mean = (one: (loss: number) => number): number =>
          losses.reduce((sum, loss) => sum + one(loss), 0) / losses.length;

        expect(mean((loss) => fzLoss(loss, v, e, p))).toBeGreaterThanOrEqual(
          mean((loss) => fzLoss(loss, trueVar, trueShortfall, p)) - 1e-9,
        );
        expect(mean((loss) => tickLoss(loss, v, p))).toBeGreaterThanOrEqual(
          mean((loss) => tickLoss(loss, trueVar, p)) - 1e-12,
        );
      }),
    );
  });

  it("of FZ0 shifts by ln c when money is counted in other units", () => {
    fc.assert(
      fc.property(record, magnitude, (r, c) => {
        for (let t = 0; t < r.loss.length; t++) {
          const [loss, v, e] = [r.loss[t]!, r.valueAtRisk[t]!, r.expectedShortfall[t]!];
          const shift =
            fzLoss(c * loss, c * v, c * e, r.tailProbability) - fzLoss(loss, v, e, r.tailProbability);
          // A loss within rounding of its VaR may change sides; the loss is continuous there.
          expect(shift).toBeCloseTo(Math.log(c), 6);
        }
      }),
    );
  });
});

/** A record with so many steps of calm after calm, of change to and fro each, and of breach after breach. */
function chainOf(calmSteps: number, changes: number, breachSteps: number): Uint8Array {
  const runs = Array.from({ length: changes }, (_, i) => [
    ...new Array<number>(1 + (i === 0 ? calmSteps : 0)).fill(0),
    ...new Array<number>(1 + (i === 0 ? breachSteps : 0)).fill(1),
  ]);
  return Uint8Array.from([...runs.flat(), 0]);
}
