import type { Direction } from "../../domain/trade.ts";
import type { HorizonHours } from "../scenarios/horizon.ts";
import { touchWithin } from "../scenarios/touch-curve.ts";
import { sideTails, type AssetTails } from "../tails/var.ts";

/**
 * Probability that the price touches the liquidation price within the horizon, for a pool whose equity hangs on one
 * asset: count of simulated paths whose low (high for a short) reaches it, (k + ½)/(N + 1), at least the pooled floor.
 *
 * Units:   liquidationPrice with the funding until the horizon taken off the equity in full, which is conservative
 * Holds:   1 when already there, 0 when no positive price liquidates; falls with the distance, grows with the horizon
 */
export function liquidationProbability(
  tails: AssetTails,
  direction: Direction,
  markPrice: number,
  liquidationPrice: number | null,
  horizonHours: HorizonHours,
): number {
  if (liquidationPrice === null || !(liquidationPrice > 0)) return 0;
  const logDistance = -direction * Math.log(liquidationPrice / markPrice);
  if (logDistance <= 0) return 1;
  return touchWithin(sideTails(tails, direction).adversePaths, tails.sigmaDay, logDistance, horizonHours);
}
