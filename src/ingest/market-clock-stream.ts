import {
  concatMap,
  distinctUntilChanged,
  EMPTY,
  exhaustMap,
  filter,
  ignoreElements,
  interval,
  map,
  merge,
  type Observable,
  takeUntil,
  tap,
  timer,
} from "rxjs";
import { MINUTE_MS } from "../domain/bar.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import type { MarketClock } from "./market-clock.ts";
import { fetchStream } from "./poll-stream.ts";

const SYNC_POLL_MS = 10_000;
const KNOWN_POLL_MS = 1_000;
/** How long a start waits for the exchange's time: without a list of assets no exit is answered. */
export const CLOCK_WAIT_MS = 10_000;

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

/** Keeps the clock at the exchange's time, which is asked for at once when it has come to be unknown: no bar is taken meanwhile. */
export function clockKept(clock: MarketClock, deps: IngestDeps): Observable<never> {
  const lost$ = interval(KNOWN_POLL_MS, deps.scheduler).pipe(
    map(() => clock.isKnown),
    distinctUntilChanged(),
    filter((isKnown) => !isKnown),
  );
  return merge(timer(0, SYNC_POLL_MS, deps.scheduler), lost$).pipe(exhaustMap(() => clockSet(clock, deps)));
}

/**
 * Completes once the clock is set, or is not within a while: an exchange that keeps real time and does not tell it is then
 * taken to have this machine's, until it does.
 */
export function clockBegun(clock: MarketClock, deps: IngestDeps): Observable<never> {
  if (!clock.isRealTime) return clockSet(clock, deps);
  const givenUp$ = timer(CLOCK_WAIT_MS, deps.scheduler).pipe(
    tap(() =>
      deps.report({ step: "exchange time", detail: "not told: this machine's stands for it meanwhile" }),
    ),
  );
  return clockSet(clock, deps).pipe(takeUntil(givenUp$));
}
