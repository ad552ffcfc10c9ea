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
import { STRESS_SCENARIOS } from "../risk/stress-scenarios.ts";
import { survivesScenario } from "../risk/stress.ts";
import { rounded, toBps, toPct } from "./units.ts";

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
    bps: toBps(slippage.costFraction),
    fill_price: rounded(slippage.fillPrice),
    mid_price: rounded(slippage.midPrice),
    depth_50bps: rounded(depth.depth50BpsUsd),
    depth_100bps: rounded(depth.depth100BpsUsd),
    bid_ask_imbalance: rounded(depth.imbalance),
  };
}

/** Price 0 and distance 100 where no positive price liquidates the position. */
export function liquidationBlock({ liquidation, liquidationMode }: Assessment): LiquidationBlock {
  return {
    price: rounded(liquidation.liquidationPrice ?? 0),
    distance_pct: toPct(liquidation.distanceFraction),
    margin_used_pct: toPct(liquidation.marginUsedFraction),
    effective_leverage: rounded(liquidation.effectiveLeverage),
    mode: liquidationMode,
  };
}

export function fundingBlock({
  funding,
  annualisedFundingFraction,
  agentPaysFunding,
}: Assessment): FundingBlock {
  return {
    funding_rate: rounded(funding.rateHourly),
    annualized_pct: toPct(annualisedFundingFraction),
    vs_cex_divergence: rounded(funding.cexRatio),
    direction: funding.rateHourly < 0 ? "shorts_pay" : "longs_pay",
    agent_pays: agentPaysFunding,
  };
}

export function impactBlock({ impact }: Assessment): ImpactBlock {
  return {
    expected_bps: toBps(impact.impactFraction),
    participation_pct: toPct(impact.participationFraction),
  };
}

export function oiBlock({ openInterest }: Assessment): OiBlock {
  return {
    current: rounded(openInterest.openInterestUsd),
    at_cap: openInterest.isAtCap,
    utilization_pct: toPct(openInterest.utilisationFraction),
  };
}

export function stressEntries({ stress }: Assessment): StressEntry[] {
  return STRESS_SCENARIOS.map(({ id, description }, i) => ({
    scenario: id,
    description,
    pnl_pct: toPct(stress.pnlFractions[i]!),
    pnl_usd: rounded(stress.notionalUsd * stress.pnlFractions[i]!),
    funding_cost_pct: toPct(stress.fundingCostFractions[i]!),
    liquidity_cost_pct: toPct(stress.liquidityCostFractions[i]!),
    liquidation_distance_pct: toPct(stress.liquidationDistanceFractions[i]!),
    survives: survivesScenario(stress, i),
  }));
}

export function feesBlock({ fees }: Assessment): FeesBlock {
  return {
    taker_fee_bps: toBps(fees.takerFeeFraction),
    estimated_fee_usd: rounded(fees.feeUsd),
    fee_pct_of_margin: toPct(fees.feeOfMarginFraction),
  };
}

/** What leaving through no book would cost cannot be said; the worst cost score is. */
export function costAnalysis({ cost, depth }: Assessment): CostAnalysis {
  const isKnown = depth !== null;
  return {
    total_entry_cost_bps: isKnown ? toBps(cost.entryFraction) : null,
    total_round_trip_cost_bps: isKnown ? toBps(cost.roundTripFraction) : null,
    breakeven_move_pct: isKnown ? toPct(cost.breakevenMoveFraction) : null,
    funding_drag_24h_pct: toPct(cost.fundingDrag24hOfMarginFraction),
    cost_score: isKnown ? rounded(cost.costScore) : 1,
  };
}

export function sizingBlock({ sizing }: Assessment): SizingBlock | null {
  if (sizing === null) return null;
  return {
    max_safe_size_usd: rounded(sizing.maxSafeSizeUsd),
    suggested_size_usd: rounded(sizing.suggestedSizeUsd),
    size_limit_reason: sizing.reason,
  };
}

export function greeksBlock({ greeks, valueAtRisk, depth }: Assessment): GreeksBlock {
  return {
    delta: rounded(greeks.deltaBase),
    gamma: greeks.gamma,
    vega: valueAtRisk === null ? null : rounded(greeks.vegaUsd),
    theta: depth === null ? null : rounded(greeks.thetaUsd),
    liquidation_gamma: rounded(greeks.liquidationGamma),
  };
}
