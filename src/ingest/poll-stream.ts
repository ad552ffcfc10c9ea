import {
  catchError,
  defer,
  EMPTY,
  exhaustMap,
  map,
  type Observable,
  retry,
  tap,
  throwError,
  timer,
} from "rxjs";
import { doublingPauseMs } from "../domain/doubling-pause.ts";
import { type ExchangeFailure, IS_TRANSIENT } from "../domain/errors.ts";
import type { Result } from "../domain/result.ts";
import type { IngestDeps } from "./ingest-deps.ts";

/** First pause before a failed call is tried again; doubled each time up to the cap. */
const RETRY_FIRST_MS = 1_000;
const RETRY_CAP_MS = 30_000;

export type Fetch<T> = () => Promise<Result<T, ExchangeFailure>>;

/**
 * The value of one call, tried again with growing pauses while the exchange cannot be reached or is busy; one that must be
 * had, whatever the exchange says: a refusal and nonsense may be accidents.
 *
 * Holds:  never errors; completes empty, having reported why, when the exchange refuses or its answer makes no sense, and it
 *         need not be had
 */
export function fetchStream<T>(
  step: string,
  fetch: Fetch<T>,
  { scheduler, report }: Pick<IngestDeps, "scheduler" | "report">,
  mustBeHad = false,
): Observable<T> {
  return defer(fetch).pipe(
    map((result) => {
      if (!result.ok) throw new FetchFailed(result.error);
      return result.value;
    }),
    retry({
      delay: (error: unknown, attempt) => {
        const mayPass = error instanceof FetchFailed && (mustBeHad || IS_TRANSIENT[error.failure.code]);
        if (!mayPass) return throwError(() => error);
        report({ step, detail: String(error) });
        return timer(doublingPauseMs(attempt, RETRY_FIRST_MS, RETRY_CAP_MS), scheduler);
      },
    }),
    catchError((error: unknown) => {
      report({ step, detail: `given up: ${String(error)}` });
      return EMPTY;
    }),
  );
}

/**
 * The call's value now and every period; a call still under way, retries included, lets the period pass. Where nothing else
 * is known before the first value, that must be had: it does not wait for the next period.
 */
export function pollStream<T>(
  step: string,
  fetch: Fetch<T>,
  periodMs: number,
  deps: Pick<IngestDeps, "scheduler" | "report">,
  mustFirstBeHad = false,
): Observable<T> {
  return defer(() => {
    let mustBeHad = mustFirstBeHad;
    return timer(0, periodMs, deps.scheduler).pipe(
      exhaustMap(() => fetchStream(step, fetch, deps, mustBeHad)),
      tap(() => {
        mustBeHad = false;
      }),
    );
  });
}

class FetchFailed extends Error {
  override readonly name = "FetchFailed";
  readonly failure: ExchangeFailure;

  constructor(failure: ExchangeFailure) {
    super(`${failure.code}: ${failure.detail}`);
    this.failure = failure;
  }
}
