import type { OrderBook } from "../domain/book.ts";
import type { LearnedHour } from "../domain/learned-hour.ts";
import {
  type BookStatistics,
  buildBookStatistics,
  createBookHours,
  depthRatioOf,
  observeBook,
} from "../risk/liquidity/book-statistics.ts";
import { type BookDepth, bookDepthOf } from "../risk/liquidity/slippage.ts";

/** One asset's book as it is, and what is usual for it. */
export class BookTrack {
  #hours = createBookHours();
  #book: OrderBook | null = null;
  #depth: BookDepth | null = null;
  #arrivedAtMs: number | null = null;
  #statistics: BookStatistics | null = null;

  get book(): OrderBook | null {
    return this.#book;
  }

  get arrivedAtMs(): number | null {
    return this.#arrivedAtMs;
  }

  /** Spread and depth now; null without a whole book of two sides. */
  get depth(): BookDepth | null {
    return this.#depth;
  }

  get statistics(): BookStatistics | null {
    return this.#statistics;
  }

  /** Depth within 100 bps over its median; null without a whole book of two sides. */
  get depthRatio(): number | null {
    return this.#depth === null ? null : depthRatioOf(this.#depth.depth100BpsUsd, this.#statistics);
  }

  /** Half of what the spread usually is, or is now; null before the first book. */
  get halfSpreadFraction(): number | null {
    const spread = this.#statistics?.medianSpreadFraction ?? this.#depth?.spreadFraction;
    return spread === undefined ? null : spread / 2;
  }

  /** Null is the book of an asset that has none any more. */
  keep(book: OrderBook | null, arrivedAtMs: number, marketTimeMs: number, isWhole: boolean): void {
    this.#book = book;
    this.#arrivedAtMs = arrivedAtMs;
    this.#depth = book === null || !isWhole ? null : bookDepthOf(book);
    if (this.#depth === null) return;
    const { spreadFraction, depth100BpsUsd } = this.#depth;
    const hasClosedHour = observeBook(this.#hours, spreadFraction, depth100BpsUsd, marketTimeMs);
    // Until an hour is over its mean so far stands for the usual: the first book lacks the views that come seconds later.
    const isFirstHour = this.#hours.hourCount === 0;
    if (hasClosedHour || isFirstHour) this.#statistics = buildBookStatistics(this.#hours);
  }

  /** Hours come in order, so those of earlier runs go before what this run has seen of the running one. */
  restore(hours: readonly LearnedHour[]): void {
    const seen = this.#hours;
    this.#hours = createBookHours();
    for (const { hourStartMs, spreadFraction, depth100BpsUsd } of hours) {
      if (Number.isNaN(spreadFraction) || Number.isNaN(depth100BpsUsd)) continue;
      observeBook(this.#hours, spreadFraction, depth100BpsUsd, hourStartMs);
    }
    if (seen.observations > 0) {
      const spreadFraction = seen.spreadSum / seen.observations;
      observeBook(this.#hours, spreadFraction, seen.depthSum / seen.observations, seen.hourStartMs);
    }
    this.#statistics = buildBookStatistics(this.#hours);
  }
}
