import type { MarginMode } from "../domain/account.ts";
import type { ProposedTrade } from "../domain/trade.ts";
import { accountRiskAfter } from "./trade/account-risk.ts";
import { FLAG_THRESHOLDS } from "./scoring/flag-thresholds.ts";
import { assessPortfolio } from "./portfolio/portfolio-assessment.ts";
import type { ResolvedTrade } from "./trade/resolved-trade.ts";
import type { ScenarioAccess } from "./portfolio/scenario-access.ts";
import { type Explanation, explainScore } from "./scoring/explanation.ts";
import { findNextBetterBand } from "./scoring/next-better-band.ts";
import { type RiskScore, scoreOf } from "./scoring/score.ts";
import { standingFacts } from "./trade/standing-risk.ts";
import { carryOut, type TradeSetting } from "./trade/trade-setting.ts";

/** The score explained, with the smallest changes that would be judged better; each is assessed like a request. */
export function explainTrade(
  setting: TradeSetting,
  proposed: ProposedTrade,
  trade: ResolvedTrade,
  risk: RiskScore,
  scenarios: ScenarioAccess | null,
): Explanation {
  const search = {
    score: risk.score,
    notionalUsd: trade.notionalUsd,
    leverage: trade.leverage,
    otherMode: otherModeOf(setting, trade),
    smallestUsd: FLAG_THRESHOLDS.minOrderUsd.value,
    opposedUsd:
      Math.max(0, -trade.direction * (trade.position?.sizeBase ?? 0)) * setting.asset.context.markPrice,
    scoreOf: (notionalUsd: number, leverage: number, mode: MarginMode | null): number =>
      tradeScore(
        setting,
        { ...proposed, notionalUsd, leverage, marginMode: mode ?? trade.marginMode },
        scenarios,
      ),
  };
  return explainScore(risk, findNextBetterBand(search));
}

/** The score alone, as assess() would give it. */
function tradeScore(
  setting: TradeSetting,
  proposed: ProposedTrade,
  scenarios: ScenarioAccess | null,
): number {
  const carried = carryOut(setting, proposed);
  const { account, margin } = carried.applied;
  const portfolio =
    setting.account.positions.length === 0
      ? null
      : assessPortfolio(account, margin, setting.viewOf, scenarios, {
          ticker: setting.asset.listing.ticker,
          row: setting.asset.sheetRow,
          marginMode: carried.trade.marginMode,
          changesUsd: [],
        });
  const accountRisk = accountRiskAfter(setting, carried, portfolio, scenarios);
  return scoreOf(standingFacts(setting, proposed, carried, accountRisk, portfolio, scenarios));
}

/** An open position keeps its mode, and an isolated-only asset has no other. */
function otherModeOf({ asset }: TradeSetting, trade: ResolvedTrade): MarginMode | null {
  if (trade.position !== null || asset.listing.isIsolatedOnly) return null;
  return trade.marginMode === "cross" ? "isolated" : "cross";
}
