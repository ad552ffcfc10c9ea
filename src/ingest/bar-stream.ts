import { concatMap, defer, from, interval, map, merge, type Observable } from "rxjs";
import { lastOpenTimeMs } from "../domain/bar-columns.ts";
import { DAY_MS, HOUR_MS, hourStartMsOf } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { FeedEvent } from "../exchange/exchange.ts";
import {
  type BarClosing,
  closeOpenBar,
  interruptOpenBar,
  NO_OPEN_BAR,
  noteFetchedBars,
  type OpenBar,
  updateOpenBar,
} from "./bar-closing.ts";
import type { FeedLoss } from "./feed-loss-stream.ts";
import type { IngestDeps } from "./ingest-deps.ts";

/** How long after the hour a quiet asset's last trade may still arrive before its bar is closed by the clock. */
const CLOSING_GRACE_MS = 20_000;
const CLOSING_POLL_MS = 5_000;
/** An asset that had no bar for so long is not traded any more, and is asked about no more. */
const UNSEEN_MS_MAX = DAY_MS;

export type HistoryLoaded = Extract<MarketEvent, { type: "history.loaded" }>;
export type BarEvent =
  | Extract<MarketEvent, { type: "bar.closed" | "bar.updated" }>
  /**
   * Internal to ingest: bars opening in [fromMs, untilMs) were not seen and must be fetched. They are over whatever the
   * market clock says: a later one is open, or it was the clock that closed them.
   */
  | {
      readonly type: "bars.missed";
      readonly ticker: Ticker;
      readonly fromMs: number;
      readonly untilMs: number;
    };

/** Of the exchange's time the bar stream only reads the hour. */
type BarDeps = Pick<IngestDeps, "clock" | "scheduler"> & { readonly marketClock: IngestDeps["clock"] };

/**
 * Open bars as they change, bars as they close, and the hours that were missed; bars and losses must not be conflated. An
 * hour of which nothing was seen is asked for when it is over: a subscription may end without a word while its socket lives.
 */
export function barStream(
  feed$: Observable<FeedEvent>,
  losses$: Observable<FeedLoss>,
  history$: Observable<HistoryLoaded>,
  { clock, marketClock, scheduler }: BarDeps,
): Observable<BarEvent> {
  return defer(() => {
    const openBars = new Map<Ticker, OpenBar>();
    /** By when the hours that were asked for because nothing was seen of them were over. */
    const unseenUntilMs = new Map<Ticker, number>();
    const openBarOf = (ticker: Ticker): OpenBar => openBars.get(ticker) ?? NO_OPEN_BAR;
    const settle = (ticker: Ticker, { next, closed, missedFromMs }: BarClosing): BarEvent[] => {
      openBars.set(ticker, next);
      const events: BarEvent[] = [];
      if (closed !== null) events.push({ type: "bar.closed", ticker, bar: closed });
      if (missedFromMs !== null) {
        const untilMs = next.bar?.openTimeMs ?? missedFromMs + HOUR_MS;
        events.push({ type: "bars.missed", ticker, fromMs: missedFromMs, untilMs });
      }
      return events;
    };

    const unseen = (ticker: Ticker, { bar, lastClosedMs }: OpenBar, untilMs: number): BarEvent[] => {
      if (bar !== null || lastClosedMs === null || untilMs === unseenUntilMs.get(ticker)) return [];
      if (lastClosedMs + HOUR_MS >= untilMs || lastClosedMs + UNSEEN_MS_MAX < untilMs) return [];
      unseenUntilMs.set(ticker, untilMs);
      // The last bar, too: what of it came before the silence was taken for all of it.
      return [{ type: "bars.missed", ticker, fromMs: lastClosedMs, untilMs }];
    };

    const received$ = feed$.pipe(
      map((event): BarEvent[] => {
        if (event.type !== "bar.received") return [];
        const { ticker, bar } = event;
        const events = settle(ticker, updateOpenBar(openBarOf(ticker), bar));
        // Late or repeated, a view of an hour that is over says nothing of the running one.
        return openBarOf(ticker).bar === bar ? [...events, { type: "bar.updated", ticker, bar }] : events;
      }),
    );
    const interrupt = (ticker: Ticker): void => {
      openBars.set(ticker, interruptOpenBar(openBarOf(ticker)));
    };
    const interrupted$ = losses$.pipe(
      map(({ ticker }): BarEvent[] => {
        interrupt(ticker);
        return [];
      }),
    );
    const fetched$ = history$.pipe(
      map(({ ticker, bars }): BarEvent[] => {
        const lastOpenMs = lastOpenTimeMs(bars);
        return lastOpenMs === null ? [] : settle(ticker, noteFetchedBars(openBarOf(ticker), lastOpenMs));
      }),
    );
    let lookedAtMs = clock.nowMs();
    const hourEnded$ = interval(CLOSING_POLL_MS, scheduler).pipe(
      map((): BarEvent[] => {
        const nowMs = clock.nowMs();
        // The process or the machine stood still: what the exchange sent meanwhile is still to be read, if it comes at all.
        if (nowMs - lookedAtMs > CLOSING_GRACE_MS) [...openBars.keys()].forEach(interrupt);
        lookedAtMs = nowMs;
        const endedByMs = marketClock.nowMs() - CLOSING_GRACE_MS;
        return [...openBars].flatMap(([ticker, open]) =>
          open.bar !== null && open.bar.openTimeMs + HOUR_MS <= endedByMs
            ? settle(ticker, closeOpenBar(open))
            : unseen(ticker, open, hourStartMsOf(endedByMs)),
        );
      }),
    );
    return merge(received$, interrupted$, fetched$, hourEnded$).pipe(concatMap((events) => from(events)));
  });
}
