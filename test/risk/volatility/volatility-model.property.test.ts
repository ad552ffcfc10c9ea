import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, type Bar } from "../../../src/domain/bar.ts";
import { createRandom } from "../../../src/math/random.ts";
import { mean } from "../../../src/math/moments.ts";
import { conditionBars } from "../../../src/risk/volatility/conditioned-bars.ts";
import { gaussianObjective } from "../../../src/risk/volatility/garch-likelihood.ts";
import { fitHexp, updateHexp } from "../../../src/risk/volatility/hexp.ts";
import { RANGE_GARCH_PRIOR } from "../../../src/risk/volatility/garch-parameters.ts";
import {
  coefficientsOfRangeGarch,
  filterRangeGarch,
  fitRangeGarch,
  updateRangeGarch,
} from "../../../src/risk/volatility/range-garch.ts";
import { flatSeasonality } from "../../../src/risk/volatility/seasonality.ts";
import { cumulativeVariance } from "../../../src/risk/volatility/term-structure.ts";
import {
  advanceVariance,
  persistenceOf,
  type RangeGarchRecursion,
  varianceNext,
} from "../../../src/risk/volatility/variance-recursion.ts";
import { fitVolatility, type VolatilityOptions } from "../../../src/risk/volatility/volatility-fit.ts";
import {
  dailySigma,
  dailySigmaHistory,
  forecastVolatility,
} from "../../../src/risk/volatility/volatility-forecast.ts";
import { volatilityFacts } from "../../../src/risk/volatility/volatility-facts.ts";
import { VARIANCE_STEP_MIN, type VolatilityModel } from "../../../src/risk/volatility/volatility-model.ts";
import {
  filterVolatility,
  initialVolatilityState,
  nowcastState,
  observationOf,
  updateVolatility,
  type VolatilityState,
} from "../../../src/risk/volatility/volatility-state.ts";
import { arbitraryBars, syntheticBars } from "../../support/synthetic-bars.ts";
import { between } from "../../support/arbitraries.ts";

// Mutants caught when tried: seasonal factor not squared (state and fit), root of the gap forgotten, cap ignored, floor
// forgotten, sign of g, second model's state shared between updates, remaining for elapsed share in the nowcast, its second model scaled by the first or left as it was, or moved in place, range
// ratio left out of alpha, leverage counted fully in expectations, seasonal factors shifted by an hour, high not widened.

const OPTIONS: VolatilityOptions = {
  pooledSeasonality: null,
  peer: null,
  halfSpreadFraction: 0,
  previous: null,
};
/** Fits are what costs here; their laws do not need the full depth. */
const FITS = { numRuns: 12 };

const parameters = fc.record({
  omega: fc.double({ min: 1e-8, max: 1e-4, noNaN: true }),
  alpha: fc.double({ min: 0.01, max: 0.4, noNaN: true }),
  asymmetry: between(-0.5, 0.5),
  beta: fc.double({ min: 0.3, max: 0.59, noNaN: true }),
});

function modelOf(values: { omega: number; alpha: number; asymmetry: number; beta: number }): VolatilityModel {
  const longRun = values.omega / (1 - values.alpha - values.beta);
  return {
    kind: "range-garch",
    // Another model than what is expected from it on, as after a fit that had to be anchored.
    filter: { kind: "range-garch", ...values, omega: 0.7 * values.omega, alpha: 0.9 * values.alpha },
    recursion: { kind: "range-garch", ...values },
    second: {
      kind: "hexp",
      baseVarianceStep: 0.05 * longRun,
      decays: [0.7, 0.9, 0.98, 0.996],
      weights: [0.5, 0.2, 0.1, 0.1],
      leverage: 0.1,
    },
    seasonality: { factors: flatSeasonality().factors.map((_, hour) => 0.8 + (hour % 24) / 60) },
    rangeScale: 1.1,
    firstVarianceStep: longRun,
    windowVarianceStep: longRun,
    longRunVarianceStep: longRun,
    // Binds after calm hours.
    varianceFloorStep: longRun,
    peer: null,
    returnCap: 0.1,
    rangeVarianceCap: 0.01,
    observations: 1000,
    warnings: [],
  };
}

