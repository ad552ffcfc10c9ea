import { VolatilityTrack } from "../actors/volatility-track.ts";
import { type Bar, HOUR_MS } from "../domain/bar.ts";
import { lastOpenTimeMs } from "../domain/bar-columns.ts";
import { tickerOf } from "../domain/ids.ts";
import { SHEET_SEED, sheetRowDraftOf, type SheetRowDraft } from "../refit/sheet-job.ts";
import { fitVolatilityJob, VARIANCE_FLOOR_STEP } from "../refit/volatility-job.ts";
import { type VolatilityPeers, volatilityPeersOf } from "../refit/volatility-peers.ts";
import { buildAssetTails, rescaleAssetTails } from "../risk/scenarios/asset-tails.ts";
import { buildTailEstimators } from "../risk/scenarios/horizon-tails.ts";
import { buildSheetDay, createSheetDayScratch } from "../risk/scenarios/sheet-day.ts";
import { HORIZON_HOURS, horizonIndex, PATH_STEPS } from "../risk/scenarios/horizon.ts";
import { drawPaths, PATH_FACTS } from "../risk/scenarios/path-kernel.ts";
import { stationaryModels } from "../risk/scenarios/stationary-recursion.ts";
import { RESCALE_MAX } from "../risk/scenarios/rescale.ts";
import { buildResidualPools } from "../risk/scenarios/residual-borrowing.ts";
import { POOL_WINDOW_HOURS, type ResidualPool, TUPLE_LENGTH } from "../risk/scenarios/residual-pool.ts";
import { buildScenarioIndex } from "../risk/scenarios/scenario-index.ts";
import { createSheetBuffers, pathsLengthOf, type ScenarioSheet } from "../risk/scenarios/sheet.ts";
import { SINGLE_ASSET_BLOCKS } from "../risk/scenarios/sheet-builder.ts";
import { FULL_HISTORY_HOURS } from "../risk/scenarios/short-history.ts";
import type { AssetTails } from "../risk/tails/var.ts";
import { HOURS_PER_YEAR } from "../risk/volatility/term-structure.ts";
import { BacktestLessons } from "./backtest-lessons.ts";

const SINGLE_SCENARIOS = POOL_WINDOW_HOURS * SINGLE_ASSET_BLOCKS;
const VECTORS = pathsLengthOf(1);
/** Where the terminal returns of 24 hours stand among them. */
const DAY_VECTOR = horizonIndex(24) * PATH_FACTS.length;

interface RowDraft extends SheetRowDraft {
  readonly asset: string;
  readonly recalibration: number;
}

interface DrawnRow extends RowDraft {
  readonly pool: ResidualPool;
  readonly windowStartMs: number;
}

/** The joint scenarios of one morning; `assets` in the order of the rows. */
export interface MorningSheet {
  readonly assets: readonly string[];
  readonly sheet: ScenarioSheet;
}

/**
 * The service's own forecasts, walked through the past: the same tracks, fits, pools and paths, fed bar by bar. Only the
 * rhythm differs: fitted and drawn once a day instead of once a day and once an hour, followed in between by the
 * service's own rescaling.
 */
export class ProductForecaster {
  readonly #tracks = new Map<string, VolatilityTrack>();
  readonly #drawn = new Map<string, DrawnRow>();
  readonly #lessons = new BacktestLessons();
  readonly #index = buildScenarioIndex(SHEET_SEED, POOL_WINDOW_HOURS, SINGLE_SCENARIOS, PATH_STEPS);
  readonly #estimators = buildTailEstimators(SINGLE_SCENARIOS);
  readonly #dayScratch = createSheetDayScratch(POOL_WINDOW_HOURS);
  readonly #paths = new Float32Array(pathsLengthOf(SINGLE_SCENARIOS));

  load(asset: string, bars: readonly Bar[]): void {
    const track = new VolatilityTrack();
    track.loadBars(bars);
    this.#tracks.set(asset, track);
  }

  closeBar(asset: string, bar: Bar): void {
    const track = this.#tracks.get(asset)!;
    track.closeBar(bar);
    this.#redrawIfBeyondRescaling(asset, track);
  }

  /** Tails as the service would answer with now; null while the history is limited. */
  tailsOf(asset: string): AssetTails | null {
    const track = this.#tracks.get(asset);
    if (track?.model?.warnings.includes("limited_history") !== false) return null;
    return track.tails;
  }

  /** The same without what the asset's record has taught. */
  unlearnedTailsOf(asset: string): AssetTails | null {
    const tails = this.tailsOf(asset);
    const drawn = this.#drawn.get(asset);
    if (tails === null || drawn === undefined) return null;
    return rescaleAssetTails(
      tails,
      HORIZON_HOURS.map(() => 1 / drawn.recalibration),
    );
  }

  /** At 00 UTC, after the bar of `lastOpenMs`: learns from the day that ended, fits, draws and records. */
  startDay(lastOpenMs: number, reachesWeek: boolean): MorningSheet | null {
    const timeMs = lastOpenMs + HOUR_MS;
    this.#lessons.startDay(this.#tracks, timeMs);
    this.fit();
    const morning = this.draw(lastOpenMs, reachesWeek);
    for (const [asset, track] of this.#tracks) {
      if (lastOpenTimeMs(track.bars) === lastOpenMs) this.#lessons.noteDay(asset, track, timeMs);
    }
    return morning;
  }

