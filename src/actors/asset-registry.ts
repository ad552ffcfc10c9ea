import { createActor } from "xstate";
import { HOUR_MS } from "../domain/bar.ts";
import type { Clock, ToldClock } from "../domain/clock.ts";
import type { Ticker } from "../domain/ids.ts";
import type { KeptRegime } from "../domain/kept-regime.ts";
import type { LearnedHour } from "../domain/learned-hour.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import { type AssetSnapshot, buildSnapshot } from "../snapshot/asset-snapshot.ts";
import type { AssetCounts } from "../snapshot/engine-status.ts";
import { marketVolatilityScore } from "./market-volatility.ts";
import { assetCountsOf, liveVolumeShareOf } from "./asset-counting.ts";
import {
  type AssetEntry,
  type AssetRestart,
  freshnessAt,
  isMeasurable,
  learnedBy,
  lifecycleOf,
} from "./asset-entry.ts";
import { assetMachine, type AssetMachineEvent } from "./asset-machine.ts";
import { AssetState } from "./asset-state.ts";
import { PolledFacts } from "./polled-facts.ts";
import type { SheetRowTrack } from "./sheet-row-track.ts";
import type { DrawnTails, FittedModel } from "./volatility-track.ts";

/** An asset's snapshot leaves at most this often, unless its lifecycle changed; other changes leave with the next one. */
export const PUBLISH_PERIOD_MS = 100;
/** A regime is looked at so often, and at once when an alarm is new. */
const REGIME_PERIOD_MS = 10_000;
/** An asset that fails more often than this within an hour is left to go stale. */
const RESTARTS_PER_HOUR_MAX = 5;

export interface RegistryDeps {
  /** This machine's time: ages. */
  readonly clock: Clock;
  /** The exchange's time: how much of the running hour is over. */
  readonly marketClock: ToldClock;
  readonly publish: (snapshot: AssetSnapshot) => void;
  readonly reportRestart: (restart: AssetRestart) => void;
}

/**
 * Every asset ever listed, each with its rolling state and its lifecycle. A failing asset is started anew from its own
 * bars and settlements without touching the others.
 */
