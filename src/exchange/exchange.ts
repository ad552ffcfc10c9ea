import type { Observable } from "rxjs";
import type { AssetContext, FundingSettlement, PredictedFunding, Universe } from "../domain/asset.ts";
import type { Bar } from "../domain/bar.ts";
import type { BookFrame } from "../domain/book.ts";
import type { ExchangeFailure } from "../domain/errors.ts";
import type { Ticker } from "../domain/ids.ts";
import type { Result } from "../domain/result.ts";

/** One parsed fact from the exchange's sockets. Facts about an asset name it; facts about a socket name its assets. */
export type FeedEvent =
  | { readonly type: "book.received"; readonly frame: BookFrame }
  | { readonly type: "context.received"; readonly ticker: Ticker; readonly context: AssetContext }
  /** The open hourly bar changed; the bar before it is final once the open time advances. */
  | { readonly type: "bar.received"; readonly ticker: Ticker; readonly bar: Bar }
  /** A socket (re)connected and resubscribed, its assets stale until a new frame; or it carries nothing any more. */
  | { readonly type: "feed.restored"; readonly socket: string }
  /** A socket was lost or fell silent: everything it carried is stale from now on. */
  | {
      readonly type: "feed.lost";
      readonly socket: string;
      readonly tickers: readonly Ticker[];
      readonly detail: string;
    }
  | { readonly type: "frame.rejected"; readonly detail: string };

/** What to subscribe for one asset; the adapter decides sockets and pacing and stays inside the exchange's limits. */
export interface WatchedAsset {
  readonly ticker: Ticker;
  /** Higher first when the subscription budget does not suffice for the fast book of all. */
  readonly volume24hUsd: number;
}

/** The market side of an exchange. Implementations: hyperliquid (also the simulator's protocol) and replay. */
export interface Exchange {
  /** Hot, shared; never errors; completes on close. */
  readonly feed$: Observable<FeedEvent>;
  /** Listings and contexts in one call. */
  fetchUniverse(): Promise<Result<Universe, ExchangeFailure>>;
  /** Hourly bars opening in [fromMs, untilMs), oldest first, at most the exchange's 5000 newest; the open bar included. */
  fetchBars(
    ticker: Ticker,
    fromMs: number,
    untilMs: number,
  ): Promise<Result<readonly Bar[], ExchangeFailure>>;
  /** Settlements from fromMs on, oldest first; of the adapter's first ten pages, 5000 at most where each hour has one. */
  fetchFundingHistory(
    ticker: Ticker,
    fromMs: number,
  ): Promise<Result<readonly FundingSettlement[], ExchangeFailure>>;
  fetchPredictedFundings(): Promise<Result<readonly PredictedFunding[], ExchangeFailure>>;
  fetchTickersAtOpenInterestCap(): Promise<Result<ReadonlySet<Ticker>, ExchangeFailure>>;
  /** The exchange's clock, milliseconds. */
  fetchExchangeTimeMs(): Promise<Result<number, ExchangeFailure>>;
  /** Replaces the set of watched assets. Only names read from the universe may be passed. */
  watchAssets(assets: readonly WatchedAsset[]): void;
  close(): Promise<void>;
}
