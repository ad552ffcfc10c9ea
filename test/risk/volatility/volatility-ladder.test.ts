import { describe, expect, it } from "vitest";
import type { Bar } from "../../../src/domain/bar.ts";
import { mean } from "../../../src/math/moments.ts";
import { createRandom } from "../../../src/math/random.ts";
import { conditionBars } from "../../../src/risk/volatility/conditioned-bars.ts";
import { updateGjrGarch } from "../../../src/risk/volatility/gjr-garch.ts";
import { seasonalFactor } from "../../../src/risk/volatility/seasonality.ts";
import { fitVolatility, type VolatilityOptions } from "../../../src/risk/volatility/volatility-fit.ts";
import { forecastVolatility } from "../../../src/risk/volatility/volatility-forecast.ts";
import type { VolatilityModel } from "../../../src/risk/volatility/volatility-model.ts";
import {
  initialVolatilityState,
  nowcastState,
  updateVolatility,
} from "../../../src/risk/volatility/volatility-state.ts";
import { syntheticBars } from "../../support/synthetic-bars.ts";

// Mutants killed: missing hours, flat or repaired bars, tiny moves or the ratio of ranges to returns not looked at, or
// their limits moved, a flat price without its warning, the fallback's variances from returns that are not squared, or its
// fit unguarded, the long run of a forecast taken from the window, the floor or the level of a state before its first bar,
// an hour without trades taken for news, GARCH's and EWMA's news from ranges or of the other sign, the peers left out of a
// young asset's long run or not in an old one's, another decay, a price called flat before there are the hours to tell, no
// prior or a guarded filter of the fallback, a young asset's window below the floor.

const BARS = syntheticBars({ seed: 3, length: 1000, sigmaHour: 0.01 });

