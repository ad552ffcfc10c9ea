import type { AssetRegistry } from "../actors/asset-registry.ts";
import type { Clock } from "../domain/clock.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { LearnedStore } from "../ingest/learned-store.ts";

/** What was learned goes to disk at most this often. */
const KEEP_PERIOD_MS = 5 * 60_000;

export interface MemoryDeps {
  readonly registry: AssetRegistry;
  readonly store: LearnedStore;
  readonly clock: Clock;
  readonly report: (step: string, detail: string) => void;
}

/**
 * Carries what assets learn by watching over a restart: read when an asset is listed, written as hours close, again
 * when that fails.
 */
export class EngineMemory {
  readonly #deps: MemoryDeps;
  #keptAtMs: number;

  constructor(deps: MemoryDeps) {
    this.#deps = deps;
    this.#keptAtMs = deps.clock.nowMs();
  }

  note(event: MarketEvent): void {
    if (event.type === "asset.listed") this.restore(event.ticker);
  }

  /** Also for an asset that was started anew after an error. */
  restore(ticker: Ticker): void {
    const { store, registry } = this.#deps;
    void store.load(ticker).then(
      (hours) => registry.restore(ticker, hours),
      (error: unknown) => this.#deps.report(`read what ${ticker} taught`, String(error)),
    );
  }

  /** Once a second: writes what is due. */
  tick(): void {
    const nowMs = this.#deps.clock.nowMs();
    if (nowMs - this.#keptAtMs < KEEP_PERIOD_MS) return;
    this.#keptAtMs = nowMs;
    void this.#keep(false);
  }

  /** Writes everything, the hours under way included. */
  stop(): Promise<void> {
    return this.#keep(true);
  }

  async #keep(withOpenHours: boolean): Promise<void> {
    const { registry, store, report } = this.#deps;
    const kept = [...registry.takeLearned(withOpenHours)].map(([ticker, hours]) =>
      store.keep(ticker, hours).catch((error: unknown) => {
        registry.returnLearned(ticker, hours);
        report(`keep what ${ticker} taught`, String(error));
      }),
    );
    await Promise.all(kept);
  }
}
