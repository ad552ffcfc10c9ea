import { concat, concatMap, defer, from, merge, mergeMap, type Observable, timer } from "rxjs";
import { DAY_MS } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import type { BarEvent, HistoryLoaded } from "./bar-stream.ts";
import { HistoryFetcher } from "./history-fetcher.ts";
import type { IngestDeps } from "./ingest-deps.ts";

/** Assets back-filled at a time; the exchange adapter paces the calls within its request budget. */
const CONCURRENCY = 4;

type BarsMissed = Extract<BarEvent, { type: "bars.missed" }>;

/**
 * The past of every listed asset, most traded first: what is on disk, then a recent window of all assets, then
 * settlements, then the deep window; and whatever was missed since. What fails is tried again outside of the phases, so
 * that an asset whose history cannot be had keeps no other waiting.
 */
export function historyStream(
  listed$: Observable<readonly Ticker[]>,
  missed$: Observable<BarsMissed>,
  deps: IngestDeps,
): Observable<HistoryLoaded> {
  return defer(() => {
    const history = new HistoryFetcher(deps);
    const backfill$ = listed$.pipe(
      mergeMap((tickers) =>
        concat(
          eachOf(tickers, (ticker) => history.kept(ticker)),
          eachOf(tickers, (ticker) => history.recent(ticker)),
          eachOf(tickers, (ticker) => history.settlements(ticker)),
          eachOf(tickers, (ticker) => history.deep(ticker)),
        ),
      ),
    );
    const missedBars$ = missed$.pipe(
      mergeMap(({ ticker, fromMs, untilMs }) => history.missed(ticker, fromMs, untilMs), CONCURRENCY),
    );
    const daily$ = timer(DAY_MS, DAY_MS, deps.scheduler).pipe(
      concatMap(() => eachOf(history.tickers(), (ticker) => history.settlements(ticker))),
    );
    return merge(history.retried$, backfill$, missedBars$, daily$);
  });
}

function eachOf<T>(tickers: readonly Ticker[], step: (ticker: Ticker) => Observable<T>): Observable<T> {
  return from(tickers).pipe(mergeMap(step, CONCURRENCY));
}
