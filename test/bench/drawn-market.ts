import type { Bar } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import type { SheetJobAsset } from "../../src/refit/sheet-job.ts";
import { fitVolatilityJob, type FittedVolatility } from "../../src/refit/volatility-job.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";

/** The history that the engine keeps of an asset. */
const HISTORY_HOURS = 4_400;
const FIT_OPTIONS = { pooledSeasonality: null, peer: null, halfSpreadFraction: 0, previous: null } as const;

export interface MarketHistory {
  readonly ticker: string;
  readonly bars: readonly Bar[];
}

/** Half a year of hourly bars of so many live assets, as the simulated exchange would give them. */
export function marketHistories(assetCount: number): readonly MarketHistory[] {
  const options = { assetCount: assetCount + 10, historyHours: HISTORY_HOURS };
  const market = new SimulatedMarket(1, Date.UTC(2026, 9, 1), new Scenarios(), options);
  return market.assets
    .filter((asset) => asset.isLive && asset.candles.hour.length > 1_000)
    .slice(0, assetCount)
    .map((asset) => {
      const bars: Bar[] = [];
      asset.candles.hour.visit(-Infinity, Infinity, (candle) => {
        const { openMs, open, high, low, close, volumeBase } = candle;
        bars.push({ openTimeMs: openMs, open, high, low, close, volumeBase });
      });
      // The last candle is the running hour's.
      return { ticker: asset.spec.coin, bars: bars.slice(0, -1) };
    });
}

export function fitOf({ ticker, bars }: MarketHistory, hours = HISTORY_HOURS): FittedVolatility {
  const fitted = fitVolatilityJob({
    kind: "volatility",
    ticker: tickerOf(ticker),
    bars: barColumnsOf(bars.slice(-hours)),
    options: FIT_OPTIONS,
  });
  if (fitted === null) throw new Error(`${ticker} has too little history`);
  return fitted;
}

/** The rows of a sheet job; assets beyond the fits take over theirs, which costs a draw the same. */
export function sheetAssets(
  histories: readonly MarketHistory[],
  fits: readonly FittedVolatility[],
): readonly SheetJobAsset[] {
  return histories.map(({ ticker, bars }, i) => ({
    ticker: tickerOf(ticker),
    bars: barColumnsOf(bars.slice(-HISTORY_HOURS)),
    model: fits[i % fits.length]!.model,
    state: null,
    volume24hUsd: 1e6 / (i + 1),
    recalibration: 1,
  }));
}
