import {
  concat,
  concatMap,
  filter,
  from,
  map,
  merge,
  type Observable,
  retry,
  share,
  Subject,
  tap,
  timer,
} from "rxjs";
import { MINUTE_MS } from "../domain/bar.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { FeedEvent } from "../exchange/exchange.ts";
import { barStream, type HistoryLoaded } from "./bar-stream.ts";
import { bookStream } from "./book-stream.ts";
import { capStream } from "./cap-stream.ts";
import { conflateByTicker } from "./conflation.ts";
import { contextStream } from "./context-stream.ts";
import { feedLossStream } from "./feed-loss-stream.ts";
import { fundingStream } from "./funding-stream.ts";
import { historyStream } from "./history-stream.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { clockBegun, clockKept } from "./market-clock-stream.ts";
import { universeStream } from "./universe-stream.ts";

const OPEN_BAR_PERIOD_MS = 1_000;
/** A stream that failed begins anew after this long; with what failed it still before it, it fails so often. */
export const STREAM_RESTART_MS = 5_000;

/**
 * Everything the actors hear, conflated per asset: the exchange's feed and polls as facts about one asset each.
 * Closed bars and settlements are kept on disk on their way.
 *
 * Holds:  never errors; a stream that fails is reported and begins anew, knowing nothing, while the others go on
 */
export function marketEvents(deps: IngestDeps): Observable<MarketEvent> {
  const { exchange, marketClock, scheduler } = deps;
  const restarting = <T>(step: string, stream$: Observable<T>): Observable<T> =>
    stream$.pipe(
      retry({
        delay: (error: unknown) => {
          deps.report({ step, detail: String(error) });
          return timer(STREAM_RESTART_MS, scheduler);
        },
      }),
    );
  const feed$ = exchange.feed$;
  const losses$ = restarting("feed losses", feedLossStream(feed$)).pipe(share());
  const universe$ = restarting("universe", universeStream(deps)).pipe(share());
  // History goes to the bar stream, whose holes go back to the history: a loop, so one end is a subject.
  const loaded$ = new Subject<HistoryLoaded>();
  const barFeed$ = feed$.pipe(filter((event) => !isBarToCome(event, deps)));
  const bars$ = restarting("bars", barStream(barFeed$, losses$, loaded$, deps)).pipe(share());
  const listed$ = universe$.pipe(map((events) => liveTickers(events)));
  const missed$ = bars$.pipe(filter((event) => event.type === "bars.missed"));
  const openBars$ = bars$.pipe(filter((event) => event.type === "bar.updated"));

  const events$ = merge(
    clockKept(marketClock, deps),
    universe$.pipe(concatMap((events) => from(events))),
    losses$,
    bars$.pipe(
      filter((event) => event.type === "bar.closed"),
      tap(({ ticker, bar }) => keep(deps, () => deps.candleStore.keepBars(ticker, [bar]))),
    ),
    conflateByTicker(openBars$, (event) => event.ticker, OPEN_BAR_PERIOD_MS, scheduler),
    restarting("books", bookStream(feed$, deps)),
    restarting("contexts", contextStream(feed$, deps)),
    restarting("fundings", fundingStream(feed$, deps)).pipe(
      tap((event) => {
        if (event.type !== "funding.settled") return;
        keep(deps, () => deps.candleStore.keepSettlements(event.ticker, [event.settlement]));
      }),
    ),
    restarting("open-interest caps", capStream(deps)),
    restarting("history", historyStream(listed$, missed$, deps)).pipe(tap((event) => loaded$.next(event))),
  );
  return concat(clockBegun(marketClock, deps), events$);
}

function liveTickers(events: readonly MarketEvent[]): readonly HistoryLoaded["ticker"][] {
  return events.flatMap((event) =>
    event.type === "asset.listed" && !event.listing.isDelisted ? [event.ticker] : [],
  );
}

/** Taken for the open bar it would keep every true one out until its hour comes. */
function isBarToCome(event: FeedEvent, { marketClock, report }: IngestDeps): boolean {
  if (event.type !== "bar.received") return false;
  const aheadMs = marketClock.aheadMs(event.bar.openTimeMs);
  if (aheadMs === 0) return false;
  const minutes = Math.round(aheadMs / MINUTE_MS);
  report({
    step: `bar of ${event.ticker}`,
    detail: `opens ${minutes} minutes ahead of the exchange's clock`,
  });
  return true;
}

function keep(deps: IngestDeps, write: () => Promise<void>): void {
  write().catch((error: unknown) => deps.report({ step: "keep history", detail: String(error) }));
}
