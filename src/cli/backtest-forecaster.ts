import { VolatilityTrack } from "../actors/volatility-track.ts";
import { type Bar, HOUR_MS } from "../domain/bar.ts";
import { barColumnsOf, lastOpenTimeMs } from "../domain/bar-columns.ts";
import { tickerOf } from "../domain/ids.ts";
import { sheetRowDraftOf, type SheetRowDraft } from "../refit/sheet-job.ts";
import { fitVolatilityJob } from "../refit/volatility-job.ts";
import { type VolatilityPeers, volatilityPeersOf } from "../refit/volatility-peers.ts";
import { rescaleAssetTails } from "../risk/scenarios/asset-tails.ts";
import { HORIZON_HOURS, STEPS_WITHOUT_WEEK } from "../risk/scenarios/horizon.ts";
import { RESCALE_MAX } from "../risk/scenarios/rescale.ts";
import { POOL_WINDOW_HOURS, type ResidualPool } from "../risk/scenarios/residual-pool.ts";
import { SCENARIO_SEED, SINGLE_ASSET_BLOCKS } from "../risk/scenarios/scenario-index.ts";
import type { ScenarioSheet } from "../risk/scenarios/sheet.ts";
import {
  buildScenarioSheet,
  createSheetTables,
  drawAssetTails,
  dynamicsOf,
} from "../risk/scenarios/sheet-builder.ts";
import { FULL_HISTORY_HOURS } from "../risk/scenarios/short-history.ts";
import type { AssetTails } from "../risk/tails/var.ts";
import { annualisedSigma } from "../risk/volatility/term-structure.ts";
import { placeOf } from "../risk/volatility/window-history.ts";
import { BacktestLessons } from "./backtest-lessons.ts";

interface RowDraft extends SheetRowDraft {
  readonly asset: string;
}

interface DrawnRow extends RowDraft {
  readonly pool: ResidualPool;
  readonly windowStartMs: number;
  readonly horizonSteps: readonly number[];
  /** Drawn without what the record has taught; null until asked for. */
  unlearned: AssetTails | null;
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
  readonly #tables = createSheetTables(
    SCENARIO_SEED.value,
    POOL_WINDOW_HOURS.value,
    SINGLE_ASSET_BLOCKS.value,
  );

  load(asset: string, bars: readonly Bar[]): void {
    const track = new VolatilityTrack();
    track.loadBars(barColumnsOf(bars));
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
    const drawn = this.#drawn.get(asset);
    if (this.tailsOf(asset) === null || drawn === undefined) return null;
    const { pool, horizonSteps } = drawn;
    const dynamics = dynamicsOf({ ...drawn, recalibration: 1 }, pool);
    drawn.unlearned ??= drawAssetTails(pool, dynamics, this.#tables, horizonSteps);
    return rescaleAssetTails(drawn.unlearned, this.#tracks.get(asset)!.rescaling);
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
      const options = { ...peers, halfSpreadFraction: 0, previous: track.model };
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
    const windowStartMs = lastOpenMs - (POOL_WINDOW_HOURS.value - 1) * HOUR_MS;
    const drafts = [...this.#tracks].flatMap(([asset, track]) =>
      draftOf(asset, track, windowStartMs, this.#lessons.sigmaMultiplierOf(asset)),
    );
    if (drafts.length === 0) return null;
    const inputs = {
      version: lastOpenMs,
      seed: SCENARIO_SEED.value,
      oldestPlace: placeOf(windowStartMs, POOL_WINDOW_HOURS.value),
      singleAssetBlocks: SINGLE_ASSET_BLOCKS.value,
      assets: drafts,
    };
    const horizonSteps = reachesWeek ? HORIZON_HOURS : STEPS_WITHOUT_WEEK;
    const { sheet, tails, pools } = buildScenarioSheet(inputs, this.#tables, horizonSteps);
    drafts.forEach((draft, row) => {
      this.#accept(
        { ...draft, pool: pools[row]!, windowStartMs, horizonSteps, unlearned: null },
        tails[row]!,
      );
    });
    return { assets: drafts.map(({ asset }) => asset), sheet };
  }

  #accept(drawn: DrawnRow, tails: AssetTails): void {
    const { asset, cumulativeVariance } = drawn;
    this.#drawn.set(asset, drawn);
    this.#tracks.get(asset)!.acceptTails({ tails, cumulativeVariance });
  }

  /** The service draws hourly, so a ratio that rescaling must hold does not last; here the asset is drawn again. */
  #redrawIfBeyondRescaling(asset: string, track: VolatilityTrack): void {
    const drawn = this.#drawn.get(asset);
    const { facts, model } = track;
    if (drawn === undefined || facts === null || model === null) return;
    const ratios = [
      facts.sigmaHour / Math.sqrt(drawn.cumulativeVariance[0]),
      facts.sigmas.sigma4hAnnual / annualisedSigma(drawn.cumulativeVariance[1], 4),
    ];
    if (!ratios.some((ratio) => ratio > RESCALE_MAX.value || ratio < 1 / RESCALE_MAX.value)) return;
    for (const draft of draftOf(asset, track, drawn.windowStartMs, drawn.recalibration)) {
      const { pool, windowStartMs } = drawn;
      const horizonSteps = STEPS_WITHOUT_WEEK;
      const tails = drawAssetTails(pool, dynamicsOf(draft, pool), this.#tables, horizonSteps);
      this.#accept({ ...draft, pool, windowStartMs, horizonSteps, unlearned: null }, tails);
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
  return [{ ...draft, asset }];
}
