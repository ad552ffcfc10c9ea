import type { Position, WalletState } from "../../src/domain/account.ts";
import type { AssetContext, AssetListing } from "../../src/domain/asset.ts";
import type { BookSide, OrderBook } from "../../src/domain/book.ts";
import { tickerOf, type WalletAddress, walletAddressOf } from "../../src/domain/ids.ts";
import type { ProposedTrade } from "../../src/domain/trade.ts";
import type { MarginSchedule } from "../../src/risk/margin/margin.ts";
import type { RiskFacts } from "../../src/risk/scoring/risk-facts.ts";

export const WALLET: WalletAddress = walletAddressOf("0x1111111111111111111111111111111111111111")!;
export const BTC = tickerOf("BTC");
export const ETH = tickerOf("ETH");
export const NOW_MS = Date.UTC(2026, 0, 15, 12);

export function walletNumber(n: number): WalletAddress {
  return walletAddressOf(`0x${String(n).padStart(40, "0")}`)!;
}

/** One side of a book from [price, size in coins] levels, best first. */
export function bookSide(levels: readonly (readonly [number, number])[]): BookSide {
  const side: BookSide = {
    prices: new Float64Array(levels.length),
    sizesBase: new Float64Array(levels.length),
    cumulativeBase: new Float64Array(levels.length),
    cumulativeUsd: new Float64Array(levels.length),
    taken: null,
  };
  let base = 0;
  let usd = 0;
  levels.forEach(([price, sizeBase], i) => {
    base += sizeBase;
    usd += price * sizeBase;
    side.prices[i] = price;
    side.sizesBase[i] = sizeBase;
    side.cumulativeBase[i] = base;
    side.cumulativeUsd[i] = usd;
  });
  return side;
}

/** A book from its levels; the mid is half way between the best ones. */
export function orderBook(
  bids: readonly (readonly [number, number])[],
  asks: readonly (readonly [number, number])[],
): OrderBook {
  return {
    midPrice: (bids[0]![0] + asks[0]![0]) / 2,
    bids: bookSide(bids),
    asks: bookSide(asks),
  };
}

/** An even book: `levels` steps of `stepFraction` a side, each holding `levelUsd`. */
export function evenBook(
  midPrice: number,
  levels = 20,
  stepFraction = 0.0005,
  levelUsd = 2_000_000,
): OrderBook {
  const ladder = (sign: 1 | -1): [number, number][] =>
    Array.from({ length: levels }, (_, i) => {
      const price = midPrice * (1 + sign * stepFraction * (i + 0.2));
      return [price, levelUsd / price];
    });
  return orderBook(ladder(-1), ladder(1));
}

export function assetListing(changes: Partial<AssetListing> = {}): AssetListing {
  return {
    ticker: BTC,
    assetIndex: 0,
    maxLeverage: 40,
    isDelisted: false,
    isCloseOnly: false,
    isIsolatedOnly: false,
    marginTiers: [
      { notionalLowerUsd: 0, maxLeverage: 40 },
      { notionalLowerUsd: 150_000_000, maxLeverage: 20 },
    ],
    ...changes,
  };
}

export function assetContext(changes: Partial<AssetContext> = {}): AssetContext {
  return {
    markPrice: 100_000,
    midPrice: 100_000,
    fundingRateHourly: 0.0000125,
    openInterestBase: 25_000,
    volume24hUsd: 3_000_000_000,
    arrivedAtMs: NOW_MS - 100,
    ...changes,
  };
}

export function position(changes: Partial<Position> = {}): Position {
  return {
    ticker: BTC,
    sizeBase: 0.1,
    entryPrice: 100_000,
    marginMode: "cross",
    leverage: 5,
    isolatedCashUsd: null,
    reportedLiquidationPrice: null,
    ...changes,
  };
}

/** A wallet with `equityUsd` when every position stands at its entry price. */
export function walletState(equityUsd = 100_000, positions: readonly Position[] = []): WalletState {
  const crossNotionalUsd = positions
    .filter((p) => p.marginMode === "cross")
    .reduce((sum, p) => sum + p.sizeBase * p.entryPrice, 0);
  return {
    wallet: WALLET,
    mode: "standard",
    crossCashUsd: equityUsd - crossNotionalUsd,
    isCollateralKnown: true,
    positions,
    takerFeeFraction: 0.00045,
    exchangeTimeMs: NOW_MS - 500,
    arrivedAtMs: NOW_MS - 400,
  };
}

export function proposedTrade(changes: Partial<ProposedTrade> = {}): ProposedTrade {
  return {
    ticker: BTC,
    action: "long",
    notionalUsd: 10_000,
    leverage: 3,
    wallet: WALLET,
    marginMode: "cross",
    wantsMonteCarlo: false,
    wantsExplanation: false,
    ...changes,
  };
}

/** Facts of a trade with nothing to fear: every severity 0, no flag. */
export function calmFacts(changes: Partial<RiskFacts> = {}): RiskFacts {
  return {
    isClose: false,
    slippageFraction: 0.00002,
    slippageSigmas: 0.005,
    bookShare: 0.001,
    depthShare: 0.002,
    depthRatio: 1,
    impactSigmas: 0.01,
    participationFraction: 1e-6,
    volume24hUsd: 3e9,
    liquidationProbability: 0,
    poolLiquidationAdded: 0,
    liquidationDistanceFraction: Infinity,
    liquidationSigmas: Infinity,
    marginRatio: 0.01,
    adverseProbability: 0,
    accountLossFraction: 0.01,
    leverage: 1,
    maxLeverage: 40,
    isAboveTierLeverage: false,
    marginSigma: 0.03,
    adlRank: 0.1,
    positionNotionalUsd: 10_000,
    orderNotionalUsd: 10_000,
    paidFundingShare: 0,
    fundingDragFraction: 0,
    fundingZ: 0,
    cexDivergenceRatio: 0,
    isOpenInterestAtCap: false,
    openInterestUtilization: 0.3,
    openInterestShare: 1e-5,
    concentrationShare: 0,
    correlation: null,
    stressedProbability: 0.05,
    crisisProbability: 0.01,
    historyHours: 5000,
    isHistoryPatchy: false,
    isNewListing: false,
    isMarketStale: false,
    isWalletStale: false,
    isWalletMissing: false,
    isCollateralUnknown: false,
    isUnifiedAccount: false,
    isMarginInsufficient: false,
    hasUnpricedPosition: false,
    isCloseWithoutPosition: false,
    isCloseOversized: false,
    ...changes,
  };
}

/** The schedule with a share of its maintenance; at two thirds of it the liquidator vault takes a position over. */
export function shareOfSchedule(schedule: MarginSchedule, share: number): MarginSchedule {
  return {
    ...schedule,
    maintenanceFraction: schedule.maintenanceFraction.map((fraction) => share * fraction),
    deductionUsd: schedule.deductionUsd.map((usd) => share * usd),
  };
}
