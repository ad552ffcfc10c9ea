import { defer, EMPTY, map, mergeMap, type Observable, of, Subject, timer } from "rxjs";
import { doublingPauseMs } from "../domain/doubling-pause.ts";
import { IS_TRANSIENT } from "../domain/errors.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import type { Fetch } from "./poll-stream.ts";

/** The pause after the first failure that may pass by itself; doubled each time up to the cap. */
const RETRY_FIRST_MS = 5_000;
const RETRY_CAP_MS = 120_000;
/** The pause after a refusal or an answer that made no sense: either may have been an accident. */
const REFUSED_RETRY_MS = 300_000;
/** Repeated calls at a time. */
const CONCURRENCY = 4;

/** One call, which is made again later when it fails. */
export interface Attempted<T, E> {
  readonly step: string;
  readonly fetch: Fetch<T>;
  readonly take: (value: T) => Promise<E>;
  /** What follows when the exchange refuses or makes no sense, such failures counted from 1; null for nothing. */
  readonly refused?: (refusals: number) => E | null;
}

/** How often a call has failed so far: in all, and by a refusal or an answer that made no sense. */
interface Failures {
  readonly all: number;
  readonly refusals: number;
}

const NO_FAILURES: Failures = { all: 0, refusals: 0 };

/**
 * Calls that must succeed once but may not keep others waiting: each has one attempt where it is called, and the later
 * ones in `retried$`.
 *
 * Holds:  never errors; a call is waiting at most once
 */
export class FetchAttempts<E> {
  readonly #deps: Pick<IngestDeps, "scheduler" | "report">;
  readonly #later = new Subject<{ readonly delayMs: number; readonly attempt$: Observable<E> }>();
  readonly #waiting = new Set<string>();
  readonly retried$: Observable<E>;

  constructor(deps: Pick<IngestDeps, "scheduler" | "report">) {
    this.#deps = deps;
    this.retried$ = this.#later.pipe(
      mergeMap(({ delayMs, attempt$ }) => timer(delayMs, deps.scheduler).pipe(map(() => attempt$))),
      mergeMap((attempt$) => attempt$, CONCURRENCY),
    );
  }

  /** The call is described anew for each attempt, as of then. */
  attempt<T>(describe: () => Attempted<T, E>, before = NO_FAILURES): Observable<E> {
    return defer(async () => {
      const call = describe();
      if (before.all > 0) this.#waiting.delete(call.step);
      const failed = (detail: string, mayPass: boolean): Observable<E> => {
        const refusals = before.refusals + (mayPass ? 0 : 1);
        return this.#failed(call, detail, { all: before.all + 1, refusals }, describe, mayPass);
      };
      try {
        const result = await call.fetch();
        if (result.ok) return of(await call.take(result.value));
        const { code, detail } = result.error;
        return failed(`${code}: ${detail}`, IS_TRANSIENT[code]);
      } catch (error) {
        return failed(String(error), false);
      }
    }).pipe(mergeMap((outcome$) => outcome$));
  }

  #failed<T>(
    { step, refused }: Attempted<T, E>,
    detail: string,
    failures: Failures,
    describe: () => Attempted<T, E>,
    mayPass: boolean,
  ): Observable<E> {
    this.#deps.report({ step, detail });
    const growingMs = doublingPauseMs(failures.all, RETRY_FIRST_MS, RETRY_CAP_MS);
    const delayMs = mayPass ? growingMs : REFUSED_RETRY_MS;
    if (!this.#waiting.has(step)) {
      this.#waiting.add(step);
      this.#later.next({ delayMs, attempt$: this.attempt(describe, failures) });
    }
    const event = mayPass ? null : (refused?.(failures.refusals) ?? null);
    return event === null ? EMPTY : of(event);
  }
}
