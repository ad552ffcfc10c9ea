import { HOUR_MS, hourStartMsOf } from "../domain/bar.ts";
import { isRecord } from "../domain/json-value.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { WireAllMids, WireAssetCtx, WirePredictedFundings } from "../exchange/hyperliquid/wire.ts";
import { isCandleInterval } from "./candle-book.ts";
import type { LiveAsset } from "./live-asset.ts";
import { hashUniform, hashOfText } from "./noise.ts";
import { roundTo, wireNumber, wireRounded } from "./price-grid.ts";
import { wireBook } from "./simulated-book.ts";
import type { SimulatedMarket } from "./simulated-market.ts";
import { buildMeta, DELISTED_AT_CAP, marginTableOf } from "./simulated-universe.ts";
import type { SimulatedWallets } from "./simulated-wallets.ts";
import { SPOT_META, spotContexts } from "./spot-market.ts";

/** How a request can fail: a body the exchange cannot read (422), or a name it does not know (500 with null). */
export type InfoFailure = "unreadable" | "unknown_name";

export interface InfoWorld {
  readonly market: SimulatedMarket;
  readonly wallets: SimulatedWallets;
}

export type InfoRequest = Readonly<Record<string, unknown>>;

export interface InfoAnswer {
  readonly weight: number;
  /** Answers of these types cost one more for so many rows. */
  readonly rowsPerWeight?: number;
  readonly answer: (request: InfoRequest, world: InfoWorld) => Result<unknown, InfoFailure>;
}

/** Rows of one answer of settlements or of funding payments. */
export const FUNDING_ROWS_MAX = 500;
const BIG = Number.MAX_SAFE_INTEGER;

/** The first dex only: "" or absent; any other name is unknown. */
export function dexOf(request: InfoRequest): Result<"", InfoFailure> {
  const { dex } = request;
  if (dex === undefined || dex === "") return ok("");
  return err(typeof dex === "string" ? "unknown_name" : "unreadable");
}

export function timeWindow(request: InfoRequest): Result<{ startMs: number; endMs: number }, InfoFailure> {
  const { startTime, endTime } = request;
  if (typeof startTime !== "number") return err("unreadable");
  if (typeof (endTime ?? 0) !== "number") return err("unreadable");
  return ok({ startMs: startTime, endMs: (endTime as number | null | undefined) ?? BIG });
}

const withDex =
  (answer: (world: InfoWorld) => unknown): InfoAnswer["answer"] =>
  (request, world) => {
    const dex = dexOf(request);
    return dex.ok ? ok(answer(world)) : dex;
  };

const constant =
  (answer: (world: InfoWorld) => unknown): InfoAnswer["answer"] =>
  (_, world) =>
    ok(answer(world));

export const assetContexts = ({ market }: InfoWorld): WireAssetCtx[] =>
  market.assets.map((asset) => asset.context(market.nowMs));

/** Mids of live perpetuals and the spot pairs; the last trade or the mark stands in for an empty book. */
export function allMids({ market }: InfoWorld): WireAllMids {
  const mids: WireAllMids = {};
  for (const asset of market.assets) {
    if (asset.isLive)
      mids[asset.spec.coin] = wireNumber(asset.midPrice ?? (asset.tape.lastPrice || asset.markPrice));
  }
  for (const { coin, midPx } of spotContexts(market)) mids[coin] = midPx;
  return mids;
}

export function coinsAtCap({ market }: InfoWorld): string[] {
  const live = market.universe.filter((spec) => spec.atOpenInterestCap).map(({ coin }) => coin);
  return [...live, ...DELISTED_AT_CAP].sort();
}

const validViews = new Set([undefined, null, 2, 3, 4, 5]);

/** nSigFigs 2 to 5 or null; mantissa 1, 2 or 5, and only beside nSigFigs 5. */
export function isBookView(nSigFigs: unknown, mantissa: unknown): boolean {
  if (!validViews.has(nSigFigs as number)) return false;
  return (
    (mantissa ?? null) === null || (nSigFigs === 5 && (mantissa === 1 || mantissa === 2 || mantissa === 5))
  );
}

const l2Book: InfoAnswer["answer"] = (request, { market }) => {
  const { coin, nSigFigs, mantissa } = request;
  if (typeof coin !== "string" || !isBookView(nSigFigs, mantissa)) return err("unreadable");
  const asset = market.assetOf(coin);
  if (asset === undefined) return ok(null);
  return ok(
    wireBook(coin, asset.book, { nSigFigs: nSigFigs as number | null, mantissa: mantissa as number | null }),
  );
};

const candleSnapshot: InfoAnswer["answer"] = (request, { market }) => {
  const { req } = request;
  if (!isRecord(req)) return err("unreadable");
  const { coin, interval } = req;
  const window = timeWindow(req);
  if (typeof coin !== "string" || !isCandleInterval(interval) || !window.ok) return err("unreadable");
  const asset = market.assetOf(coin);
  if (asset === undefined) return err("unknown_name");
  if (!asset.isLive) return ok([]);
  const { startMs, endMs } = window.value;
  return ok(
    asset.candles.rows(coin, asset.spec.szDecimals, interval, startMs, Math.min(endMs, market.nowMs)),
  );
};

