import {
  concat,
  groupBy,
  map,
  mergeMap,
  type Observable,
  of,
  type SchedulerLike,
  switchMap,
  timer,
} from "rxjs";
import type { Ticker } from "../domain/ids.ts";

/** Each asset's facts, and what the newest of them turns into when none has followed it for this long. */
export function expireByTicker<T extends { readonly ticker: Ticker }>(
  facts$: Observable<T>,
  expired: (fact: T) => T,
  ageMsMax: number,
  scheduler: SchedulerLike,
): Observable<T> {
  return facts$.pipe(
    // A group an asset ever named: as many as the exchange has names, so none is ended.
    groupBy(({ ticker }) => ticker),
    mergeMap((perAsset$) =>
      perAsset$.pipe(
        switchMap((fact) => concat(of(fact), timer(ageMsMax, scheduler).pipe(map(() => expired(fact))))),
      ),
    ),
  );
}
