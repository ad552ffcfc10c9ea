import { debounceTime, groupBy, mergeMap, Observable, type SchedulerLike, Subject, throttleTime } from "rxjs";
import type { Ticker } from "../domain/ids.ts";

/** A group without values for this long is ended, so that a delisted asset leaves nothing behind. */
const GROUP_IDLE_MS = 600_000;

/**
 * Per asset the first value at once, then at most one a period and always the latest: streams drop, they never queue.
 *
 * Holds:  the last value of a burst is delivered within one period; assets do not delay one another; who unsubscribes
 *         leaves no timer behind
 */
export function conflateByTicker<T>(
  values$: Observable<T>,
  tickerOf: (value: T) => Ticker,
  periodMs: number,
  scheduler: SchedulerLike,
): Observable<T> {
  return new Observable((subscriber) => {
    // A group counts its duration as a listener of its own: groupBy ends with its source only, not with its listener.
    const grouped$ = new Subject<T>();
    grouped$
      .pipe(
        groupBy(tickerOf, { duration: (group$) => group$.pipe(debounceTime(GROUP_IDLE_MS, scheduler)) }),
        mergeMap((perAsset$) =>
          perAsset$.pipe(throttleTime(periodMs, scheduler, { leading: true, trailing: true })),
        ),
      )
      .subscribe(subscriber);
    const subscription = values$.subscribe(grouped$);
    return () => {
      subscription.unsubscribe();
      grouped$.complete();
    };
  });
}
