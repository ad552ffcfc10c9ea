import { estimatedProbability } from "../../math/binomial.ts";
import { auc } from "./auc.ts";
import { baseRate, brierScore, type MurphyDecomposition, murphyDecomposition } from "./brier.ts";
import { logLoss } from "./log-loss.ts";
import type { ForecastColumns } from "./outcome-columns.ts";
import { equalMassBins, expectedCalibrationError } from "./reliability.ts";

/** How good probability forecasts were; a number that nothing or one class cannot give is null. */
export interface ForecastQuality {
  readonly count: number;
  readonly baseRate: number | null;
  readonly brierScore: number | null;
  /** Against always forecasting the base rate known so far. */
  readonly brierSkill: number | null;
  readonly murphy: MurphyDecomposition | null;
  readonly logLoss: number | null;
  readonly auc: number | null;
  readonly expectedCalibrationError: number | null;
}

const BINS = 10;

export function forecastQuality({ probabilities, outcomes }: ForecastColumns): ForecastQuality {
  return {
    count: probabilities.length,
    baseRate: baseRate(outcomes),
    brierScore: brierScore(probabilities, outcomes),
    brierSkill: skillOverKnownRate(probabilities, outcomes),
    murphy: murphyDecomposition(probabilities, outcomes, BINS),
    logLoss: logLoss(probabilities, outcomes),
    auc: auc(probabilities, outcomes),
    expectedCalibrationError: expectedCalibrationError(equalMassBins(probabilities, outcomes, BINS)),
  };
}

/**
 * 1 − BS/BS of a forecaster who knows only the outcomes before each, and says (k + ½)/(n + 1). The base rate of the
 * whole sample would know the future.
 */
function skillOverKnownRate(probabilities: Float64Array, outcomes: Uint8Array): number | null {
  const score = brierScore(probabilities, outcomes);
  if (score === null) return null;
  let events = 0;
  const known = Float64Array.from(outcomes, (outcome, i) => {
    const rate = estimatedProbability(events, i);
    events += outcome;
    return rate;
  });
  return 1 - score / brierScore(known, outcomes)!;
}
