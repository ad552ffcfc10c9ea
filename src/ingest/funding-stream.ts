import {
  concatMap,
  defer,
  distinctUntilChanged,
  filter,
  from,
  ignoreElements,
  interval,
  map,
  merge,
  type Observable,
  tap,
} from "rxjs";
import type { AssetContext, FundingSettlement } from "../domain/asset.ts";
import { HOUR_MS, hourStartMsOf } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { FeedEvent } from "../exchange/exchange.ts";
import { expireByTicker } from "./expiry.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { pollStream } from "./poll-stream.ts";

const PREDICTED_POLL_MS = 60_000;
/** Ten polls. A venue's rate stands for hours, but not for ever: older, the divergence from it is unknown. */
const PREDICTED_AGE_MAX_MS = 600_000;
const HOUR_POLL_MS = 1_000;
/** Oldest context whose running estimate may stand for the settlement of the hour. */
const ESTIMATE_AGE_MAX_MS = 60_000;

/** An asset's newest context and, since that may say what the next hour begins with, the last one of an earlier hour. */
interface RunningEstimate {
  readonly context: AssetContext;
  /** In which the context was received. */
  readonly hourMs: number;
  readonly before: AssetContext | null;
}

type FundingPredicted = Extract<MarketEvent, { type: "funding.predicted" }>;
export type FundingEvent = Extract<MarketEvent, { type: "funding.settled" }> | FundingPredicted;

/**
 * What other venues will charge, once a minute, and each hour's settlement. The settlement is the exchange's own
 * running estimate as it stood at the hour: fetching 180 exact figures every hour would cost minutes of the request
 * budget; the back-fill replaces the estimate by the exact figure.
 */
export function fundingStream(feed$: Observable<FeedEvent>, deps: IngestDeps): Observable<FundingEvent> {
  const predicted$ = pollStream(
    "predicted fundings",
    () => deps.exchange.fetchPredictedFundings(),
    PREDICTED_POLL_MS,
    deps,
  ).pipe(
    concatMap((predictions) =>
      from(predictions.map((predicted): FundingPredicted => ({ type: "funding.predicted", ...predicted }))),
    ),
  );
  const forgotten = (fact: FundingPredicted): FundingPredicted => ({ ...fact, cexRatesHourly: [] });
  return merge(
    expireByTicker(predicted$, forgotten, PREDICTED_AGE_MAX_MS, deps.scheduler),
    settlementStream(feed$, deps),
  );
}

function settlementStream(
  feed$: Observable<FeedEvent>,
  { clock, marketClock, scheduler }: IngestDeps,
): Observable<FundingEvent> {
  return defer(() => {
    const estimates = new Map<Ticker, RunningEstimate>();
    const remembered$ = feed$.pipe(
      filter((event) => event.type === "context.received"),
      tap(({ ticker, context }) => {
        // After this machine has slept: of which hour it is will be known with the exchange's time.
        if (!marketClock.isKnown) return;
        const hourMs = hourStartMsOf(marketClock.nowMs());
        const known = estimates.get(ticker);
        const before = known?.hourMs === hourMs ? known.before : (known?.context ?? null);
        estimates.set(ticker, { context, hourMs, before });
      }),
      ignoreElements(),
    );
    const hours$ = interval(HOUR_POLL_MS, scheduler).pipe(
      map(() => hourStartMsOf(marketClock.nowMs())),
      // An answer that took long sets the clock back by as much: an hour that was over stays over. A clock that was wrong by
      // more than an hour is believed when it is set right.
      distinctUntilChanged((lastMs, hourMs) => hourMs === lastMs || hourMs === lastMs - HOUR_MS),
    );
    const settled$ = hours$.pipe(
      concatMap((hourMs) => {
        const youngMs = clock.nowMs() - ESTIMATE_AGE_MAX_MS;
        return from(
          [...estimates].flatMap(([ticker, estimate]): FundingEvent[] => {
            const context = estimate.hourMs === hourMs ? estimate.before : estimate.context;
            if (context === null || context.arrivedAtMs < youngMs) return [];
            return [{ type: "funding.settled", ticker, settlement: settlementOf(context, hourMs) }];
          }),
        );
      }),
    );
    return merge(remembered$, settled$);
  });
}

function settlementOf({ fundingRateHourly }: AssetContext, timeMs: number): FundingSettlement {
  // A context's premium is of the moment, a settlement's the hour's average: not the same fact, so none is claimed.
  return { timeMs, rateHourly: fundingRateHourly, premiumFraction: null };
}
