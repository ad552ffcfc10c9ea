import type { Position } from "../../src/domain/account.ts";
import { tickerOf, type Ticker } from "../../src/domain/ids.ts";
import { buildMarginSchedule } from "../../src/risk/margin/margin.ts";
import { buildStressShocks } from "../../src/risk/stress/stress-shocks.ts";
import { STRESS_SCENARIOS } from "../../src/risk/stress/stress-scenarios.ts";
import type { StressView } from "../../src/risk/stress/stressed-pool.ts";
import { BTC, ETH, position } from "./builders.ts";

export const DOGE = tickerOf("DOGE");
export const THIN = tickerOf("GOAT");
/** An asset of which nothing is known. */
export const UNKNOWN = tickerOf("NOVIEW");

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

const VIEWS = new Map<Ticker, StressView>([
  [BTC, stressView(BTC, 100_000, 40)],
  [ETH, stressView(ETH, 3000, 25, 1.15)],
  [DOGE, stressView(DOGE, 0.2, 10)],
  [THIN, stressView(THIN, 1, 3)],
]);

export function viewOf(ticker: Ticker): StressView | undefined {
  return VIEWS.get(ticker);
}

export function indexOf(scenarioId: string): number {
  return STRESS_SCENARIOS.findIndex(({ id }) => id === scenarioId);
}

/** A position entered at its mark. */
export function held(ticker: Ticker, notionalUsd: number, changes: Partial<Position> = {}): Position {
  const mark = viewOf(ticker)?.context.markPrice ?? 1;
  return position({ ticker, sizeBase: notionalUsd / mark, entryPrice: mark, ...changes });
}