describe("model ladder", () => {
  it("says so where more than 5 % of the hours have no bar", () => {
    expect(fitted(BARS.filter((_, i) => i % 40 !== 20)).warnings).toEqual([]);
    expect(fitted(BARS.filter((_, i) => i % 10 !== 5)).warnings).toEqual(["limited_history"]);
  });

  it("fits nothing to a price of which over a fifth of the hours are flat, or that hardly moves", () => {
    const flat = (everyNth: number): Bar[] =>
      BARS.map((bar, i) =>
        i % everyNth === 0 ? { ...bar, high: bar.open, low: bar.open, close: bar.open } : bar,
      );
    expect(outcomeOf(flat(8))).toEqual(["range-garch"]);
    expect(outcomeOf(flat(3))).toEqual(["pooled", "flat_prices"]);
    const ofSigma = (sigmaHour: number): Bar[] => syntheticBars({ seed: 3, length: 1000, sigmaHour });
    expect(outcomeOf(ofSigma(1e-4))).toEqual(["range-garch"]);
    expect(outcomeOf(ofSigma(1e-6))).toEqual(["pooled", "flat_prices"]);
    // Two days tell that a price is flat, less is little history and no more.
    // With 30 days of them the peers are not asked.
    const among = fitted(flat(3), { peer: { varianceStep: 9e-4 } });
    expect(among.longRunVarianceStep).toBe(fitted(flat(3)).longRunVarianceStep);
    expect(outcomeOf(flat(3).slice(0, 48))).toEqual(["pooled", "limited_history"]);
    expect(outcomeOf(flat(3).slice(0, 49))).toEqual(["pooled", "limited_history", "flat_prices"]);
  });

  it("falls back on returns where highs and lows are too often inside, too wide or too narrow", () => {
    const repaired = (everyNth: number): Bar[] =>
      BARS.map((bar, i) => (i % everyNth === 0 ? { ...bar, high: Math.min(bar.open, bar.close) } : bar));
    expect(outcomeOf(repaired(50))).toEqual(["range-garch"]);
    expect(outcomeOf(repaired(10))).toEqual(["gjr-garch", "unreliable_ranges"]);
    const wicked = BARS.map((bar) => ({ ...bar, high: bar.high * 1.003, low: bar.low / 1.003 }));
    expect(outcomeOf(wicked)).toEqual(["gjr-garch", "unreliable_ranges"]);
    const wickless = BARS.map((bar) => ({
      ...bar,
      high: Math.max(bar.open, bar.close),
      low: Math.min(bar.open, bar.close),
    }));
    expect(outcomeOf(wickless)).toEqual(["gjr-garch", "unreliable_ranges"]);
    // A young asset's ranges are read at the nearest scale that can be believed.
    expect([wicked, BARS, wickless].map((bars) => fitted(bars.slice(0, 301)).rangeScale)).toEqual([
      0.7,
      expect.closeTo(1, 0),
      1.5,
    ]);
  });

  it("draws three weeks whose returns come without clusters toward the cross-section, with ranges or without", () => {
    const random = createRandom(1);
    let log = 0;
    const withRanges = Array.from({ length: 521 }, (_, i): Bar => {
      const walk = Array.from({ length: 48 }, () => (log += (0.01 / Math.sqrt(48)) * random.normal()));
      const [open, close] = [walk[0]!, walk.at(-1)!].map(Math.exp);
      const [high, low] = [Math.exp(Math.max(...walk)), Math.exp(Math.min(...walk))];
      return { openTimeMs: i * 3_600_000, open: open!, high, low, close: close!, volumeBase: 1 };
    });
    const range = fitted(withRanges).recursion;
    const fallback = fitted(barsOf(Array.from({ length: 520 }, () => 0.01 * random.normal()))).recursion;

    if (range.kind !== "range-garch" || fallback.kind !== "gjr-garch") throw new Error("bars of both kinds");
    expect(range.alpha).toBeGreaterThan(0.05);
    expect(Math.abs(range.asymmetry)).toBeLessThan(0.2);
    expect(fallback.alpha + fallback.gamma / 2).toBeGreaterThan(0.03);
    expect(fallback.beta).toBeGreaterThan(0.7);
  });

  it("takes the fallback's level from squared returns, and guards it against falls alone counting", () => {
    const bars = barsOf(fallsOnly(3000));
    const model = fitted(bars);

    if (model.recursion.kind !== "gjr-garch") throw new Error("bars without ranges");
    const { alpha, gamma } = model.recursion;
    expect(gamma / (2 * alpha + gamma)).toBeLessThanOrEqual(0.5 + 1e-12);
    const { logReturn, openTimeMs } = conditionBars(bars);
    const squares = logReturn.map((r, t) => (r / seasonalFactor(model.seasonality, openTimeMs[t]!)) ** 2);
    expect(model.firstVarianceStep).toBeCloseTo(mean(squares), 15);
    // What steps h from bar to bar is as it was fitted.
    if (model.filter.kind !== "gjr-garch") throw new Error("bars without ranges");
    expect(model.filter.gamma / (2 * model.filter.alpha + model.filter.gamma)).toBeGreaterThan(0.55);
    for (const variance of [model.firstVarianceStep, model.windowVarianceStep, model.longRunVarianceStep]) {
      expect(variance).toBeGreaterThan(0.5e-4);
      expect(variance).toBeLessThan(2e-4);
    }
  });
});

describe("a young asset's model", () => {
  it("forgets three hundredths of its variance an hour, and reverts to its own and its peers' by their hours", () => {
    const young = BARS.slice(0, 301);
    const alone = fitted(young);
    const among = fitted(young, { peer: { varianceStep: 9e-4 } });

    expect(alone.filter).toEqual({ kind: "ewma", decay: 0.97 });
    expect(alone.longRunVarianceStep).toBe(alone.windowVarianceStep);
    const expected = (300 * alone.windowVarianceStep + 72 * 9e-4) / 372;
    expect(among.longRunVarianceStep).toBeCloseTo(expected, 15);
    const moving = fitted(syntheticBars({ seed: 3, length: 301, sigmaHour: 0.03 }));
    expect(moving).toMatchObject({ kind: "ewma" });
    expect(Math.abs(moving.windowVarianceStep / 9e-4 - 1)).toBeLessThan(0.3);
    const still = fitted(syntheticBars({ seed: 3, length: 301, sigmaHour: 3e-5 }));
    expect(still).toMatchObject({ kind: "ewma", windowVarianceStep: 1e-8 });
    expect(initialVolatilityState(still, 0, 1).varianceStep).toBe(1e-8);
  });
});

