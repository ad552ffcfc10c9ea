import type {
  DrawdownBlock,
  EvtBlock,
  MonteCarloBlock,
  RegimeBlock,
  VarBlock,
  VolatilityForecast,
} from "../contracts/generated/types.ts";
import type { Assessment } from "../risk/assessment.ts";
import { rounded, roundedOrNull, toPct } from "./units.ts";

/** Percent of notional and USD; every number null where the asset has no scenarios. */
export function varBlock({
  valueAtRisk: risk,
  volatility,
}: Pick<Assessment, "valueAtRisk" | "volatility">): VarBlock {
  const forecast = {
    volatility_regime: volatility?.regime ?? null,
    volatility_forecast: forecastOf(volatility),
  };
  if (risk === null) return { ...UNKNOWN_VAR, ...forecast };
  const { at4h, at24h, at7d, notionalUsd } = risk;
  return {
    pct_95_24h: toPct(at24h.var95),
    pct_99_24h: toPct(at24h.var99),
    dollar_95_24h: rounded(at24h.var95 * notionalUsd),
    dollar_99_24h: rounded(at24h.var99 * notionalUsd),
    lvar_95_24h: rounded(risk.liquidityAdjustedVar95Usd),
    lvar_99_24h: rounded(risk.liquidityAdjustedVar99Usd),
    pct_99_4h: toPct(at4h.var99),
    pct_99_7d: toPct(at7d.var99),
    dollar_99_4h: rounded(at4h.var99 * notionalUsd),
    dollar_99_7d: rounded(at7d.var99 * notionalUsd),
    es_95_24h: toPct(at24h.expectedShortfall95),
    es_99_24h: toPct(at24h.expectedShortfall99),
    margin_var_99_pct: toPct(risk.marginVar99),
    ...forecast,
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
function forecastOf(volatility: Assessment["volatility"]): VolatilityForecast | null {
  if (volatility === null) return null;
  const { sigmas } = volatility;
  return {
    sigma_1h: rounded(sigmas.sigma1hAnnual),
    sigma_4h: rounded(sigmas.sigma4hAnnual),
    sigma_1d: rounded(sigmas.sigma1dAnnual),
    sigma_7d: rounded(sigmas.sigma7dAnnual),
    long_run_sigma: rounded(sigmas.longRunSigmaAnnual),
  };
}

/** The block speaks of the same paths as var: var_99 equals pct_99_24h to the last digit. */
export function monteCarloBlock({ monteCarlo }: Assessment): MonteCarloBlock | null | undefined {
  if (monteCarlo === undefined || monteCarlo === null) return monteCarlo;
  return {
    simulations: monteCarlo.simulations,
    var_95: toPct(monteCarlo.var95),
    var_99: toPct(monteCarlo.var99),
    expected_shortfall_95: toPct(monteCarlo.expectedShortfall95),
    expected_shortfall_99: toPct(monteCarlo.expectedShortfall99),
    median_return: toPct(monteCarlo.medianReturn),
    worst_case: toPct(monteCarlo.worstReturn),
    confidence_interval: [toPct(monteCarlo.lowerReturn), toPct(monteCarlo.upperReturn)],
  };
}

export function evtBlock({ extremeTail }: Assessment): EvtBlock | null {
  if (extremeTail === null) return null;
  return {
    var_99_9: toPct(extremeTail.var999),
    expected_shortfall_99_9: toPct(extremeTail.expectedShortfall999),
  };
}

export function regimeBlock({ regime }: Assessment): RegimeBlock | null {
  return regime === null ? null : { state: regime.state, confidence: rounded(regime.confidence) };
}

/** "Equity" of the asset: its closes. */
export function drawdownBlock({ drawdown, suggestedStopFraction }: Assessment): DrawdownBlock | null {
  if (drawdown === null || suggestedStopFraction === null) return null;
  return {
    max_drawdown_pct: toPct(drawdown.maxDrawdownFraction),
    current_drawdown_pct: toPct(drawdown.currentDrawdownFraction),
    peak_equity: rounded(drawdown.peakPrice),
    trough_equity: rounded(drawdown.troughPrice),
    drawdown_duration_hours: rounded(drawdown.durationHours),
    calmar_ratio: roundedOrNull(drawdown.calmarRatio),
    trailing_stop_distance_pct: toPct(drawdown.trailingStopFraction),
    suggested_stop_loss_pct: toPct(suggestedStopFraction),
  };
}
