import { forecastLoss, logLoss } from "./log-loss.ts";
import type { ForecastColumns } from "./outcome-columns.ts";
import { fitRecalibration, type RecalibrationMap, type RecalibrationMethod } from "./recalibration-map.ts";
import { tiedForecasts, type TiedForecasts, TiedOutcomeCounter } from "./tied-forecasts.ts";

/** Whether a recalibration would have helped, out of sample. */
export interface RecalibrationEvidence {
  readonly method: RecalibrationMethod;
  /** Outcomes that were forecast by a map fitted only on outcomes recorded before them. */
  readonly observations: number;
  readonly publishedLogLoss: number;
  readonly recalibratedLogLoss: number;
  /** Of the difference of the two. */
  readonly standardError: number;
}

export interface Recalibration {
  readonly method: "identity" | RecalibrationMethod;
  /** Outcomes the map rests on. */
  readonly observations: number;
  /** One entry a method that had enough outcomes to be tried. */
  readonly evidence: readonly RecalibrationEvidence[];
  readonly map: RecalibrationMap;
}

/** Outcomes before a method is tried, and of the rarer class. */
const OUTCOMES_MIN: Readonly<Record<RecalibrationMethod, number>> = { platt: 200, isotonic: 2_000 };
const RARER_CLASS_MIN = 30;
/** Each walk-forward fit serves until the record has grown by its own length over this. */
const GROWTH_DIVISOR = 10;
/** Fewer out-of-sample forecasts than this are no evidence. */
const EVIDENCE_MIN = 50;

/**
 * The map from published to supported probability: none until there are 200 outcomes with 30 of each kind, then Platt,
 * from 2,000 on also isotonic; taken only where it would have lowered the log loss out of sample by more than one
 * standard error, and the better of two.
 */
export function recalibrate(forecasts: ForecastColumns): Recalibration {
  const ties = tiedForecasts(forecasts.probabilities);
  const tried = (["platt", "isotonic"] as const).map((method) => ({
    method,
    gains: walkForwardGains(method, forecasts, ties),
  }));
  const evidence = tried.flatMap(({ method, gains }) => evidenceOf(method, gains, forecasts));
  const observations = forecasts.probabilities.length;
  const [best] = evidence
    .filter(
      ({ publishedLogLoss, recalibratedLogLoss, standardError }) =>
        publishedLogLoss - recalibratedLogLoss > standardError,
    )
    .map(({ method }) => method)
    // On the outcomes that both have forecast; isotonic starts later.
    .sort((a, b) => gainOnShared(b, tried) - gainOnShared(a, tried));
  if (best === undefined) {
    return { method: "identity", observations, evidence, map: (probability) => probability };
  }
  const all = new TiedOutcomeCounter(ties, forecasts.outcomes).upTo(observations);
  return { method: best, observations, evidence, map: fitRecalibration(best, all) };
}

interface Tried {
  readonly method: RecalibrationMethod;
  readonly gains: Float64Array;
}

/** Published less recalibrated log loss of each outcome; NaN before the method has enough to be fitted. */
function walkForwardGains(
  method: RecalibrationMethod,
  forecasts: ForecastColumns,
  ties: TiedForecasts,
): Float64Array {
  const { probabilities, outcomes } = forecasts;
  const n = probabilities.length;
  const gains = new Float64Array(n).fill(Number.NaN);
  const known = new TiedOutcomeCounter(ties, outcomes);
  for (let from = firstFit(method, outcomes); from < n;) {
    const to = Math.min(n, from + Math.ceil(from / GROWTH_DIVISOR));
    const map = fitRecalibration(method, known.upTo(from));
    for (let i = from; i < to; i++) {
      const hasHappened = outcomes[i] === 1;
      gains[i] =
        forecastLoss(probabilities[i]!, hasHappened) - forecastLoss(map(probabilities[i]!), hasHappened);
    }
    from = to;
  }
  return gains;
}

/** How many outcomes the first fit rests on. */
function firstFit(method: RecalibrationMethod, outcomes: Uint8Array): number {
  let events = 0;
  for (let i = 0; i < outcomes.length; i++) {
    events += outcomes[i]!;
    const count = i + 1;
    if (count >= OUTCOMES_MIN[method] && Math.min(events, count - events) >= RARER_CLASS_MIN) return count;
  }
  return outcomes.length;
}

function evidenceOf(
  method: RecalibrationMethod,
  gains: Float64Array,
  { probabilities, outcomes }: ForecastColumns,
): readonly RecalibrationEvidence[] {
  const from = gains.findIndex((gain) => !Number.isNaN(gain));
  const observations = from < 0 ? 0 : gains.length - from;
  if (observations < EVIDENCE_MIN) return [];
  const made = gains.subarray(from);
  const mean = made.reduce((sum, gain) => sum + gain, 0) / observations;
  const variance = made.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (observations - 1);
  const publishedLogLoss = logLoss(probabilities.subarray(from), outcomes.subarray(from))!;
  return [
    {
      method,
      observations,
      publishedLogLoss,
      recalibratedLogLoss: publishedLogLoss - mean,
      standardError: Math.sqrt(variance / observations),
    },
  ];
}

function gainOnShared(method: RecalibrationMethod, tried: readonly Tried[]): number {
  let sum = 0;
  const own = tried.find((other) => other.method === method)!.gains;
  own.forEach((gain, i) => {
    if (tried.every(({ gains }) => !Number.isNaN(gains[i]!))) sum += gain;
  });
  return sum;
}
