import { DAY_HOURS } from "../../domain/bar.ts";
import type { Direction } from "../../domain/trade.ts";
import { SCORE } from "../calibration/calibration.ts";
import type { AssetView } from "../asset-view.ts";
import { paidFundingUsd } from "../funding.ts";
import { type LiquidationFacts, pooledLiquidationPriceOf } from "../margin/liquidation.ts";
import { liquidationProbability } from "./liquidation-probability.ts";
import type { CrossTouch } from "../portfolio/liquidation/cross-touch.ts";
import { type AssetTails, sideTails } from "../tails/var.ts";

/** How likely the next 24 hours hurt a position; null without tails. */
export interface TouchProbabilities {
  /** The liquidation price is touched. */
  readonly liquidation: number | null;
  /** The liquidation price is touched, or half of the equity behind the position is lost. */
  readonly adverse: number | null;
}

/** What of an asset decides how likely its prices are touched. */
type TouchView = Pick<AssetView, "tails" | "funding" | "marginSchedule">;

/** A position as touches read it. */
type TouchPosition = Pick<
  LiquidationFacts,
  | "sizeBase"
  | "markPrice"
  | "liquidationPrice"
  | "poolEquityUsd"
  | "poolMaintenanceUsd"
  | "notionalUsd"
  | "isLiquidatable"
>;

const NOTHING_HELD: TouchProbabilities = { liquidation: 0, adverse: 0 };
const CERTAIN: TouchProbabilities = { liquidation: 1, adverse: 1 };
const UNKNOWN: TouchProbabilities = { liquidation: null, adverse: null };

/**
 * Touch probabilities of a position's two barriers, the other positions at their marks. Funding that is expected to be
 * paid until the horizon is taken off the equity, which brings both nearer.
 *
 * Shapes:  the view is that of the position's asset; undefined where nothing is known of it
 * Holds:   liquidation <= adverse; both non-increasing in the distance; 1 where the funding alone uses the equity up
 */
export function touchProbabilitiesOf(
  view: TouchView | undefined,
  liquidation: TouchPosition,
): TouchProbabilities {
  const { sizeBase, markPrice, poolEquityUsd, notionalUsd } = liquidation;
  if (sizeBase === 0) return NOTHING_HELD;
  if (liquidation.isLiquidatable) return CERTAIN;
  if (view === undefined || view.tails === null) return UNKNOWN;
  const direction = sizeBase > 0 ? 1 : -1;
  const paidUsd = paidFundingUsd(view.funding, direction * notionalUsd);
  const price = paidUsd === 0 ? liquidation.liquidationPrice : priceAfterFunding(view, liquidation, paidUsd);
  const atLiquidation = liquidationProbability(view.tails, direction, markPrice, price, DAY_HOURS);
  const lossFraction = (SCORE.adverseMarginFraction.value * poolEquityUsd - paidUsd) / notionalUsd;
  const lossPrice = markPrice * (1 - direction * lossFraction);
  const atLoss = liquidationProbability(view.tails, direction, markPrice, lossPrice, DAY_HOURS);
  return { liquidation: atLiquidation, adverse: Math.max(atLiquidation, atLoss) };
}

/** The liquidation price nearest to the mark that a safe size may have at the horizon. */
export function nearestSafePrice(tails: AssetTails, direction: Direction, markPrice: number): number {
  return markPrice * Math.exp(-direction * sideTails(tails, direction).safeLogDistance);
}

/**
 * Where the pool's equity less the funding meets its maintenance: beyond the mark where the funding uses it up. Null when no
 * price does. Funding is capped at 4 % an hour, less than the notional in a day, so that a short's is positive.
 */
function priceAfterFunding(
  { marginSchedule }: TouchView,
  { sizeBase, markPrice, poolEquityUsd, poolMaintenanceUsd }: TouchPosition,
  paidUsd: number,
): number | null {
  const equityUsd = poolEquityUsd - paidUsd;
  return pooledLiquidationPriceOf(marginSchedule, sizeBase, markPrice, equityUsd, poolMaintenanceUsd);
}

/** The worse of two sources: a pool can also be lost by its other positions. */
export function raisedTouch(touch: TouchProbabilities, pool: CrossTouch | null): TouchProbabilities {
  if (pool === null || touch.liquidation === null || touch.adverse === null) return touch;
  return {
    liquidation: Math.max(touch.liquidation, pool.liquidation),
    adverse: Math.max(touch.adverse, pool.adverse),
  };
}
