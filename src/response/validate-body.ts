import type { MetaBlock, ModelVersion, ValidateResponse } from "../contracts/generated/types.ts";
import type { Ticker } from "../domain/ids.ts";
import type { Assessment, PortfolioRisk } from "../risk/assessment.ts";
import type { PortfolioAssessment } from "../risk/portfolio/portfolio-assessment.ts";
import type { PortfolioStress } from "../risk/stress/portfolio-stress.ts";
import { STRESS_SCENARIOS } from "../risk/stress/stress-scenarios.ts";
import type { TradeStress } from "../risk/stress/stress.ts";
import type { RepeatedAnswer } from "./answer-memory.ts";
import { type DrawdownKnown, hasDrawdown } from "./distribution-blocks.ts";
import type { Columns, Encoded } from "./encoded.ts";

/** What is known of a trade before its answer is written. */
export interface AssessedTrade {
  readonly assessment: Assessment;
  readonly ticker: Ticker;
  readonly requestId: string;
  readonly modelVersion: ModelVersion;
}

export interface AnsweredTrade extends AssessedTrade {
  /** Of an order that was asked about before in the same state: where its text is, or is to be kept. */
  readonly repeated: RepeatedAnswer | null;
}

export interface ValidateAnswer extends AssessedTrade {
  /** Asked for once, when the text has come to it. */
  readonly latencyMs: () => number;
}

/** What each block is encoded from. */
interface LaterBlocks {
  readonly flags: readonly string[];
  readonly slippage: Assessment;
  readonly liquidation: Assessment;
  readonly funding: Assessment;
  readonly impact: Assessment;
  readonly var: Assessment;
  readonly oi: Assessment;
  readonly stress: Columns<TradeStress>;
  readonly portfolio_risk: PortfolioRisk | undefined;
  readonly portfolio_stress: PortfolioStress | undefined;
  readonly fees: Assessment;
  readonly cost_analysis: Assessment;
  readonly sizing: Assessment["sizing"];
  readonly monte_carlo: Assessment["monteCarlo"];
  readonly evt: Assessment["extremeTail"];
  readonly greeks: Assessment;
  readonly regime: Assessment["regime"];
  readonly drawdown: DrawdownKnown | null;
  readonly portfolio_attribution: PortfolioAssessment | undefined;
  readonly explanation: Assessment["explanation"];
  readonly meta: ValidateAnswer;
}

/** The whole answer in the order of the specification; blocks whose condition does not hold are absent. */
export function validateResponse(answer: ValidateAnswer): Encoded<ValidateResponse, LaterBlocks> {
  const { assessment, modelVersion } = answer;
  const { score } = assessment;
  return {
    risk_score: score.displayed,
    recommendation: score.recommendation,
    flags: score.flags,
    slippage: assessment,
    liquidation: assessment,
    funding: assessment,
    impact: assessment,
    var: assessment,
    oi: assessment,
    stress: { columns: assessment.stress, length: STRESS_SCENARIOS.length },
    portfolio_risk: assessment.portfolioRisk ?? undefined,
    portfolio_stress: assessment.portfolioStress ?? undefined,
    fees: assessment,
    cost_analysis: assessment,
    sizing: assessment.sizing,
    monte_carlo: assessment.monteCarlo,
    evt: assessment.extremeTail,
    greeks: assessment,
    regime: assessment.regime,
    drawdown: hasDrawdown(assessment) ? assessment : null,
    portfolio_attribution: assessment.portfolioAttribution ?? undefined,
    explanation: assessment.explanation,
    meta: answer,
    model_version: modelVersion,
  };
}

export function metaBlock({ assessment, ticker, requestId, latencyMs }: ValidateAnswer): MetaBlock {
  return {
    asset: ticker,
    mark_price: assessment.markPrice,
    max_leverage: assessment.maxLeverage,
    leverage: assessment.trade.leverage,
    latency_ms: latencyMs(),
    request_id: requestId,
  };
}
