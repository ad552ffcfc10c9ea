import { poolsCollateral, type Position, type WalletState } from "../../domain/account.ts";
import type { AssetView } from "../asset-view.ts";
import { agentPaysFunding } from "../funding.ts";
import { effectiveLeverageOf, type LiquidationFacts } from "../margin/liquidation.ts";
import { maxLeverageAt } from "../margin/margin.ts";
import type { OpenInterestFacts } from "../liquidity/open-interest.ts";
import type { RiskFacts } from "../scoring/risk-facts.ts";
import { type AccountRisk, ownShortfall99Usd } from "./account-risk.ts";
import { type CarriedTrade, fundedShareOf, type TradeSetting } from "./trade-setting.ts";

/** The flat facts of a trade that the score and the flags read. */
export function tradeFacts(setting: TradeSetting, carried: CarriedTrade, account: AccountRisk): RiskFacts {
  const { asset } = setting;
  const { trade, liquidity, impact, applied, liquidation } = carried;
  const { context, funding, openInterest, volatility, liquidityRegime, listing } = asset;
  const openedUsd = applied.openedBase * context.markPrice;
  const slippageFraction = liquidity.slippage.costFraction;
  // An order that only reduces leaves the position the leverage it had.
  const leverage = applied.position?.leverage ?? 0;
  const fundedShare = fundedShareOf(carried);
  const isPaying = agentPaysFunding(funding.rateHourly, trade.exposureDirection);
  const dragFraction = trade.exposureDirection * fundedShare * funding.drag24hFraction * trade.leverage;
  return {
    isClose: trade.isClose,
    slippageFraction,
    slippageSigmas: perSigma(slippageFraction, volatility?.sigmaHour),
    bookShare: liquidity.bookShare,
    depthShare: liquidity.depthShare,
    depthRatio: liquidity.depthRatio,
    impactSigmas: perSigma(impact.impactFraction, volatility?.sigmaHour),
    participationFraction: impact.participationFraction,
    volume24hUsd: context.volume24hUsd,
    liquidationProbability: account.touch.liquidation,
    poolLiquidationAdded: account.poolLiquidationAdded,
    adverseProbability: account.touch.adverse,
    liquidationDistanceFraction: liquidationDistanceOf(liquidation),
    liquidationSigmas: liquidationSigmasOf(liquidation, volatility?.sigmaDay),
    marginRatio: marginRatioOf(liquidation),
    accountLossFraction: lossFractionOf(
      asset,
      applied.margin.accountValueUsd,
      liquidation,
      account.expectedShortfall99Usd,
      account.crossShortfall99Usd,
    ),
    adlRank: adlRankOf(liquidation, applied.position?.entryPrice ?? liquidation.markPrice),
    positionNotionalUsd: liquidation.notionalUsd,
    leverage,
    maxLeverage: listing.maxLeverage,
    isAboveTierLeverage:
      openedUsd > 0 && trade.leverage > maxLeverageAt(asset.marginSchedule, liquidation.notionalUsd),
    marginSigma: volatility === null ? null : leverage * volatility.sigmaDay,
    orderNotionalUsd: trade.notionalUsd,
    paidFundingShare: isPaying ? fundedShare : 0,
    fundingDragFraction: Math.max(0, dragFraction),
    fundingZ: funding.historyHours > 0 ? funding.zScore : null,
    cexDivergenceRatio: funding.cexRatio,
    // Reducing an asset at its cap is allowed and frees room.
    isOpenInterestAtCap: openInterest.isAtCap && openedUsd > 0,
    openInterestUtilization: openInterestUtilizationOf(openInterest, openedUsd),
    openInterestShare: shareOf(liquidation.notionalUsd, openInterest.openInterestUsd),
    concentrationShare: concentrationOf(carried),
    correlation: account.correlation,
    stressedProbability: liquidityRegime?.probability.stressed ?? 0,
    crisisProbability: liquidityRegime?.probability.crisis ?? 0,
    historyHours: asset.historyHours,
    isHistoryPatchy: volatility?.warnings.includes("limited_history") === true,
    isNewListing: asset.isNewListing,
    isMarketStale: setting.isMarketStale,
    isWalletStale: setting.isWalletStale,
    isWalletMissing: setting.isWalletMissing,
    isCollateralUnknown: !setting.account.isCollateralKnown,
    isUnifiedAccount: poolsCollateral(setting.account.mode),
    isMarginInsufficient: applied.assumedDepositUsd > 0,
    hasUnpricedPosition: applied.account.positions.some(
      (position) => (setting.viewOf(position.ticker)?.tails ?? null) === null,
    ),
    isCloseWithoutPosition: trade.isWithoutPosition,
    isCloseOversized: trade.isOversized,
  };
}

