import type {
  DrawdownBlock,
  EvtBlock,
  MonteCarloBlock,
  RegimeBlock,
  VarBlock,
  VolatilityForecast,
} from "../contracts/generated/types.ts";
import type { Assessment } from "../risk/assessment.ts";
import type { ExtremeTail } from "../risk/tails/evt.ts";
import type { MonteCarlo } from "../risk/tails/monte-carlo.ts";
import type { LiquidityRegimeFacts } from "../risk/regime/liquidity-regime.ts";
import type { VolatilityFacts } from "../risk/volatility/volatility-facts.ts";
import type { Encoded } from "./encoded.ts";
import { inPct } from "./units.ts";

export type DrawdownKnown = Assessment & {
  readonly drawdown: NonNullable<Assessment["drawdown"]>;
  readonly suggestedStopFraction: number;
};
type VarFacts = Pick<Assessment, "valueAtRisk" | "volatility">;
type VarEncoding = Encoded<VarBlock, { readonly volatility_forecast: VolatilityFacts | null }>;

/** Percent of notional and USD; every number null where the asset has no scenarios. */
export function varBlock({ valueAtRisk: risk, volatility }: VarFacts): VarEncoding {
  const volatility_regime = volatility?.regime ?? null;
  if (risk === null) return { ...UNKNOWN_VAR, volatility_regime, volatility_forecast: volatility };
  const { at4h, at24h, at7d, notionalUsd } = risk;
  return {
    pct_95_24h: inPct(at24h.var95),
    pct_99_24h: inPct(at24h.var99),
    dollar_95_24h: at24h.var95 * notionalUsd,
    dollar_99_24h: at24h.var99 * notionalUsd,
    lvar_95_24h: risk.liquidityAdjustedVar95Usd,
    lvar_99_24h: risk.liquidityAdjustedVar99Usd,
    pct_99_4h: inPct(at4h.var99),
    pct_99_7d: inPct(at7d.var99),
    dollar_99_4h: at4h.var99 * notionalUsd,
    dollar_99_7d: at7d.var99 * notionalUsd,
    es_95_24h: inPct(at24h.expectedShortfall95),
    es_99_24h: inPct(at24h.expectedShortfall99),
    margin_var_99_pct: inPct(risk.marginVar99),
    volatility_regime,
    volatility_forecast: volatility,
  };
}

const UNKNOWN_VAR = {
  pct_95_24h: null,
  pct_99_24h: null,
  dollar_95_24h: null,
  dollar_99_24h: null,
  lvar_95_24h: null,
  lvar_99_24h: null,
  pct_99_4h: null,
  pct_99_7d: null,
  dollar_99_4h: null,
  dollar_99_7d: null,
  es_95_24h: null,
  es_99_24h: null,
  margin_var_99_pct: null,
} as const;

/** Sigmas stay fractions a year: 0.62 is 62 %. */
export function volatilityForecast({ sigmas }: VolatilityFacts): VolatilityForecast {
  return {
    sigma_1h: sigmas.sigma1hAnnual,
    sigma_4h: sigmas.sigma4hAnnual,
    sigma_1d: sigmas.sigma1dAnnual,
    sigma_7d: sigmas.sigma7dAnnual,
    long_run_sigma: sigmas.longRunSigmaAnnual,
  };
}

/** The block speaks of the same paths as var: var_99 equals pct_99_24h to the last digit. */
export function monteCarloBlock(monteCarlo: MonteCarlo): MonteCarloBlock {
  return {
    simulations: monteCarlo.simulations,
    var_95: inPct(monteCarlo.var95),
    var_99: inPct(monteCarlo.var99),
    expected_shortfall_95: inPct(monteCarlo.expectedShortfall95),
    expected_shortfall_99: inPct(monteCarlo.expectedShortfall99),
    median_return: inPct(monteCarlo.medianReturn),
    worst_case: inPct(monteCarlo.worstReturn),
    confidence_interval: [inPct(monteCarlo.lowerReturn), inPct(monteCarlo.upperReturn)],
  };
}

export function evtBlock(tail: ExtremeTail): EvtBlock {
  return {
    var_99_9: inPct(tail.var999),
    expected_shortfall_99_9: inPct(tail.expectedShortfall999),
  };
}

export function regimeBlock(regime: LiquidityRegimeFacts): RegimeBlock {
  return { state: regime.state, confidence: regime.confidence };
}

export function hasDrawdown(assessment: Assessment): assessment is DrawdownKnown {
  return assessment.drawdown !== null && assessment.suggestedStopFraction !== null;
}

/** "Equity" of the asset: its closes. */
export function drawdownBlock({ drawdown, suggestedStopFraction }: DrawdownKnown): DrawdownBlock {
  return {
    max_drawdown_pct: inPct(drawdown.maxDrawdownFraction),
    current_drawdown_pct: inPct(drawdown.currentDrawdownFraction),
    peak_equity: drawdown.peakPrice,
    trough_equity: drawdown.troughPrice,
    drawdown_duration_hours: drawdown.durationHours,
    calmar_ratio: drawdown.calmarRatio,
    trailing_stop_distance_pct: inPct(drawdown.trailingStopFraction),
    suggested_stop_loss_pct: inPct(suggestedStopFraction),
  };
}
