import type { ModelVersion, ValidateResponse } from "../contracts/generated/types.ts";
import type { Ticker } from "../domain/ids.ts";
import type { Assessment } from "../risk/assessment.ts";
import { drawdownBlock, evtBlock, monteCarloBlock, regimeBlock, varBlock } from "./distribution-blocks.ts";
import { explanationBody } from "./explanation-body.ts";
import { attributionBlock, portfolioRiskBlock, portfolioStressBlock } from "./portfolio-blocks.ts";
import {
  costAnalysis,
  feesBlock,
  fundingBlock,
  greeksBlock,
  impactBlock,
  liquidationBlock,
  oiBlock,
  sizingBlock,
  slippageBlock,
  stressEntries,
} from "./trade-blocks.ts";
import { rounded } from "./units.ts";

/** What the answer says of the request itself. */
export interface AnswerFacts {
  readonly ticker: Ticker;
  readonly requestId: string;
  /** 0 where jsonWithLatency fills it in when the text exists. */
  readonly latencyMs: number;
  readonly modelVersion: ModelVersion;
}

/** The whole answer in the order of the specification; blocks whose condition does not hold are absent. */
export function validateBody(assessment: Assessment, facts: AnswerFacts): ValidateResponse {
  const { score, portfolioRisk, portfolioStress, portfolioAttribution, explanation } = assessment;
  const monteCarlo = monteCarloBlock(assessment);
  return {
    risk_score: score.displayed,
    recommendation: score.recommendation,
    flags: [...score.flags],
    slippage: slippageBlock(assessment),
    liquidation: liquidationBlock(assessment),
    funding: fundingBlock(assessment),
    impact: impactBlock(assessment),
    var: varBlock(assessment),
    oi: oiBlock(assessment),
    stress: stressEntries(assessment),
    ...(portfolioRisk !== null && { portfolio_risk: portfolioRiskBlock(portfolioRisk) }),
    ...(portfolioStress !== null && { portfolio_stress: portfolioStressBlock(portfolioStress) }),
    fees: feesBlock(assessment),
    cost_analysis: costAnalysis(assessment),
    sizing: sizingBlock(assessment),
    ...(monteCarlo !== undefined && { monte_carlo: monteCarlo }),
    evt: evtBlock(assessment),
    greeks: greeksBlock(assessment),
    regime: regimeBlock(assessment),
    drawdown: drawdownBlock(assessment),
    ...(portfolioAttribution !== null && { portfolio_attribution: attributionBlock(portfolioAttribution) }),
    ...(explanation !== undefined && { explanation: explanationBody(explanation) }),
    meta: {
      asset: facts.ticker,
      mark_price: rounded(assessment.markPrice),
      max_leverage: assessment.maxLeverage,
      leverage: rounded(assessment.trade.leverage),
      latency_ms: rounded(facts.latencyMs),
      request_id: facts.requestId,
    },
    model_version: facts.modelVersion,
  };
}
