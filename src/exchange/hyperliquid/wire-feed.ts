import type {
  CandleInterval,
  DecimalString,
  HexString,
  WireActiveAssetData,
  WireAllMids,
  WireAssetCtx,
  WireBook,
  WireCandle,
  WireClearinghouseState,
  WireLevel,
  WireSpotClearinghouseState,
  WireTrade,
  WireUserAbstraction,
} from "./wire.ts";

/** The exchange's WebSocket frames and user-event records, in its own words. Source: as wire.ts. */

export type WireSubscription =
  | {
      type: "l2Book";
      coin: string;
      nSigFigs?: 2 | 3 | 4 | 5 | null;
      mantissa?: 2 | 5 | null;
      fast?: boolean;
    }
  | { type: "bbo" | "trades" | "activeAssetCtx"; coin: string }
  | { type: "candle"; coin: string; interval: CandleInterval }
  | { type: "allMids" | "assetCtxs"; dex?: string }
  | { type: "allDexsAssetCtxs" | "fastAssetCtxs" }
  | { type: "clearinghouseState"; user: string; dex?: string }
  | { type: "activeAssetData"; user: string; coin: string }
  | { type: "userFills"; user: string; aggregateByTime?: boolean }
  | { type: "spotState"; user: string; ignorePortfolioMargin?: boolean }
  | {
      type: "allDexsClearinghouseState" | "webData3" | "userFundings" | "userEvents" | "orderUpdates";
      user: string;
    };

export type WireClientFrame =
  | { method: "subscribe" | "unsubscribe"; subscription: WireSubscription }
  | { method: "ping" }
  | { method: "post"; id: number; request: { type: "info"; payload: Record<string, unknown> } };

export interface WireUserFunding {
  time: number;
  coin: string;
  /** Negative is paid. */
  usdc: DecimalString;
  szi: DecimalString;
  fundingRate: DecimalString;
  nSamples: number | null;
}

/** A row of the REST `userFunding` answer. */
export interface WireUserFundingRecord {
  time: number;
  hash: HexString;
  delta: { type: "funding" } & Omit<WireUserFunding, "time">;
}

export interface WireFill {
  coin: string;
  px: DecimalString;
  sz: DecimalString;
  side: "B" | "A";
  time: number;
  startPosition: DecimalString;
  dir: string;
  closedPnl: DecimalString;
  hash: HexString;
  oid: number;
  crossed: boolean;
  fee: DecimalString;
  tid: number;
  feeToken: string;
  twapId: number | null;
  liquidation?: { liquidatedUser: HexString; markPx: DecimalString; method: "market" | "backstop" };
}

export interface WireLiquidation {
  lid: number;
  liquidator: string;
  liquidated_user: HexString;
  liquidated_ntl_pos: DecimalString;
  liquidated_account_value: DecimalString;
}

export type WireUserEvent =
  { fills: WireFill[] } | { funding: WireUserFunding } | { liquidation: WireLiquidation };

export interface WireOrderUpdate {
  order: {
    coin: string;
    side: "B" | "A";
    limitPx: DecimalString;
    sz: DecimalString;
    oid: number;
    timestamp: number;
    origSz: DecimalString;
  };
  status: string;
  statusTimestamp: number;
}

export interface WireWebData3 {
  userState: {
    agentAddress: HexString | null;
    agentValidUntil: number | null;
    cumLedger: DecimalString;
    serverTime: number;
    isVault: boolean;
    user: HexString;
    abstraction?: WireUserAbstraction;
  };
  perpDexStates: { totalVaultEquity: DecimalString; perpsAtOpenInterestCap?: string[] }[];
}

export type WireServerFrame =
  | {
      channel: "subscriptionResponse";
      data: { method: "subscribe" | "unsubscribe"; subscription: WireSubscription };
    }
  | { channel: "pong" }
  | { channel: "error"; data: string }
  | { channel: "l2Book"; data: WireBook }
  | {
      channel: "bbo";
      data: { coin: string; time: number; bbo: [bid: WireLevel | null, ask: WireLevel | null] };
    }
  | { channel: "trades"; data: WireTrade[] }
  | { channel: "candle"; data: WireCandle }
  | { channel: "activeAssetCtx"; data: { coin: string; ctx: WireAssetCtx } }
  | { channel: "assetCtxs"; data: { dex: string; ctxs: WireAssetCtx[] } }
  | { channel: "allDexsAssetCtxs"; data: { ctxs: [dex: string, ctxs: WireAssetCtx[]][] } }
  /** base64 of raw-DEFLATE of JSON {coin: {markPx?, midPx?}}: first frame full, then changed fields only. */
  | { channel: "fastAssetCtxs"; data: string }
  | { channel: "allMids"; data: { mids: WireAllMids; dex?: string } }
  | {
      channel: "clearinghouseState";
      data: { dex: string; user: HexString; clearinghouseState: WireClearinghouseState };
    }
  | {
      channel: "allDexsClearinghouseState";
      data: { user: HexString; clearinghouseStates: [dex: string, state: WireClearinghouseState][] };
    }
  | { channel: "spotState"; data: { user: HexString; spotState: WireSpotClearinghouseState } }
  | { channel: "webData3"; data: WireWebData3 }
  | { channel: "activeAssetData"; data: WireActiveAssetData }
  | { channel: "userFills"; data: { user: HexString; fills: WireFill[]; isSnapshot?: true } }
  | { channel: "userFundings"; data: { user: HexString; fundings: WireUserFunding[]; isSnapshot?: true } }
  | { channel: "user"; data: WireUserEvent }
  | { channel: "orderUpdates"; data: WireOrderUpdate[] }
  | {
      channel: "post";
      data: {
        id: number;
        response:
          { type: "info"; payload: { type: string; data: unknown } } | { type: "error"; payload: string };
      };
    };
