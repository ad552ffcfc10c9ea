import { concatMap, EMPTY, exhaustMap, ignoreElements, map, type Observable, tap, timer } from "rxjs";
import { MINUTE_MS } from "../domain/bar.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import type { MarketClock } from "./market-clock.ts";
import { fetchStream } from "./poll-stream.ts";

const SYNC_POLL_MS = 10_000;

/** Completes once the clock shows the exchange's time, or the exchange will not tell it. */
export function clockSet(clock: MarketClock, deps: IngestDeps): Observable<never> {
  const told$ = fetchStream("exchange time", () => deps.exchange.fetchExchangeTimeMs(), deps).pipe(
    map((timeMs) => clock.set(timeMs)),
  );
  // Asked again at once, for the time of a replay may pass many times as fast as ours.
  const toldAgain$ = told$.pipe(
    tap((isBelieved) => {
      if (isBelieved) return;
      const minutes = Math.round((clock.doubtedAheadMs ?? 0) / MINUTE_MS);
      deps.report({
        step: "exchange time",
        detail: `${minutes} minutes ahead of this machine's: not believed`,
      });
    }),
  );
  return told$.pipe(
    concatMap((isBelieved) => (isBelieved ? EMPTY : toldAgain$)),
    ignoreElements(),
  );
}

/** Keeps the clock at the exchange's time. */
export function clockKept(clock: MarketClock, deps: IngestDeps): Observable<never> {
  return timer(0, SYNC_POLL_MS, deps.scheduler).pipe(exhaustMap(() => clockSet(clock, deps)));
}