const model = parameters.map(modelOf);
const flatModel = model.map((m) => ({ ...m, seasonality: flatSeasonality() }));

/** Every third hour missing, one bar suspect: what streaming has to treat as the batch does. */
function withTrouble(bars: readonly Bar[]): Bar[] {
  return bars
    .filter((_, i) => i % 7 !== 3)
    .map((bar, i) =>
      i === 10 ? { ...bar, high: bar.high * 4 } : i === 12 ? { ...bar, volumeBase: 0 } : bar,
    );
}

function stream(m: VolatilityModel, bars: readonly Bar[]): VolatilityState {
  const [before, ...rest] = bars as [Bar, ...Bar[]];
  return rest.reduce(
    (state, bar) => updateVolatility(m, state, bar),
    initialVolatilityState(m, before.openTimeMs, before.close),
  );
}

describe("volatility state", () => {
  it("reads a bar per hour and free of seasonality: r / (f √g) and c k / (f² g), capped at the widest that is not suspect", () => {
    const m = {
      ...modelOf({ omega: 1e-6, alpha: 0.2, asymmetry: 0, beta: 0.5 }),
      seasonality: { factors: flatSeasonality().factors.map(() => 2) },
    };
    const move = { logReturn: -0.08, rangeVariance: 0.002 };
    const seen = observationOf(m, move, 4, 0);
    expect(seen.returnStep).toBeCloseTo(-0.08 / 2 / 2, 15);
    expect(seen.rangeVariance).toBeCloseTo((1.1 * 0.002) / 4 / 4, 15);
    const capped = observationOf(m, { logReturn: -3, rangeVariance: 9 }, 1, 0);
    expect(capped.returnStep).toBe(-0.5);
    expect(capped.rangeVariance).toBeCloseTo(1.1 / (4 * Math.LN2) / 4, 15);
    const wild = { ...m, returnCap: 2, rangeVarianceCap: 4 };
    const usual = observationOf(wild, { logReturn: -3, rangeVariance: 9 }, 1, 0);
    expect(usual).toEqual({ returnStep: -1, rangeVariance: 1.1 });
  });

  it("leaves the state that it was given as it was", () => {
    const m = modelOf({ omega: 1e-6, alpha: 0.2, asymmetry: 0, beta: 0.5 });
    const bars = syntheticBars({ seed: 1, length: 30, sigmaHour: 0.01 });
    const state = stream(m, bars.slice(0, 29));
    const copy = structuredClone(state);
    updateVolatility(m, state, bars[29]!);
    expect(state).toEqual(copy);
  });

  it("is the same bar by bar, in one pass, and after being stored mid-series", () => {
    fc.assert(
      fc.property(model, arbitraryBars(20, 120), (m, bars) => {
        const troubled = withTrouble(bars);
        const batch = filterVolatility(m, conditionBars(troubled)).state;
        expect(stream(m, troubled)).toEqual(batch);
        const half = Math.floor(troubled.length / 2);
        const early = stream(m, troubled.slice(0, half));
        const stored = JSON.parse(
          JSON.stringify({ ...early, second: [...early.second!] }),
        ) as VolatilityState & {
          second: number[];
        };
        let resumed: VolatilityState = { ...stored, second: Float64Array.from(stored.second) };
        for (const bar of troubled.slice(half)) resumed = updateVolatility(m, resumed, bar);
        expect(resumed).toEqual(batch);
      }),
    );
  });

  it("agrees with the paths that scenarios simulate from the same residuals", () => {
    fc.assert(
      fc.property(model, arbitraryBars(10, 60), (m, bars) => {
        const conditioned = conditionBars(bars);
        const filtered = filterVolatility(m, conditioned);
        const own = Float64Array.of(filtered.varianceStep[0]!);
        for (let t = 0; t < conditioned.length; t++) {
          const h = filtered.varianceStep[t]!;
          expect(own[0]! / h).toBeCloseTo(1, 10);
          const z = conditioned.logReturn[t]! / (filtered.seasonalFactor[t]! * Math.sqrt(h));
          advanceVariance(m.filter, own, z, filtered.rangeVarianceStep[t]! / h);
        }
      }),
    );
  });

  it("does not see the unit of the price", () => {
    fc.assert(
      fc.property(model, arbitraryBars(20, 60), fc.integer({ min: -20, max: 20 }), (m, bars, power) => {
        const c = 2 ** power;
        const scaled = bars.map((bar) => ({
          ...bar,
          open: c * bar.open,
          high: c * bar.high,
          low: c * bar.low,
          close: c * bar.close,
        }));
        expect(stream(m, scaled).varianceStep).toBe(stream(m, bars).varianceStep);
      }),
    );
  });

  it("rises with the range of the last bar", () => {
    fc.assert(
      fc.property(
        model,
        arbitraryBars(20, 40),
        fc.double({ min: 1.001, max: 1.5, noNaN: true }),
        (m, bars, widening) => {
          const last = bars.at(-1)!;
          const wider = [...bars.slice(0, -1), { ...last, high: last.high * widening }];
          expect(stream(m, wider).varianceStep).toBeGreaterThan(stream(m, bars).varianceStep);
        },
      ),
    );
  });

  it("decays to omega / (1 - beta) in dead hours and no further", () => {
    fc.assert(
      fc.property(flatModel, arbitraryBars(10, 20), (m, bars) => {
        const last = bars.at(-1)!;
        const dead = Array.from({ length: 400 }, (_, i) => ({
          ...last,
          open: last.close,
          high: last.close,
          low: last.close,
          openTimeMs: last.openTimeMs + (i + 1) * HOUR_MS,
        }));
        if (m.filter.kind !== "range-garch") throw new Error("built as range GARCH");
        const { omega, beta } = m.filter;
        const rest = omega / (1 - beta);
        let state = stream(m, bars);
        for (const bar of dead) {
          const next = updateVolatility(m, state, bar);
          const expected = rest + beta * (state.varianceStep - rest);
          expect(next.varianceStep / Math.max(expected, VARIANCE_STEP_MIN)).toBeCloseTo(1, 9);
          state = next;
        }
        expect(state.varianceStep / Math.max(rest, VARIANCE_STEP_MIN)).toBeCloseTo(1, 6);
      }),
    );
  });

  it("is moved by one impossible print by at most alpha (1 + |g|) x_cap", () => {
    fc.assert(
      fc.property(
        flatModel,
        arbitraryBars(10, 30),
        fc.double({ min: 3, max: 1e6, noNaN: true }),
        (m, bars, blow) => {
          const last = bars.at(-1)!;
          const struck = [...bars.slice(0, -1), { ...last, high: last.high * blow }];
          if (m.filter.kind !== "range-garch") throw new Error("built as range GARCH");
          const { alpha, asymmetry } = m.filter;
          const largest = Math.max(m.rangeVarianceCap, 1 / (4 * Math.LN2));
          const bound = alpha * (1 + Math.abs(asymmetry)) * m.rangeScale * largest;
          const difference = stream(m, struck).varianceStep - stream(m, bars).varianceStep;
          expect(difference).toBeLessThanOrEqual(bound * (1 + 1e-9));
        },
      ),
    );
  });

  it("nowcasts at least the old variance, more for a wider hour, and at the close no less than the closing value", () => {
    fc.assert(
      fc.property(
        model,
        arbitraryBars(10, 30),
        between(0, 1),
        fc.double({ min: 1, max: 3, noNaN: true }),
        (m, bars, elapsed, widening) => {
          const state = stream(m, bars.slice(0, -1));
          const partial = bars.at(-1)!;
          const now = nowcastState(m, state, partial, elapsed);
          const widened = (factor: number): VolatilityState =>
            nowcastState(m, state, { ...partial, high: partial.high * factor }, elapsed);
          const wider = widened(widening);
          // Beyond e an hour is suspect: it must not count for less than one just within.
          const widest = widened(widening ** 2);
          const after = updateVolatility(m, state, partial);
          const rises = [after.varianceStep > state.varianceStep, after.second![0]! > state.second![0]!];
          const hours = (of: VolatilityState): readonly number[] => [of.varianceStep, of.second![0]!];
          const atStart = hours(nowcastState(m, state, partial, 0));
          const atClose = hours(nowcastState(m, state, partial, 1));
          hours(state).forEach((before, i) => {
            expect(hours(now)[i]).toBeGreaterThanOrEqual(before);
            expect(hours(wider)[i]).toBeGreaterThanOrEqual(hours(now)[i]!);
            expect(hours(widest)[i]).toBeGreaterThanOrEqual(hours(wider)[i]!);
            expect(atStart[i]).toBe(rises[i] ? hours(after)[i] : before);
            expect(atClose[i]).toBeGreaterThanOrEqual(hours(after)[i]!);
          });
          // Every average of the second model moves by its own share of the news, or none does.
          const { second } = nowcastState(m, state, partial, 0);
          expect(second).toEqual(rises[1] ? after.second : state.second);
          // An hour without a move is news of what was expected of it so far.
          const { close } = state;
          const still = { ...partial, open: close, high: close, low: close, close };
          const waited = state.second!.slice();
          updateHexp(m.second!, waited, 1, elapsed * state.second![0]!);
          const isMore = waited[0]! > state.second![0]!;
          const stood = nowcastState(m, state, still, elapsed);
          expect(stood.second).toEqual(isMore ? waited : state.second);
          if (m.filter.kind !== "range-garch") throw new Error("built as range GARCH");
          const { varianceStep } = state;
          const next = updateRangeGarch(m.filter, varianceStep, 1, elapsed * varianceStep);
          expect(stood.varianceStep).toBe(Math.max(varianceStep, next));
          expect([now.openTimeMs, now.close, now.observations]).toEqual([
            state.openTimeMs,
            state.close,
            state.observations,
          ]);
        },
      ),
    );
  });
});

