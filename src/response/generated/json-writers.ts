// Generated from schemas/ by scripts/generate-contracts.ts. Do not edit: run `npm run generate`.
import type { AttributionEntry, BatchResponse, CostAnalysis, DrawdownBlock, EvtBlock, ExplainedComponent, Explanation, FailedEntry, FailedEntryMeta, FeesBlock, FundingBlock, GreeksBlock, ImpactBlock, LiquidationBlock, MetaBlock, ModelVersion, MonitorResponse, MonitoredPosition, MonteCarloBlock, NextBetterBand, OiBlock, PortfolioAttribution, PortfolioMonteCarlo, PortfolioMonteCarloPosition, PortfolioRisk, PortfolioStress, RegimeBlock, SizingBlock, SlippageBlock, StressEntry, TailDependenceEntry, ValidateResponse, VarBlock, VolatilityForecast } from "../../contracts/generated/types.ts";
import type { Own } from "../encoded.ts";
import { writeNumber } from "../number-text.ts";
import { keepText, type KeptText, writeKept, writeString } from "../string-text.ts";
import { TEXT_MEMORY, withRoom } from "../text-memory.ts";
import { batchResponse } from "../batch-body.ts";
import { drawdownBlock, evtBlock, monteCarloBlock, regimeBlock, varBlock, volatilityForecast } from "../distribution-blocks.ts";
import { explainedComponent, explanation, nextBetterBand } from "../explanation-body.ts";
import { monitorResponse, monitoredPosition } from "../monitor-body.ts";
import { attributionEntry, portfolioAttribution, portfolioMonteCarlo, portfolioMonteCarloPosition, portfolioRisk, portfolioStress, tailDependenceEntry } from "../portfolio-blocks.ts";
import { costAnalysis, feesBlock, fundingBlock, greeksBlock, impactBlock, liquidationBlock, oiBlock, sizingBlock, slippageBlock, stressEntry } from "../trade-blocks.ts";
import { metaBlock, validateResponse } from "../validate-body.ts";

const view = new DataView(TEXT_MEMORY);
const keptStressEntry: (KeptText | undefined)[] = [];

