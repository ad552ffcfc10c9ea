import type { VolatilityModelKind } from "../risk/volatility/volatility-model.ts";

export type Readiness = "starting" | "ready" | "degraded";

/** How the engine is doing, for health checks and the readiness gate. Published once a second. */
export interface EngineStatus {
  readonly readiness: Readiness;
  /** False while any subscribed socket is lost, and before the first message. */
  readonly isFeedConnected: boolean;
  /** Arrival of the newest fact of any kind; null before the first. */
  readonly lastMessageAtMs: number | null;
  readonly publishedAtMs: number;
  readonly assets: AssetCounts;
  readonly counts: EngineCounts;
}

export interface AssetCounts {
  readonly listed: number;
  readonly warming: number;
  readonly live: number;
  readonly stale: number;
  readonly delisted: number;
  /** Of the live and stale ones, those that have no volatility model: too little of their history is to be had. */
  readonly withoutModel: number;
  /** Of those not delisted, whose margin terms could not be read. */
  readonly closeOnly: number;
}

/** Since the start. */
export interface EngineCounts {
  readonly refitsDone: number;
  /** Or late. */
  readonly refitsFailed: number;
}

/** What the models in force are and when they were fitted, for model-info. Published when a fit or a sheet lands. */
export interface ModelFacts {
  /** Assets on each rung of the volatility ladder. */
  readonly assetsByModel: Readonly<Partial<Record<VolatilityModelKind, number>>>;
  /** Assets without a model: their history is still being read, or too little of it is to be had. */
  readonly assetsWithoutModel: number;
  /** The oldest and the newest fit in force; null before the first. */
  readonly oldestFitAtMs: number | null;
  readonly newestFitAtMs: number | null;
  readonly sheet: SheetFacts | null;
  readonly recalibration: RecalibrationFacts;
}

/** What the records of forecasts have taught: multipliers of sigma, 1 where nothing. */
export interface RecalibrationFacts {
  /** Assets with a multiplier of their own. */
  readonly assets: number;
  /** Geometric mean of theirs, which young assets take over. */
  readonly marketMultiplier: number;
  readonly smallestMultiplier: number;
  readonly largestMultiplier: number;
}

export interface SheetFacts {
  readonly version: number;
  readonly builtAtMs: number;
  readonly assets: number;
  readonly scenarios: number;
}
