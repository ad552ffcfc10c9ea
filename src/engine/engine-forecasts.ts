import type { AssetRegistry } from "../actors/asset-registry.ts";
import type { AssetState } from "../actors/asset-state.ts";
import { lastOpenTimeMs } from "../domain/bar-columns.ts";
import { DAY_HOURS, HOUR_MS } from "../domain/bar.ts";
import type { Clock } from "../domain/clock.ts";
import { encodeForecast, type ForecastRow, splitForecasts } from "../domain/forecast-row.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { ForecastStore } from "../ingest/forecast-store.ts";
import type { RefitFailure, RefitRunner } from "../refit/refit-runner.ts";
import { horizonsDue } from "../risk/backtest/judged-periods.ts";
import { forecastRowsOf } from "../risk/backtest/recorded-forecast.ts";
import { CALIBRATION_CODE } from "../risk/calibration/calibration-hash.ts";
import { FULL_HISTORY_HOURS } from "../risk/scenarios/short-history.ts";
import { marketMultiplierOf, sigmaMultiplierOf } from "../risk/scenarios/sigma-recalibration.ts";
import type { RecalibrationFacts } from "../snapshot/engine-status.ts";
import type { SnapshotChannel } from "../snapshot/snapshot-channel.ts";
import type { ForecastLedger } from "./forecast-ledger.ts";
import { newRecordPlan, nextRecord, type RecordPlan, standingResults } from "./forecast-schedule.ts";

/** A replay job is two weeks of one asset: a tenth of a second in which fits and sheets wait. */
const REPLAY_HOURS = 14 * DAY_HOURS;
/**
 * After a job the worker rests three times as long as the job took, so that a replay of all assets takes a quarter of a
 * core: in the first half hour of a service nothing else that the engine does is felt as much by answers.
 */
const REST_PER_WORK = 3;
const FAILED_PAUSE_MS = 10 * 60_000;
/** A bar that is reported later than this made no forecast before its successor: what is recorded of it is a replay. */
const LATE_MS = 10 * 60_000;

export interface ForecastDeps {
  readonly registry: AssetRegistry;
  readonly runner: RefitRunner;
  readonly store: ForecastStore;
  readonly channel: SnapshotChannel;
  readonly clock: Clock;
  readonly steadyClock: Clock;
  readonly marketClock: Clock;
  readonly report: (step: string, detail: string) => void;
}

/**
 * The running record of what was forecast and what came: a bar that closes ends periods and starts new ones, both
 * appended to disk. What was missed, all of it on a first start, is replayed in the background, one job at a time and
 * behind everything else, the most traded asset first; a record that changed is judged and published. A record goes on
 * from its newest hour, so none is begun before the asset's history is whole.
 */
