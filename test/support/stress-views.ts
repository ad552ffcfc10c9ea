import type { Ticker } from "../../src/domain/ids.ts";
import { buildMarginSchedule } from "../../src/risk/margin/margin.ts";
import { buildStressShocks } from "../../src/risk/stress/stress-shocks.ts";
import type { StressView } from "../../src/risk/stress/stressed-pool.ts";

/** An asset to be stressed: its mark, highest leverage and tail beta. */
export function stressView(
  ticker: Ticker,
  markPrice: number,
  maxLeverage: number,
  tailBeta = 1.3,
): StressView {
  return {
    context: { markPrice },
    marginSchedule: buildMarginSchedule([{ notionalLowerUsd: 0, maxLeverage }]),
    stressShocks: buildStressShocks({ ticker, maxLeverage }, tailBeta),
  };
}