export class AssetRegistry {
  readonly #deps: RegistryDeps;
  readonly #entries = new Map<Ticker, AssetEntry>();
  readonly #polled = new PolledFacts();

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  handle(event: MarketEvent): void {
    this.#polled.note(event);
    if (event.type === "asset.listed" && !this.#entries.has(event.ticker)) {
      const state = new AssetState(event.listing, event.context);
      this.#entries.set(event.ticker, this.#entryOf(event.ticker, state));
    }
    const entry = this.#entries.get(event.ticker);
    if (entry === undefined) return;
    this.#guarded(event.ticker, entry, () => {
      const hasChanged = entry.state.apply(event, this.#deps.marketClock.nowMs());
      this.#tell(entry, event, hasChanged);
    });
  }

  /** Null when there is too little history: the asset goes live without a model. */
  acceptModel(ticker: Ticker, fitted: FittedModel | null): void {
    this.#change(ticker, (entry) => {
      const { volatility } = entry.state;
      if (fitted !== null) {
        volatility.acceptModel(fitted);
        this.#tellModels(entry);
      } else if (volatility.model === null) this.#tell(entry, { type: "models.built" }, true);
    });
  }

  acceptTails(
    ticker: Ticker,
    drawn: DrawnTails & { readonly tailBeta: number | null },
    sheetRow: SheetRowTrack,
  ): void {
    this.#change(ticker, (entry) => {
      entry.state.volatility.acceptTails(drawn);
      entry.state.acceptRow(sheetRow, drawn.tailBeta);
      this.#tellModels(entry);
    });
  }

  /** What earlier runs learned by watching, oldest first, and the regime as it was left. */
  restore(ticker: Ticker, hours: readonly LearnedHour[], keptRegime: KeptRegime | null): void {
    this.#change(ticker, (entry) => {
      entry.state.restore(hours, keptRegime, this.#deps.marketClock.nowMs());
      entry.regimeAtMs = Number.NEGATIVE_INFINITY;
      entry.isDirty = true;
    });
  }

  /** What each asset learned since it was last asked, maybe nothing; with the hours under way, which come again when they are over. */
  takeLearned(withOpenHour: boolean): ReadonlyMap<Ticker, readonly LearnedHour[]> {
    return new Map(
      [...this.#entries].map(([ticker, { state }]) => [ticker, state.takeLearned(withOpenHour)]),
    );
  }

  stateOf(ticker: Ticker): AssetState | undefined {
    return this.#entries.get(ticker)?.state;
  }

  states(): readonly AssetState[] {
    return [...this.#entries.values()].map(({ state }) => state);
  }

  /** Once a second: ages, regimes, and what was held back. No regime without the time: a night's move would be an hour's. */
  sweep(): void {
    const nowMs = this.#deps.clock.nowMs();
    const { marketClock } = this.#deps;
    const isTimeKnown = marketClock.isKnown;
    const marketScore = marketVolatilityScore(this.states());
    for (const [ticker, entry] of this.#entries) {
      if (lifecycleOf(entry) === "delisted") continue;
      this.#guarded(ticker, entry, () => {
        const freshness = freshnessAt(entry.state, nowMs);
        if (freshness !== "fresh") this.#tell(entry, { type: "market.aged" }, false);
        if (!isTimeKnown || !isMeasurable(entry.state, freshness)) return;
        const marketMs = marketClock.nowMs();
        if (nowMs - entry.regimeAtMs < REGIME_PERIOD_MS && !entry.state.isNewlyAlarmed(marketMs)) return;
        entry.regimeAtMs = nowMs;
        entry.state.updateRegime(marketScore, marketMs);
        entry.isDirty = true;
      });
    }
    this.publishDue();
  }

  /** Publishes what changed since its last publication, where the period has passed. */
  publishDue(): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const [ticker, entry] of this.#entries) {
      if (entry.isDirty) this.#guarded(ticker, entry, () => this.#publishIfDue(entry, nowMs));
    }
  }

  counts(): AssetCounts {
    return assetCountsOf(this.#entries.values());
  }

  liveVolumeShare(): number {
    return liveVolumeShareOf(this.#entries.values());
  }

  stop(): void {
    for (const { actor } of this.#entries.values()) actor.stop();
    this.#entries.clear();
  }

  #change(ticker: Ticker, change: (entry: AssetEntry) => void): void {
    const entry = this.#entries.get(ticker);
    if (entry !== undefined) this.#guarded(ticker, entry, () => change(entry));
  }

  /** Tails come before the model where the asset was started anew while they were drawn: it has no numbers then. */
  #tellModels(entry: AssetEntry): void {
    if (entry.state.volatility.tails !== null) this.#tell(entry, { type: "models.built" }, true);
  }

  /**
   * The lifecycle hears it; whatever changed is published. A changed lifecycle is published at once: an asset that is counted
   * live before its snapshot says so is refused by a service that calls itself ready.
   */
  #tell(entry: AssetEntry, event: AssetMachineEvent, hasChanged: boolean): void {
    const before = lifecycleOf(entry);
    entry.actor.send(event);
    // A lifecycle that fails does not throw: its error has started the asset anew, and this entry is over.
    if (entry.actor.getSnapshot().status === "error") return;
    const hasMoved = lifecycleOf(entry) !== before;
    entry.isDirty ||= hasChanged || hasMoved;
    if (hasMoved) this.#publish(entry, this.#deps.clock.nowMs());
    else if (entry.isDirty) this.#publishIfDue(entry, this.#deps.clock.nowMs());
  }

  #publishIfDue(entry: AssetEntry, nowMs: number): void {
    if (nowMs - entry.publishedAtMs >= PUBLISH_PERIOD_MS) this.#publish(entry, nowMs);
  }

  #publish(entry: AssetEntry, nowMs: number): void {
    if (!entry.state.context.isPriced) return;
    entry.isDirty = false;
    entry.publishedAtMs = nowMs;
    entry.sequence++;
    const { state, sequence } = entry;
    const lifecycle = lifecycleOf(entry);
    const { bookArrivedAtMs, sheetDay } = state;
    this.#deps.publish(
      buildSnapshot(state.view(), { lifecycle, sequence, publishedAtMs: nowMs, bookArrivedAtMs, sheetDay }),
    );
  }

  #entryOf(ticker: Ticker, state: AssetState): AssetEntry {
    const actor = createActor(
      assetMachine.provide({
        guards: {
          isFresh: () => freshnessAt(state, this.#deps.clock.nowMs()) === "fresh",
        },
      }),
    );
    const entry: AssetEntry = {
      state,
      actor,
      sequence: 0,
      publishedAtMs: Number.NEGATIVE_INFINITY,
      isDirty: true,
      regimeAtMs: Number.NEGATIVE_INFINITY,
      restartsMs: [],
    };
    for (const fact of this.#polled.of(ticker)) state.apply(fact, this.#deps.marketClock.nowMs());
    actor.subscribe({ error: (error) => this.#restart(ticker, entry, error) });
    actor.start();
    return entry;
  }

  #guarded(ticker: Ticker, entry: AssetEntry, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#restart(ticker, entry, error);
    }
  }

  #restart(ticker: Ticker, entry: AssetEntry, error: unknown): void {
    const nowMs = this.#deps.clock.nowMs();
    const restartsMs = [...entry.restartsMs.filter((timeMs) => nowMs - timeMs < HOUR_MS), nowMs];
    entry.actor.stop();
    this.#entries.delete(ticker);
    const isGivenUp = restartsMs.length > RESTARTS_PER_HOUR_MAX;
    this.#deps.reportRestart({ ticker, error, isGivenUp, learned: learnedBy(entry) });
    if (isGivenUp) return;
    const { listing, context, volatility, settlements } = entry.state;
    const fresh = this.#entryOf(ticker, new AssetState(listing, context.latest));
    fresh.sequence = entry.sequence;
    fresh.restartsMs = restartsMs;
    this.#entries.set(ticker, fresh);
    this.handle({ type: "asset.listed", ticker, listing, context: context.latest });
    const { bars } = volatility;
    this.handle({ type: "history.loaded", ticker, bars, settlements, reachesNow: true, isWhole: true });
  }
}
