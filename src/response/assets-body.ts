import type { AssetRecord, AssetsResponse } from "../contracts/generated/types.ts";
import type { AssetSnapshot } from "../snapshot/asset-snapshot.ts";
import { rounded } from "./units.ts";

const HOURS_PER_FUNDING_QUOTE = 8;

/** Tradable assets in the universe's order; those that can only be closed are left out, delisted or of unknown terms. */
export function assetsBody(snapshots: readonly AssetSnapshot[]): AssetsResponse {
  const tradable = snapshots.filter(({ listing }) => !listing.isDelisted && !listing.isCloseOnly);
  return { assets: tradable.map(assetRecord) };
}

function assetRecord({ listing, context }: AssetSnapshot): AssetRecord {
  return {
    name: listing.ticker,
    mark_price: rounded(context.markPrice),
    max_leverage: listing.maxLeverage,
    funding_rate_8h: rounded(context.fundingRateHourly * HOURS_PER_FUNDING_QUOTE),
    funding_rate_hourly: rounded(context.fundingRateHourly),
    oi: rounded(context.openInterestBase * context.markPrice),
    volume_24h: rounded(context.volume24hUsd),
    only_isolated: listing.isIsolatedOnly,
    margin_tiers: listing.marginTiers.length,
  };
}
