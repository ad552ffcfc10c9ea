import { describe, expect, it } from "vitest";
import { HOUR_MS, hourStartMsOf } from "../../src/domain/bar.ts";
import type { Candle, CandleSeries } from "../../src/simulator/candle-series.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { START_MS } from "./support/manual-exchange.ts";

const HOURS = 30;
/** Of the last hour that is whole. */
const END_MS = hourStartMsOf(START_MS);

describe("the history of a simulated asset", () => {
  const market = new SimulatedMarket(7, START_MS, new Scenarios(), { assetCount: 2, historyHours: HOURS });
  const { candles, funding } = market.assetOf("ETH")!;
  const candlesOf = (series: CandleSeries): readonly Candle[] => {
    const found: Candle[] = [];
    series.visit(END_MS - (HOURS - 1) * HOUR_MS, END_MS - 1, (candle) => found.push(candle));
    return found;
  };

  it.each([
    ["minutes", "five minutes", candles.minute, candles.fiveMinutes],
    ["five minutes", "hours", candles.fiveMinutes, candles.hour],
  ] as const)("tells by %s what it tells by %s", (_fine, _coarse, fine, coarse) => {
    const parts = candlesOf(fine);
    const wholes = candlesOf(coarse).filter(({ openMs }) => openMs >= parts[0]!.openMs);

    expect(wholes.length).toBeGreaterThan(20);
    for (const whole of wholes) {
      const within = parts.filter(
        ({ openMs }) => openMs >= whole.openMs && openMs < whole.openMs + coarse.periodMs,
      );
      expect(within).toHaveLength(coarse.periodMs / fine.periodMs);
      expect([within[0]!.open, within.at(-1)!.close]).toEqual([whole.open, whole.close]);
      expect(Math.max(...within.map(({ high }) => high))).toBe(whole.high);
      expect(Math.min(...within.map(({ low }) => low))).toBe(whole.low);
      const volumeBase = within.reduce((sum, candle) => sum + candle.volumeBase, 0);
      expect(volumeBase / whole.volumeBase).toBeCloseTo(1, 1);
      expect(whole.high).toBeGreaterThan(whole.low);
      expect(whole.volumeBase).toBeGreaterThan(0);
    }
  });

  it("has a settlement at each hour, the running one's included, of a premium of less than a percent", () => {
    const { settlements } = funding;
    expect(settlements.map(({ timeMs }) => hourStartMsOf(timeMs))).toEqual(
      settlements.map((_, i) => END_MS - (settlements.length - 1 - i) * HOUR_MS),
    );
    expect(Math.max(...settlements.map(({ premium }) => Math.abs(premium)))).toBeLessThan(0.01);
  });
});
