import { costAgainstMid } from "../../domain/book.ts";
import { agentPaysFunding, paidFundingFraction } from "../funding.ts";
import { impactOf } from "../liquidity/impact.ts";
import { liquidationPriceFrom } from "../margin/liquidation.ts";
import { maintenanceMarginUsd } from "../margin/margin.ts";
import { bookShareOf, depthShareOf } from "../liquidity/order-liquidity.ts";
import type { RiskFacts, ScoreFacts } from "../scoring/risk-facts.ts";
import type { SizeBasis, SizedTrade } from "./sized-trade.ts";
import { midPriceOf } from "../liquidity/slippage.ts";
import { touchProbabilitiesOf } from "../trade/touch-probability.ts";
import {
  liquidationDistanceOf,
  liquidationSigmasOf,
  lossFractionOf,
  marginRatioOf,
  openInterestUtilizationOf,
  perSigma,
  shareOf,
} from "../trade/trade-facts.ts";
import type { CarriedTrade, TradeSetting } from "../trade/trade-setting.ts";

/** The position that a trade leaves, and what stands behind it. */
type SizedPosition = Pick<
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
 * What the score reads of a trade at another size than asked: tradeFacts of carryOut in closed form. What does not hang on
 * the size is taken from the trade asked for.
 *
 * Holds:   the facts of the trade carried out; only for sizes that open something and that the account can pay for
 */
export function sizedFacts(
  setting: TradeSetting,
  basis: SizeBasis,
  asked: RiskFacts,
  orderUsd: number,
  sized: SizedTrade,
  shortfallUsd: number | null,
  crossShortfallUsd: number | null,
): ScoreFacts {
  const { asset, market, depth } = setting;
  const { direction, leverage } = basis;
  const { openInterest, volatility, funding } = asset;
  const slippageFraction = costAgainstMid(sized.fillPrice, midPriceOf(market), direction);
  const position = positionOfSize(setting, basis, sized);
  const touch = touchProbabilitiesOf(asset, position);
  const openedShare = sized.openedUsd / orderUsd;
  const { impactFraction } = impactOf(orderUsd, market.sigmaDay, market.volume24hUsd);
  return {
    isClose: false,
    slippageFraction,
    slippageSigmas: perSigma(slippageFraction, volatility?.sigmaHour),
    bookShare: bookShareOf(market, direction, orderUsd),
    depthShare: depthShareOf(depth, direction, orderUsd),
    impactSigmas: perSigma(impactFraction, volatility?.sigmaHour),
    liquidationProbability: touch.liquidation,
    // A size that drains the pool is beyond the safe ones, of which alone the score is asked.
    poolLiquidationAdded: 0,
    liquidationDistanceFraction: liquidationDistanceOf(position),
    liquidationSigmas: liquidationSigmasOf(position, volatility?.sigmaDay),
    marginRatio: marginRatioOf(position),
    adverseProbability: touch.adverse,
    accountLossFraction: lossFractionOf(
      asset,
      sized.accountValueUsd,
      position,
      shortfallUsd,
      crossShortfallUsd,
    ),
    paidFundingShare: agentPaysFunding(funding.rateHourly, direction) ? openedShare : 0,
    fundingDragFraction: paidFundingFraction(funding, direction) * openedShare * leverage,
    fundingZ: asked.fundingZ,
    isOpenInterestAtCap: openInterest.isAtCap,
    openInterestUtilization: openInterestUtilizationOf(openInterest, sized.openedUsd),
    openInterestShare: shareOf(sized.notionalUsd, openInterest.openInterestUsd),
    stressedProbability: asked.stressedProbability,
    crisisProbability: asked.crisisProbability,
    isMarketStale: asked.isMarketStale,
    isWalletStale: asked.isWalletStale,
    isWalletMissing: asked.isWalletMissing,
    isCollateralUnknown: asked.isCollateralUnknown,
  };
}

function positionOfSize(
  { asset }: TradeSetting,
  { markPrice, otherMaintenanceUsd, isCross }: SizeBasis,
  { sizeBase, notionalUsd, poolEquityUsd }: SizedTrade,
): SizedPosition {
  const { marginSchedule } = asset;
  const poolMaintenanceUsd = otherMaintenanceUsd + maintenanceMarginUsd(marginSchedule, notionalUsd);
  const isLiquidatable = sizeBase !== 0 && poolEquityUsd <= poolMaintenanceUsd;
  return {
    marginMode: isCross ? "cross" : "isolated",
    sizeBase,
    markPrice,
    notionalUsd,
    liquidationPrice: isLiquidatable
      ? markPrice
      : liquidationPriceFrom(marginSchedule, sizeBase, markPrice, poolEquityUsd, otherMaintenanceUsd),
    isLiquidatable,
    poolEquityUsd,
    poolMaintenanceUsd,
  };
}
