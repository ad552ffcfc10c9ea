import { concatMap, defer, from, type Observable } from "rxjs";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import { expireByTicker } from "./expiry.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { pollStream } from "./poll-stream.ts";

const CAP_POLL_MS = 30_000;
/**
 * Ten polls. Older, the exchange's word that an asset is at its cap is asserted no more: it would refuse every opening
 * for as long as the list fails. What the asset held at its cap stays known, and openings near it are flagged.
 */
const CAP_AGE_MAX_MS = 300_000;

export type CapReported = Extract<MarketEvent, { type: "cap.reported" }>;

/** Which assets are at their open-interest cap, at each poll, and which are no more. */
export function capStream(deps: IngestDeps): Observable<CapReported> {
  const reports$ = defer(() => {
    let atCap: ReadonlySet<Ticker> = new Set();
    return pollStream(
      "open-interest caps",
      () => deps.exchange.fetchTickersAtOpenInterestCap(),
      CAP_POLL_MS,
      deps,
    ).pipe(
      concatMap((reported) => {
        const tickers = new Set([...reported, ...atCap]);
        atCap = reported;
        return from(
          [...tickers].map((ticker): CapReported => ({
            type: "cap.reported",
            ticker,
            isAtCap: reported.has(ticker),
          })),
        );
      }),
    );
  });
  return expireByTicker(
    reports$,
    (report) => ({ ...report, isAtCap: false }),
    CAP_AGE_MAX_MS,
    deps.scheduler,
  );
}
