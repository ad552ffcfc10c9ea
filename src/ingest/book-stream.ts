import { defer, filter, map, mergeMap, type Observable, tap } from "rxjs";
import { type BookFrame, type BookSource, hasTwoSides, type OrderBook } from "../domain/book.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { FeedEvent } from "../exchange/exchange.ts";
import { mergeBook } from "./book-merge.ts";
import { conflateByTicker } from "./conflation.ts";
import type { IngestDeps } from "./ingest-deps.ts";

const BOOK_PERIOD_MS = 100;
/** The slowest view is resent every 5.6 s; one this much older than the newest is no longer being sent. */
const PART_AGE_MAX_MS = 20_000;
/** Views that a book without them is cut off for. They come seconds after the others when all have been away. */
const DEEP: readonly BookSource[] = ["slow", "coarse"];
/** Fraction of the mid. A deep view whose bids begin further above it, or whose asks below it, is not of this book. */
const DEEP_BEYOND_MAX = 0.2;
/** A frame dated further ahead of the exchange's clock is dated wrongly: no answer of its clock is later than that. */
const AHEAD_MAX_MS = 3_000;

export type BookUpdated = Extract<MarketEvent, { type: "book.updated" }>;

interface HeardFrame {
  readonly frame: BookFrame;
  /** When a frame of this source first had its time: one that stands still is no news. */
  readonly timeHeardAtMs: number;
}

type HeardParts = Readonly<Partial<Record<BookSource, HeardFrame>>>;

/**
 * Each asset's book merged from its newest frame of every source, at most ten times a second; a frame in between costs
 * one map entry.
 *
 * Holds:  after a loss no book is told before a frame with prices near the touch has come: one that was held back, or one
 *         with the prices of before, would end what the loss began
 */
export function bookStream(
  feed$: Observable<FeedEvent>,
  {
    scheduler,
    report,
    clock,
    marketClock,
  }: Pick<IngestDeps, "scheduler" | "report" | "clock" | "marketClock">,
): Observable<BookUpdated> {
  return defer(() => {
    const newest = new Map<Ticker, HeardParts>();
    const unheardSinceLoss = new Set<Ticker>();
    const changed$ = feed$.pipe(
      tap((event) => {
        if (event.type !== "feed.lost") return;
        for (const ticker of event.tickers) unheardSinceLoss.add(ticker);
      }),
      filter((event) => event.type === "book.received"),
      map(({ frame }) => {
        const parts = newest.get(frame.ticker);
        newest.set(frame.ticker, { ...parts, [frame.source]: heardFrame(frame, parts?.[frame.source]) });
        if (isPricing({ frame })) unheardSinceLoss.delete(frame.ticker);
        return frame.ticker;
      }),
    );
    return conflateByTicker(changed$, (ticker) => ticker, BOOK_PERIOD_MS, scheduler).pipe(
      mergeMap((ticker): BookUpdated[] => {
        if (unheardSinceLoss.has(ticker)) return [];
        try {
          return [bookUpdated(ticker, newest.get(ticker) ?? {}, marketClock.nowMs() - clock.nowMs())];
        } catch (error) {
          report({ step: `book of ${ticker}`, detail: String(error) });
          return [];
        }
      }),
    );
  });
}

function heardFrame(frame: BookFrame, before: HeardFrame | undefined): HeardFrame {
  const isSameTime = before?.frame.exchangeTimeMs === frame.exchangeTimeMs;
  return { frame, timeHeardAtMs: isSameTime ? before.timeHeardAtMs : frame.arrivedAtMs };
}

/**
 * A frame that is sent again has a new time, changed or not, so a book is as old as the newest of its frames says, by the
 * exchange's clock, however lately that arrived; and never said later than it was heard. Its prices near the touch are
 * those of the full-precision views, so the coarse one keeps no book young.
 */
function bookUpdated(ticker: Ticker, parts: HeardParts, exchangeAheadMs: number): BookUpdated {
  const heard = Object.values(parts) as readonly HeardFrame[];
  const arrivedAtMs = Math.max(...pricing(heard).map(({ frame }) => frame.arrivedAtMs));
  const current = heard.filter(({ frame }) => arrivedAtMs - frame.arrivedAtMs <= PART_AGE_MAX_MS);
  const dated = current.map(({ frame, timeHeardAtMs }) => {
    const saidAtMs = frame.exchangeTimeMs - exchangeAheadMs;
    const isFuture = saidAtMs > timeHeardAtMs + AHEAD_MAX_MS;
    return { frame, timeHeardAtMs, saidAtMs: isFuture ? timeHeardAtMs : saidAtMs };
  });
  const book = mergeBook(
    Object.fromEntries(
      dated.map(({ frame, saidAtMs }) => [frame.source, { ...frame, exchangeTimeMs: saidAtMs }]),
    ),
  );
  const newestMs = pricing(dated).map(({ saidAtMs, timeHeardAtMs }) => Math.min(saidAtMs, timeHeardAtMs));
  // A view of a moment without orders is still to come, beside a touch that has some.
  const isWhole = DEEP.every((source) => {
    const view = parts[source];
    return (
      view === undefined || (current.includes(view) && hasTwoSides(view.frame) && isAround(view.frame, book))
    );
  });
  return { type: "book.updated", ticker, book, arrivedAtMs: Math.max(...newestMs), isWhole };
}

/** Whether a view's sides are on either side of the book's mid, or not far beyond it; a book that is none has no mid. */
function isAround({ bids, asks }: BookFrame, book: OrderBook | null): boolean {
  if (book === null) return true;
  const { midPrice } = book;
  return (
    bids.prices[0]! <= midPrice * (1 + DEEP_BEYOND_MAX) && asks.prices[0]! >= midPrice * (1 - DEEP_BEYOND_MAX)
  );
}

/** The full-precision views; while there is none, whatever there is. */
function pricing<View extends Pick<HeardFrame, "frame">>(views: readonly View[]): readonly View[] {
  const fine = views.filter(isPricing);
  return fine.length === 0 ? views : fine;
}

function isPricing({ frame }: Pick<HeardFrame, "frame">): boolean {
  return frame.source !== "coarse";
}
