import { SCORE, SEVERITIES } from "../calibration.ts";
import { fitPlatt, plattAt } from "../backtest/platt.ts";
import { adversePoints, adverseProbabilityOfScore } from "../scoring/adverse-probability.ts";
import { compoundScore, SCORE_COMPONENTS } from "../scoring/compounding.ts";
import { type Ramp, rampValue } from "../scoring/ramp.ts";
import { recommendationOf } from "../scoring/bands.ts";
import { CLEAR_GAIN_ERRORS, clusteredMean, type Evidence, type FitFinding } from "./fit-finding.ts";

/** A position that was opened at one moment of the past, as the score would have seen it, and what came of it. */
export interface AdverseCase {
  /** Days since the epoch: what falls on one day is one observation. */
  readonly day: number;
  readonly liquidationProbability: number;
  readonly liquidationSigmas: number;
  readonly adverseProbability: number;
  /** 99 % 24 h expected shortfall over the margin. */
  readonly accountLossFraction: number;
  /** Liquidated, or half of the margin lost on the way, within 24 h. */
  readonly isAdverse: boolean;
}

/** How far the price went against a position of no leverage within 24 h of a forecast. */
export interface AdverseExcursion {
  readonly day: number;
  /** Over the forecast deviation of the day. */
  readonly inSigmas: number;
  /** Over the forecast 99 % expected shortfall; null where it was not drawn. */
  readonly inShortfalls: number | null;
}

/** The two curves of the score that are about probability. */
export interface AdverseAnchors {
  readonly liquidationSigmas: Ramp;
  readonly accountLoss: Ramp;
}

const IN_FORCE: AdverseAnchors = {
  liquidationSigmas: SEVERITIES.liquidationSigmas.value,
  accountLoss: SEVERITIES.accountLoss.value,
};
/** Probabilities at which the severity of liquidation has its anchors: the other two curves are to mean the same. */
const ANCHOR_PROBABILITIES = SEVERITIES.liquidationProbability.value.at;
const ANCHOR_SEVERITIES = SEVERITIES.liquidationProbability.value.value;
const BANDS = ["proceed", "proceed_with_caution", "abort"] as const;

/** Distances in day sigmas that history touched as often as the anchors of the liquidation probability say. */
export function fitLiquidationSigmas(
  excursions: readonly AdverseExcursion[],
  cases: readonly AdverseCase[],
  data: string,
): FitFinding<Ramp> {
  const sorted = excursions.map(({ inSigmas }) => inSigmas).sort((a, b) => b - a);
  const distances = ANCHOR_PROBABILITIES.map((p) => sorted[Math.floor(p * sorted.length)]!);
  // Ascending in distance: the rarest touch is the farthest and has severity 0.
  const fitted: Ramp = {
    at: distances.map((distance) => Math.round(100 * distance) / 100).reverse(),
    value: [...ANCHOR_SEVERITIES].reverse(),
  };
  return judged(fitted, { ...IN_FORCE, liquidationSigmas: fitted }, cases, data, {
    excursions: sorted.length,
    probabilities: ANCHOR_PROBABILITIES,
    touchedAtInForce: IN_FORCE.liquidationSigmas.at.map(
      (distance) => sorted.filter((one) => one >= distance).length / sorted.length,
    ),
  });
}

/** Shares of the margin that a 99 % day may cost at which half the margin was lost as often as those anchors say. */
export function fitAccountLoss(
  excursions: readonly AdverseExcursion[],
  cases: readonly AdverseCase[],
  data: string,
): FitFinding<Ramp> {
  const half = SCORE.adverseMarginFraction.value;
  const sorted = excursions
    .flatMap(({ inShortfalls }) => (inShortfalls === null ? [] : [inShortfalls]))
    .sort((a, b) => b - a);
  // Half the margin is lost when the excursion reaches half / leverage, so when shortfall × leverage ≥ half / excursion.
  const shares = ANCHOR_PROBABILITIES.map((p) => half / sorted[Math.floor(p * sorted.length)]!);
  const fitted: Ramp = { at: shares.map((share) => Math.round(100 * share) / 100), value: ANCHOR_SEVERITIES };
  return judged(fitted, { ...IN_FORCE, accountLoss: fitted }, cases, data, {
    excursions: sorted.length,
    probabilities: ANCHOR_PROBABILITIES,
    lostAtInForce: IN_FORCE.accountLoss.at.map(
      (share) => sorted.filter((one) => one >= half / share).length / sorted.length,
    ),
  });
}

/**
 * The curve of points over P(adverse), moved where published probabilities and outcomes differ: its knots p become
 * g⁻¹(p) with g the logistic recalibration of the first half of the days, judged on the second half.
 */
export function fitAdverseCurve(cases: readonly AdverseCase[], data: string): FitFinding<Ramp> {
  const middle = medianDay(cases);
  const early = cases.filter(({ day }) => day < middle);
  const late = cases.filter(({ day }) => day >= middle);
  const map = fitPlatt(
    early.map(({ adverseProbability }) => adverseProbability),
    early.map(({ isAdverse }) => (isAdverse ? 1 : 0)),
    0,
  );
  const gain = clusteredByDay(late, ({ adverseProbability: p, isAdverse }) => {
    return logLossOf(p, isAdverse) - logLossOf(plattAt(map, p), isAdverse);
  });
  const { at, value } = SCORE.adverseCurve.value;
  const inverse = { intercept: -map.intercept / map.slope, slope: 1 / map.slope };
  const fitted: Ramp = { at: at.map((p) => plattAt(inverse, p)), value };
  const isAdopted = gain.mean > CLEAR_GAIN_ERRORS * gain.standardError;
  return {
    fitted,
    standardError: gain.standardError,
    isAdopted,
    verdict: `log loss of the later half ${isAdopted ? "falls" : "does not clearly fall"}: gain ${gain.mean.toFixed(5)} ± ${gain.standardError.toFixed(5)}`,
    data,
    evidence: { intercept: map.intercept, slope: map.slope, ...reliability(late) },
  };
}

