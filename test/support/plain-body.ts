import type {
  BatchResponse,
  MonitorResponse,
  ValidateResponse,
} from "../../src/contracts/generated/types.ts";
import type { Assessment } from "../../src/risk/assessment.ts";
import { type BatchResult, batchResponse } from "../../src/response/batch-body.ts";
import {
  drawdownBlock,
  evtBlock,
  monteCarloBlock,
  regimeBlock,
  varBlock,
  volatilityForecast,
} from "../../src/response/distribution-blocks.ts";
import { explainedComponent, explanation, nextBetterBand } from "../../src/response/explanation-body.ts";
import { type MonitorAnswer, monitoredPosition, monitorResponse } from "../../src/response/monitor-body.ts";
import {
  attributionEntry,
  portfolioAttribution,
  portfolioMonteCarlo,
  portfolioMonteCarloPosition,
  portfolioRisk,
  portfolioStress,
  tailDependenceEntry,
} from "../../src/response/portfolio-blocks.ts";
import {
  costAnalysis,
  feesBlock,
  fundingBlock,
  greeksBlock,
  impactBlock,
  liquidationBlock,
  oiBlock,
  sizingBlock,
  slippageBlock,
  stressEntry,
} from "../../src/response/trade-blocks.ts";
import { rounded } from "../../src/response/units.ts";
import { metaBlock, type ValidateAnswer, validateResponse } from "../../src/response/validate-body.ts";

/**
 * The slow twin of the writers: whole bodies, put together by hand in the order of the specification, their numbers
 * rounded, for JSON.stringify.
 */
export function plainValidate(answer: ValidateAnswer): ValidateResponse {
  const of = validateResponse(answer);
  return roundedCopy<ValidateResponse>({
    risk_score: of.risk_score,
    recommendation: of.recommendation,
    flags: [...of.flags],
    slippage: slippageBlock(of.slippage),
    liquidation: liquidationBlock(of.liquidation),
    funding: fundingBlock(of.funding),
    impact: impactBlock(of.impact),
    var: plainVar(of.var),
    oi: oiBlock(of.oi),
    stress: Array.from({ length: of.stress.length }, (_, i) => stressEntry(of.stress.columns, i)),
    ...(of.portfolio_risk && { portfolio_risk: plainPortfolioRisk(of.portfolio_risk) }),
    ...(of.portfolio_stress && { portfolio_stress: portfolioStress(of.portfolio_stress) }),
    fees: feesBlock(of.fees),
    cost_analysis: costAnalysis(of.cost_analysis),
    sizing: orNull(of.sizing, sizingBlock),
    ...(of.monte_carlo !== undefined && { monte_carlo: orNull(of.monte_carlo, monteCarloBlock) }),
    evt: orNull(of.evt, evtBlock),
    greeks: greeksBlock(of.greeks),
    regime: orNull(of.regime, regimeBlock),
    drawdown: orNull(of.drawdown, drawdownBlock),
    ...(of.portfolio_attribution && { portfolio_attribution: plainAttribution(of.portfolio_attribution) }),
    ...(of.explanation && { explanation: plainExplanation(of.explanation) }),
    meta: metaBlock(of.meta),
    model_version: of.model_version,
  });
}

export function plainBatch(results: readonly BatchResult[]): BatchResponse {
  return {
    results: batchResponse(results).results.map((result) =>
      "assessment" in result ? plainValidate(result) : result,
    ),
  };
}

export function plainMonitor(answer: MonitorAnswer): MonitorResponse {
  const {
    portfolio_risk: risk,
    portfolio_stress: stress,
    portfolio_attribution: attribution,
    ...rest
  } = monitorResponse(answer);
  return roundedCopy<MonitorResponse>({
    wallet: rest.wallet,
    account_value: rest.account_value,
    total_margin_used: rest.total_margin_used,
    positions: rest.positions.map((assessed) => {
      const { flags, ...position } = monitoredPosition(assessed);
      const { asset, size, entry_price, mark_price, unrealized_pnl, unrealized_pnl_pct } = position;
      const { risk_score, recommendation, liquidation_distance_pct, funding_drag_24h_pct } = position;
      return {
        asset,
        size,
        entry_price,
        mark_price,
        unrealized_pnl,
        unrealized_pnl_pct,
        risk_score,
        recommendation,
        flags: [...flags],
        liquidation_distance_pct,
        funding_drag_24h_pct,
        var: plainVar(assessed),
      };
    }),
    flags: [...rest.flags],
    ...(risk && { portfolio_risk: plainPortfolioRisk(risk) }),
    ...(stress && { portfolio_stress: portfolioStress(stress) }),
    ...(attribution && { portfolio_attribution: plainAttribution(attribution) }),
    ...(rest.state_age_ms !== undefined && { state_age_ms: rest.state_age_ms }),
  });
}

function plainVar(facts: Parameters<typeof varBlock>[0]): ValidateResponse["var"] {
  const block = varBlock(facts);
  return { ...block, volatility_forecast: orNull(block.volatility_forecast, volatilityForecast) };
}

function plainPortfolioRisk(
  facts: NonNullable<Assessment["portfolioRisk"]>,
): NonNullable<ValidateResponse["portfolio_risk"]> {
  const { monte_carlo: simulated, tail_dependence: pairs, ...block } = portfolioRisk(facts);
  return {
    ...block,
    monte_carlo: orNull(simulated, (of) => ({
      ...portfolioMonteCarlo(of),
      positions: portfolioMonteCarlo(of).positions.map(portfolioMonteCarloPosition),
    })),
    tail_dependence: pairs?.map(tailDependenceEntry) ?? null,
  };
}

function plainAttribution(
  facts: NonNullable<Assessment["portfolioAttribution"]>,
): NonNullable<ValidateResponse["portfolio_attribution"]> {
  const block = portfolioAttribution(facts);
  return { ...block, positions: block.positions.map(attributionEntry) };
}

function plainExplanation(
  facts: NonNullable<Assessment["explanation"]>,
): NonNullable<ValidateResponse["explanation"]> {
  const block = explanation(facts);
  return {
    ...block,
    components: block.components.map(explainedComponent),
    next_better_band: orNull(block.next_better_band, nextBetterBand),
  };
}

function orNull<From, To>(from: From | null, encode: (from: From) => To): To | null {
  return from === null ? null : encode(from);
}

/** Through JSON, so that what is not finite is null. */
function roundedCopy<Body>(body: Body): Body {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === "number" ? rounded(value) : value,
  );
  return JSON.parse(text) as Body;
}
