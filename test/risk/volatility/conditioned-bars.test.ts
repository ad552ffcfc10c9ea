import { describe, expect, it } from "vitest";
import { HOUR_MS, type Bar } from "../../../src/domain/bar.ts";
import {
  barMove,
  conditionBars,
  estimationSeries,
  isUsableBar,
  rangeScale,
  winsorisedMean,
} from "../../../src/risk/volatility/conditioned-bars.ts";
import { filterVolatility } from "../../../src/risk/volatility/volatility-state.ts";
import { fitVolatility } from "../../../src/risk/volatility/volatility-fit.ts";
import { placeOf, windowHistory } from "../../../src/risk/volatility/window-history.ts";
import { syntheticBars, SYNTHETIC_START_MS } from "../../support/synthetic-bars.ts";

function bar(hour: number, open: number, high: number, low: number, close: number, volumeBase = 1): Bar {
  return { openTimeMs: hour * HOUR_MS, open, high, low, close, volumeBase };
}

describe("conditioned bars", () => {
  it("measure the move from the previous close, the gap included", () => {
    const move = barMove(bar(1, 105, 108, 104, 106), 100);
    expect(move.logReturn).toBeCloseTo(Math.log(1.06), 15);
    expect(move.lowExcursion).toBe(0);
    expect(move.highExcursion).toBeCloseTo(Math.log(1.08), 15);
    expect(move.rangeVariance).toBeCloseTo(Math.log(1.08) ** 2 / (4 * Math.LN2), 15);
    expect(move.isSuspect).toBe(false);
  });

  it("widen a high or low that does not enclose open and close", () => {
    const move = barMove(bar(1, 100, 99, 101, 103), 100);
    expect(move.highExcursion).toBeCloseTo(Math.log(1.03), 15);
    expect(move.isRepaired).toBe(true);
    expect(move.isFlat).toBe(false);
    const repaired = [bar(1, 100, 104, 101, 103), bar(1, 100, 102, 99, 103), bar(1, 100, 103, 100, 103)];
    expect(repaired.map((inside) => barMove(inside, 100).isRepaired)).toEqual([true, true, false]);
  });

  it("suspect a range or return beyond e within the hour", () => {
    expect(barMove(bar(1, 100, 272, 100, 100), 100).isSuspect).toBe(true);
    expect(barMove(bar(1, 100, 271, 100, 100), 100).isSuspect).toBe(false);
    expect(barMove(bar(1, 30, 30, 30, 30), 100).isSuspect).toBe(true);
  });

  it("leave out hours without trades, impossible prices and repeats, and count them as a gap", () => {
    const conditioned = conditionBars([
      bar(0, 100, 100, 100, 100),
      bar(1, 100, 101, 99, 100, 0),
      bar(2, 100, 101, 0, 100),
      bar(3, 100, 101, 99, Number.NaN),
      bar(4, 100, 121, 100, 121),
      bar(4, 100, 200, 100, 200),
      bar(5, 121, 121, 121, 121),
    ]);
    expect(conditioned.length).toBe(2);
    expect([...conditioned.gapHours]).toEqual([4, 1]);
    expect(conditioned.missingFraction).toBeCloseTo(3 / 5, 15);
    expect(conditioned.flatFraction).toBe(0.5);
    const { returnStep, rangeVarianceStep } = estimationSeries(conditioned);
    expect(returnStep[0]).toBeCloseTo(Math.log(1.21) / 2, 15);
    expect(rangeVarianceStep[0]).toBeCloseTo(Math.log(1.21) ** 2 / (4 * Math.LN2) / 4, 15);
  });

  it("cap suspect bars for estimation and keep them as they were beside it", () => {
    const bars = syntheticBars({ seed: 4, length: 2000, sigmaHour: 0.01 });
    bars[1000] = { ...bars[1000]!, high: bars[1000]!.high * 50 };
    const conditioned = conditionBars(bars);
    const series = estimationSeries(conditioned);
    expect(conditioned.rangeVariance[999]).toBeGreaterThan(5);
    expect(series.rangeVarianceStep[999]).toBe(series.rangeVarianceCap);
    expect(series.rangeVarianceCap).toBeLessThan(0.01);
    expect([...conditioned.isSuspect].filter((flag) => flag === 1)).toHaveLength(1);
  });

  it("cap a suspect fall by the size of the largest moves, of either sign", () => {
    const bars = syntheticBars({ seed: 4, length: 2000, sigmaHour: 0.01 });
    const crashed = bars.map((bar, i) => {
      const factor = i < 1000 ? 1 : 1 / 50;
      const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map(
        (price) => price * factor,
      );
      return { ...bar, open: open!, high: high!, low: low!, close: close! };
    });
    const series = estimationSeries(conditionBars(crashed));
    expect(conditionBars(crashed).logReturn[999]).toBeLessThan(-3.8);
    expect(series.returnStep[999]).toBe(-series.returnCap);
    // The cap is the 99.9 % quantile: of 1999 moves two, or one and itself, reach it.
    const reaching = series.returnStep.filter((move) => Math.abs(move) >= series.returnCap);
    expect(reaching.length).toBeLessThanOrEqual(2);
  });

  it("have a mean that one print does not decide, and no use of a price without end", () => {
    const values = new Float64Array(4000).fill(2);
    values[5] = 1e6;
    expect(winsorisedMean(values)).toBeCloseTo(2, 12);
    expect(isUsableBar(bar(1, 1, Infinity, 1, 1))).toBe(false);
  });

  it("put ranges on the scale of squared returns without one bar deciding", () => {
    const returns = new Float64Array(5000).fill(0.01);
    const ranges = new Float64Array(5000).fill(0.00008);
    expect(rangeScale(returns, ranges)).toBeCloseTo(1.25, 12);
    ranges[7] = 1;
    expect(rangeScale(returns, ranges)).toBeCloseTo(1.25, 12);
  });

  it("are nothing when there is nothing", () => {
    expect(conditionBars([]).length).toBe(0);
    expect(conditionBars([bar(0, 1, 1, 1, 1)]).length).toBe(0);
    expect(conditionBars([]).missingFraction).toBe(0);
  });

  it("are laid on clock hours for the scenarios, without the bar after a gap", () => {
    const bars = syntheticBars({ seed: 4, length: 100, sigmaHour: 0.01 }).filter((_, i) => i !== 50);
    const conditioned = conditionBars(bars);
    const model = fitVolatility(conditioned, {
      pooledSeasonality: null,
      peer: null,
      halfSpreadFraction: 0,
      previous: null,
    })!;
    const filtered = filterVolatility(model, conditioned);
    const history = windowHistory(conditioned, filtered, SYNTHETIC_START_MS + 10 * HOUR_MS, 90);
    const at = (hour: number): number => placeOf(SYNTHETIC_START_MS + hour * HOUR_MS, 90);
    const present = [...history.isPresent];
    expect(present.filter((flag) => flag === 0)).toHaveLength(2);
    expect([present[at(50)], present[at(51)]]).toEqual([0, 0]);
    // Hour 12 is the twelfth conditioned bar: the first bar only gives the previous close.
    expect(history.logReturn[at(12)]).toBe(conditioned.logReturn[11]);
    expect(history.varianceStep[at(99)]).toBe(filtered.varianceStep.at(-1));
    expect(history.rangeVarianceStep[at(99)]).toBe(filtered.rangeVarianceStep.at(-1));
    expect(history.seasonalFactor[at(99)]).toBe(filtered.seasonalFactor.at(-1));
    expect(history.logLow[at(99)]).toBe(conditioned.lowExcursion.at(-1));
    expect(history.logHigh[at(99)]).toBe(conditioned.highExcursion.at(-1));
  });
});
