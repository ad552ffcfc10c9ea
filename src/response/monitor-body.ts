import type { MonitoredPosition, MonitorResponse } from "../contracts/generated/types.ts";
import type { WalletAddress } from "../domain/ids.ts";
import type { AccountAssessment, PositionAssessment } from "../risk/assess-account.ts";
import { varBlock } from "./distribution-blocks.ts";
import { attributionBlock, portfolioRiskBlock, portfolioStressBlock } from "./portfolio-blocks.ts";
import { rounded, toPct } from "./units.ts";

/** One position is a portfolio without a joint risk to speak of. */
const PORTFOLIO_POSITIONS_MIN = 2;

/** An account as it stands; every position is listed, those that cannot be priced with their entry price and flags. */
export function monitorBody(
  wallet: WalletAddress,
  { margin, positions, portfolio, portfolioStress }: AccountAssessment,
  stateAgeMs: number,
): MonitorResponse {
  return {
    wallet,
    account_value: rounded(margin.accountValueUsd),
    // An isolated position under water uses no margin of the account: it has lost its own.
    total_margin_used: rounded(Math.max(0, margin.totalMarginUsedUsd)),
    positions: positions.map(monitoredPosition),
    ...(portfolio !== null &&
      positions.length >= PORTFOLIO_POSITIONS_MIN && { portfolio_risk: portfolioRiskBlock(portfolio) }),
    ...(portfolioStress !== null && { portfolio_stress: portfolioStressBlock(portfolioStress) }),
    ...(portfolio !== null && { portfolio_attribution: attributionBlock(portfolio) }),
    state_age_ms: rounded(stateAgeMs),
  };
}

/** Distance 100 where no positive price liquidates the position. */
function monitoredPosition(assessed: PositionAssessment): MonitoredPosition {
  const { position, score } = assessed;
  return {
    asset: position.ticker,
    size: rounded(position.sizeBase),
    entry_price: rounded(position.entryPrice),
    mark_price: rounded(assessed.markPrice),
    unrealized_pnl: rounded(assessed.unrealisedPnlUsd),
    unrealized_pnl_pct: toPct(assessed.unrealisedPnlOfMarginFraction),
    risk_score: score.displayed,
    recommendation: score.recommendation,
    flags: [...score.flags],
    liquidation_distance_pct: toPct(assessed.liquidation.distanceFraction),
    funding_drag_24h_pct: toPct(assessed.fundingDrag24hOfMarginFraction),
    var: varBlock(assessed),
  };
}