describe("volatility forecast", () => {
  it("runs from the hour's sigma monotonically to the long run's without seasonality", () => {
    fc.assert(
      fc.property(flatModel, arbitraryBars(10, 30), (m, bars) => {
        const single = { ...m, second: null };
        const { sigmas } = forecastVolatility(single, stream(single, bars));
        const path = [sigmas.sigma1hAnnual, sigmas.sigma4hAnnual, sigmas.sigma1dAnnual, sigmas.sigma7dAnnual];
        path.push(sigmas.longRunSigmaAnnual);
        const direction = Math.sign(path[4]! - path[0]!);
        for (let i = 1; i < path.length; i++) {
          expect(direction * (path[i]! - path[i - 1]!)).toBeGreaterThanOrEqual(-1e-9 * path[0]!);
        }
      }),
    );
  });

  it("equals the closed form without seasonality, and the mixture is the mean of its models", () => {
    fc.assert(
      fc.property(flatModel, arbitraryBars(10, 30), (m, bars) => {
        const single = { ...m, second: null };
        const state = stream(m, bars);
        const alone = forecastVolatility(single, { ...state, second: null });
        if (m.recursion.kind !== "range-garch" || m.second === null) throw new Error("built so");
        const { omega, alpha, beta } = m.recursion;
        const first = Math.max(state.varianceStep, m.varianceFloorStep);
        [1, 4, 24, 168].forEach((hours, i) => {
          const closed = cumulativeVariance(first, omega, alpha + beta, hours);
          expect(alone.cumulativeVariance[i]! / closed).toBeCloseTo(1, 10);
        });
        // Expected paths of HExp by brute force: the average over a fall and a rise with xi = 1 is exact, it is linear.
        const averages = (isFall: boolean, from: Float64Array): Float64Array => {
          const to = from.slice();
          advanceVariance(m.second!, to, isFall ? -1 : 1, 1);
          return to;
        };
        let expected = state.second!.slice();
        expected[0] = Math.max(expected[0]!, m.varianceFloorStep);
        let sum = 0;
        for (let k = 0; k < 24; k++) {
          sum += expected[0]!;
          const [fall, rise] = [averages(true, expected), averages(false, expected)];
          expected = fall.map((value, i) => (value + rise[i]!) / 2);
        }
        const mixed = forecastVolatility(m, state).cumulativeVariance[2];
        expect(mixed / ((alone.cumulativeVariance[2] + sum) / 2)).toBeCloseTo(1, 10);
      }),
    );
  });

  it("begins no model below the floor, drawn toward its peers or not, and moves no state by it", () => {
    fc.assert(
      fc.property(flatModel, arbitraryBars(10, 30), between(0.1, 10), (m, bars, multiple) => {
        const varianceFloorStep = multiple * m.longRunVarianceStep;
        for (const peer of [null, { varianceStep: m.longRunVarianceStep / 4 }]) {
          const [floored, free] = [varianceFloorStep, 0].map((floor) => {
            const floorModel = { ...m, peer, varianceFloorStep: floor };
            const state = stream(floorModel, bars);
            return { state, ...forecastVolatility(floorModel, state) };
          });
          expect(floored!.state).toEqual(free!.state);
          const expected = free!.starts.map(({ state }) => Math.max(state[0]!, varianceFloorStep));
          expect(floored!.starts.map(({ state }) => state[0])).toEqual(expected);
          expect(floored!.starts[1]!.state.slice(1)).toEqual(floored!.state.second!.slice(1));
          expect(floored!.cumulativeVariance[0] / mean(Float64Array.from(expected))).toBeCloseTo(1, 9);
        }
      }),
    );
  });

  it("says of the next hour and day in fractions what it says of them a year", () => {
    fc.assert(
      fc.property(model, arbitraryBars(10, 30), (m, bars) => {
        const forecast = forecastVolatility(m, stream(m, bars));
        const { sigmaHour, sigmaDay, sigmas } = volatilityFacts(m, forecast, "normal");
        expect(sigmaHour / (sigmas.sigma1hAnnual / Math.sqrt(8760))).toBeCloseTo(1, 12);
        expect(sigmaDay / (sigmas.sigma1dAnnual / Math.sqrt(365))).toBeCloseTo(1, 12);
      }),
    );
  });

  it("gives the same daily sigma along a window as it gave bar by bar", () => {
    fc.assert(
      fc.property(model, arbitraryBars(10, 40), (m, bars) => {
        const conditioned = conditionBars(bars);
        const history = dailySigmaHistory(m, conditioned, filterVolatility(m, conditioned));
        for (const t of [0, history.length - 1]) {
          const state = stream(m, bars.slice(0, t + 2));
          expect(history[t]! / dailySigma(m, state)).toBeCloseTo(1, 9);
        }
        const single = { ...m, second: null };
        const alone = dailySigmaHistory(single, conditioned, filterVolatility(single, conditioned));
        expect(alone.at(-1)! / dailySigma(single, stream(single, bars))).toBeCloseTo(1, 9);
      }),
    );
  });
});