export function writeValidateResponse(of: Parameters<typeof validateResponse>[0], start: number): number {
  const body = validateResponse(of) satisfies Own<ValidateResponse>;
  let at = start;
  // {"risk_score":
  view.setFloat64(at, 5.492105851846155e+247, true);
  view.setFloat64(at + 8, 3.1580382260101e-310, true);
  at += 14;
  view.setFloat64(at, body.risk_score, true);
  at = writeNumber(at);
  // ,"recommendation":
  view.setFloat64(at, 1.298830667078877e+219, true);
  view.setFloat64(at + 8, 9.083672028013227e+223, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  at = writeString(body.recommendation, at);
  // ,"flags":
  view.setFloat64(at, 9.94510864709146e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.flags.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    at = writeString(body.flags[i]!, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  // ,"slippage":
  view.setFloat64(at, 2.3111916442753954e+161, true);
  view.setFloat64(at + 8, 4.81878386e-315, true);
  at += 12;
  at = writeSlippageBlock(body.slippage, at);
  // ,"liquidation":
  view.setFloat64(at, 5.037380617016907e+175, true);
  view.setFloat64(at + 8, 1.4537796857897626e-307, true);
  at += 15;
  at = writeLiquidationBlock(body.liquidation, at);
  // ,"funding":
  view.setFloat64(at, 7.342923693577498e+223, true);
  view.setFloat64(at + 8, 1.882338e-317, true);
  at += 11;
  at = writeFundingBlock(body.funding, at);
  // ,"impact":
  view.setFloat64(at, 4.440318114748032e+252, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  at = writeImpactBlock(body.impact, at);
  // ,"var":
  view.setFloat64(at, 1.4537830347285824e-307, true);
  at += 7;
  at = writeVarBlock(body.var, at);
  // ,"oi":
  view.setFloat64(at, 3.1580415309382e-310, true);
  at += 6;
  at = writeOiBlock(body.oi, at);
  // ,"stress":
  view.setFloat64(at, 1.356172200251416e+248, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.stress.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    at = writeStressEntry(body.stress.columns, i, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  if (body.portfolio_risk !== undefined) {
    // ,"portfolio_risk":
    view.setFloat64(at, 4.255565638624953e+228, true);
    view.setFloat64(at + 8, 3.98864217514148e+209, true);
    view.setFloat64(at + 16, 7.3527e-320, true);
    at += 18;
    at = writePortfolioRisk(body.portfolio_risk, at);
  }
  if (body.portfolio_stress !== undefined) {
    // ,"portfolio_stress":
    view.setFloat64(at, 4.255565638624953e+228, true);
    view.setFloat64(at + 8, 4.786177155815835e+180, true);
    view.setFloat64(at + 16, 4.818801624e-315, true);
    at += 20;
    at = writePortfolioStress(body.portfolio_stress, at);
  }
  // ,"fees":
  view.setFloat64(at, 1.1644070331823195e-28, true);
  at += 8;
  at = writeFeesBlock(body.fees, at);
  // ,"cost_analysis":
  view.setFloat64(at, 1.1055689244568364e+161, true);
  view.setFloat64(at + 8, 9.949253982636672e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  at = writeCostAnalysis(body.cost_analysis, at);
  // ,"sizing":
  view.setFloat64(at, 1.6937628668510353e+190, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  if (body.sizing === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeSizingBlock(body.sizing, at);
  }
  if (body.monte_carlo !== undefined) {
    // ,"monte_carlo":
    view.setFloat64(at, 3.5114986951388326e+151, true);
    view.setFloat64(at + 8, 1.4537805247568275e-307, true);
    at += 15;
    if (body.monte_carlo === null) {
      // null
      view.setFloat64(at, 8.98728768e-315, true);
      at += 4;
    } else {
      at = writeMonteCarloBlock(body.monte_carlo, at);
    }
  }
  // ,"evt":
  view.setFloat64(at, 1.4537848017330243e-307, true);
  at += 7;
  if (body.evt === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeEvtBlock(body.evt, at);
  }
  // ,"greeks":
  view.setFloat64(at, 9.577559572043698e+247, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  if (body.greeks === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeGreeksBlock(body.greeks, at);
  }
  // ,"regime":
  view.setFloat64(at, 3.8138889981644536e+180, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  if (body.regime === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeRegimeBlock(body.regime, at);
  }
  // ,"drawdown":
  view.setFloat64(at, 3.8787046691160965e+228, true);
  view.setFloat64(at + 8, 4.81879532e-315, true);
  at += 12;
  if (body.drawdown === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeDrawdownBlock(body.drawdown, at);
  }
  if (body.portfolio_attribution !== undefined) {
    // ,"portfolio_attribution":
    view.setFloat64(at, 4.255565638624953e+228, true);
    view.setFloat64(at + 8, 2.1822662395647556e+243, true);
    view.setFloat64(at + 16, 7.7995270596000585e-143, true);
    view.setFloat64(at + 24, 2.87e-322, true);
    at += 25;
    if (body.portfolio_attribution === null) {
      // null
      view.setFloat64(at, 8.98728768e-315, true);
      at += 4;
    } else {
      at = writePortfolioAttribution(body.portfolio_attribution, at);
    }
  }
  if (body.explanation !== undefined) {
    // ,"explanation":
    view.setFloat64(at, 5.038537179957124e+223, true);
    view.setFloat64(at + 8, 1.4537796857897626e-307, true);
    at += 15;
    at = writeExplanation(body.explanation, at);
  }
  // ,"meta":
  view.setFloat64(at, 1.15998413516789e-28, true);
  at += 8;
  at = writeMetaBlock(body.meta, at);
  // ,"model_version":
  view.setFloat64(at, 4.647570422367509e+151, true);
  view.setFloat64(at + 8, 7.799527044147088e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  at = writeModelVersion(body.model_version, at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeSlippageBlock(of: Parameters<typeof slippageBlock>[0], start: number): number {
  const body = slippageBlock(of) satisfies Own<SlippageBlock>;
  let at = start;
  // {"bps":
  view.setFloat64(at, 1.453783933002158e-307, true);
  at += 7;
  if (body.bps === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.bps, true);
    at = writeNumber(at);
  }
  // ,"fill_price":
  view.setFloat64(at, 1.9514239062329042e+233, true);
  view.setFloat64(at + 8, 3.15803817736634e-310, true);
  at += 14;
  if (body.fill_price === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.fill_price, true);
    at = writeNumber(at);
  }
  // ,"mid_price":
  view.setFloat64(at, 1.7467664942514705e+243, true);
  view.setFloat64(at + 8, 1.23360866303e-312, true);
  at += 13;
  if (body.mid_price === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.mid_price, true);
    at = writeNumber(at);
  }
  // ,"depth_50bps":
  view.setFloat64(at, 4.0025121832233266e+151, true);
  view.setFloat64(at + 8, 1.4537839330028525e-307, true);
  at += 15;
  view.setFloat64(at, body.depth_50bps, true);
  at = writeNumber(at);
  // ,"depth_100bps":
  view.setFloat64(at, 4.0025121832233266e+151, true);
  view.setFloat64(at + 8, 1.1644176137196139e-28, true);
  at += 16;
  view.setFloat64(at, body.depth_100bps, true);
  at = writeNumber(at);
  // ,"bid_ask_imbalance":
  view.setFloat64(at, 6.073400442566427e+247, true);
  view.setFloat64(at + 8, 1.995015775676214e+161, true);
  view.setFloat64(at + 16, 1.233608663056e-312, true);
  at += 21;
  view.setFloat64(at, body.bid_ask_imbalance, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeLiquidationBlock(of: Parameters<typeof liquidationBlock>[0], start: number): number {
  const body = liquidationBlock(of) satisfies Own<LiquidationBlock>;
  let at = start;
  // {"price":
  view.setFloat64(at, 5.48111480451543e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  view.setFloat64(at, body.price, true);
  at = writeNumber(at);
  // ,"distance_pct":
  view.setFloat64(at, 5.047587003576892e+223, true);
  view.setFloat64(at + 8, 1.16465166756366e-28, true);
  at += 16;
  view.setFloat64(at, body.distance_pct, true);
  at = writeNumber(at);
  // ,"margin_used_pct":
  view.setFloat64(at, 7.346329816158232e+223, true);
  view.setFloat64(at + 8, 9.886347855416823e+170, true);
  view.setFloat64(at + 16, 1.8823447e-317, true);
  at += 19;
  view.setFloat64(at, body.margin_used_pct, true);
  at = writeNumber(at);
  // ,"effective_leverage":
  view.setFloat64(at, 4.4438629223323005e+252, true);
  view.setFloat64(at + 8, 5.80833236656384e+180, true);
  view.setFloat64(at + 16, 3.1580381902168e-310, true);
  at += 22;
  view.setFloat64(at, body.effective_leverage, true);
  at = writeNumber(at);
  // ,"mode":
  view.setFloat64(at, 1.1609548414756804e-28, true);
  at += 8;
  at = writeString(body.mode, at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeFundingBlock(of: Parameters<typeof fundingBlock>[0], start: number): number {
  const body = fundingBlock(of) satisfies Own<FundingBlock>;
  let at = start;
  // {"funding_rate":
  view.setFloat64(at, 7.342923693577579e+223, true);
  view.setFloat64(at + 8, 1.1609701963300714e-28, true);
  at += 16;
  view.setFloat64(at, body.funding_rate, true);
  at = writeNumber(at);
  // ,"annualized_pct":
  view.setFloat64(at, 1.1754908209041227e+214, true);
  view.setFloat64(at + 8, 4.453683046540819e+252, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  view.setFloat64(at, body.annualized_pct, true);
  at = writeNumber(at);
  // ,"vs_cex_divergence":
  view.setFloat64(at, 9.039404798490053e+271, true);
  view.setFloat64(at + 8, 3.040409796803154e+180, true);
  view.setFloat64(at + 16, 1.233608663056e-312, true);
  at += 21;
  view.setFloat64(at, body.vs_cex_divergence, true);
  at = writeNumber(at);
  // ,"direction":
  view.setFloat64(at, 4.443904914766649e+252, true);
  view.setFloat64(at + 8, 1.233611592327e-312, true);
  at += 13;
  at = writeString(body.direction, at);
  // ,"agent_pays":
  view.setFloat64(at, 6.687941210069668e+151, true);
  view.setFloat64(at + 8, 3.15804985316353e-310, true);
  at += 14;
  if (body.agent_pays) {
    // true
    view.setFloat64(at, 8.40996481e-315, true);
    at += 4;
  } else {
    // false
    view.setFloat64(at, 2.152783244446e-312, true);
    at += 5;
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeImpactBlock(of: Parameters<typeof impactBlock>[0], start: number): number {
  const body = impactBlock(of) satisfies Own<ImpactBlock>;
  let at = start;
  // {"expected_bps":
  view.setFloat64(at, 4.443898127741559e+252, true);
  view.setFloat64(at + 8, 1.1644176144132131e-28, true);
  at += 16;
  view.setFloat64(at, body.expected_bps, true);
  at = writeNumber(at);
  // ,"participation_pct":
  view.setFloat64(at, 7.685257926204618e+170, true);
  view.setFloat64(at + 8, 4.9813153595140516e+151, true);
  view.setFloat64(at + 16, 1.23361351993e-312, true);
  at += 21;
  view.setFloat64(at, body.participation_pct, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeVarBlock(of: Parameters<typeof varBlock>[0], start: number): number {
  const body = varBlock(of) satisfies Own<VarBlock>;
  let at = start;
  // {"pct_95_24h":
  view.setFloat64(at, 2.6490511999441982e-52, true);
  view.setFloat64(at + 8, 3.15804051120187e-310, true);
  at += 14;
  if (body.pct_95_24h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.pct_95_24h, true);
    at = writeNumber(at);
  }
  // ,"pct_99_24h":
  view.setFloat64(at, 4.8866369523523275e-33, true);
  view.setFloat64(at + 8, 3.15804051120187e-310, true);
  at += 14;
  if (body.pct_99_24h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.pct_99_24h, true);
    at = writeNumber(at);
  }
  // ,"dollar_95_24h":
  view.setFloat64(at, 9.294427741505372e+242, true);
  view.setFloat64(at + 8, 6.202650399074991e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  if (body.dollar_95_24h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.dollar_95_24h, true);
    at = writeNumber(at);
  }
  // ,"dollar_99_24h":
  view.setFloat64(at, 9.294427741505372e+242, true);
  view.setFloat64(at + 8, 6.202650399313658e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  if (body.dollar_99_24h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.dollar_99_24h, true);
    at = writeNumber(at);
  }
  // ,"lvar_95_24h":
  view.setFloat64(at, 2.4225733248955764e-32, true);
  view.setFloat64(at + 8, 1.4537743966649662e-307, true);
  at += 15;
  if (body.lvar_95_24h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.lvar_95_24h, true);
    at = writeNumber(at);
  }
  // ,"lvar_99_24h":
  view.setFloat64(at, 2.4225733248955764e-32, true);
  view.setFloat64(at + 8, 1.453774396664967e-307, true);
  at += 15;
  if (body.lvar_99_24h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.lvar_99_24h, true);
    at = writeNumber(at);
  }
  // ,"pct_99_4h":
  view.setFloat64(at, 4.8866369523523275e-33, true);
  view.setFloat64(at + 8, 1.23360957491e-312, true);
  at += 13;
  if (body.pct_99_4h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.pct_99_4h, true);
    at = writeNumber(at);
  }
  // ,"pct_99_7d":
  view.setFloat64(at, 4.8866369523523275e-33, true);
  view.setFloat64(at + 8, 1.23360828354e-312, true);
  at += 13;
  if (body.pct_99_7d === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.pct_99_7d, true);
    at = writeNumber(at);
  }
  // ,"dollar_99_4h":
  view.setFloat64(at, 9.294427741505372e+242, true);
  view.setFloat64(at + 8, 1.1616481153076093e-28, true);
  at += 16;
  if (body.dollar_99_4h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.dollar_99_4h, true);
    at = writeNumber(at);
  }
  // ,"dollar_99_7d":
  view.setFloat64(at, 9.294427741505372e+242, true);
  view.setFloat64(at + 8, 1.1606649280709996e-28, true);
  at += 16;
  if (body.dollar_99_7d === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.dollar_99_7d, true);
    at = writeNumber(at);
  }
  // ,"es_95_24h":
  view.setFloat64(at, 4.3421757009875615e+150, true);
  view.setFloat64(at + 8, 1.233609574686e-312, true);
  at += 13;
  if (body.es_95_24h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.es_95_24h, true);
    at = writeNumber(at);
  }
  // ,"es_99_24h":
  view.setFloat64(at, 5.160523352961597e+150, true);
  view.setFloat64(at + 8, 1.233609574686e-312, true);
  at += 13;
  if (body.es_99_24h === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.es_99_24h, true);
    at = writeNumber(at);
  }
  // ,"margin_var_99_pct":
  view.setFloat64(at, 7.346329816158232e+223, true);
  view.setFloat64(at + 8, 5.160523340592397e+150, true);
  view.setFloat64(at + 16, 1.23361351993e-312, true);
  at += 21;
  if (body.margin_var_99_pct === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.margin_var_99_pct, true);
    at = writeNumber(at);
  }
  // ,"volatility_regime":
  view.setFloat64(at, 9.750194274885015e+199, true);
  view.setFloat64(at + 8, 1.19445326515659e+190, true);
  view.setFloat64(at + 16, 1.23360867568e-312, true);
  at += 21;
  if (body.volatility_regime === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeString(body.volatility_regime, at);
  }
  // ,"volatility_forecast":
  view.setFloat64(at, 9.750194274885015e+199, true);
  view.setFloat64(at + 8, 1.674999588358793e+243, true);
  view.setFloat64(at + 16, 1.4537847917376622e-307, true);
  at += 23;
  if (body.volatility_forecast === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeVolatilityForecast(body.volatility_forecast, at);
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeVolatilityForecast(of: Parameters<typeof volatilityForecast>[0], start: number): number {
  const body = volatilityForecast(of) satisfies Own<VolatilityForecast>;
  let at = start;
  // {"sigma_1h":
  view.setFloat64(at, 2.852327694741894e+151, true);
  view.setFloat64(at + 8, 4.818787385e-315, true);
  at += 12;
  view.setFloat64(at, body.sigma_1h, true);
  at = writeNumber(at);
  // ,"sigma_4h":
  view.setFloat64(at, 2.852327694741848e+151, true);
  view.setFloat64(at + 8, 4.8187874e-315, true);
  at += 12;
  view.setFloat64(at, body.sigma_4h, true);
  at = writeNumber(at);
  // ,"sigma_1d":
  view.setFloat64(at, 2.852327694741848e+151, true);
  view.setFloat64(at + 8, 4.818782326e-315, true);
  at += 12;
  view.setFloat64(at, body.sigma_1d, true);
  at = writeNumber(at);
  // ,"sigma_7d":
  view.setFloat64(at, 2.852327694741848e+151, true);
  view.setFloat64(at + 8, 4.818782356e-315, true);
  at += 12;
  view.setFloat64(at, body.sigma_7d, true);
  at = writeNumber(at);
  // ,"long_run_sigma":
  view.setFloat64(at, 8.376100707052578e+242, true);
  view.setFloat64(at + 8, 2.0669663885037554e+161, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  view.setFloat64(at, body.long_run_sigma, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeOiBlock(of: Parameters<typeof oiBlock>[0], start: number): number {
  const body = oiBlock(of) satisfies Own<OiBlock>;
  let at = start;
  // {"current":
  view.setFloat64(at, 6.202039704144712e+223, true);
  view.setFloat64(at + 8, 1.8823447e-317, true);
  at += 11;
  view.setFloat64(at, body.current, true);
  at = writeNumber(at);
  // ,"at_cap":
  view.setFloat64(at, 2.159636536114714e+233, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  if (body.at_cap) {
    // true
    view.setFloat64(at, 8.40996481e-315, true);
    at += 4;
  } else {
    // false
    view.setFloat64(at, 2.152783244446e-312, true);
    at += 5;
  }
  // ,"utilization_pct":
  view.setFloat64(at, 4.6148865662017616e+281, true);
  view.setFloat64(at + 8, 9.886440351677983e+170, true);
  view.setFloat64(at + 16, 1.8823447e-317, true);
  at += 19;
  view.setFloat64(at, body.utilization_pct, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeStressEntry(of: Parameters<typeof stressEntry>[0], index: number, start: number): number {
  const body = stressEntry(of, index) satisfies Own<StressEntry>;
  let at = start;
  const kept = keptStressEntry[index];
  if (kept === undefined) {
    // {"scenario":
    view.setFloat64(at, 9.298537893179856e+242, true);
    view.setFloat64(at + 8, 4.818796516e-315, true);
    at += 12;
    at = writeString(body.scenario, at);
    // ,"description":
    view.setFloat64(at, 8.797169491803609e+199, true);
    view.setFloat64(at + 8, 1.4537796857897655e-307, true);
    at += 15;
    at = writeString(body.description, at);
    keptStressEntry[index] = keepText(start, at);
  } else {
    at = writeKept(kept, start);
  }
  // ,"pnl_pct":
  view.setFloat64(at, 9.886421889074761e+170, true);
  view.setFloat64(at + 8, 1.8823447e-317, true);
  at += 11;
  view.setFloat64(at, body.pnl_pct, true);
  at = writeNumber(at);
  // ,"pnl_usd":
  view.setFloat64(at, 1.4943654407160722e+248, true);
  view.setFloat64(at + 8, 1.8823368e-317, true);
  at += 11;
  view.setFloat64(at, body.pnl_usd, true);
  at = writeNumber(at);
  // ,"funding_cost_pct":
  view.setFloat64(at, 7.342923693577498e+223, true);
  view.setFloat64(at + 8, 1.9533712090902151e+233, true);
  view.setFloat64(at + 16, 4.81880281e-315, true);
  at += 20;
  view.setFloat64(at, body.funding_cost_pct, true);
  at = writeNumber(at);
  // ,"liquidity_cost_pct":
  view.setFloat64(at, 5.037380617016907e+175, true);
  view.setFloat64(at + 8, 8.90560399483667e+252, true);
  view.setFloat64(at + 16, 3.15805061102303e-310, true);
  at += 22;
  view.setFloat64(at, body.liquidity_cost_pct, true);
  at = writeNumber(at);
  // ,"liquidation_distance_pct":
  view.setFloat64(at, 5.037380617016907e+175, true);
  view.setFloat64(at + 8, 4.873235660964382e+199, true);
  view.setFloat64(at + 16, 1.9497173297726695e+233, true);
  view.setFloat64(at + 24, 4.81880281e-315, true);
  at += 28;
  view.setFloat64(at, body.liquidation_distance_pct, true);
  at = writeNumber(at);
  // ,"survives":
  view.setFloat64(at, 2.505592388391125e+262, true);
  view.setFloat64(at + 8, 4.818801555e-315, true);
  at += 12;
  if (body.survives) {
    // true
    view.setFloat64(at, 8.40996481e-315, true);
    at += 4;
  } else {
    // false
    view.setFloat64(at, 2.152783244446e-312, true);
    at += 5;
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writePortfolioRisk(of: Parameters<typeof portfolioRisk>[0], start: number): number {
  const body = portfolioRisk(of) satisfies Own<PortfolioRisk>;
  let at = start;
  // {"portfolio_var_99_24h":
  view.setFloat64(at, 4.255565638625006e+228, true);
  view.setFloat64(at + 8, 6.016725158371074e+151, true);
  view.setFloat64(at + 16, 1.161647946594774e-28, true);
  at += 24;
  view.setFloat64(at, body.portfolio_var_99_24h, true);
  at = writeNumber(at);
  // ,"portfolio_es_99_24h":
  view.setFloat64(at, 4.255565638624953e+228, true);
  view.setFloat64(at + 8, 2.4228788478747716e-32, true);
  view.setFloat64(at + 16, 1.453774396664967e-307, true);
  at += 23;
  view.setFloat64(at, body.portfolio_es_99_24h, true);
  at = writeNumber(at);
  // ,"position_count":
  view.setFloat64(at, 9.76519557896743e+199, true);
  view.setFloat64(at + 8, 6.978437341484439e+252, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  view.setFloat64(at, body.position_count, true);
  at = writeNumber(at);
  // ,"monte_carlo":
  view.setFloat64(at, 3.5114986951388326e+151, true);
  view.setFloat64(at + 8, 1.4537805247568275e-307, true);
  at += 15;
  if (body.monte_carlo === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writePortfolioMonteCarlo(body.monte_carlo, at);
  }
  // ,"tail_dependence":
  view.setFloat64(at, 3.1087930646031747e+175, true);
  view.setFloat64(at + 8, 9.177088184030471e+170, true);
  view.setFloat64(at + 16, 1.882337e-317, true);
  at += 19;
  if (body.tail_dependence === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    // [
    view.setFloat64(at, 4.5e-322, true);
    at += 1;
    for (let i = 0; i < body.tail_dependence.length; i++) {
      at = withRoom(at);
      if (i > 0) {
        // ,
        view.setFloat64(at, 2.17e-322, true);
        at += 1;
      }
      at = writeTailDependenceEntry(body.tail_dependence[i]!, at);
    }
    // ]
    view.setFloat64(at, 4.6e-322, true);
    at += 1;
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writePortfolioMonteCarlo(of: Parameters<typeof portfolioMonteCarlo>[0], start: number): number {
  const body = portfolioMonteCarlo(of) satisfies Own<PortfolioMonteCarlo>;
  let at = start;
  // {"simulations":
  view.setFloat64(at, 2.0005193960753105e+161, true);
  view.setFloat64(at + 8, 1.4537839265428831e-307, true);
  at += 15;
  view.setFloat64(at, body.simulations, true);
  at = writeNumber(at);
  // ,"var_95":
  view.setFloat64(at, 2.649048001460168e-52, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  view.setFloat64(at, body.var_95, true);
  at = writeNumber(at);
  // ,"var_99":
  view.setFloat64(at, 4.8866310521907486e-33, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  view.setFloat64(at, body.var_99, true);
  at = writeNumber(at);
  // ,"es_95":
  view.setFloat64(at, 6.79878996368676e-144, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  view.setFloat64(at, body.es_95, true);
  at = writeNumber(at);
  // ,"es_99":
  view.setFloat64(at, 8.080123144603945e-144, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  view.setFloat64(at, body.es_99, true);
  at = writeNumber(at);
  // ,"liquidation_probability":
  view.setFloat64(at, 5.037380617016907e+175, true);
  view.setFloat64(at + 8, 1.7467828116468823e+243, true);
  view.setFloat64(at + 16, 5.824805503706758e+252, true);
  view.setFloat64(at + 24, 1.882347e-317, true);
  at += 27;
  view.setFloat64(at, body.liquidation_probability, true);
  at = writeNumber(at);
  // ,"positions":
  view.setFloat64(at, 9.76519557896743e+199, true);
  view.setFloat64(at + 8, 1.233613210046e-312, true);
  at += 13;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.positions.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    at = writePortfolioMonteCarloPosition(body.positions[i]!, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writePortfolioMonteCarloPosition(of: Parameters<typeof portfolioMonteCarloPosition>[0], start: number): number {
  const body = portfolioMonteCarloPosition(of) satisfies Own<PortfolioMonteCarloPosition>;
  let at = start;
  // {"asset":
  view.setFloat64(at, 1.045377873798462e-142, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  at = writeString(body.asset, at);
  // ,"marginal_var_99":
  view.setFloat64(at, 7.346329816158232e+223, true);
  view.setFloat64(at + 8, 2.4225733246675997e-32, true);
  view.setFloat64(at + 16, 1.8823155e-317, true);
  at += 19;
  view.setFloat64(at, body.marginal_var_99, true);
  at = writeNumber(at);
  // ,"component_var_99":
  view.setFloat64(at, 9.091548620667347e+223, true);
  view.setFloat64(at + 8, 6.016725158753627e+151, true);
  view.setFloat64(at + 16, 4.81872798e-315, true);
  at += 20;
  view.setFloat64(at, body.component_var_99, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeTailDependenceEntry(of: Parameters<typeof tailDependenceEntry>[0], start: number): number {
  const body = tailDependenceEntry(of) satisfies Own<TailDependenceEntry>;
  let at = start;
  // {"asset_a":
  view.setFloat64(at, 6.676503357512543e+151, true);
  view.setFloat64(at + 8, 1.8823353e-317, true);
  at += 11;
  at = writeString(body.asset_a, at);
  // ,"asset_b":
  view.setFloat64(at, 6.676503357512451e+151, true);
  view.setFloat64(at + 8, 1.882336e-317, true);
  at += 11;
  at = writeString(body.asset_b, at);
  // ,"lower_tail_lambda":
  view.setFloat64(at, 6.021845137918591e+151, true);
  view.setFloat64(at + 8, 7.688082825523908e+218, true);
  view.setFloat64(at + 16, 1.2336073691e-312, true);
  at += 21;
  view.setFloat64(at, body.lower_tail_lambda, true);
  at = writeNumber(at);
  // ,"upper_tail_lambda":
  view.setFloat64(at, 6.021810194531687e+151, true);
  view.setFloat64(at + 8, 7.688082825523908e+218, true);
  view.setFloat64(at + 16, 1.2336073691e-312, true);
  at += 21;
  view.setFloat64(at, body.upper_tail_lambda, true);
  at = writeNumber(at);
  // ,"pearson_rho":
  view.setFloat64(at, 7.370973325063728e+228, true);
  view.setFloat64(at + 8, 1.4537805114942548e-307, true);
  at += 15;
  view.setFloat64(at, body.pearson_rho, true);
  at = writeNumber(at);
  // ,"degrees_of_freedom":
  view.setFloat64(at, 2.781068899481474e+180, true);
  view.setFloat64(at + 8, 4.771915203749988e+180, true);
  view.setFloat64(at + 16, 3.1580448473942e-310, true);
  at += 22;
  view.setFloat64(at, body.degrees_of_freedom, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writePortfolioStress(of: Parameters<typeof portfolioStress>[0], start: number): number {
  const body = portfolioStress(of) satisfies Own<PortfolioStress>;
  let at = start;
  // {"scenario":
  view.setFloat64(at, 9.298537893179856e+242, true);
  view.setFloat64(at + 8, 4.818796516e-315, true);
  at += 12;
  at = writeString(body.scenario, at);
  // ,"total_pnl_usd":
  view.setFloat64(at, 4.645053044603285e+151, true);
  view.setFloat64(at + 8, 5.240911466476083e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  view.setFloat64(at, body.total_pnl_usd, true);
  at = writeNumber(at);
  // ,"total_pnl_pct":
  view.setFloat64(at, 4.645053044603285e+151, true);
  view.setFloat64(at + 8, 1.0449750500243784e-142, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  view.setFloat64(at, body.total_pnl_pct, true);
  at = writeNumber(at);
  // ,"total_funding_cost_pct":
  view.setFloat64(at, 4.645053044603285e+151, true);
  view.setFloat64(at + 8, 3.834989157056007e+151, true);
  view.setFloat64(at + 16, 4.4536832657828364e+252, true);
  view.setFloat64(at + 24, 7.3527e-320, true);
  at += 26;
  view.setFloat64(at, body.total_funding_cost_pct, true);
  at = writeNumber(at);
  // ,"account_survives":
  view.setFloat64(at, 1.239716877835385e+224, true);
  view.setFloat64(at + 8, 2.5055923883966094e+262, true);
  view.setFloat64(at + 16, 4.818801555e-315, true);
  at += 20;
  if (body.account_survives) {
    // true
    view.setFloat64(at, 8.40996481e-315, true);
    at += 4;
  } else {
    // false
    view.setFloat64(at, 2.152783244446e-312, true);
    at += 5;
  }
  // ,"positions_liquidated":
  view.setFloat64(at, 9.76519557896743e+199, true);
  view.setFloat64(at + 8, 5.228778230325274e+257, true);
  view.setFloat64(at + 16, 1.1607093040431584e-28, true);
  at += 24;
  view.setFloat64(at, body.positions_liquidated, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeFeesBlock(of: Parameters<typeof feesBlock>[0], start: number): number {
  const body = feesBlock(of) satisfies Own<FeesBlock>;
  let at = start;
  // {"taker_fee_bps":
  view.setFloat64(at, 6.021784927803235e+151, true);
  view.setFloat64(at + 8, 9.963134818355475e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  view.setFloat64(at, body.taker_fee_bps, true);
  at = writeNumber(at);
  // ,"estimated_fee_usd":
  view.setFloat64(at, 2.0675273712808688e+161, true);
  view.setFloat64(at + 8, 3.501888547981162e+151, true);
  view.setFloat64(at + 16, 1.233608359537e-312, true);
  at += 21;
  view.setFloat64(at, body.estimated_fee_usd, true);
  at = writeNumber(at);
  // ,"fee_pct_of_margin":
  view.setFloat64(at, 9.886357067318899e+170, true);
  view.setFloat64(at + 8, 9.296405395592734e+242, true);
  view.setFloat64(at + 16, 1.23361158473e-312, true);
  at += 21;
  view.setFloat64(at, body.fee_pct_of_margin, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeCostAnalysis(of: Parameters<typeof costAnalysis>[0], start: number): number {
  const body = costAnalysis(of) satisfies Own<CostAnalysis>;
  let at = start;
  // {"total_entry_cost_bps":
  view.setFloat64(at, 4.645053044603331e+151, true);
  view.setFloat64(at + 8, 3.671490544548637e+228, true);
  view.setFloat64(at + 16, 1.1644176144141346e-28, true);
  at += 24;
  if (body.total_entry_cost_bps === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.total_entry_cost_bps, true);
    at = writeNumber(at);
  }
  // ,"total_round_trip_cost_bps":
  view.setFloat64(at, 4.645053044603285e+151, true);
  view.setFloat64(at + 8, 2.173519449957572e+243, true);
  view.setFloat64(at + 16, 6.69438442090467e+151, true);
  view.setFloat64(at + 24, 1.23361321251e-312, true);
  at += 29;
  if (body.total_round_trip_cost_bps === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.total_round_trip_cost_bps, true);
    at = writeNumber(at);
  }
  // ,"breakeven_move_pct":
  view.setFloat64(at, 3.550488156520141e+180, true);
  view.setFloat64(at + 8, 5.818466977634055e+180, true);
  view.setFloat64(at + 16, 3.15805061102303e-310, true);
  at += 22;
  if (body.breakeven_move_pct === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.breakeven_move_pct, true);
    at = writeNumber(at);
  }
  // ,"funding_drag_24h_pct":
  view.setFloat64(at, 7.342923693577498e+223, true);
  view.setFloat64(at + 8, 4.659331275176803e-66, true);
  view.setFloat64(at + 16, 1.1646516675638217e-28, true);
  at += 24;
  view.setFloat64(at, body.funding_drag_24h_pct, true);
  at = writeNumber(at);
  // ,"cost_score":
  view.setFloat64(at, 5.498251155849608e+247, true);
  view.setFloat64(at + 8, 3.1580382260101e-310, true);
  at += 14;
  view.setFloat64(at, body.cost_score, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeSizingBlock(of: Parameters<typeof sizingBlock>[0], start: number): number {
  const body = sizingBlock(of) satisfies Own<SizingBlock>;
  let at = start;
  // {"max_safe_size_usd":
  view.setFloat64(at, 2.723660774060031e+161, true);
  view.setFloat64(at + 8, 3.5153222512616217e+151, true);
  view.setFloat64(at + 16, 1.233608359537e-312, true);
  at += 21;
  view.setFloat64(at, body.max_safe_size_usd, true);
  at = writeNumber(at);
  // ,"suggested_size_usd":
  view.setFloat64(at, 7.482725552476466e+247, true);
  view.setFloat64(at + 8, 6.8497912210224055e+180, true);
  view.setFloat64(at + 16, 3.1580374004191e-310, true);
  at += 22;
  view.setFloat64(at, body.suggested_size_usd, true);
  at = writeNumber(at);
  // ,"size_limit_reason":
  view.setFloat64(at, 1.0569556872001107e+214, true);
  view.setFloat64(at + 8, 1.507611953263512e+161, true);
  view.setFloat64(at + 16, 1.233611592376e-312, true);
  at += 21;
  at = writeString(body.size_limit_reason, at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeMonteCarloBlock(of: Parameters<typeof monteCarloBlock>[0], start: number): number {
  const body = monteCarloBlock(of) satisfies Own<MonteCarloBlock>;
  let at = start;
  // {"simulations":
  view.setFloat64(at, 2.0005193960753105e+161, true);
  view.setFloat64(at + 8, 1.4537839265428831e-307, true);
  at += 15;
  view.setFloat64(at, body.simulations, true);
  at = writeNumber(at);
  // ,"var_95":
  view.setFloat64(at, 2.649048001460168e-52, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  view.setFloat64(at, body.var_95, true);
  at = writeNumber(at);
  // ,"var_99":
  view.setFloat64(at, 4.8866310521907486e-33, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  view.setFloat64(at, body.var_99, true);
  at = writeNumber(at);
  // ,"expected_shortfall_95":
  view.setFloat64(at, 4.443898127741494e+252, true);
  view.setFloat64(at + 8, 8.447417035203754e+252, true);
  view.setFloat64(at + 16, 6.798789830573799e-144, true);
  view.setFloat64(at + 24, 2.87e-322, true);
  at += 25;
  view.setFloat64(at, body.expected_shortfall_95, true);
  at = writeNumber(at);
  // ,"expected_shortfall_99":
  view.setFloat64(at, 4.443898127741494e+252, true);
  view.setFloat64(at + 8, 8.447417035203754e+252, true);
  view.setFloat64(at + 16, 8.080123011490983e-144, true);
  view.setFloat64(at + 24, 2.87e-322, true);
  at += 25;
  view.setFloat64(at, body.expected_shortfall_99, true);
  at = writeNumber(at);
  // ,"median_return":
  view.setFloat64(at, 5.035095085991733e+223, true);
  view.setFloat64(at + 8, 7.802577107114429e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  view.setFloat64(at, body.median_return, true);
  at = writeNumber(at);
  // ,"worst_case":
  view.setFloat64(at, 6.694399641234709e+151, true);
  view.setFloat64(at + 8, 3.15803822907095e-310, true);
  at += 14;
  view.setFloat64(at, body.worst_case, true);
  at = writeNumber(at);
  // ,"confidence_interval":
  view.setFloat64(at, 5.0257780172852115e+175, true);
  view.setFloat64(at + 8, 6.967641844681351e+252, true);
  view.setFloat64(at + 16, 1.4537779419427427e-307, true);
  at += 23;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.confidence_interval.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    view.setFloat64(at, body.confidence_interval[i]!, true);
    at = writeNumber(at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeEvtBlock(of: Parameters<typeof evtBlock>[0], start: number): number {
  const body = evtBlock(of) satisfies Own<EvtBlock>;
  let at = start;
  // {"var_99_9":
  view.setFloat64(at, 4.886631052190803e-33, true);
  view.setFloat64(at + 8, 4.818728167e-315, true);
  at += 12;
  view.setFloat64(at, body.var_99_9, true);
  at = writeNumber(at);
  // ,"expected_shortfall_99_9":
  view.setFloat64(at, 4.443898127741494e+252, true);
  view.setFloat64(at + 8, 8.447417035203754e+252, true);
  view.setFloat64(at + 16, 5.1605232679464884e+150, true);
  view.setFloat64(at + 24, 1.8823155e-317, true);
  at += 27;
  view.setFloat64(at, body.expected_shortfall_99_9, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeGreeksBlock(of: Parameters<typeof greeksBlock>[0], start: number): number {
  const body = greeksBlock(of) satisfies Own<GreeksBlock>;
  let at = start;
  // {"delta":
  view.setFloat64(at, 4.47307749775951e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  view.setFloat64(at, body.delta, true);
  at = writeNumber(at);
  // ,"gamma":
  view.setFloat64(at, 4.466074056325116e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  view.setFloat64(at, body.gamma, true);
  at = writeNumber(at);
  // ,"vega":
  view.setFloat64(at, 1.1599716167554946e-28, true);
  at += 8;
  if (body.vega === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.vega, true);
    at = writeNumber(at);
  }
  // ,"theta":
  view.setFloat64(at, 4.4730501723083345e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  if (body.theta === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.theta, true);
    at = writeNumber(at);
  }
  // ,"liquidation_gamma":
  view.setFloat64(at, 5.037380617016907e+175, true);
  view.setFloat64(at + 8, 1.6430018315415492e+161, true);
  view.setFloat64(at + 16, 1.233607380536e-312, true);
  at += 21;
  view.setFloat64(at, body.liquidation_gamma, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeRegimeBlock(of: Parameters<typeof regimeBlock>[0], start: number): number {
  const body = regimeBlock(of) satisfies Own<RegimeBlock>;
  let at = start;
  // {"state":
  view.setFloat64(at, 5.498101259004488e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  at = writeString(body.state, at);
  // ,"confidence":
  view.setFloat64(at, 5.0257780172852115e+175, true);
  view.setFloat64(at + 8, 3.15803817742894e-310, true);
  at += 14;
  view.setFloat64(at, body.confidence, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeDrawdownBlock(of: Parameters<typeof drawdownBlock>[0], start: number): number {
  const body = drawdownBlock(of) satisfies Own<DrawdownBlock>;
  let at = start;
  // {"max_drawdown_pct":
  view.setFloat64(at, 1.0867759628735607e+243, true);
  view.setFloat64(at + 8, 1.9519195137218701e+233, true);
  view.setFloat64(at + 16, 4.81880281e-315, true);
  at += 20;
  view.setFloat64(at, body.max_drawdown_pct, true);
  at = writeNumber(at);
  // ,"current_drawdown_pct":
  view.setFloat64(at, 6.202039704144631e+223, true);
  view.setFloat64(at + 8, 3.878704669126659e+228, true);
  view.setFloat64(at + 16, 1.164651667564181e-28, true);
  at += 24;
  view.setFloat64(at, body.current_drawdown_pct, true);
  at = writeNumber(at);
  // ,"peak_equity":
  view.setFloat64(at, 2.0371174573121477e+180, true);
  view.setFloat64(at + 8, 1.4537890391493887e-307, true);
  at += 15;
  view.setFloat64(at, body.peak_equity, true);
  at = writeNumber(at);
  // ,"trough_equity":
  view.setFloat64(at, 8.562325663285576e+194, true);
  view.setFloat64(at + 8, 1.3046398202915073e-142, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  view.setFloat64(at, body.trough_equity, true);
  at = writeNumber(at);
  // ,"drawdown_duration_hours":
  view.setFloat64(at, 3.8787046691160965e+228, true);
  view.setFloat64(at + 8, 3.997327426136492e+252, true);
  view.setFloat64(at + 16, 2.286882111488777e+243, true);
  view.setFloat64(at + 24, 1.882344e-317, true);
  at += 27;
  view.setFloat64(at, body.drawdown_duration_hours, true);
  at = writeNumber(at);
  // ,"calmar_ratio":
  view.setFloat64(at, 9.296511050753458e+242, true);
  view.setFloat64(at + 8, 1.1634248652655457e-28, true);
  at += 16;
  if (body.calmar_ratio === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.calmar_ratio, true);
    at = writeNumber(at);
  }
  // ,"trailing_stop_distance_pct":
  view.setFloat64(at, 6.796158426560002e+199, true);
  view.setFloat64(at + 8, 5.379938791081959e+151, true);
  view.setFloat64(at + 16, 2.519686290315674e+180, true);
  view.setFloat64(at + 24, 3.15805061102303e-310, true);
  at += 30;
  view.setFloat64(at, body.trailing_stop_distance_pct, true);
  at = writeNumber(at);
  // ,"suggested_stop_loss_pct":
  view.setFloat64(at, 7.482725552476466e+247, true);
  view.setFloat64(at + 8, 3.906742299762301e+233, true);
  view.setFloat64(at + 16, 9.88648656535963e+170, true);
  view.setFloat64(at + 24, 1.8823447e-317, true);
  at += 27;
  view.setFloat64(at, body.suggested_stop_loss_pct, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writePortfolioAttribution(of: Parameters<typeof portfolioAttribution>[0], start: number): number {
  const body = portfolioAttribution(of) satisfies Own<PortfolioAttribution>;
  let at = start;
  // {"total_var_99":
  view.setFloat64(at, 4.645053044603331e+151, true);
  view.setFloat64(at + 8, 1.1500665364268774e-28, true);
  at += 16;
  view.setFloat64(at, body.total_var_99, true);
  at = writeNumber(at);
  // ,"diversification_benefit_pct":
  view.setFloat64(at, 1.2862572226741495e+248, true);
  view.setFloat64(at + 8, 4.824065448407329e+228, true);
  view.setFloat64(at + 16, 5.357248418331013e+199, true);
  view.setFloat64(at + 24, 1.4537847388818426e-307, true);
  at += 31;
  view.setFloat64(at, body.diversification_benefit_pct, true);
  at = writeNumber(at);
  // ,"positions":
  view.setFloat64(at, 9.76519557896743e+199, true);
  view.setFloat64(at + 8, 1.233613210046e-312, true);
  at += 13;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.positions.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    at = writeAttributionEntry(body.positions[i]!, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeAttributionEntry(of: Parameters<typeof attributionEntry>[0], start: number): number {
  const body = attributionEntry(of) satisfies Own<AttributionEntry>;
  let at = start;
  // {"asset":
  view.setFloat64(at, 1.045377873798462e-142, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  at = writeString(body.asset, at);
  // ,"marginal_var":
  view.setFloat64(at, 7.346329816158232e+223, true);
  view.setFloat64(at + 8, 1.1641567261378454e-28, true);
  at += 16;
  view.setFloat64(at, body.marginal_var, true);
  at = writeNumber(at);
  // ,"component_var":
  view.setFloat64(at, 9.091548620667347e+223, true);
  view.setFloat64(at + 8, 9.420726714096862e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  view.setFloat64(at, body.component_var, true);
  at = writeNumber(at);
  // ,"component_var_pct":
  view.setFloat64(at, 9.091548620667347e+223, true);
  view.setFloat64(at + 8, 6.016725158753627e+151, true);
  view.setFloat64(at + 16, 1.23361351993e-312, true);
  at += 21;
  if (body.component_var_pct === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.component_var_pct, true);
    at = writeNumber(at);
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeExplanation(of: Parameters<typeof explanation>[0], start: number): number {
  const body = explanation(of) satisfies Own<Explanation>;
  let at = start;
  // {"unrounded_score":
  view.setFloat64(at, 1.2397301535902608e+224, true);
  view.setFloat64(at + 8, 1.6743906584704208e+243, true);
  view.setFloat64(at + 16, 1.882337e-317, true);
  at += 19;
  view.setFloat64(at, body.unrounded_score, true);
  at = writeNumber(at);
  // ,"components":
  view.setFloat64(at, 9.091548620667347e+223, true);
  view.setFloat64(at + 8, 3.15804983713787e-310, true);
  at += 14;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.components.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    at = writeExplainedComponent(body.components[i]!, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  // ,"compounding_points":
  view.setFloat64(at, 4.720601934230771e+257, true);
  view.setFloat64(at + 8, 6.205778681169756e+228, true);
  view.setFloat64(at + 16, 3.15804983713807e-310, true);
  at += 22;
  view.setFloat64(at, body.compounding_points, true);
  at = writeNumber(at);
  // ,"adjustment_points":
  view.setFloat64(at, 8.916392661211557e+252, true);
  view.setFloat64(at + 8, 7.520301729679731e+199, true);
  view.setFloat64(at + 16, 1.23361321763e-312, true);
  at += 21;
  view.setFloat64(at, body.adjustment_points, true);
  at = writeNumber(at);
  // ,"adjustment_reason":
  view.setFloat64(at, 8.916392661211557e+252, true);
  view.setFloat64(at + 8, 1.5076119533448362e+161, true);
  view.setFloat64(at + 16, 1.233611592376e-312, true);
  at += 21;
  if (body.adjustment_reason === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeString(body.adjustment_reason, at);
  }
  // ,"base_points":
  view.setFloat64(at, 1.949732442972586e+233, true);
  view.setFloat64(at + 8, 1.453783946423641e-307, true);
  at += 15;
  view.setFloat64(at, body.base_points, true);
  at = writeNumber(at);
  // ,"next_better_band":
  view.setFloat64(at, 7.245473940496324e+165, true);
  view.setFloat64(at + 8, 1.2915284401220372e+161, true);
  view.setFloat64(at + 16, 4.818782627e-315, true);
  at += 20;
  if (body.next_better_band === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeNextBetterBand(body.next_better_band, at);
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeExplainedComponent(of: Parameters<typeof explainedComponent>[0], start: number): number {
  const body = explainedComponent(of) satisfies Own<ExplainedComponent>;
  let at = start;
  // {"component":
  view.setFloat64(at, 9.091548620667428e+223, true);
  view.setFloat64(at + 8, 1.23361353379e-312, true);
  at += 13;
  at = writeString(body.component, at);
  // ,"driver":
  view.setFloat64(at, 1.1449005581518219e+243, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  at = writeString(body.driver, at);
  // ,"raw_value":
  view.setFloat64(at, 3.1454317972128167e+161, true);
  view.setFloat64(at + 8, 1.233608685813e-312, true);
  at += 13;
  if (body.raw_value === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.raw_value, true);
    at = writeNumber(at);
  }
  // ,"raw_unit":
  view.setFloat64(at, 1.236119783389836e+224, true);
  view.setFloat64(at + 8, 4.81880284e-315, true);
  at += 12;
  at = writeString(body.raw_unit, at);
  // ,"severity":
  view.setFloat64(at, 8.800928944543345e+199, true);
  view.setFloat64(at + 8, 4.81880922e-315, true);
  at += 12;
  view.setFloat64(at, body.severity, true);
  at = writeNumber(at);
  // ,"weight":
  view.setFloat64(at, 5.591219485750157e+252, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  view.setFloat64(at, body.weight, true);
  at = writeNumber(at);
  // ,"points":
  view.setFloat64(at, 1.4285398732845006e+248, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  view.setFloat64(at, body.points, true);
  at = writeNumber(at);
  // ,"share_points":
  view.setFloat64(at, 3.510187492688094e+151, true);
  view.setFloat64(at + 8, 1.1644215115596556e-28, true);
  at += 16;
  view.setFloat64(at, body.share_points, true);
  at = writeNumber(at);
  // ,"floor_points":
  view.setFloat64(at, 6.034591802609169e+151, true);
  view.setFloat64(at + 8, 1.1644215115596556e-28, true);
  at += 16;
  view.setFloat64(at, body.floor_points, true);
  at = writeNumber(at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeNextBetterBand(of: Parameters<typeof nextBetterBand>[0], start: number): number {
  const body = nextBetterBand(of) satisfies Own<NextBetterBand>;
  let at = start;
  // {"recommendation":
  view.setFloat64(at, 1.2988306670788894e+219, true);
  view.setFloat64(at + 8, 9.083672028013227e+223, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  at = writeString(body.recommendation, at);
  // ,"size":
  view.setFloat64(at, 1.1609760042237392e-28, true);
  at += 8;
  if (body.size === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.size, true);
    at = writeNumber(at);
  }
  // ,"leverage":
  view.setFloat64(at, 2.5863605638456275e+161, true);
  view.setFloat64(at + 8, 4.81878386e-315, true);
  at += 12;
  if (body.leverage === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    view.setFloat64(at, body.leverage, true);
    at = writeNumber(at);
  }
  // ,"mode":
  view.setFloat64(at, 1.1609548414756804e-28, true);
  at += 8;
  if (body.mode === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeString(body.mode, at);
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeMetaBlock(of: Parameters<typeof metaBlock>[0], start: number): number {
  const body = metaBlock(of) satisfies Own<MetaBlock>;
  let at = start;
  // {"asset":
  view.setFloat64(at, 1.045377873798462e-142, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  at = writeString(body.asset, at);
  // ,"mark_price":
  view.setFloat64(at, 1.951186981261323e+233, true);
  view.setFloat64(at + 8, 3.15803817736634e-310, true);
  at += 14;
  view.setFloat64(at, body.mark_price, true);
  at = writeNumber(at);
  // ,"max_leverage":
  view.setFloat64(at, 3.679184915882095e+180, true);
  view.setFloat64(at + 8, 1.1609576777857806e-28, true);
  at += 16;
  view.setFloat64(at, body.max_leverage, true);
  at = writeNumber(at);
  // ,"leverage":
  view.setFloat64(at, 2.5863605638456275e+161, true);
  view.setFloat64(at + 8, 4.81878386e-315, true);
  at += 12;
  view.setFloat64(at, body.leverage, true);
  at = writeNumber(at);
  // ,"latency_ms":
  view.setFloat64(at, 9.177161660761153e+170, true);
  view.setFloat64(at + 8, 3.1580498142838e-310, true);
  at += 14;
  view.setFloat64(at, body.latency_ms, true);
  at = writeNumber(at);
  // ,"request_id":
  view.setFloat64(at, 7.501897094091763e+247, true);
  view.setFloat64(at + 8, 3.1580373677628e-310, true);
  at += 14;
  if (body.request_id === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeString(body.request_id, at);
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeModelVersion(body: ModelVersion, start: number): number {
  let at = start;
  // {"engine_version":
  view.setFloat64(at, 3.9435614288612043e+180, true);
  view.setFloat64(at + 8, 9.083667908579871e+223, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  at = writeString(body.engine_version, at);
  // ,"calibration_hash":
  view.setFloat64(at, 9.821617187342746e+242, true);
  view.setFloat64(at + 8, 1.7132973595812866e+161, true);
  view.setFloat64(at + 16, 4.81878771e-315, true);
  at += 20;
  at = writeString(body.calibration_hash, at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

export function writeBatchResponse(of: Parameters<typeof batchResponse>[0], start: number): number {
  const body = batchResponse(of) satisfies Own<BatchResponse>;
  let at = start;
  // {"results":
  view.setFloat64(at, 6.520228890938542e+252, true);
  view.setFloat64(at + 8, 1.882344e-317, true);
  at += 11;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.results.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    const item = body.results[i]!;
    at = "recommendation" in item ? writeFailedEntry(item, at) : writeValidateResponse(item, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeFailedEntry(body: FailedEntry, start: number): number {
  let at = start;
  // {"recommendation":
  view.setFloat64(at, 1.2988306670788894e+219, true);
  view.setFloat64(at + 8, 9.083672028013227e+223, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  at = writeString(body.recommendation, at);
  // ,"flags":
  view.setFloat64(at, 9.94510864709146e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.flags.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    at = writeString(body.flags[i]!, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  // ,"meta":
  view.setFloat64(at, 1.15998413516789e-28, true);
  at += 8;
  at = writeFailedEntryMeta(body.meta, at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeFailedEntryMeta(body: FailedEntryMeta, start: number): number {
  let at = start;
  // {"asset":
  view.setFloat64(at, 1.045377873798462e-142, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  if (body.asset === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeString(body.asset, at);
  }
  // ,"latency_ms":
  view.setFloat64(at, 9.177161660761153e+170, true);
  view.setFloat64(at + 8, 3.1580498142838e-310, true);
  at += 14;
  view.setFloat64(at, body.latency_ms, true);
  at = writeNumber(at);
  // ,"request_id":
  view.setFloat64(at, 7.501897094091763e+247, true);
  view.setFloat64(at + 8, 3.1580373677628e-310, true);
  at += 14;
  if (body.request_id === null) {
    // null
    view.setFloat64(at, 8.98728768e-315, true);
    at += 4;
  } else {
    at = writeString(body.request_id, at);
  }
  // ,"error":
  view.setFloat64(at, 9.44872517349344e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  at = writeString(body.error, at);
  // ,"error_code":
  view.setFloat64(at, 6.034606903991566e+151, true);
  view.setFloat64(at + 8, 3.1580381806794e-310, true);
  at += 14;
  at = writeString(body.error_code, at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

export function writeMonitorResponse(of: Parameters<typeof monitorResponse>[0], start: number): number {
  const body = monitorResponse(of) satisfies Own<MonitorResponse>;
  let at = start;
  // {"wallet":
  view.setFloat64(at, 4.908371053699563e+252, true);
  view.setFloat64(at + 8, 7.3527e-320, true);
  at += 10;
  at = writeString(body.wallet, at);
  // ,"account_value":
  view.setFloat64(at, 1.239716877835385e+224, true);
  view.setFloat64(at + 8, 5.499145024030334e-143, true);
  view.setFloat64(at + 16, 2.87e-322, true);
  at += 17;
  view.setFloat64(at, body.account_value, true);
  at = writeNumber(at);
  // ,"total_margin_used":
  view.setFloat64(at, 4.645053044603285e+151, true);
  view.setFloat64(at + 8, 2.3597098246063943e+257, true);
  view.setFloat64(at + 16, 1.23360834182e-312, true);
  at += 21;
  view.setFloat64(at, body.total_margin_used, true);
  at = writeNumber(at);
  // ,"positions":
  view.setFloat64(at, 9.76519557896743e+199, true);
  view.setFloat64(at + 8, 1.233613210046e-312, true);
  at += 13;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.positions.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    at = writeMonitoredPosition(body.positions[i]!, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  if (body.flags !== undefined) {
    // ,"flags":
    view.setFloat64(at, 9.94510864709146e-143, true);
    view.setFloat64(at + 8, 2.87e-322, true);
    at += 9;
    // [
    view.setFloat64(at, 4.5e-322, true);
    at += 1;
    for (let i = 0; i < body.flags.length; i++) {
      at = withRoom(at);
      if (i > 0) {
        // ,
        view.setFloat64(at, 2.17e-322, true);
        at += 1;
      }
      at = writeString(body.flags[i]!, at);
    }
    // ]
    view.setFloat64(at, 4.6e-322, true);
    at += 1;
  }
  if (body.portfolio_risk !== undefined) {
    // ,"portfolio_risk":
    view.setFloat64(at, 4.255565638624953e+228, true);
    view.setFloat64(at + 8, 3.98864217514148e+209, true);
    view.setFloat64(at + 16, 7.3527e-320, true);
    at += 18;
    at = writePortfolioRisk(body.portfolio_risk, at);
  }
  if (body.portfolio_stress !== undefined) {
    // ,"portfolio_stress":
    view.setFloat64(at, 4.255565638624953e+228, true);
    view.setFloat64(at + 8, 4.786177155815835e+180, true);
    view.setFloat64(at + 16, 4.818801624e-315, true);
    at += 20;
    at = writePortfolioStress(body.portfolio_stress, at);
  }
  if (body.portfolio_attribution !== undefined) {
    // ,"portfolio_attribution":
    view.setFloat64(at, 4.255565638624953e+228, true);
    view.setFloat64(at + 8, 2.1822662395647556e+243, true);
    view.setFloat64(at + 16, 7.7995270596000585e-143, true);
    view.setFloat64(at + 24, 2.87e-322, true);
    at += 25;
    at = writePortfolioAttribution(body.portfolio_attribution, at);
  }
  if (body.state_age_ms !== undefined) {
    // ,"state_age_ms":
    view.setFloat64(at, 3.511466277959874e+151, true);
    view.setFloat64(at + 8, 1.1644147143218841e-28, true);
    at += 16;
    view.setFloat64(at, body.state_age_ms, true);
    at = writeNumber(at);
  }
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}

function writeMonitoredPosition(of: Parameters<typeof monitoredPosition>[0], start: number): number {
  const body = monitoredPosition(of) satisfies Own<MonitoredPosition>;
  let at = start;
  // {"asset":
  view.setFloat64(at, 1.045377873798462e-142, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  at = writeString(body.asset, at);
  // ,"size":
  view.setFloat64(at, 1.1609760042237392e-28, true);
  at += 8;
  view.setFloat64(at, body.size, true);
  at = writeNumber(at);
  // ,"entry_price":
  view.setFloat64(at, 8.329826245689141e+151, true);
  view.setFloat64(at + 8, 1.4537720068173958e-307, true);
  at += 15;
  view.setFloat64(at, body.entry_price, true);
  at = writeNumber(at);
  // ,"mark_price":
  view.setFloat64(at, 1.951186981261323e+233, true);
  view.setFloat64(at + 8, 3.15803817736634e-310, true);
  at += 14;
  view.setFloat64(at, body.mark_price, true);
  at = writeNumber(at);
  // ,"unrealized_pnl":
  view.setFloat64(at, 1.1712868219775856e+214, true);
  view.setFloat64(at + 8, 2.049446950328443e+214, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  view.setFloat64(at, body.unrealized_pnl, true);
  at = writeNumber(at);
  // ,"unrealized_pnl_pct":
  view.setFloat64(at, 1.1712868219775856e+214, true);
  view.setFloat64(at + 8, 2.049446950328443e+214, true);
  view.setFloat64(at + 16, 3.15805061102303e-310, true);
  at += 22;
  view.setFloat64(at, body.unrealized_pnl_pct, true);
  at = writeNumber(at);
  // ,"risk_score":
  view.setFloat64(at, 5.492105851846106e+247, true);
  view.setFloat64(at + 8, 3.1580382260101e-310, true);
  at += 14;
  view.setFloat64(at, body.risk_score, true);
  at = writeNumber(at);
  // ,"recommendation":
  view.setFloat64(at, 1.298830667078877e+219, true);
  view.setFloat64(at + 8, 9.083672028013227e+223, true);
  view.setFloat64(at + 16, 7.3527e-320, true);
  at += 18;
  at = writeString(body.recommendation, at);
  // ,"flags":
  view.setFloat64(at, 9.94510864709146e-143, true);
  view.setFloat64(at + 8, 2.87e-322, true);
  at += 9;
  // [
  view.setFloat64(at, 4.5e-322, true);
  at += 1;
  for (let i = 0; i < body.flags.length; i++) {
    at = withRoom(at);
    if (i > 0) {
      // ,
      view.setFloat64(at, 2.17e-322, true);
      at += 1;
    }
    at = writeString(body.flags[i]!, at);
  }
  // ]
  view.setFloat64(at, 4.6e-322, true);
  at += 1;
  // ,"liquidation_distance_pct":
  view.setFloat64(at, 5.037380617016907e+175, true);
  view.setFloat64(at + 8, 4.873235660964382e+199, true);
  view.setFloat64(at + 16, 1.9497173297726695e+233, true);
  view.setFloat64(at + 24, 4.81880281e-315, true);
  at += 28;
  view.setFloat64(at, body.liquidation_distance_pct, true);
  at = writeNumber(at);
  // ,"funding_drag_24h_pct":
  view.setFloat64(at, 7.342923693577498e+223, true);
  view.setFloat64(at + 8, 4.659331275176803e-66, true);
  view.setFloat64(at + 16, 1.1646516675638217e-28, true);
  at += 24;
  view.setFloat64(at, body.funding_drag_24h_pct, true);
  at = writeNumber(at);
  // ,"var":
  view.setFloat64(at, 1.4537830347285824e-307, true);
  at += 7;
  at = writeVarBlock(body.var, at);
  // }
  view.setFloat64(at, 6.2e-322, true);
  at += 1;
  return at;
}