describe("volatility state of a model of returns", () => {
  const bar = BARS[1]!;
  const before = { openTimeMs: BARS[0]!.openTimeMs, close: bar.open };
  const fell = { ...bar, close: bar.open * Math.exp(-0.02), low: bar.open * 0.97, high: bar.open * 1.01 };
  const rose = { ...bar, close: bar.open * Math.exp(0.02), low: bar.open * 0.97, high: bar.open * 1.03 };
  const gjr = { kind: "gjr-garch", omega: 1e-6, alpha: 0.05, gamma: 0.1, beta: 0.8 } as const;

  it("reads the return and its sign, not the range", () => {
    const model = plain({ filter: gjr });
    const state = initialVolatilityState(model, before.openTimeMs, before.close);
    expect(updateVolatility(model, state, fell).varianceStep).toBeCloseTo(1e-6 + 0.15 * 4e-4 + 0.8e-4, 15);
    expect(updateVolatility(model, state, rose).varianceStep).toBeCloseTo(1e-6 + 0.05 * 4e-4 + 0.8e-4, 15);
    const ewma = plain({ filter: { kind: "ewma", decay: 0.9 } });
    expect(updateVolatility(ewma, state, fell).varianceStep).toBeCloseTo(0.9e-4 + 0.1 * 4e-4, 15);
  });

  it("counts a running hour that does not move as news of the variance expected of it so far", () => {
    const model = plain({ filter: { ...gjr, alpha: 0.3 } });
    const state = initialVolatilityState(model, before.openTimeMs, before.close);
    const still = { ...bar, open: before.close, high: before.close, low: before.close, close: before.close };
    const expected = updateGjrGarch({ ...gjr, alpha: 0.3 }, 1e-4, Math.sqrt(0.75 * 1e-4));
    expect(expected).toBeGreaterThan(1e-4);
    expect(nowcastState(model, state, still, 0.75).varianceStep).toBeCloseTo(expected, 15);
    expect(nowcastState(model, state, { ...fell, volumeBase: 0 }, 0.75)).toBe(state);
  });

  it("begins at the level before the first bar, no lower than the floor", () => {
    const second = fitted(BARS).second!;
    const model = plain({ second, longRunVarianceStep: 9e-4 });
    const state = initialVolatilityState(model, 0, 1);
    expect([...state.second!.slice(1)]).toEqual([1e-4, 1e-4, 1e-4, 1e-4]);
    expect(initialVolatilityState(plain({ firstVarianceStep: 0 }), 0, 1).varianceStep).toBe(1e-8);
  });

  it("is forecast to revert to the model's long run, whatever the window's variance", () => {
    const model = plain({ longRunVarianceStep: 4e-4, windowVarianceStep: 1e-4 });
    const { sigmas } = forecastVolatility(model, initialVolatilityState(model, 0, 1));
    expect(sigmas.longRunSigmaAnnual).toBeCloseTo(Math.sqrt(4e-4 * 8760), 12);
  });
});

function fitted(bars: readonly Bar[], overrides: Partial<VolatilityOptions> = {}): VolatilityModel {
  const options = { pooledSeasonality: null, peer: null, halfSpreadFraction: 0, previous: null };
  return fitVolatility(conditionBars(bars), { ...options, ...overrides })!;
}

function outcomeOf(bars: readonly Bar[]): readonly string[] {
  const { kind, warnings } = fitted(bars);
  return [kind, ...warnings];
}

/** A model of one per cent an hour without seasonality. */
function plain(overrides: Partial<VolatilityModel>): VolatilityModel {
  return {
    ...fitted(BARS),
    second: null,
    seasonality: { factors: new Float64Array(168).fill(1) },
    firstVarianceStep: 1e-4,
    windowVarianceStep: 1e-4,
    longRunVarianceStep: 1e-4,
    ...overrides,
  };
}

/** Returns of about one per cent whose variance follows falls only. */
function fallsOnly(length: number): readonly number[] {
  const random = createRandom(17);
  let variance = 1e-4;
  return Array.from({ length }, () => {
    const move = Math.sqrt(variance) * random.normal();
    variance = 0.1e-4 + (move < 0 ? 0.3 * move * move : 0) + 0.75 * variance;
    return move;
  });
}

/** Bars that show no range beyond their open. */
function barsOf(returns: readonly number[]): readonly Bar[] {
  let open = 100;
  return returns.map((move, i) => {
    const close = open * Math.exp(move);
    const bar = { openTimeMs: i * 3_600_000, open, high: open, low: open, close, volumeBase: 1 };
    open = close;
    return bar;
  });
}
