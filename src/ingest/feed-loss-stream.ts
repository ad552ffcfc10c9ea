import { concatMap, defer, from, type Observable } from "rxjs";
import type { Ticker } from "../domain/ids.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { FeedEvent } from "../exchange/exchange.ts";

export type FeedLoss = Extract<MarketEvent, { type: "feed.lost" | "feed.restored" }>;

/** The fate of sockets as facts about the assets they carry: a restored socket restores what it had lost. */
export function feedLossStream(feed$: Observable<FeedEvent>): Observable<FeedLoss> {
  return defer(() => {
    const lostBySocket = new Map<string, readonly Ticker[]>();
    return feed$.pipe(
      concatMap((event): Observable<FeedLoss> => {
        if (event.type === "feed.lost") {
          lostBySocket.set(event.socket, event.tickers);
          return from(
            event.tickers.map((ticker) => ({ type: "feed.lost" as const, ticker, detail: event.detail })),
          );
        }
        if (event.type !== "feed.restored") return from([]);
        const restored = lostBySocket.get(event.socket) ?? [];
        lostBySocket.delete(event.socket);
        return from(restored.map((ticker) => ({ type: "feed.restored" as const, ticker })));
      }),
    );
  });
}
