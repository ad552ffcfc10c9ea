import { defer, filter, map, mergeMap, type Observable } from "rxjs";
import { namedCauseText } from "../domain/cause-text.ts";
import type { BookFrame } from "../domain/book.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { FeedEvent } from "../exchange/exchange.ts";
import { type BookParts, mergeBook } from "./book-merge.ts";
import { conflateByTicker } from "./conflation.ts";
import type { IngestDeps } from "./ingest-deps.ts";

export const BOOK_PERIOD_MS = 100;
/** The slowest view is resent every 5.6 s; one this much older than the newest is no longer being sent. */
export const PART_AGE_MAX_MS = 20_000;

export type BookUpdated = Extract<MarketEvent, { type: "book.updated" }>;

/**
 * Each asset's book merged from its newest frame of every source, at most ten times a second; a frame in between costs
 * one map entry.
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
    const newest = new Map<Ticker, BookParts>();
    const changed$ = feed$.pipe(
      filter((event) => event.type === "book.received"),
      map(({ frame }) => {
        newest.set(frame.ticker, { ...newest.get(frame.ticker), [frame.source]: frame });
        return frame.ticker;
      }),
    );
    return conflateByTicker(changed$, (ticker) => ticker, BOOK_PERIOD_MS, scheduler).pipe(
      mergeMap((ticker): BookUpdated[] => {
        try {
          return [bookUpdated(ticker, newest.get(ticker) ?? {}, marketClock.nowMs() - clock.nowMs())];
        } catch (error) {
          report({ step: `book of ${ticker}`, detail: namedCauseText(error) });
          return [];
        }
      }),
    );
  });
}

/**
 * A frame that is sent again has a new time, changed or not, so a book is as old as the newest of its frames says, by the
 * exchange's clock, however lately that arrived.
 */
function bookUpdated(ticker: Ticker, parts: BookParts, exchangeAheadMs: number): BookUpdated {
  const frames = Object.values(parts) as readonly BookFrame[];
  const arrivedAtMs = Math.max(...frames.map((frame) => frame.arrivedAtMs));
  const current = frames.filter((frame) => arrivedAtMs - frame.arrivedAtMs <= PART_AGE_MAX_MS);
  const book = mergeBook(Object.fromEntries(current.map((frame) => [frame.source, frame])));
  const exchangeTimeMs = Math.max(...frames.map((frame) => frame.exchangeTimeMs));
  const saidAtMs = Math.min(arrivedAtMs, exchangeTimeMs - exchangeAheadMs);
  return { type: "book.updated", ticker, book, arrivedAtMs: saidAtMs };
}