/** Observed share of adverse outcomes in each band, with the score under given anchors. */
export function bandTable(
  cases: readonly AdverseCase[],
  anchors: AdverseAnchors = IN_FORCE,
): Readonly<
  Record<
    (typeof BANDS)[number],
    { readonly count: number; readonly observed: number; readonly published: number }
  >
> {
  const rows = BANDS.map((band) => {
    const scored = cases
      .map((one) => ({ one, score: scoreOf(one, anchors) }))
      .filter(({ score }) => recommendationOf(score) === band);
    const mean = (of: (entry: (typeof scored)[number]) => number): number =>
      scored.reduce((sum, entry) => sum + of(entry), 0) / scored.length;
    return [
      band,
      {
        count: scored.length,
        observed: mean(({ one }) => (one.isAdverse ? 1 : 0)),
        published: mean(({ score }) => adverseProbabilityOfScore(score)),
      },
    ] as const;
  });
  return Object.fromEntries(rows) as ReturnType<typeof bandTable>;
}

/** The score of a trade whose costs, funding and open interest are harmless. */
function scoreOf(one: AdverseCase, anchors: AdverseAnchors): number {
  const levels = SCORE_COMPONENTS.map((component) => {
    if (component === "liquidation") {
      const severity = Math.max(
        rampValue(SEVERITIES.liquidationProbability.value, one.liquidationProbability),
        rampValue(anchors.liquidationSigmas, one.liquidationSigmas),
      );
      return { severity, floorPoints: 0 };
    }
    if (component === "var") {
      const severity = rampValue(anchors.accountLoss, one.accountLossFraction);
      return { severity, floorPoints: adversePoints(one.adverseProbability) };
    }
    return { severity: 0, floorPoints: 0 };
  });
  return compoundScore(levels, { regimeKappa: 0, basePoints: 0, maxPoints: 100 }).score;
}

/** Adopts new anchors when the probability that the score stands for then predicts clearly better. */
function judged(
  fitted: Ramp,
  anchors: AdverseAnchors,
  cases: readonly AdverseCase[],
  data: string,
  evidence: Evidence,
): FitFinding<Ramp> {
  const lossUnder = (one: AdverseCase, under: AdverseAnchors): number =>
    logLossOf(adverseProbabilityOfScore(scoreOf(one, under)), one.isAdverse);
  const gain = clusteredByDay(cases, (one) => lossUnder(one, IN_FORCE) - lossUnder(one, anchors));
  const isAscending = fitted.at.every((at, i) => i === 0 || at > fitted.at[i - 1]!);
  const isAdopted = isAscending && gain.mean > CLEAR_GAIN_ERRORS * gain.standardError;
  return {
    fitted,
    standardError: gain.standardError,
    isAdopted,
    verdict: `the probability that a score stands for ${isAdopted ? "predicts better" : "does not predict clearly better"}: log loss gain ${gain.mean.toFixed(5)} ± ${gain.standardError.toFixed(5)}`,
    data,
    evidence: {
      ...evidence,
      ...bandEvidence("inForce", bandTable(cases)),
      ...bandEvidence("fitted", bandTable(cases, anchors)),
    },
  };
}

function bandEvidence(name: string, table: ReturnType<typeof bandTable>): Evidence {
  return {
    [`${name}Counts`]: BANDS.map((band) => table[band].count),
    [`${name}Observed`]: BANDS.map((band) => table[band].observed),
    [`${name}Published`]: BANDS.map((band) => table[band].published),
  };
}

/** Mean forecast and observed share by forecast, in the classes that the score distinguishes. */
function reliability(cases: readonly AdverseCase[]): Evidence {
  const edges = [0, 0.001, 0.01, 0.05, 0.2, 0.5, 1];
  const classes = edges.slice(1).map((to, i) => {
    const inside = cases.filter(({ adverseProbability: p }) => p > edges[i]! && p <= to);
    const forecast = inside.reduce((sum, { adverseProbability }) => sum + adverseProbability, 0);
    return [
      inside.length,
      forecast / inside.length,
      inside.filter(({ isAdverse }) => isAdverse).length / inside.length,
    ];
  });
  return {
    counts: classes.map((row) => row[0]!),
    forecasts: classes.map((row) => row[1]!),
    observed: classes.map((row) => row[2]!),
  };
}

function clusteredByDay(
  cases: readonly AdverseCase[],
  value: (one: AdverseCase) => number,
): { readonly mean: number; readonly standardError: number } {
  const clusters = new Map<number, { sum: number; count: number }>();
  for (const one of cases) {
    const cluster = clusters.get(one.day) ?? { sum: 0, count: 0 };
    clusters.set(one.day, cluster);
    cluster.sum += value(one);
    cluster.count++;
  }
  return clusteredMean([...clusters.values()]);
}

function medianDay(cases: readonly AdverseCase[]): number {
  const days = cases.map(({ day }) => day).sort((a, b) => a - b);
  return days[days.length >>> 1]!;
}

function logLossOf(probability: number, isAdverse: boolean): number {
  return -Math.log(isAdverse ? probability : 1 - probability);
}
