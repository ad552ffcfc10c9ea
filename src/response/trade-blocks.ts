import type {
  CostAnalysis,
  FeesBlock,
  FundingBlock,
  GreeksBlock,
  ImpactBlock,
  LiquidationBlock,
  OiBlock,
  SizingBlock,
  SlippageBlock,
  StressEntry,
} from "../contracts/generated/types.ts";
import type { Assessment } from "../risk/assessment.ts";
import type { Sizing } from "../risk/sizing/sizing.ts";
import { STRESS_SCENARIOS } from "../risk/stress/stress-scenarios.ts";
import type { TradeStress } from "../risk/stress/stress.ts";
import { survivesScenario } from "../risk/stress/stressed-pool.ts";
import { inBps, inPct } from "./units.ts";

/** Without a book there is no fill to speak of: null, because 0 would read as free. */
export function slippageBlock({ slippage, depth }: Assessment): SlippageBlock {
  if (depth === null) {
    return {
      bps: null,
      fill_price: null,
      mid_price: null,
      depth_50bps: 0,
      depth_100bps: 0,
      bid_ask_imbalance: 0,
    };
  }
  return {
    bps: inBps(slippage.costFraction),
    fill_price: slippage.fillPrice,
    mid_price: slippage.midPrice,
    depth_50bps: depth.depth50BpsUsd,
    depth_100bps: depth.depth100BpsUsd,
    bid_ask_imbalance: depth.imbalance,
  };
}

/** Price 0 and distance 100 where no positive price liquidates the position. */
export function liquidationBlock({ liquidation, liquidationMode }: Assessment): LiquidationBlock {
  return {
    price: liquidation.liquidationPrice ?? 0,
    distance_pct: inPct(liquidation.distanceFraction),
    margin_used_pct: inPct(liquidation.marginUsedFraction),
    effective_leverage: liquidation.effectiveLeverage,
    mode: liquidationMode,
  };
}

export function fundingBlock({
  funding,
  annualisedFundingFraction,
  agentPaysFunding,
}: Assessment): FundingBlock {
  return {
    funding_rate: funding.rateHourly,
    annualized_pct: inPct(annualisedFundingFraction),
    vs_cex_divergence: funding.cexRatio,
    direction: funding.rateHourly < 0 ? "shorts_pay" : "longs_pay",
    agent_pays: agentPaysFunding,
  };
}

export function impactBlock({ impact }: Assessment): ImpactBlock {
  return {
    expected_bps: inBps(impact.impactFraction),
    participation_pct: inPct(impact.participationFraction),
  };
}

export function oiBlock({ openInterest }: Assessment): OiBlock {
  return {
    current: openInterest.openInterestUsd,
    at_cap: openInterest.isAtCap,
    utilization_pct: inPct(openInterest.utilizationFraction),
  };
}

export function stressEntry(stress: TradeStress, index: number): StressEntry {
  const { id, description } = STRESS_SCENARIOS[index]!;
  const pnlFraction = stress.pnlFractions[index]!;
  return {
    scenario: id,
    description,
    pnl_pct: inPct(pnlFraction),
    pnl_usd: stress.notionalUsd * pnlFraction,
    funding_cost_pct: inPct(stress.fundingCostFractions[index]!),
    liquidity_cost_pct: inPct(stress.liquidityCostFractions[index]!),
    liquidation_distance_pct: inPct(stress.liquidationDistanceFractions[index]!),
    survives: survivesScenario(stress, index),
  };
}

export function feesBlock({ fees }: Assessment): FeesBlock {
  return {
    taker_fee_bps: inBps(fees.takerFeeFraction),
    estimated_fee_usd: fees.feeUsd,
    fee_pct_of_margin: inPct(fees.feeOfMarginFraction),
  };
}

/** What leaving through no book would cost cannot be said; the worst cost score is. */
export function costAnalysis({ cost, depth }: Assessment): CostAnalysis {
  const isKnown = depth !== null;
  return {
    total_entry_cost_bps: isKnown ? inBps(cost.entryFraction) : null,
    total_round_trip_cost_bps: isKnown ? inBps(cost.roundTripFraction) : null,
    breakeven_move_pct: isKnown ? inPct(cost.breakevenMoveFraction) : null,
    funding_drag_24h_pct: inPct(cost.fundingDrag24hOfMarginFraction),
    cost_score: isKnown ? cost.costScore : 1,
  };
}

export function sizingBlock(sizing: Sizing): SizingBlock {
  return {
    max_safe_size_usd: sizing.maxSafeSizeUsd,
    suggested_size_usd: sizing.suggestedSizeUsd,
    size_limit_reason: sizing.reason,
  };
}

export function greeksBlock({ greeks, valueAtRisk, depth }: Assessment): GreeksBlock {
  return {
    delta: greeks.deltaBase,
    gamma: greeks.gamma,
    vega: valueAtRisk === null ? null : greeks.vegaUsd,
    theta: depth === null ? null : greeks.thetaUsd,
    liquidation_gamma: greeks.liquidationGamma,
  };
}
