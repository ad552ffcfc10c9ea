import { SCORE } from "./calibration.ts";
import type { LiquidationFacts } from "./liquidation.ts";
import { liquidationProbability } from "./portfolio/liquidation-probability.ts";
import type { AssetTails } from "./var.ts";

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
  liquidation: LiquidationFacts,
  longFundingDrag24hFraction: number,
): TouchProbabilities {
  const { sizeBase, markPrice, liquidationPrice, poolEquityUsd, notionalUsd } = liquidation;
  if (sizeBase === 0) return NOTHING_HELD;
  if (liquidation.isLiquidatable) return CERTAIN;
  if (tails === null) return UNKNOWN;
  const direction = sizeBase > 0 ? 1 : -1;
  const paidFraction = Math.max(0, direction * longFundingDrag24hFraction);
  const probabilityAt = (price: number | null): number =>
    price === null
      ? 0
      : liquidationProbability(tails, direction, markPrice, price * Math.exp(direction * paidFraction), 24);

  const lossFraction = (SCORE.adverseMarginFraction.value * poolEquityUsd) / notionalUsd;
  const atLiquidation = probabilityAt(liquidationPrice);
  const lossPrice = markPrice * (1 - direction * lossFraction);
  const atLoss = probabilityAt(lossPrice > 0 ? lossPrice : null);
  return { liquidation: atLiquidation, adverse: Math.max(atLiquidation, atLoss) };
}

/** The worse of two sources: a pool can also be lost by its other positions. */
export function raisedTouch(touch: TouchProbabilities, poolProbability: number | null): TouchProbabilities {
  if (poolProbability === null || touch.liquidation === null || touch.adverse === null) return touch;
  return {
    liquidation: Math.max(touch.liquidation, poolProbability),
    adverse: Math.max(touch.adverse, poolProbability),
  };
}
