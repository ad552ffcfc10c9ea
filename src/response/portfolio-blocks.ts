import type {
  AttributionEntry,
  PortfolioAttribution,
  PortfolioMonteCarlo,
  PortfolioMonteCarloPosition,
  PortfolioRisk,
  PortfolioStress,
  TailDependenceEntry,
} from "../contracts/generated/types.ts";
import type { PortfolioRisk as PortfolioRiskFacts } from "../risk/assessment.ts";
import type { PairDependence } from "../risk/portfolio/dependence/pair-dependence.ts";
import type { AttributedPosition, PortfolioAssessment } from "../risk/portfolio/portfolio-assessment.ts";
import type { PortfolioStress as PortfolioStressFacts } from "../risk/stress/portfolio-stress.ts";
import type { Encoded } from "./encoded.ts";
import { inPct } from "./units.ts";

type RiskEncoding = Encoded<
  PortfolioRisk,
  {
    readonly monte_carlo: SimulatedRisk | null;
    readonly tail_dependence: readonly PairDependence[] | null;
  }
>;
interface LaterPositions {
  readonly positions: readonly AttributedPosition[];
}
type SimulatedRisk = PortfolioRiskFacts & { readonly liquidationProbability: number };

/** No simulation without joint scenarios: then every position is charged in full and nothing was simulated. */
export function portfolioRisk(risk: PortfolioRiskFacts): RiskEncoding {
  const { tail, positions } = risk.assessment;
  return {
    portfolio_var_99_24h: tail.var99Usd,
    portfolio_es_99_24h: tail.expectedShortfall99Usd,
    position_count: positions.length,
    monte_carlo: isSimulated(risk) ? risk : null,
    tail_dependence: risk.tailDependence,
  };
}

function isSimulated(risk: PortfolioRiskFacts): risk is SimulatedRisk {
  return risk.assessment.simulations !== 0 && risk.liquidationProbability !== null;
}

export function tailDependenceEntry(pair: PairDependence): TailDependenceEntry {
  return {
    asset_a: pair.tickerA,
    asset_b: pair.tickerB,
    lower_tail_lambda: pair.lowerTailLambda,
    upper_tail_lambda: pair.upperTailLambda,
    pearson_rho: pair.pearsonRho,
    degrees_of_freedom: pair.degreesOfFreedom,
  };
}

export function portfolioMonteCarlo(risk: SimulatedRisk): Encoded<PortfolioMonteCarlo, LaterPositions> {
  const { tail, simulations, positions } = risk.assessment;
  return {
    simulations,
    var_95: tail.var95Usd,
    var_99: tail.var99Usd,
    es_95: tail.expectedShortfall95Usd,
    es_99: tail.expectedShortfall99Usd,
    liquidation_probability: risk.liquidationProbability,
    positions,
  };
}

export function portfolioMonteCarloPosition(position: AttributedPosition): PortfolioMonteCarloPosition {
  return {
    asset: position.ticker,
    marginal_var_99: position.incrementalVarUsd,
    component_var_99: position.componentVarUsd,
  };
}

export function portfolioStress(stress: PortfolioStressFacts): PortfolioStress {
  return {
    scenario: stress.scenario.id,
    total_pnl_usd: stress.totalPnlUsd,
    total_pnl_pct: inPct(stress.totalPnlFraction),
    total_funding_cost_pct: inPct(stress.totalFundingFraction),
    account_survives: stress.accountSurvives,
    positions_liquidated: stress.positionsLiquidated,
  };
}

export function portfolioAttribution(
  portfolio: PortfolioAssessment,
): Encoded<PortfolioAttribution, LaterPositions> {
  return {
    total_var_99: portfolio.tail.var99Usd,
    diversification_benefit_pct: inPct(portfolio.diversificationBenefit),
    positions: portfolio.positions,
  };
}

export function attributionEntry(position: AttributedPosition): AttributionEntry {
  return {
    asset: position.ticker,
    marginal_var: position.incrementalVarUsd,
    component_var: position.componentVarUsd,
    component_var_pct: position.componentVarShare === null ? null : inPct(position.componentVarShare),
  };
}
