import type { AssetContext, AssetListing, FundingSettlement, PredictedFunding } from "./asset.ts";
import type { BarColumns } from "./bar-columns.ts";
import type { Bar } from "./bar.ts";
import type { OrderBook } from "./book.ts";
import type { Ticker } from "./ids.ts";

/** One conflated fact about one asset: what ingest hands to the actors. Each names the asset it is about. */
export type MarketEvent =
  /**
   * First seen in the universe, delisted ones included, or listed again after a delisting. Context: null when it could
   * not be read.
   */
  | {
      readonly type: "asset.listed";
      readonly ticker: Ticker;
      readonly listing: AssetListing;
      readonly context: AssetContext | null;
    }
  /** Leverage, tiers or margin mode changed. */
  | { readonly type: "listing.changed"; readonly ticker: Ticker; readonly listing: AssetListing }
  | { readonly type: "asset.delisted"; readonly ticker: Ticker; readonly listing: AssetListing }
  /**
   * Closed bars and settlements to merge into what is known, oldest first; empty when the exchange has none.
   * reachesNow: nothing newer is on its way, so the asset may go live with what it has.
   * isWhole: nothing older is on its way either, so its past may be forecast.
   */
  | {
      readonly type: "history.loaded";
      readonly ticker: Ticker;
      readonly bars: BarColumns;
      readonly settlements: readonly FundingSettlement[];
      readonly reachesNow: boolean;
      readonly isWhole: boolean;
    }
  | { readonly type: "bar.closed"; readonly ticker: Ticker; readonly bar: Bar }
  /** The open bar as it stands. */
  | { readonly type: "bar.updated"; readonly ticker: Ticker; readonly bar: Bar }
  /** Null when the newest frames have no two sides. */
  | {
      readonly type: "book.updated";
      readonly ticker: Ticker;
      readonly book: OrderBook | null;
      readonly arrivedAtMs: number;
      /** False while views that reach deep and were sent before have not come again: less depth then says nothing. */
      readonly isWhole: boolean;
    }
  | { readonly type: "context.updated"; readonly ticker: Ticker; readonly context: AssetContext }
  | { readonly type: "funding.settled"; readonly ticker: Ticker; readonly settlement: FundingSettlement }
  | ({ readonly type: "funding.predicted" } & PredictedFunding)
  | { readonly type: "cap.reported"; readonly ticker: Ticker; readonly isAtCap: boolean }
  /** A socket that carried the asset was lost or fell silent: what it brought is stale until a new frame. */
  | { readonly type: "feed.lost"; readonly ticker: Ticker };
