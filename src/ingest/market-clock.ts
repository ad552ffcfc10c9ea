import { ignoreElements, type Observable, tap } from "rxjs";
import type { Clock } from "../domain/clock.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { fetchStream, pollStream } from "./poll-stream.ts";

const SYNC_POLL_MS = 10_000;

/**
 * The exchange's time: the hours of bars and settlements are its hours, and those of a replay are past ones. Ages of
 * what arrived are not measured with it but with this machine's clock.
 */
export class MarketClock implements Clock {
  readonly #wall: Clock;
  #offsetMs = 0;

  constructor(wall: Clock) {
    this.#wall = wall;
  }

  nowMs(): number {
    return this.#wall.nowMs() + this.#offsetMs;
  }

  set(exchangeTimeMs: number): void {
    this.#offsetMs = exchangeTimeMs - this.#wall.nowMs();
  }
}

/** Completes once the clock shows the exchange's time, or the exchange will not tell it. */
export function clockSet(clock: MarketClock, deps: IngestDeps): Observable<never> {
  return fetchStream("exchange time", () => deps.exchange.fetchExchangeTimeMs(), deps).pipe(
    tap((timeMs) => clock.set(timeMs)),
    ignoreElements(),
  );
}

/** Keeps the clock at the exchange's time. */
export function clockKept(clock: MarketClock, deps: IngestDeps): Observable<never> {
  return pollStream("exchange time", () => deps.exchange.fetchExchangeTimeMs(), SYNC_POLL_MS, deps).pipe(
    tap((timeMs) => clock.set(timeMs)),
    ignoreElements(),
  );
}
