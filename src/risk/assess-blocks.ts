import type { MarginMode, WalletState } from "../domain/account.ts";
import { oppositeOf } from "../domain/trade.ts";
import type { AccountMargin } from "./margin/account-margin.ts";
import type { AssetView } from "./asset-view.ts";
import type { PortfolioRisk } from "./assessment.ts";
import { costOf, type Cost } from "./cost.ts";
import { suggestedStopFraction } from "./drawdown.ts";
import { type Greeks, greeksOf } from "./greeks.ts";
import { type LiquidationFacts, liquidationOf } from "./margin/liquidation.ts";
import { portfolioDependence, type PortfolioAssessment } from "./portfolio/portfolio-assessment.ts";
import {
  type PortfolioStress,
  type StressedAccount,
  worstPortfolioStress,
} from "./stress/portfolio-stress.ts";
import type { ScenarioAccess } from "./portfolio/scenario-access.ts";
import { type Slippage, slippageFractionOf } from "./liquidity/slippage.ts";
import type { StressedOrder } from "./stress/stress.ts";
import { STRESS_SCENARIOS } from "./stress/stress-scenarios.ts";
import { touchProbabilitiesOf } from "./trade/touch-probability.ts";
import { type CarriedTrade, fundedShareOf, type TradeSetting } from "./trade/trade-setting.ts";
import type { ValueAtRisk } from "./tails/var.ts";
import { HOURS_PER_YEAR } from "./volatility/term-structure.ts";

const SQRT_4H_OF_YEAR = Math.sqrt(4 / HOURS_PER_YEAR);

/** The margin mode of the position, or that the trade only reduces. */
export function liquidationModeOf({ trade, applied, liquidation }: CarriedTrade): MarginMode | "close" {
  const onlyReduces = trade.isClose || (applied.closedBase > 0 && applied.openedBase === 0);
  return onlyReduces ? "close" : liquidation.marginMode;
}

/** Costs of entering and leaving; the exit walks the other side of the same book. */
export function tradeCost(setting: TradeSetting, carried: CarriedTrade): Cost {
  const { trade, liquidity, impact } = carried;
  const back = oppositeOf(trade.direction);
  return costOf({
    entrySlippageFraction: liquidity.slippage.costFraction,
    exitSlippageFraction: slippageFractionOf(setting.market, back, trade.notionalUsd),
    impactFraction: impact.impactFraction,
    takerFeeFraction: setting.takerFeeFraction,
    leverage: trade.leverage,
    fundingDrag24hFraction:
      trade.exposureDirection * fundedShareOf(carried) * setting.asset.funding.drag24hFraction,
  });
}

/** The order as scenarios shock it. */
export function stressedOrderOf({ asset }: TradeSetting, carried: CarriedTrade): StressedOrder {
  const { exposureDirection, notionalUsd } = carried.trade;
  return {
    ticker: asset.listing.ticker,
    direction: exposureDirection,
    notionalUsd,
    heldShare: carried.heldShare,
  };
}

export function tradeGreeks(
  asset: AssetView,
  carried: CarriedTrade,
  risk: ValueAtRisk | null,
  cost: Cost,
): Greeks {
  const { trade, liquidation, heldShare } = carried;
  const { markPrice } = asset.context;
  return greeksOf({
    sizeBase: (trade.exposureDirection * trade.notionalUsd) / markPrice,
    notionalUsd: trade.notionalUsd,
    markPrice,
    leftBase: liquidation.sizeBase,
    liquidationPrice: liquidation.liquidationPrice,
    tail24h: risk?.at24h ?? null,
    sigmaAnnual: asset.volatility?.sigmas.sigma1dAnnual ?? null,
    longFundingDrag24hFraction: heldShare * asset.funding.drag24hFraction,
    // A close leaves by itself; an opening order will leave by the other side of the book.
    exitCostFraction: heldShare * (trade.isClose ? cost.entryFraction : cost.exitFraction),
  });
}

/** A stop outside the asset's noise and inside the liquidation; null without a drawdown. */
export function tradeStopFraction(
  asset: AssetView,
  liquidation: LiquidationFacts,
  slippage: Slippage,
): number | null {
  if (asset.drawdown === null) return null;
  const sigma4h = (asset.volatility?.sigmas.sigma4hAnnual ?? 0) * SQRT_4H_OF_YEAR;
  return suggestedStopFraction(liquidation.distanceFraction, sigma4h, slippage.halfSpreadFraction);
}

/** An account that the trade left without positions loses nothing in any scenario. */
export function portfolioStressAfter(stressed: StressedAccount): PortfolioStress {
  return (
    worstPortfolioStress(stressed) ?? {
      scenario: STRESS_SCENARIOS[0]!,
      totalPnlUsd: 0,
      totalPnlFraction: 0,
      totalFundingFraction: 0,
      accountSurvives: true,
      positionsLiquidated: 0,
    }
  );
}

/** The account after the trade; its probability of liquidation is that of its likeliest pool, null where none has one. */
export function portfolioRiskOf(
  account: WalletState,
  margin: AccountMargin,
  viewOf: TradeSetting["viewOf"],
  portfolio: PortfolioAssessment,
  scenarios: ScenarioAccess | null,
): PortfolioRisk {
  let worst = portfolio.crossTouch?.liquidation ?? null;
  for (const position of account.positions) {
    const view = viewOf(position.ticker);
    if (position.marginMode === "cross" || view === undefined) continue;
    const liquidation = liquidationOf(account, position.ticker, viewOf, margin);
    const { liquidation: probability } = touchProbabilitiesOf(view, liquidation);
    if (probability !== null) worst = Math.max(worst ?? 0, probability);
  }
  return {
    assessment: portfolio,
    tailDependence: portfolioDependence(portfolio, scenarios),
    liquidationProbability: worst,
  };
}
