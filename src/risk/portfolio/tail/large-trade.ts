import type { SheetPosition } from "../portfolio-losses.ts";

/** Of the gross notional after the trade. */
const TRADE_SHARE_MAX = 0.25;

/** Whether a trade is so large that the tails before and after it have little in common. Shapes: positions after the trade */
export function isLargeTrade(
  { notionalUsdSigned }: SheetPosition,
  positions: readonly SheetPosition[],
): boolean {
  let grossUsd = 0;
  for (const position of positions) grossUsd += Math.abs(position.notionalUsdSigned);
  return Math.abs(notionalUsdSigned) > TRADE_SHARE_MAX * grossUsd;
}
