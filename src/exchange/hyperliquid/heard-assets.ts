import type { Ticker } from "../../domain/ids.ts";
import type { PlannedSubscription } from "./subscriptions.ts";

/**
 * When each asset was last heard of on one connection: a single subscription can end without a word, while those of all
 * others keep the connection alive.
 */
export class HeardAssets {
  readonly #quietMsMax: number;
  readonly #heardAtMs = new Map<Ticker, number>();

  constructor(quietMsMax: number) {
    this.#quietMsMax = quietMsMax;
  }

  note(ticker: Ticker, nowMs: number): void {
    this.#heardAtMs.set(ticker, nowMs);
  }

  /** The connection is lost. */
  clear(): void {
    this.#heardAtMs.clear();
  }

  /** The subscriptions that brought something and do no more, to be asked for again; assets without one are forgotten. */
  takeQuiet(planned: readonly PlannedSubscription[], nowMs: number): readonly PlannedSubscription[] {
    const heardAtMs = new Map(this.#heardAtMs);
    this.#heardAtMs.clear();
    return planned.filter(({ ticker }) => {
      const atMs = ticker === null ? undefined : heardAtMs.get(ticker);
      if (ticker === null || atMs === undefined) return false;
      const isQuiet = nowMs - atMs >= this.#quietMsMax;
      this.note(ticker, isQuiet ? nowMs : atMs);
      return isQuiet;
    });
  }
}
