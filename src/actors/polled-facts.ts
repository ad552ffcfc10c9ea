import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";

type PolledFact = Extract<MarketEvent, { type: "cap.reported" | "funding.predicted" }>;

/**
 * The newest of each fact that is polled for all assets in one call, whether its asset is listed or not: a list may
 * answer before the universe, and an asset that begins anew must not wait for the next poll.
 */
export class PolledFacts {
  readonly #caps = new Map<Ticker, PolledFact>();
  readonly #fundings = new Map<Ticker, PolledFact>();

  note(event: MarketEvent): void {
    if (event.type === "cap.reported") this.#caps.set(event.ticker, event);
    if (event.type === "funding.predicted") this.#fundings.set(event.ticker, event);
  }

  of(ticker: Ticker): readonly PolledFact[] {
    return [this.#caps.get(ticker), this.#fundings.get(ticker)].filter((fact) => fact !== undefined);
  }
}
