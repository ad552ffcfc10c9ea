import type { AssetState } from "../actors/asset-state.ts";
import type { Ticker } from "../domain/ids.ts";
import type { KeptRegime } from "../domain/kept-regime.ts";
import type { RegimeStore } from "../ingest/regime-store.ts";

/**
 * The assets' liquidity regimes as last seen, over a restart of the program or of an asset. Read before an asset is given
 * its own; only an asset that was given it speaks for itself from then on.
 *
 * Holds:  a file that could not be read is not written over
 */
export class RegimeMemory {
  readonly #store: RegimeStore;
  readonly #report: (step: string, detail: string) => void;
  readonly #regimes = new Map<Ticker, KeptRegime>();
  #reading: Promise<void> | null = null;
  #isRead = false;

  constructor(store: RegimeStore, report: (step: string, detail: string) => void) {
    this.#store = store;
    this.#report = report;
  }

  /** Null where nothing is known. */
  async leftBy(ticker: Ticker): Promise<KeptRegime | null> {
    await (this.#reading ??= this.#read());
    return this.#regimes.get(ticker) ?? null;
  }

  observe(states: readonly Pick<AssetState, "listing" | "keptRegime">[]): void {
    for (const { listing, keptRegime } of states) {
      if (keptRegime !== null) this.#regimes.set(listing.ticker, keptRegime);
    }
  }

  async keep(): Promise<void> {
    // Before the first asset was given its regime the file may not have been read.
    if (this.#regimes.size === 0) return;
    if (!this.#isRead) await this.#read();
    if (!this.#isRead) return;
    await this.#store
      .keep(this.#regimes)
      .catch((error: unknown) => this.#report("keep the regimes", String(error)));
  }

  async #read(): Promise<void> {
    try {
      for (const [ticker, kept] of await this.#store.load()) {
        // What was seen meanwhile, after a reading that failed, is newer.
        if (!this.#regimes.has(ticker)) this.#regimes.set(ticker, kept);
      }
      this.#isRead = true;
    } catch (error) {
      this.#report("read the regimes", String(error));
    }
  }
}
