// Generated from schemas/ by scripts/generate-contracts.ts. Do not edit: run `npm run generate`.
import type { AttributionEntry, BatchResponse, CostAnalysis, DrawdownBlock, EvtBlock, ExplainedComponent, Explanation, FailedEntry, FailedEntryMeta, FeesBlock, FundingBlock, GreeksBlock, ImpactBlock, LiquidationBlock, MetaBlock, ModelVersion, MonitorResponse, MonitoredPosition, MonteCarloBlock, NextBetterBand, OiBlock, PortfolioAttribution, PortfolioMonteCarlo, PortfolioMonteCarloPosition, PortfolioRisk, PortfolioStress, RegimeBlock, SizingBlock, SlippageBlock, StressEntry, TailDependenceEntry, ValidateResponse, VarBlock, VolatilityForecast } from "../../contracts/generated/types.ts";
import { makeRoom, view, writeBoolean, writeNull, writeNumber, writeString } from "../json-bytes.ts";

export function writeValidateResponse(body: ValidateResponse, start: number): number {
  makeRoom(start);
  let at = start;
  // {"risk_score":
  view.setUint32(at, 0x6972227b, true);
  view.setUint32(at + 4, 0x735f6b73, true);
  view.setUint32(at + 8, 0x65726f63, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.risk_score, at);
  // ,"recommendation":
  view.setUint32(at, 0x6572222c, true);
  view.setUint32(at + 4, 0x6d6d6f63, true);
  view.setUint32(at + 8, 0x61646e65, true);
  view.setUint32(at + 12, 0x6e6f6974, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeString(body.recommendation, at);
  // ,"flags":
  view.setUint32(at, 0x6c66222c, true);
  view.setUint32(at + 4, 0x22736761, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.flags.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writeString(body.flags[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  // ,"slippage":
  view.setUint32(at, 0x6c73222c, true);
  view.setUint32(at + 4, 0x61707069, true);
  view.setUint32(at + 8, 0x3a226567, true);
  at += 12;
  at = writeSlippageBlock(body.slippage, at);
  // ,"liquidation":
  view.setUint32(at, 0x696c222c, true);
  view.setUint32(at + 4, 0x64697571, true);
  view.setUint32(at + 8, 0x6f697461, true);
  view.setUint32(at + 12, 0x3a226e, true);
  at += 15;
  at = writeLiquidationBlock(body.liquidation, at);
  // ,"funding":
  view.setUint32(at, 0x7566222c, true);
  view.setUint32(at + 4, 0x6e69646e, true);
  view.setUint32(at + 8, 0x3a2267, true);
  at += 11;
  at = writeFundingBlock(body.funding, at);
  // ,"impact":
  view.setUint32(at, 0x6d69222c, true);
  view.setUint32(at + 4, 0x74636170, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeImpactBlock(body.impact, at);
  // ,"var":
  view.setUint32(at, 0x6176222c, true);
  view.setUint32(at + 4, 0x3a2272, true);
  at += 7;
  at = writeVarBlock(body.var, at);
  // ,"oi":
  view.setUint32(at, 0x696f222c, true);
  view.setUint32(at + 4, 0x3a22, true);
  at += 6;
  at = writeOiBlock(body.oi, at);
  // ,"stress":
  view.setUint32(at, 0x7473222c, true);
  view.setUint32(at + 4, 0x73736572, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.stress.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writeStressEntry(body.stress[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  if (body.portfolio_risk !== undefined) {
    // ,"portfolio_risk":
    view.setUint32(at, 0x6f70222c, true);
    view.setUint32(at + 4, 0x6f667472, true);
    view.setUint32(at + 8, 0x5f6f696c, true);
    view.setUint32(at + 12, 0x6b736972, true);
    view.setUint32(at + 16, 0x3a22, true);
    at += 18;
    at = writePortfolioRisk(body.portfolio_risk, at);
  }
  if (body.portfolio_stress !== undefined) {
    // ,"portfolio_stress":
    view.setUint32(at, 0x6f70222c, true);
    view.setUint32(at + 4, 0x6f667472, true);
    view.setUint32(at + 8, 0x5f6f696c, true);
    view.setUint32(at + 12, 0x65727473, true);
    view.setUint32(at + 16, 0x3a227373, true);
    at += 20;
    at = writePortfolioStress(body.portfolio_stress, at);
  }
  // ,"fees":
  view.setUint32(at, 0x6566222c, true);
  view.setUint32(at + 4, 0x3a227365, true);
  at += 8;
  at = writeFeesBlock(body.fees, at);
  // ,"cost_analysis":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x615f7473, true);
  view.setUint32(at + 8, 0x796c616e, true);
  view.setUint32(at + 12, 0x22736973, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeCostAnalysis(body.cost_analysis, at);
  // ,"sizing":
  view.setUint32(at, 0x6973222c, true);
  view.setUint32(at + 4, 0x676e697a, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  if (body.sizing === null) at = writeNull(at);
  else {
    at = writeSizingBlock(body.sizing, at);
  }
  if (body.monte_carlo !== undefined) {
    // ,"monte_carlo":
    view.setUint32(at, 0x6f6d222c, true);
    view.setUint32(at + 4, 0x5f65746e, true);
    view.setUint32(at + 8, 0x6c726163, true);
    view.setUint32(at + 12, 0x3a226f, true);
    at += 15;
    if (body.monte_carlo === null) at = writeNull(at);
    else {
      at = writeMonteCarloBlock(body.monte_carlo, at);
    }
  }
  // ,"evt":
  view.setUint32(at, 0x7665222c, true);
  view.setUint32(at + 4, 0x3a2274, true);
  at += 7;
  if (body.evt === null) at = writeNull(at);
  else {
    at = writeEvtBlock(body.evt, at);
  }
  // ,"greeks":
  view.setUint32(at, 0x7267222c, true);
  view.setUint32(at + 4, 0x736b6565, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  if (body.greeks === null) at = writeNull(at);
  else {
    at = writeGreeksBlock(body.greeks, at);
  }
  // ,"regime":
  view.setUint32(at, 0x6572222c, true);
  view.setUint32(at + 4, 0x656d6967, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  if (body.regime === null) at = writeNull(at);
  else {
    at = writeRegimeBlock(body.regime, at);
  }
  // ,"drawdown":
  view.setUint32(at, 0x7264222c, true);
  view.setUint32(at + 4, 0x6f647761, true);
  view.setUint32(at + 8, 0x3a226e77, true);
  at += 12;
  if (body.drawdown === null) at = writeNull(at);
  else {
    at = writeDrawdownBlock(body.drawdown, at);
  }
  if (body.portfolio_attribution !== undefined) {
    // ,"portfolio_attribution":
    view.setUint32(at, 0x6f70222c, true);
    view.setUint32(at + 4, 0x6f667472, true);
    view.setUint32(at + 8, 0x5f6f696c, true);
    view.setUint32(at + 12, 0x72747461, true);
    view.setUint32(at + 16, 0x74756269, true);
    view.setUint32(at + 20, 0x226e6f69, true);
    view.setUint32(at + 24, 0x3a, true);
    at += 25;
    if (body.portfolio_attribution === null) at = writeNull(at);
    else {
      at = writePortfolioAttribution(body.portfolio_attribution, at);
    }
  }
  if (body.explanation !== undefined) {
    // ,"explanation":
    view.setUint32(at, 0x7865222c, true);
    view.setUint32(at + 4, 0x6e616c70, true);
    view.setUint32(at + 8, 0x6f697461, true);
    view.setUint32(at + 12, 0x3a226e, true);
    at += 15;
    at = writeExplanation(body.explanation, at);
  }
  // ,"meta":
  view.setUint32(at, 0x656d222c, true);
  view.setUint32(at + 4, 0x3a226174, true);
  at += 8;
  at = writeMetaBlock(body.meta, at);
  // ,"model_version":
  view.setUint32(at, 0x6f6d222c, true);
  view.setUint32(at + 4, 0x5f6c6564, true);
  view.setUint32(at + 8, 0x73726576, true);
  view.setUint32(at + 12, 0x226e6f69, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeModelVersion(body.model_version, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeSlippageBlock(body: SlippageBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"bps":
  view.setUint32(at, 0x7062227b, true);
  view.setUint32(at + 4, 0x3a2273, true);
  at += 7;
  if (body.bps === null) at = writeNull(at);
  else {
    at = writeNumber(body.bps, at);
  }
  // ,"fill_price":
  view.setUint32(at, 0x6966222c, true);
  view.setUint32(at + 4, 0x705f6c6c, true);
  view.setUint32(at + 8, 0x65636972, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  if (body.fill_price === null) at = writeNull(at);
  else {
    at = writeNumber(body.fill_price, at);
  }
  // ,"mid_price":
  view.setUint32(at, 0x696d222c, true);
  view.setUint32(at + 4, 0x72705f64, true);
  view.setUint32(at + 8, 0x22656369, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  if (body.mid_price === null) at = writeNull(at);
  else {
    at = writeNumber(body.mid_price, at);
  }
  // ,"depth_50bps":
  view.setUint32(at, 0x6564222c, true);
  view.setUint32(at + 4, 0x5f687470, true);
  view.setUint32(at + 8, 0x70623035, true);
  view.setUint32(at + 12, 0x3a2273, true);
  at += 15;
  at = writeNumber(body.depth_50bps, at);
  // ,"depth_100bps":
  view.setUint32(at, 0x6564222c, true);
  view.setUint32(at + 4, 0x5f687470, true);
  view.setUint32(at + 8, 0x62303031, true);
  view.setUint32(at + 12, 0x3a227370, true);
  at += 16;
  at = writeNumber(body.depth_100bps, at);
  // ,"bid_ask_imbalance":
  view.setUint32(at, 0x6962222c, true);
  view.setUint32(at + 4, 0x73615f64, true);
  view.setUint32(at + 8, 0x6d695f6b, true);
  view.setUint32(at + 12, 0x616c6162, true);
  view.setUint32(at + 16, 0x2265636e, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.bid_ask_imbalance, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeLiquidationBlock(body: LiquidationBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"price":
  view.setUint32(at, 0x7270227b, true);
  view.setUint32(at + 4, 0x22656369, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeNumber(body.price, at);
  // ,"distance_pct":
  view.setUint32(at, 0x6964222c, true);
  view.setUint32(at + 4, 0x6e617473, true);
  view.setUint32(at + 8, 0x705f6563, true);
  view.setUint32(at + 12, 0x3a227463, true);
  at += 16;
  at = writeNumber(body.distance_pct, at);
  // ,"margin_used_pct":
  view.setUint32(at, 0x616d222c, true);
  view.setUint32(at + 4, 0x6e696772, true);
  view.setUint32(at + 8, 0x6573755f, true);
  view.setUint32(at + 12, 0x63705f64, true);
  view.setUint32(at + 16, 0x3a2274, true);
  at += 19;
  at = writeNumber(body.margin_used_pct, at);
  // ,"effective_leverage":
  view.setUint32(at, 0x6665222c, true);
  view.setUint32(at + 4, 0x74636566, true);
  view.setUint32(at + 8, 0x5f657669, true);
  view.setUint32(at + 12, 0x6576656c, true);
  view.setUint32(at + 16, 0x65676172, true);
  view.setUint32(at + 20, 0x3a22, true);
  at += 22;
  at = writeNumber(body.effective_leverage, at);
  // ,"mode":
  view.setUint32(at, 0x6f6d222c, true);
  view.setUint32(at + 4, 0x3a226564, true);
  at += 8;
  at = writeString(body.mode, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeFundingBlock(body: FundingBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"funding_rate":
  view.setUint32(at, 0x7566227b, true);
  view.setUint32(at + 4, 0x6e69646e, true);
  view.setUint32(at + 8, 0x61725f67, true);
  view.setUint32(at + 12, 0x3a226574, true);
  at += 16;
  at = writeNumber(body.funding_rate, at);
  // ,"annualized_pct":
  view.setUint32(at, 0x6e61222c, true);
  view.setUint32(at + 4, 0x6c61756e, true);
  view.setUint32(at + 8, 0x64657a69, true);
  view.setUint32(at + 12, 0x7463705f, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeNumber(body.annualized_pct, at);
  // ,"vs_cex_divergence":
  view.setUint32(at, 0x7376222c, true);
  view.setUint32(at + 4, 0x7865635f, true);
  view.setUint32(at + 8, 0x7669645f, true);
  view.setUint32(at + 12, 0x65677265, true);
  view.setUint32(at + 16, 0x2265636e, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.vs_cex_divergence, at);
  // ,"direction":
  view.setUint32(at, 0x6964222c, true);
  view.setUint32(at + 4, 0x74636572, true);
  view.setUint32(at + 8, 0x226e6f69, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  at = writeString(body.direction, at);
  // ,"agent_pays":
  view.setUint32(at, 0x6761222c, true);
  view.setUint32(at + 4, 0x5f746e65, true);
  view.setUint32(at + 8, 0x73796170, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeBoolean(body.agent_pays, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeImpactBlock(body: ImpactBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"expected_bps":
  view.setUint32(at, 0x7865227b, true);
  view.setUint32(at + 4, 0x74636570, true);
  view.setUint32(at + 8, 0x625f6465, true);
  view.setUint32(at + 12, 0x3a227370, true);
  at += 16;
  at = writeNumber(body.expected_bps, at);
  // ,"participation_pct":
  view.setUint32(at, 0x6170222c, true);
  view.setUint32(at + 4, 0x63697472, true);
  view.setUint32(at + 8, 0x74617069, true);
  view.setUint32(at + 12, 0x5f6e6f69, true);
  view.setUint32(at + 16, 0x22746370, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.participation_pct, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeVarBlock(body: VarBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"pct_95_24h":
  view.setUint32(at, 0x6370227b, true);
  view.setUint32(at + 4, 0x35395f74, true);
  view.setUint32(at + 8, 0x6834325f, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  if (body.pct_95_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.pct_95_24h, at);
  }
  // ,"pct_99_24h":
  view.setUint32(at, 0x6370222c, true);
  view.setUint32(at + 4, 0x39395f74, true);
  view.setUint32(at + 8, 0x6834325f, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  if (body.pct_99_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.pct_99_24h, at);
  }
  // ,"dollar_95_24h":
  view.setUint32(at, 0x6f64222c, true);
  view.setUint32(at + 4, 0x72616c6c, true);
  view.setUint32(at + 8, 0x5f35395f, true);
  view.setUint32(at + 12, 0x22683432, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  if (body.dollar_95_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.dollar_95_24h, at);
  }
  // ,"dollar_99_24h":
  view.setUint32(at, 0x6f64222c, true);
  view.setUint32(at + 4, 0x72616c6c, true);
  view.setUint32(at + 8, 0x5f39395f, true);
  view.setUint32(at + 12, 0x22683432, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  if (body.dollar_99_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.dollar_99_24h, at);
  }
  // ,"lvar_95_24h":
  view.setUint32(at, 0x766c222c, true);
  view.setUint32(at + 4, 0x395f7261, true);
  view.setUint32(at + 8, 0x34325f35, true);
  view.setUint32(at + 12, 0x3a2268, true);
  at += 15;
  if (body.lvar_95_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.lvar_95_24h, at);
  }
  // ,"lvar_99_24h":
  view.setUint32(at, 0x766c222c, true);
  view.setUint32(at + 4, 0x395f7261, true);
  view.setUint32(at + 8, 0x34325f39, true);
  view.setUint32(at + 12, 0x3a2268, true);
  at += 15;
  if (body.lvar_99_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.lvar_99_24h, at);
  }
  // ,"pct_99_4h":
  view.setUint32(at, 0x6370222c, true);
  view.setUint32(at + 4, 0x39395f74, true);
  view.setUint32(at + 8, 0x2268345f, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  if (body.pct_99_4h === null) at = writeNull(at);
  else {
    at = writeNumber(body.pct_99_4h, at);
  }
  // ,"pct_99_7d":
  view.setUint32(at, 0x6370222c, true);
  view.setUint32(at + 4, 0x39395f74, true);
  view.setUint32(at + 8, 0x2264375f, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  if (body.pct_99_7d === null) at = writeNull(at);
  else {
    at = writeNumber(body.pct_99_7d, at);
  }
  // ,"dollar_99_4h":
  view.setUint32(at, 0x6f64222c, true);
  view.setUint32(at + 4, 0x72616c6c, true);
  view.setUint32(at + 8, 0x5f39395f, true);
  view.setUint32(at + 12, 0x3a226834, true);
  at += 16;
  if (body.dollar_99_4h === null) at = writeNull(at);
  else {
    at = writeNumber(body.dollar_99_4h, at);
  }
  // ,"dollar_99_7d":
  view.setUint32(at, 0x6f64222c, true);
  view.setUint32(at + 4, 0x72616c6c, true);
  view.setUint32(at + 8, 0x5f39395f, true);
  view.setUint32(at + 12, 0x3a226437, true);
  at += 16;
  if (body.dollar_99_7d === null) at = writeNull(at);
  else {
    at = writeNumber(body.dollar_99_7d, at);
  }
  // ,"es_95_24h":
  view.setUint32(at, 0x7365222c, true);
  view.setUint32(at + 4, 0x5f35395f, true);
  view.setUint32(at + 8, 0x22683432, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  if (body.es_95_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.es_95_24h, at);
  }
  // ,"es_99_24h":
  view.setUint32(at, 0x7365222c, true);
  view.setUint32(at + 4, 0x5f39395f, true);
  view.setUint32(at + 8, 0x22683432, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  if (body.es_99_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.es_99_24h, at);
  }
  // ,"margin_var_99_pct":
  view.setUint32(at, 0x616d222c, true);
  view.setUint32(at + 4, 0x6e696772, true);
  view.setUint32(at + 8, 0x7261765f, true);
  view.setUint32(at + 12, 0x5f39395f, true);
  view.setUint32(at + 16, 0x22746370, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  if (body.margin_var_99_pct === null) at = writeNull(at);
  else {
    at = writeNumber(body.margin_var_99_pct, at);
  }
  // ,"volatility_regime":
  view.setUint32(at, 0x6f76222c, true);
  view.setUint32(at + 4, 0x6974616c, true);
  view.setUint32(at + 8, 0x7974696c, true);
  view.setUint32(at + 12, 0x6765725f, true);
  view.setUint32(at + 16, 0x22656d69, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  if (body.volatility_regime === null) at = writeNull(at);
  else {
    at = writeString(body.volatility_regime, at);
  }
  // ,"volatility_forecast":
  view.setUint32(at, 0x6f76222c, true);
  view.setUint32(at + 4, 0x6974616c, true);
  view.setUint32(at + 8, 0x7974696c, true);
  view.setUint32(at + 12, 0x726f665f, true);
  view.setUint32(at + 16, 0x73616365, true);
  view.setUint32(at + 20, 0x3a2274, true);
  at += 23;
  if (body.volatility_forecast === null) at = writeNull(at);
  else {
    at = writeVolatilityForecast(body.volatility_forecast, at);
  }
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeVolatilityForecast(body: VolatilityForecast, start: number): number {
  makeRoom(start);
  let at = start;
  // {"sigma_1h":
  view.setUint32(at, 0x6973227b, true);
  view.setUint32(at + 4, 0x5f616d67, true);
  view.setUint32(at + 8, 0x3a226831, true);
  at += 12;
  at = writeNumber(body.sigma_1h, at);
  // ,"sigma_4h":
  view.setUint32(at, 0x6973222c, true);
  view.setUint32(at + 4, 0x5f616d67, true);
  view.setUint32(at + 8, 0x3a226834, true);
  at += 12;
  at = writeNumber(body.sigma_4h, at);
  // ,"sigma_1d":
  view.setUint32(at, 0x6973222c, true);
  view.setUint32(at + 4, 0x5f616d67, true);
  view.setUint32(at + 8, 0x3a226431, true);
  at += 12;
  at = writeNumber(body.sigma_1d, at);
  // ,"sigma_7d":
  view.setUint32(at, 0x6973222c, true);
  view.setUint32(at + 4, 0x5f616d67, true);
  view.setUint32(at + 8, 0x3a226437, true);
  at += 12;
  at = writeNumber(body.sigma_7d, at);
  // ,"long_run_sigma":
  view.setUint32(at, 0x6f6c222c, true);
  view.setUint32(at + 4, 0x725f676e, true);
  view.setUint32(at + 8, 0x735f6e75, true);
  view.setUint32(at + 12, 0x616d6769, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeNumber(body.long_run_sigma, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeOiBlock(body: OiBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"current":
  view.setUint32(at, 0x7563227b, true);
  view.setUint32(at + 4, 0x6e657272, true);
  view.setUint32(at + 8, 0x3a2274, true);
  at += 11;
  at = writeNumber(body.current, at);
  // ,"at_cap":
  view.setUint32(at, 0x7461222c, true);
  view.setUint32(at + 4, 0x7061635f, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeBoolean(body.at_cap, at);
  // ,"utilization_pct":
  view.setUint32(at, 0x7475222c, true);
  view.setUint32(at + 4, 0x7a696c69, true);
  view.setUint32(at + 8, 0x6f697461, true);
  view.setUint32(at + 12, 0x63705f6e, true);
  view.setUint32(at + 16, 0x3a2274, true);
  at += 19;
  at = writeNumber(body.utilization_pct, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeStressEntry(body: StressEntry, start: number): number {
  makeRoom(start);
  let at = start;
  // {"scenario":
  view.setUint32(at, 0x6373227b, true);
  view.setUint32(at + 4, 0x72616e65, true);
  view.setUint32(at + 8, 0x3a226f69, true);
  at += 12;
  at = writeString(body.scenario, at);
  // ,"description":
  view.setUint32(at, 0x6564222c, true);
  view.setUint32(at + 4, 0x69726373, true);
  view.setUint32(at + 8, 0x6f697470, true);
  view.setUint32(at + 12, 0x3a226e, true);
  at += 15;
  at = writeString(body.description, at);
  // ,"pnl_pct":
  view.setUint32(at, 0x6e70222c, true);
  view.setUint32(at + 4, 0x63705f6c, true);
  view.setUint32(at + 8, 0x3a2274, true);
  at += 11;
  at = writeNumber(body.pnl_pct, at);
  // ,"pnl_usd":
  view.setUint32(at, 0x6e70222c, true);
  view.setUint32(at + 4, 0x73755f6c, true);
  view.setUint32(at + 8, 0x3a2264, true);
  at += 11;
  at = writeNumber(body.pnl_usd, at);
  // ,"funding_cost_pct":
  view.setUint32(at, 0x7566222c, true);
  view.setUint32(at + 4, 0x6e69646e, true);
  view.setUint32(at + 8, 0x6f635f67, true);
  view.setUint32(at + 12, 0x705f7473, true);
  view.setUint32(at + 16, 0x3a227463, true);
  at += 20;
  at = writeNumber(body.funding_cost_pct, at);
  // ,"liquidity_cost_pct":
  view.setUint32(at, 0x696c222c, true);
  view.setUint32(at + 4, 0x64697571, true);
  view.setUint32(at + 8, 0x5f797469, true);
  view.setUint32(at + 12, 0x74736f63, true);
  view.setUint32(at + 16, 0x7463705f, true);
  view.setUint32(at + 20, 0x3a22, true);
  at += 22;
  at = writeNumber(body.liquidity_cost_pct, at);
  // ,"liquidation_distance_pct":
  view.setUint32(at, 0x696c222c, true);
  view.setUint32(at + 4, 0x64697571, true);
  view.setUint32(at + 8, 0x6f697461, true);
  view.setUint32(at + 12, 0x69645f6e, true);
  view.setUint32(at + 16, 0x6e617473, true);
  view.setUint32(at + 20, 0x705f6563, true);
  view.setUint32(at + 24, 0x3a227463, true);
  at += 28;
  at = writeNumber(body.liquidation_distance_pct, at);
  // ,"survives":
  view.setUint32(at, 0x7573222c, true);
  view.setUint32(at + 4, 0x76697672, true);
  view.setUint32(at + 8, 0x3a227365, true);
  at += 12;
  at = writeBoolean(body.survives, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writePortfolioRisk(body: PortfolioRisk, start: number): number {
  makeRoom(start);
  let at = start;
  // {"portfolio_var_99_24h":
  view.setUint32(at, 0x6f70227b, true);
  view.setUint32(at + 4, 0x6f667472, true);
  view.setUint32(at + 8, 0x5f6f696c, true);
  view.setUint32(at + 12, 0x5f726176, true);
  view.setUint32(at + 16, 0x325f3939, true);
  view.setUint32(at + 20, 0x3a226834, true);
  at += 24;
  if (body.portfolio_var_99_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.portfolio_var_99_24h, at);
  }
  // ,"portfolio_es_99_24h":
  view.setUint32(at, 0x6f70222c, true);
  view.setUint32(at + 4, 0x6f667472, true);
  view.setUint32(at + 8, 0x5f6f696c, true);
  view.setUint32(at + 12, 0x395f7365, true);
  view.setUint32(at + 16, 0x34325f39, true);
  view.setUint32(at + 20, 0x3a2268, true);
  at += 23;
  if (body.portfolio_es_99_24h === null) at = writeNull(at);
  else {
    at = writeNumber(body.portfolio_es_99_24h, at);
  }
  // ,"position_count":
  view.setUint32(at, 0x6f70222c, true);
  view.setUint32(at + 4, 0x69746973, true);
  view.setUint32(at + 8, 0x635f6e6f, true);
  view.setUint32(at + 12, 0x746e756f, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeNumber(body.position_count, at);
  // ,"monte_carlo":
  view.setUint32(at, 0x6f6d222c, true);
  view.setUint32(at + 4, 0x5f65746e, true);
  view.setUint32(at + 8, 0x6c726163, true);
  view.setUint32(at + 12, 0x3a226f, true);
  at += 15;
  if (body.monte_carlo === null) at = writeNull(at);
  else {
    at = writePortfolioMonteCarlo(body.monte_carlo, at);
  }
  // ,"tail_dependence":
  view.setUint32(at, 0x6174222c, true);
  view.setUint32(at + 4, 0x645f6c69, true);
  view.setUint32(at + 8, 0x6e657065, true);
  view.setUint32(at + 12, 0x636e6564, true);
  view.setUint32(at + 16, 0x3a2265, true);
  at += 19;
  if (body.tail_dependence === null) at = writeNull(at);
  else {
    // [
    view.setUint32(at, 0x5b, true);
    at += 1;
    for (let i = 0; i < body.tail_dependence.length; i++) {
      makeRoom(at);
      if (i > 0) {
        // ,
        view.setUint32(at, 0x2c, true);
        at += 1;
      }
      at = writeTailDependenceEntry(body.tail_dependence[i]!, at);
    }
    // ]
    view.setUint32(at, 0x5d, true);
    at += 1;
  }
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writePortfolioMonteCarlo(body: PortfolioMonteCarlo, start: number): number {
  makeRoom(start);
  let at = start;
  // {"simulations":
  view.setUint32(at, 0x6973227b, true);
  view.setUint32(at + 4, 0x616c756d, true);
  view.setUint32(at + 8, 0x6e6f6974, true);
  view.setUint32(at + 12, 0x3a2273, true);
  at += 15;
  at = writeNumber(body.simulations, at);
  // ,"var_95":
  view.setUint32(at, 0x6176222c, true);
  view.setUint32(at + 4, 0x35395f72, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeNumber(body.var_95, at);
  // ,"var_99":
  view.setUint32(at, 0x6176222c, true);
  view.setUint32(at + 4, 0x39395f72, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeNumber(body.var_99, at);
  // ,"es_95":
  view.setUint32(at, 0x7365222c, true);
  view.setUint32(at + 4, 0x2235395f, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeNumber(body.es_95, at);
  // ,"es_99":
  view.setUint32(at, 0x7365222c, true);
  view.setUint32(at + 4, 0x2239395f, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeNumber(body.es_99, at);
  // ,"liquidation_probability":
  view.setUint32(at, 0x696c222c, true);
  view.setUint32(at + 4, 0x64697571, true);
  view.setUint32(at + 8, 0x6f697461, true);
  view.setUint32(at + 12, 0x72705f6e, true);
  view.setUint32(at + 16, 0x6261626f, true);
  view.setUint32(at + 20, 0x74696c69, true);
  view.setUint32(at + 24, 0x3a2279, true);
  at += 27;
  at = writeNumber(body.liquidation_probability, at);
  // ,"positions":
  view.setUint32(at, 0x6f70222c, true);
  view.setUint32(at + 4, 0x69746973, true);
  view.setUint32(at + 8, 0x22736e6f, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.positions.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writePortfolioMonteCarloPosition(body.positions[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writePortfolioMonteCarloPosition(body: PortfolioMonteCarloPosition, start: number): number {
  makeRoom(start);
  let at = start;
  // {"asset":
  view.setUint32(at, 0x7361227b, true);
  view.setUint32(at + 4, 0x22746573, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeString(body.asset, at);
  // ,"marginal_var_99":
  view.setUint32(at, 0x616d222c, true);
  view.setUint32(at + 4, 0x6e696772, true);
  view.setUint32(at + 8, 0x765f6c61, true);
  view.setUint32(at + 12, 0x395f7261, true);
  view.setUint32(at + 16, 0x3a2239, true);
  at += 19;
  at = writeNumber(body.marginal_var_99, at);
  // ,"component_var_99":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x6e6f706d, true);
  view.setUint32(at + 8, 0x5f746e65, true);
  view.setUint32(at + 12, 0x5f726176, true);
  view.setUint32(at + 16, 0x3a223939, true);
  at += 20;
  at = writeNumber(body.component_var_99, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeTailDependenceEntry(body: TailDependenceEntry, start: number): number {
  makeRoom(start);
  let at = start;
  // {"asset_a":
  view.setUint32(at, 0x7361227b, true);
  view.setUint32(at + 4, 0x5f746573, true);
  view.setUint32(at + 8, 0x3a2261, true);
  at += 11;
  at = writeString(body.asset_a, at);
  // ,"asset_b":
  view.setUint32(at, 0x7361222c, true);
  view.setUint32(at + 4, 0x5f746573, true);
  view.setUint32(at + 8, 0x3a2262, true);
  at += 11;
  at = writeString(body.asset_b, at);
  // ,"lower_tail_lambda":
  view.setUint32(at, 0x6f6c222c, true);
  view.setUint32(at + 4, 0x5f726577, true);
  view.setUint32(at + 8, 0x6c696174, true);
  view.setUint32(at + 12, 0x6d616c5f, true);
  view.setUint32(at + 16, 0x22616462, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.lower_tail_lambda, at);
  // ,"upper_tail_lambda":
  view.setUint32(at, 0x7075222c, true);
  view.setUint32(at + 4, 0x5f726570, true);
  view.setUint32(at + 8, 0x6c696174, true);
  view.setUint32(at + 12, 0x6d616c5f, true);
  view.setUint32(at + 16, 0x22616462, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.upper_tail_lambda, at);
  // ,"pearson_rho":
  view.setUint32(at, 0x6570222c, true);
  view.setUint32(at + 4, 0x6f737261, true);
  view.setUint32(at + 8, 0x68725f6e, true);
  view.setUint32(at + 12, 0x3a226f, true);
  at += 15;
  at = writeNumber(body.pearson_rho, at);
  // ,"degrees_of_freedom":
  view.setUint32(at, 0x6564222c, true);
  view.setUint32(at + 4, 0x65657267, true);
  view.setUint32(at + 8, 0x666f5f73, true);
  view.setUint32(at + 12, 0x6572665f, true);
  view.setUint32(at + 16, 0x6d6f6465, true);
  view.setUint32(at + 20, 0x3a22, true);
  at += 22;
  at = writeNumber(body.degrees_of_freedom, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writePortfolioStress(body: PortfolioStress, start: number): number {
  makeRoom(start);
  let at = start;
  // {"scenario":
  view.setUint32(at, 0x6373227b, true);
  view.setUint32(at + 4, 0x72616e65, true);
  view.setUint32(at + 8, 0x3a226f69, true);
  at += 12;
  at = writeString(body.scenario, at);
  // ,"total_pnl_usd":
  view.setUint32(at, 0x6f74222c, true);
  view.setUint32(at + 4, 0x5f6c6174, true);
  view.setUint32(at + 8, 0x5f6c6e70, true);
  view.setUint32(at + 12, 0x22647375, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeNumber(body.total_pnl_usd, at);
  // ,"total_pnl_pct":
  view.setUint32(at, 0x6f74222c, true);
  view.setUint32(at + 4, 0x5f6c6174, true);
  view.setUint32(at + 8, 0x5f6c6e70, true);
  view.setUint32(at + 12, 0x22746370, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeNumber(body.total_pnl_pct, at);
  // ,"total_funding_cost_pct":
  view.setUint32(at, 0x6f74222c, true);
  view.setUint32(at + 4, 0x5f6c6174, true);
  view.setUint32(at + 8, 0x646e7566, true);
  view.setUint32(at + 12, 0x5f676e69, true);
  view.setUint32(at + 16, 0x74736f63, true);
  view.setUint32(at + 20, 0x7463705f, true);
  view.setUint32(at + 24, 0x3a22, true);
  at += 26;
  at = writeNumber(body.total_funding_cost_pct, at);
  // ,"account_survives":
  view.setUint32(at, 0x6361222c, true);
  view.setUint32(at + 4, 0x6e756f63, true);
  view.setUint32(at + 8, 0x75735f74, true);
  view.setUint32(at + 12, 0x76697672, true);
  view.setUint32(at + 16, 0x3a227365, true);
  at += 20;
  at = writeBoolean(body.account_survives, at);
  // ,"positions_liquidated":
  view.setUint32(at, 0x6f70222c, true);
  view.setUint32(at + 4, 0x69746973, true);
  view.setUint32(at + 8, 0x5f736e6f, true);
  view.setUint32(at + 12, 0x7571696c, true);
  view.setUint32(at + 16, 0x74616469, true);
  view.setUint32(at + 20, 0x3a226465, true);
  at += 24;
  at = writeNumber(body.positions_liquidated, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeFeesBlock(body: FeesBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"taker_fee_bps":
  view.setUint32(at, 0x6174227b, true);
  view.setUint32(at + 4, 0x5f72656b, true);
  view.setUint32(at + 8, 0x5f656566, true);
  view.setUint32(at + 12, 0x22737062, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeNumber(body.taker_fee_bps, at);
  // ,"estimated_fee_usd":
  view.setUint32(at, 0x7365222c, true);
  view.setUint32(at + 4, 0x616d6974, true);
  view.setUint32(at + 8, 0x5f646574, true);
  view.setUint32(at + 12, 0x5f656566, true);
  view.setUint32(at + 16, 0x22647375, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.estimated_fee_usd, at);
  // ,"fee_pct_of_margin":
  view.setUint32(at, 0x6566222c, true);
  view.setUint32(at + 4, 0x63705f65, true);
  view.setUint32(at + 8, 0x666f5f74, true);
  view.setUint32(at + 12, 0x72616d5f, true);
  view.setUint32(at + 16, 0x226e6967, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.fee_pct_of_margin, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeCostAnalysis(body: CostAnalysis, start: number): number {
  makeRoom(start);
  let at = start;
  // {"total_entry_cost_bps":
  view.setUint32(at, 0x6f74227b, true);
  view.setUint32(at + 4, 0x5f6c6174, true);
  view.setUint32(at + 8, 0x72746e65, true);
  view.setUint32(at + 12, 0x6f635f79, true);
  view.setUint32(at + 16, 0x625f7473, true);
  view.setUint32(at + 20, 0x3a227370, true);
  at += 24;
  if (body.total_entry_cost_bps === null) at = writeNull(at);
  else {
    at = writeNumber(body.total_entry_cost_bps, at);
  }
  // ,"total_round_trip_cost_bps":
  view.setUint32(at, 0x6f74222c, true);
  view.setUint32(at + 4, 0x5f6c6174, true);
  view.setUint32(at + 8, 0x6e756f72, true);
  view.setUint32(at + 12, 0x72745f64, true);
  view.setUint32(at + 16, 0x635f7069, true);
  view.setUint32(at + 20, 0x5f74736f, true);
  view.setUint32(at + 24, 0x22737062, true);
  view.setUint32(at + 28, 0x3a, true);
  at += 29;
  if (body.total_round_trip_cost_bps === null) at = writeNull(at);
  else {
    at = writeNumber(body.total_round_trip_cost_bps, at);
  }
  // ,"breakeven_move_pct":
  view.setUint32(at, 0x7262222c, true);
  view.setUint32(at + 4, 0x656b6165, true);
  view.setUint32(at + 8, 0x5f6e6576, true);
  view.setUint32(at + 12, 0x65766f6d, true);
  view.setUint32(at + 16, 0x7463705f, true);
  view.setUint32(at + 20, 0x3a22, true);
  at += 22;
  if (body.breakeven_move_pct === null) at = writeNull(at);
  else {
    at = writeNumber(body.breakeven_move_pct, at);
  }
  // ,"funding_drag_24h_pct":
  view.setUint32(at, 0x7566222c, true);
  view.setUint32(at + 4, 0x6e69646e, true);
  view.setUint32(at + 8, 0x72645f67, true);
  view.setUint32(at + 12, 0x325f6761, true);
  view.setUint32(at + 16, 0x705f6834, true);
  view.setUint32(at + 20, 0x3a227463, true);
  at += 24;
  at = writeNumber(body.funding_drag_24h_pct, at);
  // ,"cost_score":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x735f7473, true);
  view.setUint32(at + 8, 0x65726f63, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.cost_score, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeSizingBlock(body: SizingBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"max_safe_size_usd":
  view.setUint32(at, 0x616d227b, true);
  view.setUint32(at + 4, 0x61735f78, true);
  view.setUint32(at + 8, 0x735f6566, true);
  view.setUint32(at + 12, 0x5f657a69, true);
  view.setUint32(at + 16, 0x22647375, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.max_safe_size_usd, at);
  // ,"suggested_size_usd":
  view.setUint32(at, 0x7573222c, true);
  view.setUint32(at + 4, 0x73656767, true);
  view.setUint32(at + 8, 0x5f646574, true);
  view.setUint32(at + 12, 0x657a6973, true);
  view.setUint32(at + 16, 0x6473755f, true);
  view.setUint32(at + 20, 0x3a22, true);
  at += 22;
  at = writeNumber(body.suggested_size_usd, at);
  // ,"size_limit_reason":
  view.setUint32(at, 0x6973222c, true);
  view.setUint32(at + 4, 0x6c5f657a, true);
  view.setUint32(at + 8, 0x74696d69, true);
  view.setUint32(at + 12, 0x6165725f, true);
  view.setUint32(at + 16, 0x226e6f73, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeString(body.size_limit_reason, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeMonteCarloBlock(body: MonteCarloBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"simulations":
  view.setUint32(at, 0x6973227b, true);
  view.setUint32(at + 4, 0x616c756d, true);
  view.setUint32(at + 8, 0x6e6f6974, true);
  view.setUint32(at + 12, 0x3a2273, true);
  at += 15;
  at = writeNumber(body.simulations, at);
  // ,"var_95":
  view.setUint32(at, 0x6176222c, true);
  view.setUint32(at + 4, 0x35395f72, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeNumber(body.var_95, at);
  // ,"var_99":
  view.setUint32(at, 0x6176222c, true);
  view.setUint32(at + 4, 0x39395f72, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeNumber(body.var_99, at);
  // ,"expected_shortfall_95":
  view.setUint32(at, 0x7865222c, true);
  view.setUint32(at + 4, 0x74636570, true);
  view.setUint32(at + 8, 0x735f6465, true);
  view.setUint32(at + 12, 0x74726f68, true);
  view.setUint32(at + 16, 0x6c6c6166, true);
  view.setUint32(at + 20, 0x2235395f, true);
  view.setUint32(at + 24, 0x3a, true);
  at += 25;
  at = writeNumber(body.expected_shortfall_95, at);
  // ,"expected_shortfall_99":
  view.setUint32(at, 0x7865222c, true);
  view.setUint32(at + 4, 0x74636570, true);
  view.setUint32(at + 8, 0x735f6465, true);
  view.setUint32(at + 12, 0x74726f68, true);
  view.setUint32(at + 16, 0x6c6c6166, true);
  view.setUint32(at + 20, 0x2239395f, true);
  view.setUint32(at + 24, 0x3a, true);
  at += 25;
  at = writeNumber(body.expected_shortfall_99, at);
  // ,"median_return":
  view.setUint32(at, 0x656d222c, true);
  view.setUint32(at + 4, 0x6e616964, true);
  view.setUint32(at + 8, 0x7465725f, true);
  view.setUint32(at + 12, 0x226e7275, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeNumber(body.median_return, at);
  // ,"worst_case":
  view.setUint32(at, 0x6f77222c, true);
  view.setUint32(at + 4, 0x5f747372, true);
  view.setUint32(at + 8, 0x65736163, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.worst_case, at);
  // ,"confidence_interval":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x6469666e, true);
  view.setUint32(at + 8, 0x65636e65, true);
  view.setUint32(at + 12, 0x746e695f, true);
  view.setUint32(at + 16, 0x61767265, true);
  view.setUint32(at + 20, 0x3a226c, true);
  at += 23;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.confidence_interval.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writeNumber(body.confidence_interval[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeEvtBlock(body: EvtBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"var_99_9":
  view.setUint32(at, 0x6176227b, true);
  view.setUint32(at + 4, 0x39395f72, true);
  view.setUint32(at + 8, 0x3a22395f, true);
  at += 12;
  at = writeNumber(body.var_99_9, at);
  // ,"expected_shortfall_99_9":
  view.setUint32(at, 0x7865222c, true);
  view.setUint32(at + 4, 0x74636570, true);
  view.setUint32(at + 8, 0x735f6465, true);
  view.setUint32(at + 12, 0x74726f68, true);
  view.setUint32(at + 16, 0x6c6c6166, true);
  view.setUint32(at + 20, 0x5f39395f, true);
  view.setUint32(at + 24, 0x3a2239, true);
  at += 27;
  at = writeNumber(body.expected_shortfall_99_9, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeGreeksBlock(body: GreeksBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"delta":
  view.setUint32(at, 0x6564227b, true);
  view.setUint32(at + 4, 0x2261746c, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeNumber(body.delta, at);
  // ,"gamma":
  view.setUint32(at, 0x6167222c, true);
  view.setUint32(at + 4, 0x22616d6d, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeNumber(body.gamma, at);
  // ,"vega":
  view.setUint32(at, 0x6576222c, true);
  view.setUint32(at + 4, 0x3a226167, true);
  at += 8;
  if (body.vega === null) at = writeNull(at);
  else {
    at = writeNumber(body.vega, at);
  }
  // ,"theta":
  view.setUint32(at, 0x6874222c, true);
  view.setUint32(at + 4, 0x22617465, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  if (body.theta === null) at = writeNull(at);
  else {
    at = writeNumber(body.theta, at);
  }
  // ,"liquidation_gamma":
  view.setUint32(at, 0x696c222c, true);
  view.setUint32(at + 4, 0x64697571, true);
  view.setUint32(at + 8, 0x6f697461, true);
  view.setUint32(at + 12, 0x61675f6e, true);
  view.setUint32(at + 16, 0x22616d6d, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.liquidation_gamma, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeRegimeBlock(body: RegimeBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"state":
  view.setUint32(at, 0x7473227b, true);
  view.setUint32(at + 4, 0x22657461, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeString(body.state, at);
  // ,"confidence":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x6469666e, true);
  view.setUint32(at + 8, 0x65636e65, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.confidence, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeDrawdownBlock(body: DrawdownBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"max_drawdown_pct":
  view.setUint32(at, 0x616d227b, true);
  view.setUint32(at + 4, 0x72645f78, true);
  view.setUint32(at + 8, 0x6f647761, true);
  view.setUint32(at + 12, 0x705f6e77, true);
  view.setUint32(at + 16, 0x3a227463, true);
  at += 20;
  at = writeNumber(body.max_drawdown_pct, at);
  // ,"current_drawdown_pct":
  view.setUint32(at, 0x7563222c, true);
  view.setUint32(at + 4, 0x6e657272, true);
  view.setUint32(at + 8, 0x72645f74, true);
  view.setUint32(at + 12, 0x6f647761, true);
  view.setUint32(at + 16, 0x705f6e77, true);
  view.setUint32(at + 20, 0x3a227463, true);
  at += 24;
  at = writeNumber(body.current_drawdown_pct, at);
  // ,"peak_equity":
  view.setUint32(at, 0x6570222c, true);
  view.setUint32(at + 4, 0x655f6b61, true);
  view.setUint32(at + 8, 0x74697571, true);
  view.setUint32(at + 12, 0x3a2279, true);
  at += 15;
  at = writeNumber(body.peak_equity, at);
  // ,"trough_equity":
  view.setUint32(at, 0x7274222c, true);
  view.setUint32(at + 4, 0x6867756f, true);
  view.setUint32(at + 8, 0x7571655f, true);
  view.setUint32(at + 12, 0x22797469, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeNumber(body.trough_equity, at);
  // ,"drawdown_duration_hours":
  view.setUint32(at, 0x7264222c, true);
  view.setUint32(at + 4, 0x6f647761, true);
  view.setUint32(at + 8, 0x645f6e77, true);
  view.setUint32(at + 12, 0x74617275, true);
  view.setUint32(at + 16, 0x5f6e6f69, true);
  view.setUint32(at + 20, 0x72756f68, true);
  view.setUint32(at + 24, 0x3a2273, true);
  at += 27;
  at = writeNumber(body.drawdown_duration_hours, at);
  // ,"calmar_ratio":
  view.setUint32(at, 0x6163222c, true);
  view.setUint32(at + 4, 0x72616d6c, true);
  view.setUint32(at + 8, 0x7461725f, true);
  view.setUint32(at + 12, 0x3a226f69, true);
  at += 16;
  if (body.calmar_ratio === null) at = writeNull(at);
  else {
    at = writeNumber(body.calmar_ratio, at);
  }
  // ,"trailing_stop_distance_pct":
  view.setUint32(at, 0x7274222c, true);
  view.setUint32(at + 4, 0x696c6961, true);
  view.setUint32(at + 8, 0x735f676e, true);
  view.setUint32(at + 12, 0x5f706f74, true);
  view.setUint32(at + 16, 0x74736964, true);
  view.setUint32(at + 20, 0x65636e61, true);
  view.setUint32(at + 24, 0x7463705f, true);
  view.setUint32(at + 28, 0x3a22, true);
  at += 30;
  at = writeNumber(body.trailing_stop_distance_pct, at);
  // ,"suggested_stop_loss_pct":
  view.setUint32(at, 0x7573222c, true);
  view.setUint32(at + 4, 0x73656767, true);
  view.setUint32(at + 8, 0x5f646574, true);
  view.setUint32(at + 12, 0x706f7473, true);
  view.setUint32(at + 16, 0x736f6c5f, true);
  view.setUint32(at + 20, 0x63705f73, true);
  view.setUint32(at + 24, 0x3a2274, true);
  at += 27;
  at = writeNumber(body.suggested_stop_loss_pct, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writePortfolioAttribution(body: PortfolioAttribution, start: number): number {
  makeRoom(start);
  let at = start;
  // {"total_var_99":
  view.setUint32(at, 0x6f74227b, true);
  view.setUint32(at + 4, 0x5f6c6174, true);
  view.setUint32(at + 8, 0x5f726176, true);
  view.setUint32(at + 12, 0x3a223939, true);
  at += 16;
  at = writeNumber(body.total_var_99, at);
  // ,"diversification_benefit_pct":
  view.setUint32(at, 0x6964222c, true);
  view.setUint32(at + 4, 0x73726576, true);
  view.setUint32(at + 8, 0x63696669, true);
  view.setUint32(at + 12, 0x6f697461, true);
  view.setUint32(at + 16, 0x65625f6e, true);
  view.setUint32(at + 20, 0x6966656e, true);
  view.setUint32(at + 24, 0x63705f74, true);
  view.setUint32(at + 28, 0x3a2274, true);
  at += 31;
  at = writeNumber(body.diversification_benefit_pct, at);
  // ,"positions":
  view.setUint32(at, 0x6f70222c, true);
  view.setUint32(at + 4, 0x69746973, true);
  view.setUint32(at + 8, 0x22736e6f, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.positions.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writeAttributionEntry(body.positions[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeAttributionEntry(body: AttributionEntry, start: number): number {
  makeRoom(start);
  let at = start;
  // {"asset":
  view.setUint32(at, 0x7361227b, true);
  view.setUint32(at + 4, 0x22746573, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeString(body.asset, at);
  // ,"marginal_var":
  view.setUint32(at, 0x616d222c, true);
  view.setUint32(at + 4, 0x6e696772, true);
  view.setUint32(at + 8, 0x765f6c61, true);
  view.setUint32(at + 12, 0x3a227261, true);
  at += 16;
  at = writeNumber(body.marginal_var, at);
  // ,"component_var":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x6e6f706d, true);
  view.setUint32(at + 8, 0x5f746e65, true);
  view.setUint32(at + 12, 0x22726176, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeNumber(body.component_var, at);
  // ,"component_var_pct":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x6e6f706d, true);
  view.setUint32(at + 8, 0x5f746e65, true);
  view.setUint32(at + 12, 0x5f726176, true);
  view.setUint32(at + 16, 0x22746370, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  if (body.component_var_pct === null) at = writeNull(at);
  else {
    at = writeNumber(body.component_var_pct, at);
  }
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeExplanation(body: Explanation, start: number): number {
  makeRoom(start);
  let at = start;
  // {"unrounded_score":
  view.setUint32(at, 0x6e75227b, true);
  view.setUint32(at + 4, 0x6e756f72, true);
  view.setUint32(at + 8, 0x5f646564, true);
  view.setUint32(at + 12, 0x726f6373, true);
  view.setUint32(at + 16, 0x3a2265, true);
  at += 19;
  at = writeNumber(body.unrounded_score, at);
  // ,"components":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x6e6f706d, true);
  view.setUint32(at + 8, 0x73746e65, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.components.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writeExplainedComponent(body.components[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  // ,"compounding_points":
  view.setUint32(at, 0x6f63222c, true);
  view.setUint32(at + 4, 0x756f706d, true);
  view.setUint32(at + 8, 0x6e69646e, true);
  view.setUint32(at + 12, 0x6f705f67, true);
  view.setUint32(at + 16, 0x73746e69, true);
  view.setUint32(at + 20, 0x3a22, true);
  at += 22;
  at = writeNumber(body.compounding_points, at);
  // ,"adjustment_points":
  view.setUint32(at, 0x6461222c, true);
  view.setUint32(at + 4, 0x7473756a, true);
  view.setUint32(at + 8, 0x746e656d, true);
  view.setUint32(at + 12, 0x696f705f, true);
  view.setUint32(at + 16, 0x2273746e, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.adjustment_points, at);
  // ,"adjustment_reason":
  view.setUint32(at, 0x6461222c, true);
  view.setUint32(at + 4, 0x7473756a, true);
  view.setUint32(at + 8, 0x746e656d, true);
  view.setUint32(at + 12, 0x6165725f, true);
  view.setUint32(at + 16, 0x226e6f73, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  if (body.adjustment_reason === null) at = writeNull(at);
  else {
    at = writeString(body.adjustment_reason, at);
  }
  // ,"base_points":
  view.setUint32(at, 0x6162222c, true);
  view.setUint32(at + 4, 0x705f6573, true);
  view.setUint32(at + 8, 0x746e696f, true);
  view.setUint32(at + 12, 0x3a2273, true);
  at += 15;
  at = writeNumber(body.base_points, at);
  // ,"next_better_band":
  view.setUint32(at, 0x656e222c, true);
  view.setUint32(at + 4, 0x625f7478, true);
  view.setUint32(at + 8, 0x65747465, true);
  view.setUint32(at + 12, 0x61625f72, true);
  view.setUint32(at + 16, 0x3a22646e, true);
  at += 20;
  if (body.next_better_band === null) at = writeNull(at);
  else {
    at = writeNextBetterBand(body.next_better_band, at);
  }
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeExplainedComponent(body: ExplainedComponent, start: number): number {
  makeRoom(start);
  let at = start;
  // {"component":
  view.setUint32(at, 0x6f63227b, true);
  view.setUint32(at + 4, 0x6e6f706d, true);
  view.setUint32(at + 8, 0x22746e65, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  at = writeString(body.component, at);
  // ,"driver":
  view.setUint32(at, 0x7264222c, true);
  view.setUint32(at + 4, 0x72657669, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeString(body.driver, at);
  // ,"raw_value":
  view.setUint32(at, 0x6172222c, true);
  view.setUint32(at + 4, 0x61765f77, true);
  view.setUint32(at + 8, 0x2265756c, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  if (body.raw_value === null) at = writeNull(at);
  else {
    at = writeNumber(body.raw_value, at);
  }
  // ,"raw_unit":
  view.setUint32(at, 0x6172222c, true);
  view.setUint32(at + 4, 0x6e755f77, true);
  view.setUint32(at + 8, 0x3a227469, true);
  at += 12;
  at = writeString(body.raw_unit, at);
  // ,"severity":
  view.setUint32(at, 0x6573222c, true);
  view.setUint32(at + 4, 0x69726576, true);
  view.setUint32(at + 8, 0x3a227974, true);
  at += 12;
  at = writeNumber(body.severity, at);
  // ,"weight":
  view.setUint32(at, 0x6577222c, true);
  view.setUint32(at + 4, 0x74686769, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeNumber(body.weight, at);
  // ,"points":
  view.setUint32(at, 0x6f70222c, true);
  view.setUint32(at + 4, 0x73746e69, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeNumber(body.points, at);
  // ,"share_points":
  view.setUint32(at, 0x6873222c, true);
  view.setUint32(at + 4, 0x5f657261, true);
  view.setUint32(at + 8, 0x6e696f70, true);
  view.setUint32(at + 12, 0x3a227374, true);
  at += 16;
  at = writeNumber(body.share_points, at);
  // ,"floor_points":
  view.setUint32(at, 0x6c66222c, true);
  view.setUint32(at + 4, 0x5f726f6f, true);
  view.setUint32(at + 8, 0x6e696f70, true);
  view.setUint32(at + 12, 0x3a227374, true);
  at += 16;
  at = writeNumber(body.floor_points, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeNextBetterBand(body: NextBetterBand, start: number): number {
  makeRoom(start);
  let at = start;
  // {"recommendation":
  view.setUint32(at, 0x6572227b, true);
  view.setUint32(at + 4, 0x6d6d6f63, true);
  view.setUint32(at + 8, 0x61646e65, true);
  view.setUint32(at + 12, 0x6e6f6974, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeString(body.recommendation, at);
  // ,"size":
  view.setUint32(at, 0x6973222c, true);
  view.setUint32(at + 4, 0x3a22657a, true);
  at += 8;
  if (body.size === null) at = writeNull(at);
  else {
    at = writeNumber(body.size, at);
  }
  // ,"leverage":
  view.setUint32(at, 0x656c222c, true);
  view.setUint32(at + 4, 0x61726576, true);
  view.setUint32(at + 8, 0x3a226567, true);
  at += 12;
  if (body.leverage === null) at = writeNull(at);
  else {
    at = writeNumber(body.leverage, at);
  }
  // ,"mode":
  view.setUint32(at, 0x6f6d222c, true);
  view.setUint32(at + 4, 0x3a226564, true);
  at += 8;
  if (body.mode === null) at = writeNull(at);
  else {
    at = writeString(body.mode, at);
  }
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeMetaBlock(body: MetaBlock, start: number): number {
  makeRoom(start);
  let at = start;
  // {"asset":
  view.setUint32(at, 0x7361227b, true);
  view.setUint32(at + 4, 0x22746573, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeString(body.asset, at);
  // ,"mark_price":
  view.setUint32(at, 0x616d222c, true);
  view.setUint32(at + 4, 0x705f6b72, true);
  view.setUint32(at + 8, 0x65636972, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.mark_price, at);
  // ,"max_leverage":
  view.setUint32(at, 0x616d222c, true);
  view.setUint32(at + 4, 0x656c5f78, true);
  view.setUint32(at + 8, 0x61726576, true);
  view.setUint32(at + 12, 0x3a226567, true);
  at += 16;
  at = writeNumber(body.max_leverage, at);
  // ,"leverage":
  view.setUint32(at, 0x656c222c, true);
  view.setUint32(at + 4, 0x61726576, true);
  view.setUint32(at + 8, 0x3a226567, true);
  at += 12;
  at = writeNumber(body.leverage, at);
  // ,"latency_ms":
  view.setUint32(at, 0x616c222c, true);
  view.setUint32(at + 4, 0x636e6574, true);
  view.setUint32(at + 8, 0x736d5f79, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.latency_ms, at);
  // ,"request_id":
  view.setUint32(at, 0x6572222c, true);
  view.setUint32(at + 4, 0x73657571, true);
  view.setUint32(at + 8, 0x64695f74, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  if (body.request_id === null) at = writeNull(at);
  else {
    at = writeString(body.request_id, at);
  }
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeModelVersion(body: ModelVersion, start: number): number {
  makeRoom(start);
  let at = start;
  // {"engine_version":
  view.setUint32(at, 0x6e65227b, true);
  view.setUint32(at + 4, 0x656e6967, true);
  view.setUint32(at + 8, 0x7265765f, true);
  view.setUint32(at + 12, 0x6e6f6973, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeString(body.engine_version, at);
  // ,"calibration_hash":
  view.setUint32(at, 0x6163222c, true);
  view.setUint32(at + 4, 0x7262696c, true);
  view.setUint32(at + 8, 0x6f697461, true);
  view.setUint32(at + 12, 0x61685f6e, true);
  view.setUint32(at + 16, 0x3a226873, true);
  at += 20;
  at = writeString(body.calibration_hash, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

export function writeBatchResponse(body: BatchResponse, start: number): number {
  makeRoom(start);
  let at = start;
  // {"results":
  view.setUint32(at, 0x6572227b, true);
  view.setUint32(at + 4, 0x746c7573, true);
  view.setUint32(at + 8, 0x3a2273, true);
  at += 11;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.results.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    const item = body.results[i]!;
    at = "risk_score" in item ? writeValidateResponse(item, at) : writeFailedEntry(item, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeFailedEntry(body: FailedEntry, start: number): number {
  makeRoom(start);
  let at = start;
  // {"recommendation":
  view.setUint32(at, 0x6572227b, true);
  view.setUint32(at + 4, 0x6d6d6f63, true);
  view.setUint32(at + 8, 0x61646e65, true);
  view.setUint32(at + 12, 0x6e6f6974, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeString(body.recommendation, at);
  // ,"flags":
  view.setUint32(at, 0x6c66222c, true);
  view.setUint32(at + 4, 0x22736761, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.flags.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writeString(body.flags[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  // ,"meta":
  view.setUint32(at, 0x656d222c, true);
  view.setUint32(at + 4, 0x3a226174, true);
  at += 8;
  at = writeFailedEntryMeta(body.meta, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeFailedEntryMeta(body: FailedEntryMeta, start: number): number {
  makeRoom(start);
  let at = start;
  // {"asset":
  view.setUint32(at, 0x7361227b, true);
  view.setUint32(at + 4, 0x22746573, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  if (body.asset === null) at = writeNull(at);
  else {
    at = writeString(body.asset, at);
  }
  // ,"latency_ms":
  view.setUint32(at, 0x616c222c, true);
  view.setUint32(at + 4, 0x636e6574, true);
  view.setUint32(at + 8, 0x736d5f79, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.latency_ms, at);
  // ,"request_id":
  view.setUint32(at, 0x6572222c, true);
  view.setUint32(at + 4, 0x73657571, true);
  view.setUint32(at + 8, 0x64695f74, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  if (body.request_id === null) at = writeNull(at);
  else {
    at = writeString(body.request_id, at);
  }
  // ,"error":
  view.setUint32(at, 0x7265222c, true);
  view.setUint32(at + 4, 0x22726f72, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeString(body.error, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

export function writeMonitorResponse(body: MonitorResponse, start: number): number {
  makeRoom(start);
  let at = start;
  // {"wallet":
  view.setUint32(at, 0x6177227b, true);
  view.setUint32(at + 4, 0x74656c6c, true);
  view.setUint32(at + 8, 0x3a22, true);
  at += 10;
  at = writeString(body.wallet, at);
  // ,"account_value":
  view.setUint32(at, 0x6361222c, true);
  view.setUint32(at + 4, 0x6e756f63, true);
  view.setUint32(at + 8, 0x61765f74, true);
  view.setUint32(at + 12, 0x2265756c, true);
  view.setUint32(at + 16, 0x3a, true);
  at += 17;
  at = writeNumber(body.account_value, at);
  // ,"total_margin_used":
  view.setUint32(at, 0x6f74222c, true);
  view.setUint32(at + 4, 0x5f6c6174, true);
  view.setUint32(at + 8, 0x6772616d, true);
  view.setUint32(at + 12, 0x755f6e69, true);
  view.setUint32(at + 16, 0x22646573, true);
  view.setUint32(at + 20, 0x3a, true);
  at += 21;
  at = writeNumber(body.total_margin_used, at);
  // ,"positions":
  view.setUint32(at, 0x6f70222c, true);
  view.setUint32(at + 4, 0x69746973, true);
  view.setUint32(at + 8, 0x22736e6f, true);
  view.setUint32(at + 12, 0x3a, true);
  at += 13;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.positions.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writeMonitoredPosition(body.positions[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  if (body.portfolio_risk !== undefined) {
    // ,"portfolio_risk":
    view.setUint32(at, 0x6f70222c, true);
    view.setUint32(at + 4, 0x6f667472, true);
    view.setUint32(at + 8, 0x5f6f696c, true);
    view.setUint32(at + 12, 0x6b736972, true);
    view.setUint32(at + 16, 0x3a22, true);
    at += 18;
    at = writePortfolioRisk(body.portfolio_risk, at);
  }
  if (body.portfolio_stress !== undefined) {
    // ,"portfolio_stress":
    view.setUint32(at, 0x6f70222c, true);
    view.setUint32(at + 4, 0x6f667472, true);
    view.setUint32(at + 8, 0x5f6f696c, true);
    view.setUint32(at + 12, 0x65727473, true);
    view.setUint32(at + 16, 0x3a227373, true);
    at += 20;
    at = writePortfolioStress(body.portfolio_stress, at);
  }
  if (body.portfolio_attribution !== undefined) {
    // ,"portfolio_attribution":
    view.setUint32(at, 0x6f70222c, true);
    view.setUint32(at + 4, 0x6f667472, true);
    view.setUint32(at + 8, 0x5f6f696c, true);
    view.setUint32(at + 12, 0x72747461, true);
    view.setUint32(at + 16, 0x74756269, true);
    view.setUint32(at + 20, 0x226e6f69, true);
    view.setUint32(at + 24, 0x3a, true);
    at += 25;
    at = writePortfolioAttribution(body.portfolio_attribution, at);
  }
  if (body.state_age_ms !== undefined) {
    // ,"state_age_ms":
    view.setUint32(at, 0x7473222c, true);
    view.setUint32(at + 4, 0x5f657461, true);
    view.setUint32(at + 8, 0x5f656761, true);
    view.setUint32(at + 12, 0x3a22736d, true);
    at += 16;
    at = writeNumber(body.state_age_ms, at);
  }
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}

function writeMonitoredPosition(body: MonitoredPosition, start: number): number {
  makeRoom(start);
  let at = start;
  // {"asset":
  view.setUint32(at, 0x7361227b, true);
  view.setUint32(at + 4, 0x22746573, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  at = writeString(body.asset, at);
  // ,"size":
  view.setUint32(at, 0x6973222c, true);
  view.setUint32(at + 4, 0x3a22657a, true);
  at += 8;
  at = writeNumber(body.size, at);
  // ,"entry_price":
  view.setUint32(at, 0x6e65222c, true);
  view.setUint32(at + 4, 0x5f797274, true);
  view.setUint32(at + 8, 0x63697270, true);
  view.setUint32(at + 12, 0x3a2265, true);
  at += 15;
  at = writeNumber(body.entry_price, at);
  // ,"mark_price":
  view.setUint32(at, 0x616d222c, true);
  view.setUint32(at + 4, 0x705f6b72, true);
  view.setUint32(at + 8, 0x65636972, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.mark_price, at);
  // ,"unrealized_pnl":
  view.setUint32(at, 0x6e75222c, true);
  view.setUint32(at + 4, 0x6c616572, true);
  view.setUint32(at + 8, 0x64657a69, true);
  view.setUint32(at + 12, 0x6c6e705f, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeNumber(body.unrealized_pnl, at);
  // ,"unrealized_pnl_pct":
  view.setUint32(at, 0x6e75222c, true);
  view.setUint32(at + 4, 0x6c616572, true);
  view.setUint32(at + 8, 0x64657a69, true);
  view.setUint32(at + 12, 0x6c6e705f, true);
  view.setUint32(at + 16, 0x7463705f, true);
  view.setUint32(at + 20, 0x3a22, true);
  at += 22;
  at = writeNumber(body.unrealized_pnl_pct, at);
  // ,"risk_score":
  view.setUint32(at, 0x6972222c, true);
  view.setUint32(at + 4, 0x735f6b73, true);
  view.setUint32(at + 8, 0x65726f63, true);
  view.setUint32(at + 12, 0x3a22, true);
  at += 14;
  at = writeNumber(body.risk_score, at);
  // ,"recommendation":
  view.setUint32(at, 0x6572222c, true);
  view.setUint32(at + 4, 0x6d6d6f63, true);
  view.setUint32(at + 8, 0x61646e65, true);
  view.setUint32(at + 12, 0x6e6f6974, true);
  view.setUint32(at + 16, 0x3a22, true);
  at += 18;
  at = writeString(body.recommendation, at);
  // ,"flags":
  view.setUint32(at, 0x6c66222c, true);
  view.setUint32(at + 4, 0x22736761, true);
  view.setUint32(at + 8, 0x3a, true);
  at += 9;
  // [
  view.setUint32(at, 0x5b, true);
  at += 1;
  for (let i = 0; i < body.flags.length; i++) {
    makeRoom(at);
    if (i > 0) {
      // ,
      view.setUint32(at, 0x2c, true);
      at += 1;
    }
    at = writeString(body.flags[i]!, at);
  }
  // ]
  view.setUint32(at, 0x5d, true);
  at += 1;
  // ,"liquidation_distance_pct":
  view.setUint32(at, 0x696c222c, true);
  view.setUint32(at + 4, 0x64697571, true);
  view.setUint32(at + 8, 0x6f697461, true);
  view.setUint32(at + 12, 0x69645f6e, true);
  view.setUint32(at + 16, 0x6e617473, true);
  view.setUint32(at + 20, 0x705f6563, true);
  view.setUint32(at + 24, 0x3a227463, true);
  at += 28;
  at = writeNumber(body.liquidation_distance_pct, at);
  // ,"funding_drag_24h_pct":
  view.setUint32(at, 0x7566222c, true);
  view.setUint32(at + 4, 0x6e69646e, true);
  view.setUint32(at + 8, 0x72645f67, true);
  view.setUint32(at + 12, 0x325f6761, true);
  view.setUint32(at + 16, 0x705f6834, true);
  view.setUint32(at + 20, 0x3a227463, true);
  at += 24;
  at = writeNumber(body.funding_drag_24h_pct, at);
  // ,"var":
  view.setUint32(at, 0x6176222c, true);
  view.setUint32(at + 4, 0x3a2272, true);
  at += 7;
  at = writeVarBlock(body.var, at);
  // }
  view.setUint32(at, 0x7d, true);
  at += 1;
  return at;
}
