import { concatMap, EMPTY, from, type Observable } from "rxjs";
import type { MarketEvent } from "../domain/market-event.ts";
import type { FeedEvent } from "../exchange/exchange.ts";

export type FeedLoss = Extract<MarketEvent, { type: "feed.lost" }>;

/** The loss of a socket as a fact about each asset that it carried. */
export function feedLossStream(feed$: Observable<FeedEvent>): Observable<FeedLoss> {
  return feed$.pipe(
    concatMap((event): Observable<FeedLoss> => {
      if (event.type !== "feed.lost") return EMPTY;
      const { type, tickers } = event;
      return from(tickers.map((ticker) => ({ type, ticker })));
    }),
  );
}
