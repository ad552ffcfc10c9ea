import type { SchedulerLike } from "rxjs";
import type { Clock } from "../domain/clock.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { CandleStore } from "./candle-store.ts";
import type { MarketClock } from "./market-clock.ts";

/** What the streams need from outside; time and its scheduler are passed in, so that tests decide what time it is. */
export interface IngestDeps {
  readonly exchange: Exchange;
  readonly candleStore: CandleStore;
  /** This machine's time: ages of what arrived. */
  readonly clock: Clock;
  /** The exchange's time: hours of bars and settlements. */
  readonly marketClock: MarketClock;
  readonly scheduler: SchedulerLike;
  /** Told of everything that was dropped or failed, with the asset where there is one. */
  readonly report: (problem: IngestProblem) => void;
}

export interface IngestProblem {
  readonly step: string;
  readonly detail: string;
}
