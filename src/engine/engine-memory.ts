import type { AssetRegistry } from "../actors/asset-registry.ts";
import type { Clock } from "../domain/clock.ts";
import type { Ticker } from "../domain/ids.ts";
import type { LearnedHour } from "../domain/learned-hour.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import { mergeByTime } from "../domain/time-series.ts";
import type { LearnedStore } from "../ingest/learned-store.ts";
import type { RegimeStore } from "../ingest/regime-store.ts";
import { RegimeMemory } from "./regime-memory.ts";

/** What was learned goes to disk at most this often. */
const KEEP_PERIOD_MS = 5 * 60_000;
/** A regime that turned less than this before the engine died without a word is forgotten. */
const KEEP_REGIMES_PERIOD_MS = 60_000;

export interface MemoryDeps {
  readonly registry: AssetRegistry;
  readonly store: LearnedStore;
  readonly regimeStore: RegimeStore;
  readonly clock: Clock;
  readonly report: (step: string, detail: string) => void;
}

/**
 * Carries what assets learn by watching over a restart, of the program or of an asset: read when an asset is listed,
 * written as hours close and when an asset fails, again when that fails.
 */
export class EngineMemory {
  readonly #deps: MemoryDeps;
  readonly #restoring = new Map<Ticker, Promise<void>>();
  readonly #regimes: RegimeMemory;
  #keptAtMs: number;
  #regimesKeptAtMs: number;

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#regimes = new RegimeMemory(deps.regimeStore, deps.report);
    this.#keptAtMs = deps.clock.nowMs();
    this.#regimesKeptAtMs = this.#keptAtMs;
  }

  note(event: MarketEvent): void {
    if (event.type === "asset.listed") this.#beginRestoring(event.ticker, []);
  }

  /** An asset was started anew after an error, or given up: what it had learned is kept, and given to its new state. */
  noteRestart(ticker: Ticker, learned: readonly LearnedHour[]): void {
    this.#beginRestoring(ticker, learned);
  }

  /** Once a second: writes what is due. */
  tick(): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#regimes.observe(this.#deps.registry.states());
    if (nowMs - this.#regimesKeptAtMs >= KEEP_REGIMES_PERIOD_MS) {
      this.#regimesKeptAtMs = nowMs;
      void this.#regimes.keep();
    }
    if (nowMs - this.#keptAtMs < KEEP_PERIOD_MS) return;
    this.#keptAtMs = nowMs;
    void this.#keep(false);
  }

  /** Writes everything, the hours under way included. */
  async stop(): Promise<void> {
    await Promise.all(this.#restoring.values());
    this.#regimes.observe(this.#deps.registry.states());
    await Promise.all([this.#keep(true), this.#regimes.keep()]);
  }

  /**
   * One at a time: an asset that fails again meanwhile has learned next to nothing since, and what is being restored goes
   * to the state that it has then.
   */
  #beginRestoring(ticker: Ticker, learned: readonly LearnedHour[]): void {
    if (this.#restoring.has(ticker)) return;
    const restored = this.#restore(ticker, learned).finally(() => this.#restoring.delete(ticker));
    this.#restoring.set(ticker, restored);
  }

  /** What was learned is on disk before that is read, and is known again also when it cannot be. */
  async #restore(ticker: Ticker, learned: readonly LearnedHour[]): Promise<void> {
    const { registry, store, report } = this.#deps;
    if (learned.length > 0) await this.#write(ticker, learned);
    const kept = await store.load(ticker).catch((error: unknown) => {
      report(`read what ${ticker} taught`, String(error));
      return [];
    });
    registry.restore(
      ticker,
      mergeByTime(kept, learned, ({ hourStartMs }) => hourStartMs),
      await this.#regimes.leftBy(ticker),
    );
  }

  async #keep(withOpenHours: boolean): Promise<void> {
    // Of an asset that learned nothing since, too: the store may have something that it could not write.
    const learned = this.#deps.registry.takeLearned(withOpenHours);
    await Promise.all([...learned].map(([ticker, hours]) => this.#write(ticker, hours)));
  }

  #write(ticker: Ticker, hours: readonly LearnedHour[]): Promise<void> {
    const { store, report } = this.#deps;
    return store
      .keep(ticker, hours)
      .catch((error: unknown) => report(`keep what ${ticker} taught`, String(error)));
  }
}
