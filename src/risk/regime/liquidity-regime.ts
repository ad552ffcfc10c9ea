import { HOUR_MS } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { KeptRegime } from "../../domain/kept-regime.ts";
import { LEARNED_HOURS_MAX } from "../../domain/learned-hour.ts";
import { clamp } from "../../math/clamp.ts";
import { MAD_TO_SIGMA, medianOf } from "../../math/median.ts";
import { FITTED } from "../calibration/fitted-values.ts";
import { predictHours, weighed, type TransitionMatrix } from "./markov-filter.ts";
import { ordinalProbabilities } from "./ordinal-logit.ts";

export const LIQUIDITY_REGIMES = ["normal", "stressed", "crisis"] as const;
export type LiquidityRegime = (typeof LIQUIDITY_REGIMES)[number];

/** What a request reads of an asset's liquidity regime. */
export interface LiquidityRegimeFacts {
  readonly state: LiquidityRegime;
  /** Posterior probability of the reported state, drawn toward 1/3 by the weight of the missing features. */
  readonly confidence: number;
  readonly probability: Readonly<Record<LiquidityRegime, number>>;
}

/**
 * Robust z-scores of the asset against its own last 90 days, the same hour of the week where it is known eight times,
 * each signed so that more is worse; null where it cannot be known.
 */
export interface RegimeFeatures {
  /** ln(σ_1h / σ_long run). */
  readonly volatility: number | null;
  /** Relative spread. */
  readonly spread: number | null;
  /** −ln of the depth within 50 bps. */
  readonly depth: number | null;
  /** Size of the funding rate. */
  readonly funding: number | null;
  /** −change of open interest over an hour: positions are being closed. */
  readonly openInterest: number | null;
  /** Mean of `volatility` over the most liquid assets: a crisis is systemic. */
  readonly marketVolatility: number | null;
}

/** Facts that leave no room for "normal", whatever the scores say. */
export interface RegimeAlarms {
  /** Last hour's return in forecast standard deviations. */
  readonly returnInSigmas: number;
  /** Depth now over its median; null when unknown. */
  readonly depthRatio: number | null;
}

export interface LiquidityRegimeState {
  readonly state: LiquidityRegime;
  /** Of normal, stressed, crisis; sums to 1. */
  readonly posterior: readonly [number, number, number];
  readonly missingShare: number;
}

/** Weights of the scores in η and where η cuts between the states. */
export interface RegimeLogit {
  readonly weights: Readonly<Record<keyof RegimeFeatures, number>>;
  readonly cutpoints: readonly [number, number];
}

/** What an hour is compared with. */
export const REGIME_SCALE: Calibrated<{
  readonly windowHours: number;
  readonly weeksMin: number;
  readonly hoursMin: number;
  readonly marketAssets: number;
}> = {
  value: { windowHours: LEARNED_HOURS_MAX, weeksMin: 8, hoursMin: 48, marketAssets: 20 },
  unit: "hours looked back; same hours of the week for a score against them; else hours of any kind for a score; most traded assets whose mean is the market's",
  source:
    "chosen: 90 days are several regimes, 60 days hold an hour of the week eight times, two days each hour of the day twice",
  fittedOn: "not fitted: chosen 2026-11",
};

export const REGIME_LOGIT: Calibrated<RegimeLogit> = {
  value: {
    weights: {
      volatility: 0.9,
      spread: 0.5,
      depth: 0.6,
      funding: 0.2,
      openInterest: 0.3,
      marketVolatility: 0.8,
    },
    cutpoints: FITTED.regimeCutpoints.value,
  },
  unit: "log odds per robust standard deviation; log odds",
  source:
    "ordered logit over market stress scores; every weight positive, so each score can only worsen the state",
  fittedOn: `weights not fitted: chosen; cut points: ${FITTED.regimeCutpoints.fittedOn}`,
};

export const REGIME_SHARES: Calibrated<readonly [number, number, number]> = {
  value: [0.9, 0.085, 0.015],
  unit: "share of the hours of an ordinary history that are normal, stressed and crisis",
  source: "chosen: a crisis on five days a year",
  fittedOn: "not fitted: chosen 2026-11; the cut points are fitted to it",
};

export const REGIME_TRANSITION: Calibrated<TransitionMatrix> = {
  value: [
    [0.985, 0.014, 0.001],
    [0.04, 0.94, 0.02],
    [0.01, 0.09, 0.9],
  ],
  unit: "probability per hour, from row to column",
  source: "mean stay of 67 h normal, 17 h stressed, 10 h crisis",
  fittedOn: "not fitted: chosen 2026-11",
};

export const REGIME_RULES: Calibrated<{
  readonly scoreMax: number;
  readonly enterProbability: number;
  readonly leaveProbability: number;
  readonly alarmReturnSigmas: number;
  readonly alarmDepthRatio: number;
  readonly gapHoursMax: number;
}> = {
  value: {
    scoreMax: 6,
    enterProbability: 0.6,
    leaveProbability: 0.4,
    alarmReturnSigmas: 6,
    alarmDepthRatio: 0.1,
    gapHoursMax: 48,
  },
  unit: "robust standard deviations; probability; forecast sigmas; ratio to the median; hours",
  source: "hysteresis of 0.2; depth fell by over 90 % on 2025-10-10",
  fittedOn: "not fitted: chosen 2026-11",
};

/** Before anything is known: the shares of an ordinary history. */
export function initialLiquidityRegime(): LiquidityRegimeState {
  return { state: "normal", posterior: REGIME_SHARES.value, missingShare: 1 };
}

