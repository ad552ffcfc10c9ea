import type {
  PortfolioAttribution,
  PortfolioMonteCarlo,
  PortfolioRisk,
  PortfolioStress,
} from "../contracts/generated/types.ts";
import type { PortfolioRisk as PortfolioRiskFacts } from "../risk/assessment.ts";
import type { PortfolioAssessment } from "../risk/portfolio-assessment.ts";
import type { PortfolioStress as PortfolioStressFacts } from "../risk/portfolio-stress.ts";
import { rounded, toPct, toPctOrNull } from "./units.ts";

export function portfolioRiskBlock(portfolio: PortfolioRiskFacts): PortfolioRisk {
  return {
    portfolio_var_99_24h: rounded(portfolio.tail.var99Usd),
    portfolio_es_99_24h: rounded(portfolio.tail.expectedShortfall99Usd),
    position_count: portfolio.positionCount,
    monte_carlo: portfolioMonteCarlo(portfolio),
    tail_dependence:
      portfolio.tailDependence?.map((pair) => ({
        asset_a: pair.tickerA,
        asset_b: pair.tickerB,
        lower_tail_lambda: rounded(pair.lowerTailLambda),
        upper_tail_lambda: rounded(pair.upperTailLambda),
        pearson_rho: rounded(pair.pearsonRho),
        degrees_of_freedom: rounded(pair.degreesOfFreedom),
      })) ?? null,
  };
}

/** Null without joint scenarios: then every position is charged in full and nothing was simulated. */
function portfolioMonteCarlo(portfolio: PortfolioRiskFacts): PortfolioMonteCarlo | null {
  const { tail, simulations, liquidationProbability } = portfolio;
  if (simulations === 0 || liquidationProbability === null) return null;
  return {
    simulations,
    var_95: rounded(tail.var95Usd),
    var_99: rounded(tail.var99Usd),
    es_95: rounded(tail.expectedShortfall95Usd),
    es_99: rounded(tail.expectedShortfall99Usd),
    liquidation_probability: rounded(liquidationProbability),
    positions: portfolio.positions.map((position) => ({
      asset: position.ticker,
      marginal_var_99: rounded(position.incrementalVarUsd),
      component_var_99: rounded(position.componentVarUsd),
    })),
  };
}

export function portfolioStressBlock(stress: PortfolioStressFacts): PortfolioStress {
  return {
    scenario: stress.scenario.id,
    total_pnl_usd: rounded(stress.totalPnlUsd),
    total_pnl_pct: toPct(stress.totalPnlFraction),
    total_funding_cost_pct: toPct(stress.totalFundingFraction),
    account_survives: stress.accountSurvives,
    positions_liquidated: stress.positionsLiquidated,
  };
}

export function attributionBlock(portfolio: PortfolioAssessment): PortfolioAttribution {
  return {
    total_var_99: rounded(portfolio.tail.var99Usd),
    diversification_benefit_pct: toPct(portfolio.diversificationBenefit),
    positions: portfolio.positions.map((position) => ({
      asset: position.ticker,
      marginal_var: rounded(position.incrementalVarUsd),
      component_var: rounded(position.componentVarUsd),
      component_var_pct: toPctOrNull(position.componentVarShare),
    })),
  };
}
