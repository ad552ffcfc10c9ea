import type { AssetRegistry } from "../actors/asset-registry.ts";
import type { AssetState } from "../actors/asset-state.ts";
import { SheetRowTrack } from "../actors/sheet-row-track.ts";
import { newestBars } from "../domain/bar-columns.ts";
import type { Clock } from "../domain/clock.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import { RECENT_HOURS } from "../ingest/history-fetcher.ts";
import type { RefitFailure, RefitRunner } from "../refit/refit-runner.ts";
import { RefitSchedule } from "../refit/refit-schedule.ts";
import type { SheetJobAsset } from "../refit/sheet-job.ts";
import { lentMove, type VolatilityPeers, volatilityPeersOf } from "../refit/volatility-peers.ts";
import { SINGLE_ASSET_BLOCKS } from "../risk/scenarios/scenario-index.ts";
import { createSheetDayScratch, type SheetDayScratch } from "../risk/scenarios/sheet-day.ts";
import { FULL_HISTORY_HOURS } from "../risk/scenarios/short-history.ts";
import { VOLATILITY_LADDER } from "../risk/volatility/volatility-model.ts";
import type { EngineCounts, ModelFacts, RecalibrationFacts, SheetFacts } from "../snapshot/engine-status.ts";
import type { SnapshotChannel } from "../snapshot/snapshot-channel.ts";
import { ownRows } from "./owned-rows.ts";

/** A young asset borrows anew when the variance that its peers lend for any hour of the week has moved by this ratio. */
const LENT_MOVE_MAX = 1.1;

export interface RefitDeps {
  readonly registry: AssetRegistry;
  readonly runner: RefitRunner;
  readonly channel: SnapshotChannel;
  readonly clock: Clock;
  readonly recalibration: {
    sigmaMultiplierOf(ticker: Ticker): number;
    facts(): RecalibrationFacts;
  };
  readonly report: (step: string, detail: string) => void;
}

/** Drives fits and draws: what the schedule says is due goes to the runner, what comes back to the registry. */
export class EngineRefits {
  readonly #deps: RefitDeps;
  readonly #schedule = new RefitSchedule();
  /** Of the last model of each asset, which is in force only while the asset has it. */
  readonly #fittedAtMs = new Map<Ticker, number>();
  /** What each young asset's last fit was lent. */
  readonly #lent = new Map<Ticker, VolatilityPeers>();
  /** The rows of the sheet in order. They only ever grow: a row means the same asset in every sheet of a run. */
  readonly #rows = new Map<Ticker, SheetJobAsset>();
  #sheet: SheetFacts | null = null;
  #scratch: SheetDayScratch | null = null;
  #version = 0;
  #done = 0;
  #failed = 0;

  constructor(deps: RefitDeps) {
    this.#deps = deps;
  }

  get counts(): EngineCounts {
    return { refitsDone: this.#done, refitsFailed: this.#failed };
  }

  note(event: MarketEvent): void {
    const nowMs = this.#deps.clock.nowMs();
    // Listed again, an asset is live no sooner than a model is built.
    if (event.type === "asset.listed") this.#schedule.noteFitDue(event.ticker, nowMs);
    if (event.type !== "history.loaded") return;
    const { ticker, bars, reachesNow } = event;
    if (bars.length > 1 || reachesNow) this.#schedule.noteHistory(ticker, bars.length, nowMs);
    if (this.#deps.registry.stateOf(ticker)?.isModelBehind === true) this.#schedule.noteFitDue(ticker, nowMs);
  }

  /** An asset that was started anew after an error, or given up, has lost its model. */
  noteModelLost(ticker: Ticker): void {
    this.#schedule.noteModelLost(ticker, this.#deps.clock.nowMs());
  }

  /** A few times a second: starts what is due. */
  tick(): void {
    const nowMs = this.#deps.clock.nowMs();
    // Young assets wait for the first fits of older ones, whose pattern and variance they borrow.
    const mayBorrow = this.#schedule.firstFitsUnderWay === 0;
    const due = this.#schedule.takeDueFits(nowMs, (ticker) => {
      const state = this.#deps.registry.stateOf(ticker);
      // Of a delisted one none: what was due then is when it is listed again.
      return state?.listing.isDelisted === false && (mayBorrow || !isYoung(state));
    });
    if (due.size > 0) {
      const peers = this.#peers();
      for (const [ticker, stepsDown] of due) void this.#fit(ticker, stepsDown, peers);
    }
    this.#schedule.noteLessons(this.#deps.recalibration.facts().assets, nowMs);
    const draw = this.#schedule.takeSheet(nowMs, this.#sigmaMoveMax());
    if (draw !== null) void this.#draw(draw === "full" ? SINGLE_ASSET_BLOCKS.value : 1);
  }