describe("range GARCH fit", () => {
  const columns = (bars: readonly Bar[]): [Float64Array, Float64Array] => {
    const conditioned = conditionBars(bars);
    return [conditioned.logReturn, conditioned.rangeVariance];
  };
  const options = {
    prior: RANGE_GARCH_PRIOR.value,
    start: null,
    evaluationsMax: 240,
  } as const;

  it("scales with the returns: omega by c squared, nothing else", () => {
    fc.assert(
      fc.property(arbitraryBars(300, 500), fc.integer({ min: -3, max: 3 }), (bars, power) => {
        const c = 2 ** power;
        const [r, x] = columns(bars);
        const fit = fitRangeGarch(r, x, options);
        const scaled = fitRangeGarch(
          r.map((v) => c * v),
          x.map((v) => c * c * v),
          options,
        );
        expect(scaled).toEqual({ ...fit, omega: c * c * fit.omega });
      }),
      FITS,
    );
  });

  it("stays where it is when it starts from its own result", () => {
    fc.assert(
      fc.property(arbitraryBars(300, 500), (bars) => {
        const [r, x] = columns(bars);
        const lossOf = (recursion: RangeGarchRecursion): number =>
          gaussianObjective(coefficientsOfRangeGarch(recursion), r, x, mean(x));
        const cold = fitRangeGarch(r, x, { ...options, prior: null, evaluationsMax: 2000 });
        const warm = fitRangeGarch(r, x, { ...options, prior: null, start: cold, evaluationsMax: 80 });
        expect(lossOf(warm)).toBeLessThan(lossOf(cold) + 0.1);
      }),
      FITS,
    );
  });

  it("flips only the asymmetry when every return changes its sign, and sees no sign at all without one", () => {
    fc.assert(
      fc.property(arbitraryBars(300, 500), (bars) => {
        const [r, x] = columns(bars);
        const [p, share, , level] = RANGE_GARCH_PRIOR.value.centre;
        const evenPrior = { ...RANGE_GARCH_PRIOR.value, centre: [p, share, 0, level] } as const;
        const patient = { ...options, prior: evenPrior, evaluationsMax: 3000 };
        const fit = fitRangeGarch(r, x, patient);
        const mirrored = fitRangeGarch(
          r.map((v) => -v),
          x,
          patient,
        );
        expect(mirrored.asymmetry).toBeCloseTo(-fit.asymmetry, 1);
        const lossOf = (recursion: RangeGarchRecursion, sign: number): number => {
          const coefficients = coefficientsOfRangeGarch(recursion);
          return gaussianObjective(
            coefficients,
            r.map((v) => sign * v),
            x,
            mean(x),
          );
        };
        expect(lossOf(mirrored, -1)).toBeCloseTo(lossOf(fit, 1), 1);
        const symmetric = { ...fit, asymmetry: 0 };
        expect(filterRangeGarch(symmetric, r, x)).toEqual(
          filterRangeGarch(
            symmetric,
            r.map((v) => -v),
            x,
          ),
        );
        const tilted = filterRangeGarch(fit, r, x);
        const flipped = { ...fit, asymmetry: -fit.asymmetry };
        expect(
          filterRangeGarch(
            flipped,
            r.map((v) => -v),
            x,
          ),
        ).toEqual(tilted);
      }),
      FITS,
    );
  });

  it("finds the variance that made the bars", () => {
    // 4000 bars of sigma 1 % at rest: the long run is 1e-4 an hour by construction of the synthetic bars.
    const conditioned = conditionBars(syntheticBars({ seed: 7, length: 4000, sigmaHour: 0.01 }));
    const fitted = fitVolatility(conditioned, OPTIONS)!;
    expect(fitted.kind).toBe("range-garch");
    expect(fitted.second).not.toBeNull();
    expect(fitted.longRunVarianceStep).toBeGreaterThan(0.8e-4);
    expect(fitted.longRunVarianceStep).toBeLessThan(1.25e-4);
    // h follows the construction's variance: a regression through its residuals would show a second moment of one.
    const { varianceStep } = filterVolatility(fitted, conditioned);
    const second =
      conditioned.logReturn.reduce((sum, r, t) => sum + (r * r) / varianceStep[t]!, 0) / conditioned.length;
    expect(second).toBeGreaterThan(0.95);
    expect(second).toBeLessThan(1.05);
  });

  it("keeps the level of the returns where the persistence passes 1 and has to be anchored", () => {
    // The logarithm of the variance wanders: what shock there is stays, and news over h have a mean well above one.
    const random = createRandom(1);
    let logSigma = 0;
    const wander = Array.from({ length: 3000 }, () => (logSigma = 0.999 * logSigma + 0.12 * random.normal()));
    const hours = syntheticBars({
      seed: 5,
      length: 3000,
      sigmaHour: 0.006,
      hourFactor: (hour) => Math.exp(wander[hour]!),
    });
    const bars = conditionBars(hours);
    const fitted = fitVolatility(bars, OPTIONS)!;
    expect(persistenceOf(fitted.filter)).toBeGreaterThan(1);
    expect(persistenceOf(fitted.recursion)).toBeCloseTo(0.9995, 12);
    expect(fitted.longRunVarianceStep).toBeCloseTo(fitted.windowVarianceStep, 12);
    const { varianceStep, seasonalFactor } = filterVolatility(fitted, bars);
    const second = varianceStep.reduce(
      (sum, h, t) => sum + (bars.logReturn[t]! / seasonalFactor[t]!) ** 2 / h,
      0,
    );
    expect(second / bars.length).toBeGreaterThan(0.9);
    expect(second / bars.length).toBeLessThan(1.15);
  });

  it("expects news of mean one, (1 + g s) xi, also under strong seasonality", () => {
    const hourFactor = (hour: number): number => (hour % 24 < 12 ? 0.6 : 1.35);
    const bars = conditionBars(syntheticBars({ seed: 11, length: 1500, sigmaHour: 0.01, hourFactor }));
    const fitted = fitVolatility(bars, OPTIONS)!;
    if (fitted.filter.kind !== "range-garch") throw new Error("a full window of clean bars");
    const { asymmetry } = fitted.filter;
    const { varianceStep, rangeVarianceStep } = filterVolatility(fitted, bars);
    let sum = 0;
    for (let t = 0; t < bars.length; t++) {
      const tilt = bars.logReturn[t]! < 0 ? 1 + asymmetry : 1 - asymmetry;
      sum += (tilt * rangeVarianceStep[t]!) / varianceStep[t]!;
    }
    expect(sum / bars.length).toBeCloseTo(1, 9);
    // The second model is fitted to the very news that it will be given.
    const second = fitHexp(bars.logReturn, rangeVarianceStep, { start: null, evaluationsMax: 400 }).recursion;
    expect(fitted.second!.baseVarianceStep / second.baseVarianceStep).toBeCloseTo(1, 6);
    second.weights.forEach((weight, k) => expect(fitted.second!.weights[k]).toBeCloseTo(weight, 6));
  });
});

