import type { WalletState } from "../domain/account.ts";
import type { Direction } from "../domain/trade.ts";
import type { AccountMargin } from "./account-margin.ts";
import type { AccountRisk } from "./account-risk.ts";
import type { AssetView } from "./asset-view.ts";
import type {
  DrawdownAssessment,
  FundingAssessment,
  LiquidationAssessment,
  PortfolioRisk,
} from "./assessment.ts";
import { costOf, type Cost } from "./cost.ts";
import { suggestedStopFraction } from "./drawdown.ts";
import { agentPaysFunding, annualisedFundingFraction } from "./funding.ts";
import { type Greeks, greeksOf } from "./greeks.ts";
import { liquidationWith } from "./liquidation.ts";
import {
  portfolioDependence,
  type PortfolioAssessment,
  type ScenarioAccess,
} from "./portfolio-assessment.ts";
import { type PortfolioStress, worstPortfolioStress } from "./portfolio-stress.ts";
import type { ResolvedTrade } from "./resolved-trade.ts";
import { type Slippage, slippageFractionOf } from "./slippage.ts";
import { STRESS_SCENARIOS } from "./stress-scenarios.ts";
import { touchProbabilitiesOf } from "./touch-probability.ts";
import type { AppliedTrade } from "./trade-application.ts";
import type { CarriedTrade, TradeSetting } from "./trade-setting.ts";
import type { ValueAtRisk } from "./var.ts";
import { HOURS_PER_YEAR } from "./volatility/term-structure.ts";

/** The order that would leave the described side. */
export function exitDirectionOf(trade: ResolvedTrade): Direction {
  return trade.exposureDirection === 1 ? -1 : 1;
}

export function liquidationAssessment(carried: CarriedTrade, account: AccountRisk): LiquidationAssessment {
  const { trade, applied, liquidation } = carried;
  const onlyReduces = trade.isClose || (applied.closedBase > 0 && applied.openedBase === 0);
  // Field by field: a spread costs more than the rest of the block.
  return {
    marginMode: liquidation.marginMode,
    sizeBase: liquidation.sizeBase,
    markPrice: liquidation.markPrice,
    notionalUsd: liquidation.notionalUsd,
    liquidationPrice: liquidation.liquidationPrice,
    backstopPrice: liquidation.backstopPrice,
    distanceFraction: liquidation.distanceFraction,
    isLiquidatable: liquidation.isLiquidatable,
    poolEquityUsd: liquidation.poolEquityUsd,
    poolMaintenanceUsd: liquidation.poolMaintenanceUsd,
    backstopRatio: liquidation.backstopRatio,
    poolNotionalUsd: liquidation.poolNotionalUsd,
    effectiveLeverage: liquidation.effectiveLeverage,
    marginUsedFraction: liquidation.marginUsedFraction,
    mode: onlyReduces ? "close" : liquidation.marginMode,
    probability24h: account.touch.liquidation,
    adverseProbability24h: account.touch.adverse,
  };
}

export function fundingAssessment(asset: AssetView, trade: ResolvedTrade): FundingAssessment {
  const { funding } = asset;
  return {
    rateHourly: funding.rateHourly,
    meanHourly: funding.meanHourly,
    persistence: funding.persistence,
    zScore: funding.zScore,
    cexRateHourly: funding.cexRateHourly,
    cexRatio: funding.cexRatio,
    drag24hFraction: funding.drag24hFraction,
    historyHours: funding.historyHours,
    annualisedFraction: annualisedFundingFraction(funding.rateHourly),
    agentPays: agentPaysFunding(funding.rateHourly, trade.exposureDirection),
  };
}

/** Costs of entering and leaving; the exit walks the other side of the same book. */
export function tradeCost(setting: TradeSetting, carried: CarriedTrade): Cost {
  const { trade, liquidity, impact } = carried;
  const back: Direction = trade.direction === 1 ? -1 : 1;
  return costOf({
    entrySlippageFraction: liquidity.slippage.costFraction,
    exitSlippageFraction: slippageFractionOf(setting.market, back, trade.notionalUsd),
    halfSpreadFraction: liquidity.slippage.halfSpreadFraction,
    impactFraction: impact.impactFraction,
    takerFeeFraction: setting.takerFeeFraction,
    leverage: trade.leverage,
    fundingDrag24hFraction: trade.exposureDirection * setting.asset.funding.drag24hFraction,
  });
}

export function tradeGreeks(
  asset: AssetView,
  { trade, liquidation }: CarriedTrade,
  risk: ValueAtRisk | null,
  cost: Cost,
): Greeks {
  const { markPrice } = asset.context;
  return greeksOf({
    sizeBase: (trade.exposureDirection * trade.notionalUsd) / markPrice,
    notionalUsd: trade.notionalUsd,
    markPrice,
    liquidationPrice: liquidation.liquidationPrice,
    expectedShortfall99Usd: risk === null ? null : risk.at24h.expectedShortfall99 * trade.notionalUsd,
    sigmaAnnual: asset.volatility?.sigmas.sigma1dAnnual ?? null,
    longFundingDrag24hFraction: asset.funding.drag24hFraction,
    exitCostFraction: cost.exitFraction,
  });
}

export function drawdownAssessment(
  asset: AssetView,
  liquidation: LiquidationAssessment,
  slippage: Slippage,
): DrawdownAssessment | null {
  const { drawdown } = asset;
  if (drawdown === null) return null;
  const sigma4h = (asset.volatility?.sigmas.sigma4hAnnual ?? 0) * Math.sqrt(4 / HOURS_PER_YEAR);
  return {
    maxDrawdownFraction: drawdown.maxDrawdownFraction,
    currentDrawdownFraction: drawdown.currentDrawdownFraction,
    peakPrice: drawdown.peakPrice,
    troughPrice: drawdown.troughPrice,
    durationHours: drawdown.durationHours,
    calmarRatio: drawdown.calmarRatio,
    atrFraction: drawdown.atrFraction,
    trailingStopFraction: drawdown.trailingStopFraction,
    suggestedStopFraction: suggestedStopFraction(
      liquidation.distanceFraction,
      sigma4h,
      slippage.halfSpreadFraction,
    ),
  };
}

/** An account that the trade left without positions loses nothing in any scenario. */
export function portfolioStressAfter(applied: AppliedTrade, viewOf: TradeSetting["viewOf"]): PortfolioStress {
  return (
    worstPortfolioStress(applied.account, viewOf) ?? {
      scenario: STRESS_SCENARIOS[0]!,
      totalPnlUsd: 0,
      totalPnlFraction: 0,
      totalFundingFraction: 0,
      accountSurvives: true,
      positionsLiquidated: 0,
    }
  );
}

export function portfolioRiskOf(
  account: WalletState,
  margin: AccountMargin,
  viewOf: TradeSetting["viewOf"],
  portfolio: PortfolioAssessment,
  scenarios: ScenarioAccess | null,
): PortfolioRisk {
  let worst = portfolio.crossLiquidationProbability;
  for (const position of account.positions) {
    const view = viewOf(position.ticker);
    if (position.marginMode === "cross" || view === undefined) continue;
    const liquidation = liquidationWith(account, position.ticker, viewOf, margin);
    const { liquidation: probability } = touchProbabilitiesOf(
      view.tails,
      liquidation,
      view.funding.drag24hFraction,
    );
    if (probability !== null) worst = Math.max(worst ?? 0, probability);
  }
  return {
    ...portfolio,
    tailDependence: portfolioDependence(portfolio, scenarios),
    liquidationProbability: worst,
  };
}