  async #fit(ticker: Ticker, stepsDown: number, peers: VolatilityPeers): Promise<void> {
    const { registry, runner, channel, clock } = this.#deps;
    const state = registry.stateOf(ticker)!;
    // Too few bars for a fit leave the rung that needs none: the way down after a fit that failed or was late.
    const { bars, model } = state.volatility;
    // With all history on disk the first fit is of the newest month, as if it were fetched: every asset before depth.
    const isFirst = model === null && bars.length > 2 * RECENT_HOURS;
    const fullHours = isFirst ? RECENT_HOURS : bars.length;
    const fitHours = stepsDown === 0 ? fullHours : VOLATILITY_LADDER.value.fitHoursMin;
    if (isYoung(state)) this.#lent.set(ticker, peers);
    else this.#lent.delete(ticker);
    const result = await runner.fitVolatility({
      kind: "volatility",
      ticker,
      bars: newestBars(bars, fitHours),
      options: {
        ...peers,
        halfSpreadFraction: state.halfSpreadFraction ?? 0,
        previous: stepsDown === 0 ? model : null,
      },
    });
    const nowMs = clock.nowMs();
    if (!result.ok) {
      this.#fail(`fit of ${ticker}`, result.error);
      this.#schedule.noteFitFailed(ticker, nowMs);
      if (stepsDown > 0) registry.acceptModel(ticker, null);
      return;
    }
    this.#done++;
    this.#schedule.noteFitted(ticker, result.value !== null, nowMs);
    if (isFirst && stepsDown === 0) this.#schedule.noteHistory(ticker, bars.length, nowMs);
    if (result.value !== null) {
      this.#fittedAtMs.set(ticker, nowMs);
      this.#rows.set(ticker, {
        ticker,
        bars,
        model: result.value.model,
        state: null,
        volume24hUsd: 0,
        recalibration: 1,
      });
    }
    registry.acceptModel(ticker, result.value);
    this.#lendAnew(nowMs);
    channel.publish({ type: "models.published", models: this.facts() });
  }

  /** While histories are being read, the first peers of a young asset are a few, and not like most that are to come. */
  #lendAnew(nowMs: number): void {
    if (this.#lent.size === 0) return;
    const peers = this.#peers();
    for (const [ticker, lent] of this.#lent) {
      if (lentMove(lent, peers) > LENT_MOVE_MAX) this.#schedule.noteFitDue(ticker, nowMs);
    }
  }

  async #draw(singleAssetBlocks: number): Promise<void> {
    const { registry, runner, channel, clock, recalibration } = this.#deps;
    for (const [ticker, row] of this.#rows) {
      const asset = registry.stateOf(ticker);
      if (asset === undefined) continue;
      const { volume24hUsd } = asset.context;
      const { bars, model, state } = asset.volatility;
      this.#rows.set(ticker, {
        ticker,
        bars,
        model: model ?? row.model,
        state,
        volume24hUsd,
        recalibration: recalibration.sigmaMultiplierOf(ticker),
      });
    }
    const assets = [...this.#rows.values()];
    const version = ++this.#version;
    const result = await runner.drawSheet({
      kind: "sheet",
      version,
      singleAssetBlocks,
      assets,
    });
    this.#schedule.noteDrawn(result.ok, clock.nowMs());
    if (!result.ok) {
      this.#fail("sheet", result.error);
      return;
    }
    this.#done++;
    const { sheet, rows } = ownRows(result.value);
    this.#sheet = {
      version,
      builtAtMs: clock.nowMs(),
      assets: rows.length,
      scenarios: sheet.scenarios,
    };
    // The sheet first: no snapshot names a row that its reader does not have.
    channel.publish({ type: "sheet.published", sheet });
    this.#scratch ??= createSheetDayScratch(sheet.scenarios);
    for (const [row, drawn] of rows.entries()) {
      registry.acceptTails(drawn.ticker, drawn, new SheetRowTrack(sheet, row, this.#scratch));
    }
    channel.publish({ type: "models.published", models: this.facts() });
  }

  facts(): ModelFacts {
    const assetsByModel: Partial<Record<string, number>> = {};
    let assetsWithoutModel = 0;
    const fitTimes: number[] = [];
    for (const { listing, volatility } of this.#deps.registry.states()) {
      if (listing.isDelisted) continue;
      const kind = volatility.model?.kind;
      if (kind === undefined) {
        assetsWithoutModel++;
        continue;
      }
      assetsByModel[kind] = (assetsByModel[kind] ?? 0) + 1;
      const fittedAtMs = this.#fittedAtMs.get(listing.ticker);
      if (fittedAtMs !== undefined) fitTimes.push(fittedAtMs);
    }
    return {
      assetsByModel,
      assetsWithoutModel,
      oldestFitAtMs: fitTimes.length === 0 ? null : Math.min(...fitTimes),
      newestFitAtMs: fitTimes.length === 0 ? null : Math.max(...fitTimes),
      sheet: this.#sheet,
      recalibration: this.#deps.recalibration.facts(),
    };
  }

  #fail(step: string, { code, detail }: RefitFailure): void {
    if (code === "closed") return;
    this.#failed++;
    this.#deps.report(step, `${code}: ${detail}`);
  }

  /** What young assets borrow from the models in force. */
  #peers(): VolatilityPeers {
    const models = this.#deps.registry.states().flatMap(({ volatility: { model } }) => {
      return model !== null && model.observations >= FULL_HISTORY_HOURS.value ? [model] : [];
    });
    return volatilityPeersOf(models);
  }

  #sigmaMoveMax(): number {
    let most = 1;
    for (const { volatility } of this.#deps.registry.states()) {
      if (volatility.tails === null) continue;
      most = Math.max(most, volatility.sigmaDayRatio, 1 / volatility.sigmaDayRatio);
    }
    return most;
  }
}

function isYoung({ historyHours }: AssetState): boolean {
  return historyHours < FULL_HISTORY_HOURS.value;
}
