import { filter, map, type Observable } from "rxjs";
import type { MarketEvent } from "../domain/market-event.ts";
import type { FeedEvent } from "../exchange/exchange.ts";
import { conflateByTicker } from "./conflation.ts";
import type { IngestDeps } from "./ingest-deps.ts";

const CONTEXT_PERIOD_MS = 100;

export type ContextUpdated = Extract<MarketEvent, { type: "context.updated" }>;

/** Each asset's newest context, at most ten times a second. */
export function contextStream(
  feed$: Observable<FeedEvent>,
  { scheduler }: Pick<IngestDeps, "scheduler">,
): Observable<ContextUpdated> {
  const contexts$ = feed$.pipe(
    filter((event) => event.type === "context.received"),
    map(({ ticker, context }): ContextUpdated => ({ type: "context.updated", ticker, context })),
  );
  return conflateByTicker(contexts$, (event) => event.ticker, CONTEXT_PERIOD_MS, scheduler);
}
