import { concatMap, defer, from, type Observable } from "rxjs";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { pollStream } from "./poll-stream.ts";

const CAP_POLL_MS = 30_000;

export type CapReported = Extract<MarketEvent, { type: "cap.reported" }>;

/** Which assets reach or leave their open-interest cap; the list is polled, its changes are emitted. */
export function capStream(deps: IngestDeps): Observable<CapReported> {
  return defer(() => {
    let atCap: ReadonlySet<Ticker> = new Set();
    return pollStream(
      "open-interest caps",
      () => deps.exchange.fetchTickersAtOpenInterestCap(),
      CAP_POLL_MS,
      deps,
    ).pipe(
      concatMap((reported) => {
        const changed = [
          ...[...reported].filter((ticker) => !atCap.has(ticker)),
          ...[...atCap].filter((ticker) => !reported.has(ticker)),
        ];
        atCap = reported;
        return from(
          changed.map((ticker): CapReported => ({
            type: "cap.reported",
            ticker,
            isAtCap: reported.has(ticker),
          })),
        );
      }),
    );
  });
}
