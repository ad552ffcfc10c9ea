import { HOUR_MS } from "../domain/bar.ts";
import { type BarColumns, barsFrom, lastOpenTimeMs } from "../domain/bar-columns.ts";
import type { Ticker } from "../domain/ids.ts";
import { invariant } from "../math/invariant.ts";
import { type AssetHistory, POOL_WINDOW_HOURS } from "../risk/scenarios/residual-pool.ts";
import { SCENARIO_SEED } from "../risk/scenarios/scenario-index.ts";
import type { ScenarioSheet } from "../risk/scenarios/sheet.ts";
import { buildScenarioSheet, type SheetAsset } from "../risk/scenarios/sheet-builder.ts";
import { shortHistoryMultiplier } from "../risk/scenarios/short-history.ts";
import { tailBetaOf } from "../risk/stress/stress-shocks.ts";
import type { AssetTails } from "../risk/tails/var.ts";
import { conditionBars } from "../risk/volatility/conditioned-bars.ts";
import { forecastVolatility } from "../risk/volatility/volatility-forecast.ts";
import type { VolatilityModel } from "../risk/volatility/volatility-model.ts";
import { filterVolatility, type VolatilityState } from "../risk/volatility/volatility-state.ts";
import { placeOf, windowHistory } from "../risk/volatility/window-history.ts";

/** The joint scenarios of every asset with a model, to be drawn anew. */
export interface SheetJob {
  readonly kind: "sheet";
  readonly version: number;
  /** Blocks of joint size behind the numbers of a single asset: fewer while many assets wait for their first. */
  readonly singleAssetBlocks: number;
  /** In the order of the rows. */
  readonly assets: readonly SheetJobAsset[];
}

export interface SheetJobAsset {
  readonly ticker: Ticker;
  readonly bars: BarColumns;
  readonly model: VolatilityModel;
  /** Where the model stands as the running hour shows it; null for the state after the last bar. */
  readonly state: VolatilityState | null;
  readonly volume24hUsd: number;
  /** What the asset's record of forecasts has taught: sigma is multiplied by it in the hours that it holds for. */
  readonly recalibration: number;
}

export interface DrawnSheet {
  readonly sheet: ScenarioSheet;
  readonly rows: readonly DrawnRow[];
}

/** What the draw says of one asset; the row's place is its place in the sheet. */
export interface DrawnRow {
  readonly ticker: Ticker;
  readonly tails: AssetTails;
  /** Expected variance over 1, 4, 24 and 168 h that the paths were drawn with, multipliers of sigma excluded. */
  readonly cumulativeVariance: readonly [number, number, number, number];
  /** As tailBetaOf gives it. */
  readonly tailBeta: number | null;
}

/** The asset whose worst hours define the tail betas. */
const BENCHMARK = "BTC";

/** The window ends with the newest closed bar of any asset. Holds: the same job gives the same sheet, bit for bit. */
export function drawSheetJob(job: SheetJob): DrawnSheet {
  invariant(job.assets.length > 0, "a sheet has at least one asset");
  const lastOpenMs = Math.max(...job.assets.map(({ bars }) => lastOpenTimeMs(bars) ?? -Infinity));
  invariant(Number.isFinite(lastOpenMs), "a sheet has at least one bar");
  const windowStartMs = lastOpenMs - (POOL_WINDOW_HOURS.value - 1) * HOUR_MS;
  const drafts = job.assets.map((asset) => sheetRowDraftOf(asset, windowStartMs));
  const oldestPlace = placeOf(windowStartMs, POOL_WINDOW_HOURS.value);
  const inputs = { ...job, seed: SCENARIO_SEED.value, oldestPlace, assets: drafts };
  const { sheet, tails } = buildScenarioSheet(inputs);
  const benchmarkRow = job.assets.findIndex(({ ticker }) => ticker === BENCHMARK);
  const benchmark = benchmarkRow === -1 ? null : hourlyReturns(drafts[benchmarkRow]!.history);
  const rows = job.assets.map(({ ticker }, row) => ({
    ticker,
    tails: tails[row]!,
    cumulativeVariance: drafts[row]!.cumulativeVariance,
    tailBeta: tailBetaOf(hourlyReturns(drafts[row]!.history), benchmark ?? new Float64Array(0)),
  }));
  return { sheet, rows };
}

/** What a row is drawn from. */
export interface SheetRowDraft extends SheetAsset {
  readonly cumulativeVariance: DrawnRow["cumulativeVariance"];
}

/** Where an asset's paths start from, and the window of its past from `windowStartMs` on. */
export function sheetRowDraftOf(
  { bars, model, state, volume24hUsd, recalibration }: Omit<SheetJobAsset, "ticker">,
  windowStartMs: number,
): SheetRowDraft {
  const conditioned = conditionBars(barsFrom(bars));
  const filtered = filterVolatility(model, conditioned);
  // After the newest bar: a state that hours without a trade followed stands still, and the hour of the week does not.
  const fromMs = (lastOpenTimeMs(bars) ?? filtered.state.openTimeMs) + HOUR_MS;
  const forecast = forecastVolatility(model, state ?? filtered.state, fromMs);
  return {
    history: windowHistory(conditioned, filtered, windowStartMs, POOL_WINDOW_HOURS.value),
    liquidityWeight: volume24hUsd,
    models: forecast.starts,
    seasonalFactors: forecast.seasonalFactors,
    sigmaMultiplier: shortHistoryMultiplier(conditioned.length),
    recalibration,
    cumulativeVariance: forecast.cumulativeVariance,
  };
}

function hourlyReturns({ isPresent, logReturn }: AssetHistory): Float64Array {
  return logReturn.map((value, hour) => (isPresent[hour] === 1 ? value : Number.NaN));
}
