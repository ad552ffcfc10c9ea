import type { MonitoredPosition, MonitorResponse } from "../contracts/generated/types.ts";
import type { WalletAddress } from "../domain/ids.ts";
import type { AccountAssessment, PositionAssessment } from "../risk/assess-account.ts";
import type { Encoded } from "./encoded.ts";
import { inPct } from "./units.ts";

/** One position is a portfolio without a joint risk to speak of. */
const PORTFOLIO_POSITIONS_MIN = 2;

/** An account as it stands, to be written when its answer is sent. */
export interface MonitorAnswer {
  readonly wallet: WalletAddress;
  readonly assessment: AccountAssessment;
  readonly stateAgeMs: number;
}

type MonitorEncoding = Encoded<
  MonitorResponse,
  {
    readonly flags: readonly string[];
    readonly positions: readonly PositionAssessment[];
    readonly portfolio_risk: NonNullable<AccountAssessment["portfolio"]> | undefined;
    readonly portfolio_stress: NonNullable<AccountAssessment["portfolioStress"]> | undefined;
    readonly portfolio_attribution: NonNullable<AccountAssessment["portfolio"]>["assessment"] | undefined;
  }
>;

/** Every position is listed, those that cannot be priced with their entry price and flags. */
export function monitorResponse({ wallet, assessment, stateAgeMs }: MonitorAnswer): MonitorEncoding {
  const { margin, flags, positions, portfolio, portfolioStress } = assessment;
  return {
    wallet,
    account_value: margin.accountValueUsd,
    total_margin_used: margin.totalMarginUsedUsd,
    positions,
    flags,
    portfolio_risk: portfolio !== null && positions.length >= PORTFOLIO_POSITIONS_MIN ? portfolio : undefined,
    portfolio_stress: portfolioStress ?? undefined,
    portfolio_attribution: portfolio?.assessment,
    state_age_ms: stateAgeMs,
  };
}

type PositionEncoding = Encoded<
  MonitoredPosition,
  { readonly flags: readonly string[]; readonly var: PositionAssessment }
>;

/** Distance 100 where no positive price liquidates the position. */
export function monitoredPosition(assessed: PositionAssessment): PositionEncoding {
  const { position, score } = assessed;
  return {
    asset: position.ticker,
    size: position.sizeBase,
    entry_price: position.entryPrice,
    mark_price: assessed.markPrice,
    unrealized_pnl: assessed.unrealisedPnlUsd,
    unrealized_pnl_pct: inPct(assessed.unrealisedPnlOfMarginFraction),
    risk_score: score.displayed,
    recommendation: score.recommendation,
    flags: score.flags,
    liquidation_distance_pct: inPct(assessed.liquidation.distanceFraction),
    funding_drag_24h_pct: inPct(assessed.fundingDrag24hOfMarginFraction),
    var: assessed,
  };
}