  /** Fits every asset anew, starting from the model in force. */
  fit(): void {
    const peers = this.#peers();
    for (const [asset, track] of this.#tracks) {
      const options = { ...peers, varianceFloorStep: VARIANCE_FLOOR_STEP, previous: track.model };
      const ticker = tickerOf(asset);
      const fitted = fitVolatilityJob({ kind: "volatility", ticker, bars: track.bars, options });
      if (fitted !== null) track.acceptModel(fitted);
    }
  }

  /**
   * Draws the joint sheet as the service does. A week takes seven times as long as a day and is judged once a week:
   * on other days the paths end after 24 hours, and the fourth horizon repeats the third.
   */
  draw(lastOpenMs: number, reachesWeek: boolean): MorningSheet | null {
    const windowStartMs = lastOpenMs - (POOL_WINDOW_HOURS - 1) * HOUR_MS;
    const drafts = [...this.#tracks].flatMap(([asset, track]) =>
      draftOf(asset, track, windowStartMs, this.#lessons.sigmaMultiplierOf(asset)),
    );
    if (drafts.length === 0) return null;
    const buffers = createSheetBuffers(drafts.length, POOL_WINDOW_HOURS);
    const { logPaths } = buffers;
    const pools = buildResidualPools(
      drafts.map(({ history }) => history),
      drafts.map(({ liquidityWeight }) => liquidityWeight),
      buffers.pools.tuples,
    );
    const days = drafts.map((draft, row) => {
      const pool = pools[row]!;
      const drawn = { ...draft, pool, windowStartMs };
      this.#drawn.set(draft.asset, drawn);
      this.#drawRow(drawn, reachesWeek);
      for (let vector = 0; vector < VECTORS; vector++) {
        const block = this.#paths.subarray(
          vector * SINGLE_SCENARIOS,
          vector * SINGLE_SCENARIOS + POOL_WINDOW_HOURS,
        );
        logPaths.set(block, (row * VECTORS + vector) * POOL_WINDOW_HOURS);
      }
      for (let hour = 0; hour < POOL_WINDOW_HOURS; hour++) {
        buffers.pools.residuals[row * POOL_WINDOW_HOURS + hour] = pool.tuples[hour * TUPLE_LENGTH]!;
      }
      const dayAt = (row * VECTORS + DAY_VECTOR) * POOL_WINDOW_HOURS;
      const dayLogReturns = logPaths.subarray(dayAt, dayAt + POOL_WINDOW_HOURS);
      return buildSheetDay(dayLogReturns, 1, lastOpenMs, this.#dayScratch);
    });
    const sheet: ScenarioSheet = {
      version: lastOpenMs,
      seed: SHEET_SEED,
      rows: drafts.length,
      scenarios: POOL_WINDOW_HOURS,
      windowHours: POOL_WINDOW_HOURS,
      logPaths,
      days,
      pools: buffers.pools,
      index: this.#index,
      dynamics: [],
    };
    return { assets: drafts.map(({ asset }) => asset), sheet };
  }

  #drawRow(row: DrawnRow, reachesWeek: boolean): void {
    const { asset, pool, models, seasonalFactors, sigmaMultiplier, cumulativeVariance } = row;
    const sigmaFactors = seasonalFactors.map((factor) => factor * sigmaMultiplier);
    const horizonSteps = reachesWeek ? [1, 4, 24, 168] : [1, 4, 24, 24];
    const stationary = stationaryModels(models, pool);
    drawPaths({ pool, index: this.#index, models: stationary, sigmaFactors, horizonSteps }, this.#paths);
    const tails = buildAssetTails(this.#paths, this.#estimators);
    this.#tracks.get(asset)!.acceptTails({ tails, cumulativeVariance });
  }

  /** The service draws hourly, so a ratio that rescaling must hold does not last; here the asset is drawn again. */
  #redrawIfBeyondRescaling(asset: string, track: VolatilityTrack): void {
    const drawn = this.#drawn.get(asset);
    const { facts, model } = track;
    if (drawn === undefined || facts === null || model === null) return;
    const ratios = [
      facts.sigmaHour / Math.sqrt(drawn.cumulativeVariance[0]),
      facts.sigmas.sigma4hAnnual / Math.sqrt((drawn.cumulativeVariance[1] / 4) * HOURS_PER_YEAR),
    ];
    if (!ratios.some((ratio) => ratio > RESCALE_MAX || ratio < 1 / RESCALE_MAX)) return;
    for (const draft of draftOf(asset, track, drawn.windowStartMs, drawn.recalibration)) {
      const redrawn = { ...draft, pool: drawn.pool, windowStartMs: drawn.windowStartMs };
      this.#drawn.set(asset, redrawn);
      this.#drawRow(redrawn, false);
    }
  }

  /** What young assets borrow from the others. */
  #peers(): VolatilityPeers {
    const models = [...this.#tracks.values()].flatMap(({ model }) =>
      model !== null && model.observations >= FULL_HISTORY_HOURS.value ? [model] : [],
    );
    return volatilityPeersOf(models);
  }
}

/** Every asset as liquid as any other; nothing without a model. */
function draftOf(
  asset: string,
  { model, bars }: VolatilityTrack,
  windowStartMs: number,
  recalibration: number,
): readonly RowDraft[] {
  if (model === null) return [];
  const draft = sheetRowDraftOf({ bars, model, state: null, volume24hUsd: 1, recalibration }, windowStartMs);
  return [{ ...draft, asset, recalibration }];
}