const fundingHistory: InfoAnswer["answer"] = (request, { market }) => {
  const { coin } = request;
  const window = timeWindow(request);
  if (typeof coin !== "string" || !window.ok) return err("unreadable");
  const asset = market.assetOf(coin);
  if (asset === undefined) return err("unknown_name");
  const { startMs, endMs } = window.value;
  const rows = asset.funding.settlements.filter(({ timeMs }) => timeMs >= startMs && timeMs <= endMs);
  return ok(
    rows.slice(0, FUNDING_ROWS_MAX).map(({ timeMs, rateHourly, premium }) => ({
      coin,
      fundingRate: wireNumber(rateHourly),
      premium: wireNumber(premium),
      time: timeMs,
    })),
  );
};

/** Other venues' rates follow this one's basis loosely, per their own interval; this venue's next time is the last one. */
function predictedFundings({ market }: InfoWorld): WirePredictedFundings {
  const nowMs = market.nowMs;
  const venue = (
    asset: LiveAsset,
    name: string,
    hours: number | null,
  ): WirePredictedFundings[number][1][number] => {
    if (hours === null) return [name, null];
    const hour = Math.floor(nowMs / HOUR_MS);
    const noise = 0.6 + 0.8 * hashUniform(hashOfText(asset.spec.coin + name), Math.floor(hour / hours));
    const fundingRate = wireRounded(asset.funding.rateHourly * hours * noise, 8);
    const nextFundingTime = (Math.floor(hour / hours) + 1) * hours * HOUR_MS;
    return [name, { fundingRate, nextFundingTime, fundingIntervalHours: hours }];
  };
  const own = (asset: LiveAsset): WirePredictedFundings[number][1][number] => [
    "HlPerp",
    {
      fundingRate: wireNumber(asset.funding.rateHourly),
      nextFundingTime: hourStartMsOf(nowMs),
      fundingIntervalHours: 1,
    },
  ];
  return market.assets
    .filter((asset) => asset.isLive)
    .map((asset) => [
      asset.spec.coin,
      [
        venue(asset, "BinPerp", asset.spec.binanceHours),
        own(asset),
        venue(asset, "BybitPerp", asset.spec.bybitHours),
      ],
    ]);
}

const recentTrades: InfoAnswer["answer"] = ({ coin }, { market }) => {
  if (typeof coin !== "string") return err("unreadable");
  const asset = market.assetOf(coin);
  return asset === undefined
    ? err("unknown_name")
    : ok(asset.tape.recent(10).map((print) => asset.tape.wire(print)));
};

const marginTable: InfoAnswer["answer"] = ({ id }) => {
  if (typeof id !== "number") return err("unreadable");
  const table = marginTableOf(id);
  return table === undefined ? err("unknown_name") : ok(table);
};

const MAX_MARKET_ORDERS = [[40, "30000000.0"], [25, "30000000.0"], [20, "5000000.0"], [10, "2000000.0"], [5, "500000.0"], [3, "250000.0"]]; // prettier-ignore

/** Everything the exchange says about markets. Weights: exchange docs, "Rate limits". */
export const MARKET_ANSWERS: Readonly<Record<string, InfoAnswer>> = {
  meta: { weight: 20, answer: withDex(({ market }) => buildMeta(market.universe)) },
  allPerpMetas: { weight: 20, answer: constant(({ market }) => [buildMeta(market.universe)]) },
  metaAndAssetCtxs: {
    weight: 20,
    answer: withDex((world) => [buildMeta(world.market.universe), assetContexts(world)]),
  },
  allMids: { weight: 2, answer: withDex(allMids) },
  l2Book: { weight: 2, answer: l2Book },
  candleSnapshot: { weight: 20, rowsPerWeight: 60, answer: candleSnapshot },
  fundingHistory: { weight: 20, rowsPerWeight: 20, answer: fundingHistory },
  predictedFundings: { weight: 20, answer: constant(predictedFundings) },
  recentTrades: { weight: 20, rowsPerWeight: 20, answer: recentTrades },
  marginTable: { weight: 20, answer: marginTable },
  perpsAtOpenInterestCap: { weight: 20, answer: withDex(coinsAtCap) },
  perpDexs: { weight: 20, answer: constant(() => [null]) },
  perpDexLimits: { weight: 20, answer: withDex(() => null) },
  perpDexStatus: { weight: 20, answer: withDex(() => ({ totalNetDeposit: "4112300455.21" })) },
  maxMarketOrderNtls: { weight: 20, answer: constant(() => MAX_MARKET_ORDERS) },
  exchangeStatus: {
    weight: 2,
    answer: constant(({ market }) => ({ time: market.nowMs, specialStatuses: null })),
  },
  spotMeta: { weight: 20, answer: constant(() => SPOT_META) },
  spotMetaAndAssetCtxs: { weight: 20, answer: constant(({ market }) => [SPOT_META, spotContexts(market)]) },
};

/** Rounds where the exchange does; exported for the feed. */
export const wireMid = (asset: LiveAsset): string | null => {
  const mid = asset.midPrice;
  return mid === undefined ? null : wireNumber(roundTo(mid, 8));
};
