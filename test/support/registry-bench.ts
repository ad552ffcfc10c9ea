import { AssetRegistry } from "../../src/actors/asset-registry.ts";
import { SheetRowTrack } from "../../src/actors/sheet-row-track.ts";
import type { FundingSettlement } from "../../src/domain/asset.ts";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import type { LearnedHour } from "../../src/domain/learned-hour.ts";
import type { MarketEvent } from "../../src/domain/market-event.ts";
import { drawSheetJob } from "../../src/refit/sheet-job.ts";
import { fitVolatilityJob, type FittedVolatility } from "../../src/refit/volatility-job.ts";
import { createSheetDayScratch } from "../../src/risk/scenarios/sheet-day.ts";
import type { AssetSnapshot } from "../../src/snapshot/asset-snapshot.ts";
import { barWalk } from "./bar-walk.ts";
import { assetContext, assetListing, BTC, evenBook, NOW_MS } from "./builders.ts";

/** A month of bars up to now, and what is fitted to them and drawn from them. */
export const BARS = barWalk(900, NOW_MS);
export const FITTED = fit(BARS);

export interface RegistryBench {
  readonly registry: AssetRegistry;
  readonly published: AssetSnapshot[];
  readonly restarts: string[];
  /** What failed assets had learned. */
  readonly rescued: (readonly LearnedHour[])[];
  readonly clock: { nowMs: number; isKnown: boolean };
}

export function registryAt(): RegistryBench {
  const time = { nowMs: NOW_MS, isKnown: true };
  const clock = {
    nowMs: () => time.nowMs,
    get isKnown() {
      return time.isKnown;
    },
  };
  const published: AssetSnapshot[] = [];
  const restarts: string[] = [];
  const rescued: (readonly LearnedHour[])[] = [];
  const registry = new AssetRegistry({
    clock,
    marketClock: clock,
    publish: (snapshot) => published.push(snapshot),
    reportRestart: ({ ticker, isGivenUp, learned }) => {
      restarts.push(`${ticker} ${String(isGivenUp)}`);
      rescued.push(learned);
    },
  });
  return { registry, published, restarts, rescued, clock: time };
}

/** Everything an asset needs, in the order in which it comes; ends with all of it published. */
export function warmUp({ registry, clock }: RegistryBench, bars = BARS, fitted = FITTED): void {
  registry.handle(listed());
  registry.handle(historyOf(bars));
  registry.acceptModel(BTC, fitted);
  const drawn = DRAWN.rows[0]!;
  registry.acceptTails(BTC, drawn, new SheetRowTrack(DRAWN.sheet, 0, SCRATCH));
  registry.handle(bookOf(clock.nowMs));
  clock.nowMs += 200;
  registry.publishDue();
}

export const DRAWN = drawSheetJob({
  kind: "sheet",
  version: 1,
  singleAssetBlocks: 4,
  assets: [
    {
      ticker: BTC,
      bars: barColumnsOf(BARS),
      model: FITTED.model,
      state: null,
      volume24hUsd: 1,
      recalibration: 1,
    },
  ],
});
export const SCRATCH = createSheetDayScratch(DRAWN.sheet.scenarios);

export function fit(bars: readonly Bar[]): FittedVolatility {
  const options = { pooledSeasonality: null, peer: null, halfSpreadFraction: 0, previous: null };
  return fitVolatilityJob({ kind: "volatility", ticker: BTC, bars: barColumnsOf(bars), options })!;
}

const NOW_AND_WHOLE = { reachesNow: true, isWhole: true };

export function historyOf(
  bars: readonly Bar[],
  settlements: readonly FundingSettlement[] = [],
): Extract<MarketEvent, { type: "history.loaded" }> {
  return { type: "history.loaded", ticker: BTC, bars: barColumnsOf(bars), settlements, ...NOW_AND_WHOLE };
}

export function listed(ticker = BTC): MarketEvent {
  return { type: "asset.listed", ticker, listing: assetListing({ ticker }), context: assetContext() };
}

export function bookOf(arrivedAtMs: number): Extract<MarketEvent, { type: "book.updated" }> {
  return { type: "book.updated", ticker: BTC, book: evenBook(100_000), arrivedAtMs, isWhole: true };
}

export function contextOf(markPrice: number, arrivedAtMs: number): MarketEvent {
  return { type: "context.updated", ticker: BTC, context: assetContext({ markPrice, arrivedAtMs }) };
}

/** What a run remembers of a usual hour. */
export function learnedHour(hoursBack: number, overrides: Partial<LearnedHour> = {}): LearnedHour {
  return {
    hourStartMs: NOW_MS - hoursBack * HOUR_MS,
    samples: 360,
    spreadFraction: 1e-4,
    depth100BpsUsd: 1e6,
    thinness50Bps: -13,
    openInterestFall: 0,
    fundingSize: 1e-5,
    openInterestMaxUsd: 1e9,
    learnedCapUsd: Number.NaN,
    ...overrides,
  };
}
