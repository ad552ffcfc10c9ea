import type { Position, WalletState } from "../domain/account.ts";
import type { Ticker } from "../domain/ids.ts";
import { directionOf, oppositeOf } from "../domain/trade.ts";
import { accountMarginOf, type AccountMargin } from "./margin/account-margin.ts";
import { accountRiskAfter } from "./trade/account-risk.ts";
import { portfolioRiskOf } from "./assess-blocks.ts";
import type { PortfolioRisk } from "./assessment.ts";
import type { AssetView } from "./asset-view.ts";
import { stressedExitOf } from "./liquidity/exit-cost.ts";
import { withImpliedCollateral } from "./margin/implied-collateral.ts";
import { type LiquidationFacts, liquidationOf } from "./margin/liquidation.ts";
import { assessPortfolio, type PortfolioAssessment } from "./portfolio/portfolio-assessment.ts";
import type { ScenarioAccess } from "./portfolio/scenario-access.ts";
import { type PortfolioStress, stressedAccountOf, worstPortfolioStress } from "./stress/portfolio-stress.ts";
import type { LiquidityRegimeFacts } from "./regime/liquidity-regime.ts";
import type { RiskFacts } from "./scoring/risk-facts.ts";
import type { FlagName } from "./scoring/flags.ts";
import { riskScore, type RiskScore } from "./scoring/score.ts";
import { tradeFacts, unknownAssetFacts } from "./trade/trade-facts.ts";
import { holdPosition, tradeSetting } from "./trade/trade-setting.ts";
import { type ValueAtRisk, valueAtRisk } from "./tails/var.ts";
import type { VolatilityFacts } from "./volatility/volatility-facts.ts";

/** What is known of an open position: how it stands, and what holding it risks. */
export interface PositionAssessment {
  readonly position: Position;
  readonly markPrice: number;
  readonly unrealisedPnlUsd: number;
  /** Of the position's initial margin at entry. */
  readonly unrealisedPnlOfMarginFraction: number;
  readonly score: RiskScore;
  readonly liquidation: LiquidationFacts;
  /** Expected funding of the next 24 hours over margin; negative is received, 0 when the asset is not known. */
  readonly fundingDrag24hOfMarginFraction: number;
  /** Null without tails. */
  readonly valueAtRisk: ValueAtRisk | null;
  readonly volatility: VolatilityFacts | null;
  readonly regime: LiquidityRegimeFacts | null;
}

export interface AccountAssessment {
  readonly margin: AccountMargin;
  /** What is not known of the account itself: without positions nothing else says so. */
  readonly flags: readonly FlagName[];
  /** One per open position, those of unknown assets included. */
  readonly positions: readonly PositionAssessment[];
  /** Null without positions. */
  readonly portfolio: PortfolioRisk | null;
  readonly portfolioStress: PortfolioStress | null;
}

export interface AccountInput {
  readonly account: WalletState;
  readonly viewOf: (ticker: Ticker) => AssetView | undefined;
  readonly scenarios: ScenarioAccess | null;
  readonly isMarketStale: (ticker: Ticker) => boolean;
  readonly isWalletStale: boolean;
}

/** Every open position, and all of them together, as they stand: the score is that of holding on. */
export function assessAccount(given: AccountInput): AccountAssessment {
  const input = { ...given, account: withImpliedCollateral(given.account, given.viewOf) };
  const { account, viewOf, scenarios } = input;
  const margin = accountMarginOf(account, viewOf);
  const flags = accountFlagsOf(input);
  if (account.positions.length === 0) {
    return { margin, flags, positions: [], portfolio: null, portfolioStress: null };
  }
  const portfolio = assessPortfolio(account, margin, viewOf, scenarios);
  return {
    margin,
    flags,
    positions: account.positions.map((position) => assessPosition(input, margin, portfolio, position)),
    portfolio: portfolioRiskOf(account, margin, viewOf, portfolio, scenarios),
    portfolioStress: worstPortfolioStress(stressedAccountOf(account, viewOf)),
  };
}

function accountFlagsOf({ account, isWalletStale }: AccountInput): readonly FlagName[] {
  const flags: FlagName[] = [];
  if (isWalletStale) flags.push("stale_wallet_state");
  if (!account.isCollateralKnown) flags.push("collateral_unknown");
  return flags;
}

/** One position of an account; its order costs are those of leaving it now. */
function assessPosition(
  input: AccountInput,
  margin: AccountMargin,
  portfolio: PortfolioAssessment,
  position: Position,
): PositionAssessment {
  const { account, viewOf } = input;
  const liquidation = liquidationOf(account, position.ticker, viewOf, margin);
  const { markPrice, notionalUsd } = liquidation;
  const entryMarginUsd = (Math.abs(position.sizeBase) * position.entryPrice) / position.leverage;
  const unrealisedPnlUsd = position.sizeBase * (markPrice - position.entryPrice);
  const standing = {
    position,
    markPrice,
    unrealisedPnlUsd,
    unrealisedPnlOfMarginFraction: unrealisedPnlUsd / entryMarginUsd,
    liquidation,
  };
  const asset = viewOf(position.ticker);
  if (asset === undefined) {
    return {
      ...standing,
      score: riskScore(unknownAssetFacts(account, position, liquidation, input.isWalletStale)),
      fundingDrag24hOfMarginFraction: 0,
      valueAtRisk: null,
      volatility: null,
      regime: null,
    };
  }
  const side = directionOf(position.sizeBase);
  const setting = tradeSetting(asset, account, margin, viewOf, {
    isWalletMissing: false,
    isMarketStale: input.isMarketStale(position.ticker),
    isWalletStale: input.isWalletStale,
  });
  const held = holdPosition(setting, position, liquidation);
  const accountRisk = accountRiskAfter(setting, held, portfolio, input.scenarios);
  const facts: RiskFacts = tradeFacts(setting, held, accountRisk);
  const exit = stressedExitOf(setting.market, setting.depth, asset.bookStatistics, oppositeOf(side));
  return {
    ...standing,
    score: riskScore(facts),
    fundingDrag24hOfMarginFraction: side * asset.funding.drag24hFraction * position.leverage,
    valueAtRisk:
      asset.tails === null
        ? null
        : valueAtRisk(asset.tails, side, notionalUsd, notionalUsd / position.leverage, exit),
    volatility: asset.volatility,
    regime: asset.liquidityRegime,
  };
}