describe("model ladder", () => {
  it("never gives a sigma that is not positive and finite, on any rung", () => {
    fc.assert(
      fc.property(
        arbitraryBars(0, 620),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom("as they are", "constant price", "no ranges", "troubled"),
        (bars, hasPeer, isPooled, kind) => {
          const input = bars.map((bar) => {
            if (kind === "constant price") return { ...bar, open: 5, high: 5, low: 5, close: 5 };
            if (kind === "no ranges") return { ...bar, high: bar.open, low: bar.open };
            return bar;
          });
          const conditioned = conditionBars(kind === "troubled" ? withTrouble(input) : input);
          const fitted = fitVolatility(conditioned, {
            ...OPTIONS,
            peer: hasPeer ? { varianceStep: 4e-5 } : null,
            pooledSeasonality: isPooled ? flatSeasonality() : null,
          });
          if (fitted === null) {
            expect(hasPeer).toBe(false);
            expect(conditioned.length).toBeLessThan(24);
            return;
          }
          const { state } = filterVolatility(fitted, conditioned);
          const { sigmas } = forecastVolatility(fitted, state);
          for (const sigma of Object.values(sigmas) as number[]) {
            expect(Number.isFinite(sigma)).toBe(true);
            expect(sigma).toBeGreaterThanOrEqual(Math.sqrt(1e-8 * 8760) * 0.49);
          }
          if (kind === "constant price" && !hasPeer) {
            expect(fitted.kind).toBe("pooled");
            expect(sigmas.sigma1hAnnual).toBeCloseTo(Math.sqrt(1e-8 * 8760), 3);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("steps down with the history and says so", () => {
    const rungOf = (length: number): string | undefined =>
      fitVolatility(conditionBars(syntheticBars({ seed: 3, length, sigmaHour: 0.01 })), OPTIONS)?.kind;
    expect([20, 40, 300, 600].map(rungOf)).toEqual([undefined, "pooled", "ewma", "range-garch"]);
    // The first of the bars only gives a previous close.
    expect([24, 25, 48, 49, 500, 501].map(rungOf)).toEqual([
      undefined,
      "pooled",
      "pooled",
      "ewma",
      "ewma",
      "range-garch",
    ]);
    const young = fitVolatility(
      conditionBars(syntheticBars({ seed: 3, length: 600, sigmaHour: 0.01 })),
      OPTIONS,
    );
    expect(young?.warnings).toEqual(["limited_history"]);
    const noRanges = syntheticBars({ seed: 3, length: 900, sigmaHour: 0.01 }).map((bar) => ({
      ...bar,
      high: bar.open,
      low: bar.open,
    }));
    const fallback = fitVolatility(conditionBars(noRanges), OPTIONS);
    expect(fallback?.kind).toBe("gjr-garch");
    expect(fallback?.warnings).toEqual(["unreliable_ranges"]);
  });

  it("is joined by the second model from 720 usable bars on", () => {
    // The first of the bars only gives a previous close.
    const hasSecond = (length: number): boolean =>
      fitVolatility(conditionBars(syntheticBars({ seed: 3, length, sigmaHour: 0.01 })), OPTIONS)?.second !==
      null;
    expect([720, 721].map(hasSecond)).toEqual([false, true]);
  });

  it("draws a young asset toward its peers and an old one not", () => {
    const peer = { varianceStep: 9e-4 };
    const forecastOf = (length: number, withPeer: boolean): number => {
      const conditioned = conditionBars(syntheticBars({ seed: 5, length, sigmaHour: 0.01 }));
      const fitted = fitVolatility(conditioned, { ...OPTIONS, peer: withPeer ? peer : null })!;
      return forecastVolatility(fitted, filterVolatility(fitted, conditioned).state).sigmas.sigma1hAnnual;
    };
    expect(forecastOf(100, true)).toBeGreaterThan(1.5 * forecastOf(100, false));
    expect(forecastOf(1000, true)).toBe(forecastOf(1000, false));
  });
});

describe("variance recursions", () => {
  it("are the textbook formulas", () => {
    const range = { kind: "range-garch", omega: 1, alpha: 0.2, asymmetry: 0.5, beta: 0.7 } as const;
    expect(varianceNext(range, 10, -2, 3)).toBeCloseTo(1 + 0.2 * 1.5 * 30 + 7, 12);
    expect(varianceNext(range, 10, 2, 3)).toBeCloseTo(1 + 0.2 * 0.5 * 30 + 7, 12);
    const gjr = { kind: "gjr-garch", omega: 1, alpha: 0.1, gamma: 0.2, beta: 0.7 } as const;
    expect(varianceNext(gjr, 10, -2, 3)).toBeCloseTo(1 + 0.3 * 40 + 7, 12);
    expect(varianceNext(gjr, 10, 2, 3)).toBeCloseTo(1 + 0.1 * 40 + 7, 12);
    expect(varianceNext({ kind: "ewma", decay: 0.9 }, 10, 2, 3)).toBeCloseTo(9 + 4, 12);
    // An hour that ends where it began has not fallen.
    expect(varianceNext(range, 10, 0, 3)).toBe(varianceNext(range, 10, 2, 3));
    expect(updateRangeGarch(range, 10, 0, 30)).toBeCloseTo(varianceNext(range, 10, 0, 3), 12);
  });
});
