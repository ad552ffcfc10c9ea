/**
 * The exchange's public messages in its own words and abbreviations (px, sz, szi, ntl). Prices, sizes, rates and USD
 * amounts are decimal strings; ids, times (ms since epoch), leverages and counts are JSON numbers.
 * Source: Hyperliquid public API documentation and captured traffic, 2025-08 to 2026-10.
 */

export type DecimalString = string;
export type HexString = `0x${string}`;
export type CandleInterval =
  "1m" | "3m" | "5m" | "15m" | "30m" | "1h" | "2h" | "4h" | "8h" | "12h" | "1d" | "3d" | "1w" | "1M";

// ---- market: REST answers --------------------------------------------------------------------------------------

export interface WireAsset {
  name: string;
  szDecimals: number;
  maxLeverage: number;
  /** Below 50: one implicit tier whose leverage is the id, not listed in marginTables. */
  marginTableId: number;
  onlyIsolated?: true;
  isDelisted?: true;
  marginMode?: "strictIsolated" | "noCross";
}

export interface WireMarginTable {
  description: string;
  /** Ascending; lowerBound is position notional in USD. */
  marginTiers: { lowerBound: DecimalString; maxLeverage: number }[];
}

export interface WireMeta {
  /** The position in this list is the asset id; delisted entries stay in place. */
  universe: WireAsset[];
  marginTables: [id: number, table: WireMarginTable][];
  collateralToken: number;
}

export interface WireAssetCtx {
  /** Hourly, the running estimate for the coming settlement. */
  funding: DecimalString;
  /** Base units, one side. */
  openInterest: DecimalString;
  prevDayPx: DecimalString;
  dayNtlVlm: DecimalString;
  dayBaseVlm: DecimalString;
  premium: DecimalString | null;
  oraclePx: DecimalString;
  markPx: DecimalString;
  midPx: DecimalString | null;
  impactPxs: [bid: DecimalString, ask: DecimalString] | null;
}

/** Joined to the universe by index only. */
export type WireMetaAndAssetCtxs = [meta: WireMeta, ctxs: WireAssetCtx[]];

export type WireAllMids = Record<string, DecimalString>;

export interface WireLevel {
  px: DecimalString;
  sz: DecimalString;
  n: number;
}

export interface WireBook {
  coin: string;
  time: number;
  levels: [bids: WireLevel[], asks: WireLevel[]];
  /** Only on aggregated replies. */
  spread?: DecimalString;
  /** Only on the fast five-level feed. */
  fast?: true;
}

export interface WireCandle {
  t: number;
  T: number;
  s: string;
  i: CandleInterval;
  o: DecimalString;
  c: DecimalString;
  h: DecimalString;
  l: DecimalString;
  v: DecimalString;
  n: number;
}

export interface WirePredictedFunding {
  fundingRate: DecimalString;
  nextFundingTime: number;
  fundingIntervalHours?: number;
}

export type WirePredictedFundings = [
  coin: string,
  venues: [venue: string, predicted: WirePredictedFunding | null][],
][];

export interface WireTrade {
  coin: string;
  /** Aggressor: B buys, A sells. */
  side: "B" | "A";
  px: DecimalString;
  sz: DecimalString;
  time: number;
  hash: HexString;
  tid: number;
  users: [buyer: HexString, seller: HexString];
}

// ---- wallets: REST answers -------------------------------------------------------------------------------------

export type WireLeverage =
  { type: "cross"; value: number } | { type: "isolated"; value: number; rawUsd: DecimalString };

export interface WirePosition {
  coin: string;
  szi: DecimalString;
  leverage: WireLeverage;
  entryPx: DecimalString;
  /** Absolute notional at the mark. */
  positionValue: DecimalString;
  unrealizedPnl: DecimalString;
  returnOnEquity: DecimalString;
  liquidationPx: DecimalString | null;
  marginUsed: DecimalString;
  maxLeverage: number;
  /** Positive is paid. */
  cumFunding: { allTime: DecimalString; sinceOpen: DecimalString; sinceChange: DecimalString };
}

export interface WireMarginSummary {
  accountValue: DecimalString;
  totalNtlPos: DecimalString;
  totalRawUsd: DecimalString;
  totalMarginUsed: DecimalString;
}

export interface WireClearinghouseState {
  marginSummary: WireMarginSummary;
  crossMarginSummary: WireMarginSummary;
  crossMaintenanceMarginUsed: DecimalString;
  withdrawable: DecimalString;
  assetPositions: { type: "oneWay"; position: WirePosition }[];
  time: number;
}

export interface WireSpotBalance {
  coin: string;
  token: number;
  total: DecimalString;
  hold: DecimalString;
  entryNtl: DecimalString;
}

export interface WireSpotClearinghouseState {
  balances: WireSpotBalance[];
  portfolioMarginEnabled?: boolean;
  portfolioMarginRatio?: DecimalString;
  tokenToAvailableAfterMaintenance?: [token: number, usd: DecimalString][];
}

export type WireUserAbstraction =
  "unifiedAccount" | "portfolioMargin" | "disabled" | "default" | "dexAbstraction";

export interface WireActiveAssetData {
  user: HexString;
  coin: string;
  leverage: WireLeverage;
  maxTradeSzs: [buy: DecimalString, sell: DecimalString];
  availableToTrade: [buy: DecimalString, sell: DecimalString];
  markPx: DecimalString;
}

export type WireUserRole =
  | { role: "missing" | "user" | "vault" }
  | { role: "agent"; data: { user: HexString } }
  | { role: "subAccount"; data: { master: HexString } };

export interface WireUserFees {
  dailyUserVlm: {
    date: string;
    userCross: DecimalString;
    userAdd: DecimalString;
    exchange: DecimalString;
  }[];
  feeSchedule: {
    cross: DecimalString;
    add: DecimalString;
    spotCross: DecimalString;
    spotAdd: DecimalString;
    tiers: {
      vip: {
        ntlCutoff: DecimalString;
        cross: DecimalString;
        add: DecimalString;
        spotCross: DecimalString;
        spotAdd: DecimalString;
      }[];
      mm: { makerFractionCutoff: DecimalString; add: DecimalString }[];
    };
    referralDiscount: DecimalString;
    stakingDiscountTiers: { bpsOfMaxSupply: DecimalString; discount: DecimalString }[];
  };
  /** The wallet's taker fraction at its volume and stake, before the referral discount. */
  userCrossRate: DecimalString;
  userAddRate: DecimalString;
  userSpotCrossRate: DecimalString;
  userSpotAddRate: DecimalString;
  activeReferralDiscount: DecimalString;
  trial: null;
  feeTrialEscrow: DecimalString;
  nextTrialAvailableTimestamp: number | null;
  stakingLink: null;
  activeStakingDiscount: { bpsOfMaxSupply: DecimalString; discount: DecimalString };
}
