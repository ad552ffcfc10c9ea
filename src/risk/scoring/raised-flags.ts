import { FLAG_RULES as RULES, type FlagName } from "./flags.ts";
import type { RiskFacts } from "./risk-facts.ts";

/**
 * The flags whose condition holds, in the order of the table. Rule by rule: a loop over the table would call each
 * predicate through a pointer, three times as dear.
 */
export function raisedFlags(facts: RiskFacts): FlagName[] {
  const raised: FlagName[] = [];
  if (RULES.extreme_slippage.isRaised(facts)) raised.push("extreme_slippage");
  if (RULES.near_liquidation.isRaised(facts)) raised.push("near_liquidation");
  if (RULES.near_backstop.isRaised(facts)) raised.push("near_backstop");
  if (RULES.oi_at_cap.isRaised(facts)) raised.push("oi_at_cap");
  if (RULES.thin_book.isRaised(facts)) raised.push("thin_book");
  if (RULES.high_slippage.isRaised(facts)) raised.push("high_slippage");
  if (RULES.high_leverage.isRaised(facts)) raised.push("high_leverage");
  if (RULES.above_tier_leverage.isRaised(facts)) raised.push("above_tier_leverage");
  if (RULES.adl_risk.isRaised(facts)) raised.push("adl_risk");
  if (RULES.partial_liquidation.isRaised(facts)) raised.push("partial_liquidation");
  if (RULES.funding_anomaly.isRaised(facts)) raised.push("funding_anomaly");
  if (RULES.funding_expensive.isRaised(facts)) raised.push("funding_expensive");
  if (RULES.cex_funding_divergence.isRaised(facts)) raised.push("cex_funding_divergence");
  if (RULES.high_impact.isRaised(facts)) raised.push("high_impact");
  if (RULES.low_volume.isRaised(facts)) raised.push("low_volume");
  if (RULES.high_var.isRaised(facts)) raised.push("high_var");
  if (RULES.oi_near_cap.isRaised(facts)) raised.push("oi_near_cap");
  if (RULES.concentration_risk.isRaised(facts)) raised.push("concentration_risk");
  if (RULES.correlated_exposure.isRaised(facts)) raised.push("correlated_exposure");
  if (RULES.stressed_market.isRaised(facts)) raised.push("stressed_market");
  if (RULES.insufficient_margin.isRaised(facts)) raised.push("insufficient_margin");
  if (RULES.below_min_order.isRaised(facts)) raised.push("below_min_order");
  if (RULES.stale_market_data.isRaised(facts)) raised.push("stale_market_data");
  if (RULES.stale_wallet_state.isRaised(facts)) raised.push("stale_wallet_state");
  if (RULES.collateral_unknown.isRaised(facts)) raised.push("collateral_unknown");
  if (RULES.unpriced_position.isRaised(facts)) raised.push("unpriced_position");
  if (RULES.risk_model_unavailable.isRaised(facts)) raised.push("risk_model_unavailable");
  if (RULES.unified_account.isRaised(facts)) raised.push("unified_account");
  if (RULES.limited_history.isRaised(facts)) raised.push("limited_history");
  if (RULES.new_listing.isRaised(facts)) raised.push("new_listing");
  if (RULES.close_without_position.isRaised(facts)) raised.push("close_without_position");
  if (RULES.close_exceeds_position.isRaised(facts)) raised.push("close_exceeds_position");
  return raised;
}