/** The facts of holding a position in an asset of which nothing is known here. */
export function unknownAssetFacts(
  account: WalletState,
  position: Position,
  liquidation: LiquidationFacts,
  isWalletStale: boolean,
): RiskFacts {
  return {
    isClose: false,
    slippageFraction: null,
    slippageSigmas: null,
    bookShare: 0,
    depthShare: null,
    depthRatio: null,
    impactSigmas: null,
    participationFraction: 0,
    volume24hUsd: 0,
    liquidationProbability: null,
    poolLiquidationAdded: 0,
    liquidationDistanceFraction: liquidationDistanceOf(liquidation),
    liquidationSigmas: null,
    marginRatio: marginRatioOf(liquidation),
    adverseProbability: null,
    accountLossFraction: null,
    leverage: position.leverage,
    maxLeverage: position.leverage,
    isAboveTierLeverage: false,
    marginSigma: null,
    adlRank: adlRankOf(liquidation, position.entryPrice),
    positionNotionalUsd: liquidation.notionalUsd,
    orderNotionalUsd: liquidation.notionalUsd,
    paidFundingShare: 0,
    fundingDragFraction: 0,
    fundingZ: null,
    cexDivergenceRatio: 0,
    isOpenInterestAtCap: false,
    openInterestUtilization: null,
    openInterestShare: 0,
    concentrationShare: 0,
    correlation: null,
    stressedProbability: 0,
    crisisProbability: 0,
    historyHours: 0,
    isHistoryPatchy: false,
    isNewListing: false,
    isMarketStale: true,
    isWalletStale,
    isWalletMissing: false,
    isCollateralUnknown: !account.isCollateralKnown,
    isUnifiedAccount: poolsCollateral(account.mode),
    isMarginInsufficient: false,
    hasUnpricedPosition: true,
    isCloseWithoutPosition: false,
    isCloseOversized: false,
  };
}

/**
 * Loss over the equity that can be lost: the account's over its value and, if worse, that of what shares a pool over the
 * pool's equity: the position's own for an isolated one, that of all cross positions for a cross one beside isolated ones.
 * Infinite where there is a loss and no equity; null without tails.
 */
export function lossFractionOf(
  asset: AssetView,
  accountValueUsd: number,
  position: Pick<LiquidationFacts, "marginMode" | "sizeBase" | "notionalUsd" | "poolEquityUsd">,
  shortfallUsd: number | null,
  crossShortfallUsd: number | null,
): number | null {
  if (shortfallUsd === null) return null;
  const ofAccount = shareOf(shortfallUsd, accountValueUsd);
  if (position.sizeBase === 0) return ofAccount;
  if (position.marginMode === "cross") {
    return crossShortfallUsd === null
      ? ofAccount
      : Math.max(ofAccount, shareOf(crossShortfallUsd, position.poolEquityUsd));
  }
  const ownUsd = ownShortfall99Usd(asset, position.sizeBase, position.notionalUsd);
  return ownUsd === null ? null : Math.max(ofAccount, shareOf(ownUsd, position.poolEquityUsd));
}

/** Maintenance over equity of the pool that carries the position; infinite when the equity is gone. */
export function marginRatioOf(
  position: Pick<LiquidationFacts, "poolMaintenanceUsd" | "poolEquityUsd" | "sizeBase">,
): number {
  const { poolMaintenanceUsd, poolEquityUsd, sizeBase } = position;
  if (sizeBase === 0 || poolMaintenanceUsd <= 0) return 0;
  return poolEquityUsd > 0 ? poolMaintenanceUsd / poolEquityUsd : Infinity;
}

/** Open interest over its cap with what the trade adds; a trade that adds nothing uses none. */
export function openInterestUtilizationOf(openInterest: OpenInterestFacts, openedUsd: number): number {
  if (openedUsd <= 0 || openInterest.capUsd <= 0) return 0;
  return (openInterest.openInterestUsd + openedUsd) / openInterest.capUsd;
}

/** What a distance to liquidation is measured on. */
type LiquidationPoint = Pick<LiquidationFacts, "liquidationPrice" | "markPrice">;

/** Of the mark; infinite where no price liquidates. */
export function liquidationDistanceOf({ liquidationPrice, markPrice }: LiquidationPoint): number {
  return liquidationPrice === null ? Infinity : Math.abs(liquidationPrice / markPrice - 1);
}

/**
 * The logarithm of the way to the liquidation price in volatilities of a day, which are logarithmic too. For a long it
 * grows without bound as the price of liquidation nears 0, so the last price above none scores as none does. A
 * liquidation that is never, or now, needs no volatility.
 */
export function liquidationSigmasOf(
  { liquidationPrice, markPrice }: LiquidationPoint,
  sigmaDay: number | undefined,
): number | null {
  const distance = liquidationPrice === null ? Infinity : Math.abs(Math.log(liquidationPrice / markPrice));
  return distance === Infinity || distance === 0 ? distance : perSigma(distance, sigmaDay);
}

/** (mark / entry)^side x position / equity. Source: the exchange's documentation, Auto-deleveraging. */
function adlRankOf(liquidation: LiquidationFacts, entryPrice: number): number {
  const { sizeBase, markPrice, notionalUsd, poolEquityUsd } = liquidation;
  if (sizeBase === 0) return 0;
  const gain = sizeBase > 0 ? markPrice / entryPrice : entryPrice / markPrice;
  return gain * effectiveLeverageOf(notionalUsd, poolEquityUsd);
}

/** The asset's part of the gross notional after the trade; 0 with fewer than two positions. */
function concentrationOf({ applied, liquidation }: CarriedTrade): number {
  const { margin } = applied;
  if (margin.positionCount < 2) return 0;
  return shareOf(liquidation.notionalUsd, margin.crossNotionalUsd + margin.isolatedNotionalUsd);
}

/** In units of that sigma; null where it is not known. */
export function perSigma(fraction: number, sigma: number | undefined): number | null {
  return sigma === undefined ? null : fraction / sigma;
}

/** Infinity of a whole of nothing; 0 of a part of nothing. */
export function shareOf(partUsd: number, wholeUsd: number): number {
  if (partUsd <= 0) return 0;
  return wholeUsd > 0 ? partUsd / wholeUsd : Infinity;
}