/** Two right clocks differ by less: what is dated ahead by no more is of now. */
const CLOCKS_DIFFER_MS_MAX = 300_000;

/**
 * The regime as it was kept; null where that is no regime, or so old that it says no more than an ordinary history, or of a
 * time to come.
 */
export function keptLiquidityRegime(kept: KeptRegime, timeMs: number): LiquidityRegimeState | null {
  const state = LIQUIDITY_REGIMES.find((name) => name === kept.state);
  const [normal, stressed, crisis] = kept.posterior as readonly (number | undefined)[];
  const ageMs = timeMs - kept.timeMs;
  if (state === undefined || normal === undefined || stressed === undefined || crisis === undefined)
    return null;
  const isDistribution =
    Math.min(normal, stressed, crisis) >= 0 && Math.abs(normal + stressed + crisis - 1) < 1e-9;
  const ageMsMax = REGIME_RULES.value.gapHoursMax * HOUR_MS;
  if (!isDistribution || !(ageMs >= -CLOCKS_DIFFER_MS_MAX && ageMs <= ageMsMax)) return null;
  return { state, posterior: [normal, stressed, crisis], missingShare: 1 };
}

/** Where values lie and how far from there half of them: the median, and that of the absolute deviations from it. */
export interface RobustScale {
  readonly median: number;
  readonly deviation: number;
}

/** Units: sigmaMin is the least robust standard deviation that is believed, in the unit of the values */
export function robustScaleOf(values: readonly number[], sigmaMin = 0): RobustScale {
  const median = medianOf(values);
  const deviation = medianOf(values.map((value) => Math.abs(value - median)));
  return { median, deviation: Math.max(deviation, sigmaMin / MAD_TO_SIGMA) };
}

/** (value − median) / (1.4826 MAD), clipped to ±6; null without a scale. Source: Rousseeuw and Croux, JASA 88 (1993). */
export function robustScore(value: number, { median, deviation }: RobustScale): number | null {
  if (!(deviation > 0) || !Number.isFinite(value)) return null;
  return clipped((value - median) / (MAD_TO_SIGMA * deviation));
}

/**
 * The regime after `elapsedHours`: prediction by the transition, then evidence from the scores. The evidence of a full
 * hour counts once: an update after a fraction of it weighs by that fraction, so that asking often does not convince.
 * Missing scores weaken the evidence by their share of the weights. An alarm rules "normal" out.
 * Holds: probabilities sum to 1; P(crisis) rises with every score; without any score there is only the prediction.
 */
export function updateLiquidityRegime(
  previous: LiquidityRegimeState,
  features: RegimeFeatures,
  alarms: RegimeAlarms,
  elapsedHours: number,
  logit: RegimeLogit = REGIME_LOGIT.value,
): LiquidityRegimeState {
  const rules = REGIME_RULES.value;
  const hours = clamp(elapsedHours, 0, rules.gapHoursMax);
  const { eta, knownShare } = stressOf(features, logit);
  const evidenceWeight = knownShare * Math.min(1, hours);
  const evidence = ordinalProbabilities(eta, logit.cutpoints).map((p) => p ** evidenceWeight);
  if (hasRegimeAlarm(alarms)) evidence[0] = 0;
  const predicted = predictHours(previous.posterior, REGIME_TRANSITION.value, hours);
  const posterior = weighed(predicted, evidence) as [number, number, number];
  return { state: reportedState(previous.state, posterior), posterior, missingShare: 1 - knownShare };
}

export function liquidityRegimeFacts(regime: LiquidityRegimeState): LiquidityRegimeFacts {
  const [normal, stressed, crisis] = regime.posterior;
  const posterior = regime.posterior[LIQUIDITY_REGIMES.indexOf(regime.state)]!;
  return {
    state: regime.state,
    confidence: 1 / 3 + (posterior - 1 / 3) * (1 - regime.missingShare),
    probability: { normal, stressed, crisis },
  };
}

/** η of the known scores and the share of the weights that they carry. */
function stressOf(features: RegimeFeatures, { weights }: RegimeLogit): { eta: number; knownShare: number } {
  let eta = 0;
  let known = 0;
  let total = 0;
  for (const name of Object.keys(weights) as (keyof RegimeFeatures)[]) {
    const weight = weights[name];
    const score = features[name];
    total += weight;
    if (score === null) continue;
    known += weight;
    eta += weight * clipped(score);
  }
  return { eta, knownShare: known / total };
}

/** Whether "normal" is ruled out. */
export function hasRegimeAlarm(alarms: RegimeAlarms): boolean {
  const rules = REGIME_RULES.value;
  const isThin = alarms.depthRatio !== null && alarms.depthRatio < rules.alarmDepthRatio;
  return Math.abs(alarms.returnInSigmas) > rules.alarmReturnSigmas || isThin;
}

/** The most probable state, entered at 0.6; the old one stays until then unless it falls below 0.4 itself. */
function reportedState(
  previous: LiquidityRegime,
  posterior: readonly [number, number, number],
): LiquidityRegime {
  const { enterProbability, leaveProbability } = REGIME_RULES.value;
  const top = posterior.indexOf(Math.max(...posterior));
  const current = LIQUIDITY_REGIMES.indexOf(previous);
  const isEntered = posterior[top]! >= enterProbability;
  const isLeft = posterior[current]! < leaveProbability;
  return isEntered || isLeft ? LIQUIDITY_REGIMES[top]! : previous;
}

function clipped(score: number): number {
  const { scoreMax } = REGIME_RULES.value;
  return clamp(score, -scoreMax, scoreMax);
}
