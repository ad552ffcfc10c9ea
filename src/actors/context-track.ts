import type { AssetContext } from "../domain/asset.ts";

/** One asset's context as last received; while none could be read, the price of its book or its history stands in. */
export class ContextTrack {
  #latest: AssetContext | null;
  #otherPrice = Number.NaN;

  constructor(context: AssetContext | null) {
    this.#latest = context;
  }

  get latest(): AssetContext | null {
    return this.#latest;
  }

  get volume24hUsd(): number {
    return this.#latest?.volume24hUsd ?? 0;
  }

  /** False until something has named a price: there is nothing to value a position at. */
  get isPriced(): boolean {
    return this.#latest !== null || !Number.isNaN(this.#otherPrice);
  }

  /** What requests read: an exit has a price to be valued at, and nothing is opened at a context of this age. */
  get shown(): AssetContext {
    return this.#latest ?? { ...UNREAD, markPrice: this.#otherPrice };
  }

  update(context: AssetContext): void {
    this.#latest = context;
  }

  noteBook(midPrice: number): void {
    this.#otherPrice = midPrice;
  }

  /** Of a history, whose parts do not come in order: any is better than nothing. */
  noteClose(closePrice: number): void {
    if (Number.isNaN(this.#otherPrice)) this.#otherPrice = closePrice;
  }
}

const UNREAD: Omit<AssetContext, "markPrice"> = {
  midPrice: null,
  fundingRateHourly: 0,
  openInterestBase: 0,
  volume24hUsd: 0,
  arrivedAtMs: Number.NEGATIVE_INFINITY,
};
