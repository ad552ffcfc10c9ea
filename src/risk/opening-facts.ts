import { impactOf } from "./impact.ts";
import { liquidationPriceOf } from "./liquidation.ts";
import { initialMarginUsd, maintenanceMarginUsd } from "./margin.ts";
import type { ShortfallBySize } from "./opening-headroom.ts";
import { bookShareOf, depthShareOf } from "./order-liquidity.ts";
import type { RiskFacts, ScoreFacts } from "./scoring/risk-facts.ts";
import { fillPriceOf, midPriceOf } from "./slippage.ts";
import { touchProbabilitiesOf } from "./touch-probability.ts";
import {
  liquidationSigmasOf,
  lossFractionOf,
  marginRatioOf,
  openInterestUtilizationOf,
  perSigma,
  shareOf,
} from "./trade-facts.ts";
import type { CarriedTrade, TradeSetting } from "./trade-setting.ts";

/** The position that an opening leaves, and what stands behind it. */
type OpenedPosition = Pick<
  CarriedTrade["liquidation"],
  | "marginMode"
  | "sizeBase"
  | "markPrice"
  | "notionalUsd"
  | "liquidationPrice"
  | "isLiquidatable"
  | "poolEquityUsd"
  | "poolMaintenanceUsd"
>;

/**
 * What the score reads of opening the first position in an asset at another size than asked: tradeFacts of carryOut in
 * closed form. What does not hang on the size is taken from the trade asked for.
 *
 * Holds:   the facts of the trade carried out; only for sizes that the account can pay for
 */
export function openingFacts(
  setting: TradeSetting,
  carried: CarriedTrade,
  asked: RiskFacts,
  shortfallBySize: ShortfallBySize,
  notionalUsd: number,
): ScoreFacts {
  const { asset, market, depth, takerFeeFraction } = setting;
  const { direction } = carried.trade;
  const { markPrice } = asset.context;
  const { openInterest, volatility } = asset;
  const midPrice = midPriceOf(market);
  const fillPrice = fillPriceOf(market, direction, notionalUsd);
  const slippageFraction = (direction * (fillPrice - midPrice)) / midPrice;
  const slippedUsd = ((direction * notionalUsd) / markPrice) * (fillPrice - markPrice);
  const lostUsd = slippedUsd + notionalUsd * takerFeeFraction;
  const position = openedPosition(setting, carried, notionalUsd, slippedUsd, lostUsd);
  const accountValueUsd = carried.applied.marginBefore.accountValueUsd - lostUsd;
  const touch = touchProbabilitiesOf(asset.tails, position, asset.funding.drag24hFraction);
  const distance = distanceOf(position);
  const { impactFraction } = impactOf(notionalUsd, market.sigmaDaily, market.volume24hUsd);
  const shortfallUsd = shortfallBySize(notionalUsd, position.sizeBase, notionalUsd);
  return {
    isClose: false,
    slippageFraction,
    slippageSigmas: perSigma(slippageFraction, volatility?.sigmaHour),
    bookShare: bookShareOf(market, direction, notionalUsd),
    depthShare: depthShareOf(depth, direction, notionalUsd),
    impactSigmas: perSigma(impactFraction, volatility?.sigmaHour),
    liquidationProbability: touch.liquidation,
    liquidationDistanceFraction: distance,
    liquidationSigmas: liquidationSigmasOf(distance, volatility?.sigmaDay),
    marginRatio: marginRatioOf(position),
    adverseProbability: touch.adverse,
    accountLossFraction: lossFractionOf(asset, accountValueUsd, position, shortfallUsd),
    agentPaysFunding: asked.agentPaysFunding,
    fundingDragFraction: asked.fundingDragFraction,
    fundingZ: asked.fundingZ,
    isOpenInterestAtCap: openInterest.isAtCap,
    openInterestUtilization: openInterestUtilizationOf(openInterest, notionalUsd),
    openInterestShare: shareOf(notionalUsd, openInterest.openInterestUsd),
    stressedProbability: asked.stressedProbability,
    crisisProbability: asked.crisisProbability,
    isMarketStale: asked.isMarketStale,
    isWalletStale: asked.isWalletStale,
    isWalletMissing: asked.isWalletMissing,
    isCollateralUnknown: asked.isCollateralUnknown,
  };
}

/** A cross position stands on the account's equity after slippage and fee, an isolated one on its margin after slippage. */
function openedPosition(
  { asset }: TradeSetting,
  { trade, applied }: CarriedTrade,
  notionalUsd: number,
  slippedUsd: number,
  lostUsd: number,
): OpenedPosition {
  const { direction, leverage, marginMode } = trade;
  const { crossEquityUsd, crossMaintenanceUsd } = applied.marginBefore;
  const { markPrice } = asset.context;
  const isCross = marginMode === "cross";
  const sizeBase = (direction * notionalUsd) / markPrice;
  const otherMaintenanceUsd = isCross ? crossMaintenanceUsd : 0;
  const poolEquityUsd = isCross
    ? crossEquityUsd - lostUsd
    : initialMarginUsd(notionalUsd, leverage) - slippedUsd;
  const poolMaintenanceUsd = otherMaintenanceUsd + maintenanceMarginUsd(asset.marginSchedule, notionalUsd);
  const isLiquidatable = poolEquityUsd <= poolMaintenanceUsd;
  const cashUsd = poolEquityUsd - direction * notionalUsd;
  return {
    marginMode,
    sizeBase,
    markPrice,
    notionalUsd,
    liquidationPrice: isLiquidatable
      ? markPrice
      : liquidationPriceOf(asset.marginSchedule, sizeBase, cashUsd, otherMaintenanceUsd, 1),
    isLiquidatable,
    poolEquityUsd,
    poolMaintenanceUsd,
  };
}

function distanceOf({ liquidationPrice, markPrice }: OpenedPosition): number {
  return liquidationPrice === null ? Infinity : Math.abs(liquidationPrice / markPrice - 1);
}
