import type { Direction } from "../domain/trade.ts";
import { SCORE } from "./calibration.ts";
import type { LiquidationFacts } from "./liquidation.ts";
import { liquidationProbability } from "./portfolio/liquidation-probability.ts";
import { type AssetTails, sideTails } from "./var.ts";

/** How likely the next 24 hours hurt a position; null without tails. */
export interface TouchProbabilities {
  /** The liquidation price is touched. */
  readonly liquidation: number | null;
  /** The liquidation price is touched, or half of the equity behind the position is lost. */
  readonly adverse: number | null;
}

const NOTHING_HELD: TouchProbabilities = { liquidation: 0, adverse: 0 };
const CERTAIN: TouchProbabilities = { liquidation: 1, adverse: 1 };
const UNKNOWN: TouchProbabilities = { liquidation: null, adverse: null };

/**
 * Touch probabilities of a position's two barriers, the other positions at their marks. Funding that is expected to be
 * paid until the horizon brings both nearer.
 *
 * Units:   longFundingDrag24hFraction is what a long pays, fraction of notional
 * Holds:   liquidation <= adverse; both non-increasing in the distance
 */
export function touchProbabilitiesOf(
  tails: AssetTails | null,
  liquidation: Pick<
    LiquidationFacts,
    "sizeBase" | "markPrice" | "liquidationPrice" | "poolEquityUsd" | "notionalUsd" | "isLiquidatable"
  >,
  longFundingDrag24hFraction: number,
): TouchProbabilities {
  const { sizeBase, markPrice, liquidationPrice, poolEquityUsd, notionalUsd } = liquidation;
  if (sizeBase === 0) return NOTHING_HELD;
  if (liquidation.isLiquidatable) return CERTAIN;
  if (tails === null) return UNKNOWN;
  const direction = sizeBase > 0 ? 1 : -1;
  const drag = longFundingDrag24hFraction;
  const lossFraction = (SCORE.adverseMarginFraction.value * poolEquityUsd) / notionalUsd;
  const atLiquidation = touchOf(tails, direction, markPrice, liquidationPrice, drag);
  const lossPrice = markPrice * (1 - direction * lossFraction);
  const atLoss = touchOf(tails, direction, markPrice, lossPrice > 0 ? lossPrice : null, drag);
  return { liquidation: atLiquidation, adverse: Math.max(atLiquidation, atLoss) };
}

/** The liquidation price nearest to the mark that a safe size may have: funding paid until the horizon brings it nearer. */
export function nearestSafePrice(
  tails: AssetTails,
  direction: Direction,
  markPrice: number,
  longFundingDrag24hFraction: number,
): number {
  const paidFraction = Math.max(0, direction * longFundingDrag24hFraction);
  const { safeLogDistance } = sideTails(tails, direction);
  return markPrice * Math.exp(-direction * (safeLogDistance + paidFraction));
}

function touchOf(
  tails: AssetTails,
  direction: Direction,
  markPrice: number,
  price: number | null,
  longFundingDrag24hFraction: number,
): number {
  if (price === null) return 0;
  const paidFraction = Math.max(0, direction * longFundingDrag24hFraction);
  const barrier = paidFraction === 0 ? price : price * Math.exp(direction * paidFraction);
  return liquidationProbability(tails, direction, markPrice, barrier, 24);
}

/** The worse of two sources: a pool can also be lost by its other positions. */
export function raisedTouch(touch: TouchProbabilities, poolProbability: number | null): TouchProbabilities {
  if (poolProbability === null || touch.liquidation === null || touch.adverse === null) return touch;
  return {
    liquidation: Math.max(touch.liquidation, poolProbability),
    adverse: Math.max(touch.adverse, poolProbability),
  };
}