export class EngineForecasts {
  readonly #deps: ForecastDeps;
  readonly #plans = new Map<Ticker, RecordPlan>();
  #isBusy = false;
  #restUntilMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ForecastDeps) {
    this.#deps = deps;
  }

  /** After the registry has taken the event in. */
  note(event: MarketEvent): void {
    if (event.type === "asset.delisted") this.#plans.delete(event.ticker);
    else if (event.type === "history.loaded" && event.isWhole) this.#open(event.ticker);
    else if (event.type === "bar.closed") this.#closeBar(event.ticker);
  }

  /** A few times a second: starts one job when none runs and none was just done. */
  tick(): void {
    const { clock, steadyClock, registry } = this.#deps;
    const beganMs = steadyClock.nowMs();
    if (this.#isBusy || beganMs < this.#restUntilMs) return;
    const nowMs = clock.nowMs();
    const volumeOf = (ticker: Ticker): number => registry.stateOf(ticker)?.context.volume24hUsd ?? 0;
    const next = nextRecord(this.#plans, nowMs, volumeOf);
    if (next === undefined) return;
    this.#isBusy = true;
    void this.#work(next, nowMs).finally(() => {
      const doneMs = steadyClock.nowMs();
      this.#restUntilMs = doneMs + REST_PER_WORK * (doneMs - beganMs);
      this.#isBusy = false;
    });
  }

  /** What sigma is multiplied by before scenarios are drawn: the asset's own lesson, a young one's that of the market. */
  sigmaMultiplierOf(ticker: Ticker): number {
    const plan = this.#plans.get(ticker);
    if (plan === undefined || !this.#hasOwnLesson(ticker, plan)) return this.facts().marketMultiplier;
    return sigmaMultiplierOf(plan.ledger.multipliers);
  }

  facts(): RecalibrationFacts {
    const own = [...this.#plans]
      .filter(([ticker, plan]) => this.#hasOwnLesson(ticker, plan))
      .map(([, { ledger }]) => sigmaMultiplierOf(ledger.multipliers));
    return {
      assets: own.length,
      marketMultiplier: marketMultiplierOf(own),
      smallestMultiplier: own.length === 0 ? 1 : Math.min(...own),
      largestMultiplier: own.length === 0 ? 1 : Math.max(...own),
    };
  }

  #hasOwnLesson(ticker: Ticker, { hasLesson }: RecordPlan): boolean {
    const hours = this.#deps.registry.stateOf(ticker)?.historyHours ?? 0;
    return hasLesson && hours >= FULL_HISTORY_HOURS.value;
  }

  #open(ticker: Ticker): void {
    if (!this.#plans.has(ticker)) this.#plans.set(ticker, newRecordPlan());
  }

  #closeBar(ticker: Ticker): void {
    const plan = this.#plans.get(ticker);
    const state = this.#deps.registry.stateOf(ticker);
    if (plan?.phase !== "current" || state === undefined) return;
    const endMs = newestEndMs(state);
    const { ledger } = plan;
    if (endMs <= ledger.recordedToMs) return;
    if (endMs > ledger.recordedToMs + HOUR_MS) {
      plan.phase = "replaying";
      return;
    }
    const settled = ledger.settle(state.volatility.bars, endMs);
    const made = this.#forecastsAt(endMs, state, ledger);
    ledger.noteMade(made);
    ledger.noteReached(endMs);
    plan.isChanged ||= settled.length > 0;
    this.#append(ticker, [...settled, ...made]);
  }

  #forecastsAt(timeMs: number, { volatility }: AssetState, ledger: ForecastLedger): readonly ForecastRow[] {
    const { tails, facts } = volatility;
    if (tails === null || facts === null) return [];
    return forecastRowsOf({
      timeMs,
      horizons: horizonsDue(timeMs / HOUR_MS),
      tails,
      sigmas: facts.sigmas,
      modelKind: facts.model,
      calibrationCode: CALIBRATION_CODE,
      isReplayed: this.#deps.marketClock.nowMs() - timeMs > LATE_MS,
      multipliers: ledger.multipliers,
    });
  }

  async #work([ticker, plan]: readonly [Ticker, RecordPlan], nowMs: number): Promise<void> {
    const state = this.#deps.registry.stateOf(ticker);
    if (state === undefined) {
      // Given up after too many failures: its record waits for a new listing, and no other's for it.
      this.#plans.delete(ticker);
      return;
    }
    try {
      if (plan.phase === "unread") await this.#read(ticker, plan);
      else if (plan.phase === "replaying") await this.#replay(ticker, plan, state);
      else await this.#diagnose(ticker, plan, state, nowMs);
    } catch (error) {
      this.#deps.report(`forecasts of ${ticker}`, String(error));
      // A record that could not be read to be judged is still to be judged.
      plan.isChanged = true;
      plan.retryAtMs = nowMs + FAILED_PAUSE_MS;
    }
  }

  async #read(ticker: Ticker, plan: RecordPlan): Promise<void> {
    // What is dated ahead of the exchange's clock would keep all that comes before it from being recorded.
    plan.ledger.restore(await this.#deps.store.load(ticker), this.#deps.marketClock.nowMs());
    plan.phase = "replaying";
  }

  async #replay(ticker: Ticker, plan: RecordPlan, state: AssetState): Promise<void> {
    const { ledger } = plan;
    if (plan.replay === null) {
      const { bars } = state.volatility;
      const { multipliers } = ledger;
      const settled = ledger.settle(bars, newestEndMs(state));
      this.#append(ticker, settled);
      const hour = Math.max(0, ledger.recordedToMs / HOUR_MS + 1);
      // A day that ends among the hours to be replayed has taught none of those before its end.
      const openDay = settled.findLast(({ horizonHours }) => horizonHours === DAY_HOURS) ?? null;
      // The model in force has seen what is to be forecast: the replay starts from none.
      const cursor = { hour, model: null, multipliers, openDay };
      plan.replay = { bars, cursor };
    }
    const { bars } = plan.replay;
    const result = await this.#deps.runner.replayForecasts({
      kind: "replay",
      ticker,
      bars,
      cursor: plan.replay.cursor,
      hoursMax: REPLAY_HOURS,
      calibrationCode: CALIBRATION_CODE,
    });
    if (!result.ok) {
      this.#fail(`replay of ${ticker}`, plan, result.error);
      return;
    }
    const { rows, next, isDone } = result.value;
    await this.#deps.store.append(ticker, splitForecasts(rows));
    ledger.noteReplayed(rows, next.multipliers, (next.hour - 1) * HOUR_MS);
    plan.isChanged = true;
    plan.replay = isDone ? null : { bars, cursor: next };
    // A bar that closed meanwhile is the next replay's; without one the record is current.
    if (!isDone || newestEndMs(state) > ledger.recordedToMs) return;
    plan.phase = "current";
    plan.hasLesson = true;
  }

  async #diagnose(
    ticker: Ticker,
    plan: RecordPlan,
    { volatility }: AssetState,
    nowMs: number,
  ): Promise<void> {
    const previous = standingResults(plan, nowMs);
    plan.isChanged = false;
    plan.judgedAtMs = nowMs;
    const result = await this.#deps.runner.diagnose({
      kind: "diagnosis",
      ticker,
      computedAtMs: nowMs,
      rows: await this.#deps.store.load(ticker),
      multipliers: plan.ledger.multipliers,
      bars: volatility.bars,
      previous,
    });
    if (!result.ok) {
      plan.isChanged = true;
      this.#fail(`diagnosis of ${ticker}`, plan, result.error);
      return;
    }
    if (previous === null) plan.comparedAtMs = nowMs;
    plan.results = result.value.results;
    this.#deps.channel.publish({ type: "diagnostics.published", diagnostics: result.value });
  }

  #append(ticker: Ticker, rows: readonly ForecastRow[]): void {
    const report = (error: unknown): void => this.#deps.report(`forecasts of ${ticker}`, String(error));
    this.#deps.store.append(ticker, rows.map(encodeForecast)).catch(report);
  }

  #fail(step: string, plan: RecordPlan, { code, detail }: RefitFailure): void {
    if (code === "closed") return;
    plan.retryAtMs = this.#deps.clock.nowMs() + FAILED_PAUSE_MS;
    this.#deps.report(step, `${code}: ${detail}`);
  }
}

function newestEndMs({ volatility }: AssetState): number {
  return (lastOpenTimeMs(volatility.bars) ?? Number.NEGATIVE_INFINITY) + HOUR_MS;
}
