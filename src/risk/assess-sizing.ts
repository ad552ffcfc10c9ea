import type { ProposedTrade } from "../domain/trade.ts";
import { type AccountRisk, accountShortfall99Usd, holdsOthers, ownShortfall99Usd } from "./account-risk.ts";
import { SCORE, SIZING_LIMITS } from "./calibration.ts";
import type { ScenarioAccess } from "./portfolio-assessment.ts";
import { rampValue } from "./scoring/ramp.ts";
import { riskScore } from "./scoring/score.ts";
import { type Sizing, sizingOf } from "./sizing.ts";
import { tradeFacts } from "./trade-facts.ts";
import { carryOut, type CarriedTrade, type TradeSetting } from "./trade-setting.ts";

/**
 * How large the trade could safely be, everything else as asked. Other sizes are carried out on the account like the
 * trade itself; only the joint shortfall is read from three sizes and straight lines between them.
 */
export function sizingOfTrade(
  setting: TradeSetting,
  proposed: ProposedTrade,
  carried: CarriedTrade,
  accountRisk: AccountRisk,
  scenarios: ScenarioAccess | null,
): Sizing {
  const { asset, market } = setting;
  const { trade, applied } = carried;
  const freeMarginUsd = applied.marginBefore.freeMarginUsd;
  const carriedAt = (notionalUsd: number): CarriedTrade => carryOut(setting, { ...proposed, notionalUsd });
  const shortfallAt = shortfallSource(setting, carried, accountRisk, freeMarginUsd, carriedAt, scenarios);
  const riskAt = (candidate: CarriedTrade): AccountRisk => ({
    expectedShortfall99Usd: shortfallAt(candidate),
    touch: candidate.touch,
    correlation: accountRisk.correlation,
  });
  const scoreMax = SCORE.proceedMax.value - SIZING_LIMITS.scoreMargin.value;
  return sizingOf({
    market,
    direction: trade.direction,
    sigmaHour: asset.volatility?.sigmaHour ?? null,
    openInterest: asset.openInterest,
    freeMarginUsd,
    leverage: trade.leverage,
    notionalMaxUsd: SIZING_LIMITS.notionalMaxUsd.value,
    isAccountRiskAccepted: (notionalUsd) => isAccountRiskAccepted(carriedAt(notionalUsd), shortfallAt),
    isScoreAccepted: (notionalUsd) => {
      const candidate = carriedAt(notionalUsd);
      return riskScore(tradeFacts(setting, candidate, riskAt(candidate))).score <= scoreMax;
    },
  });
}

/** P(liquidation in 24 h) and the shortfall of the account over its value within their limits; unknown is not. */
function isAccountRiskAccepted(
  candidate: CarriedTrade,
  shortfallAt: (candidate: CarriedTrade) => number | null,
): boolean {
  const { touch, applied } = candidate;
  if (touch.liquidation === null || touch.liquidation > SIZING_LIMITS.liquidationProbabilityMax.value) {
    return false;
  }
  const shortfallUsd = shortfallAt(candidate);
  return (
    shortfallUsd !== null &&
    shortfallUsd <= SIZING_LIMITS.shortfallOfEquityMax.value * applied.margin.accountValueUsd
  );
}

/**
 * Expected shortfall of the account by the size of the trade: a lookup when it holds nothing else, else the exact
 * values at 0, the asked and the largest affordable size, straight between. It is convex in the size, so the lines
 * lie on the safe side.
 */
function shortfallSource(
  setting: TradeSetting,
  carried: CarriedTrade,
  accountRisk: AccountRisk,
  freeMarginUsd: number,
  carriedAt: (notionalUsd: number) => CarriedTrade,
  scenarios: ScenarioAccess | null,
): (candidate: CarriedTrade) => number | null {
  const { asset, account, viewOf } = setting;
  if (asset.tails === null) return () => null;
  if (!holdsOthers(account, asset.listing.ticker)) {
    return (candidate) => ownShortfall99Usd(asset, candidate.liquidation);
  }
  const { notionalUsd, leverage } = carried.trade;
  const exactUsd = accountRisk.expectedShortfall99Usd ?? 0;
  const knots: [sizeUsd: number, shortfallUsd: number][] = [
    [0, accountShortfall99Usd(account, viewOf, scenarios)],
    [notionalUsd, exactUsd],
  ];
  const largestUsd = Math.min(SIZING_LIMITS.notionalMaxUsd.value, Math.max(0, freeMarginUsd) * leverage);
  if (largestUsd > notionalUsd) {
    const { account: largestAccount } = carriedAt(largestUsd).applied;
    knots.push([largestUsd, accountShortfall99Usd(largestAccount, viewOf, scenarios)]);
  }
  const curve = { at: knots.map(([at]) => at), value: knots.map(([, value]) => value) };
  return (candidate) => rampValue(curve, candidate.trade.notionalUsd);
}
