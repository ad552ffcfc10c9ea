import { SCORE, SEVERITIES } from "../calibration/calibration.ts";
import { forecastLoss } from "../backtest/log-loss.ts";
import { fitPlatt, plattAt } from "../backtest/platt.ts";
import type { Ramp } from "../../math/ramp.ts";
import { scoreProbability } from "../scoring/score-probability.ts";
import {
  type AdverseAnchors,
  type AdverseCase,
  ANCHORS_IN_FORCE,
  bandEvidence,
  bandTable,
  caseScore,
} from "./adverse-bands.ts";
import { clusteredBy, dayOf, type Evidence, type FitFinding, isClearGain, medianDay } from "./fit-finding.ts";

/** How far the price went against a position of no leverage within 24 h of a forecast. */
export interface AdverseExcursion {
  readonly day: number;
  /** The logarithm of the way over the forecast deviation of the day. */
  readonly inSigmas: number;
  /** Over the forecast 99 % expected shortfall; null where it was not drawn. */
  readonly inShortfalls: number | null;
}

/** Probabilities at which the severity of liquidation has its anchors: the other two curves are to mean the same. */
const ANCHOR_PROBABILITIES = SEVERITIES.liquidationProbability.value.at;
const ANCHOR_SEVERITIES = SEVERITIES.liquidationProbability.value.value;
const HALF_MARGIN = SCORE.adverseMarginFraction.value;

/** Logarithmic distances in day sigmas that history touched as often as the anchors of the liquidation probability say. */
export function fitLiquidationSigmas(
  excursions: readonly AdverseExcursion[],
  cases: readonly AdverseCase[],
  data: string,
): FitFinding<Ramp> {
  return judged(distancesOf, (liquidationSigmas) => ({ ...ANCHORS_IN_FORCE, liquidationSigmas }), {
    excursions,
    cases,
    data,
    method:
      "logarithmic distances in day sigmas that were touched in 20, 5, 1 and 0.1 % of days, as the liquidation probability's anchors",
    evidence: {
      excursions: excursions.length,
      probabilities: ANCHOR_PROBABILITIES,
      touchedAtInForce: ANCHORS_IN_FORCE.liquidationSigmas.at.map(
        (distance) => excursions.filter(({ inSigmas }) => inSigmas >= distance).length / excursions.length,
      ),
    },
  });
}

/**
 * Shares of the margin that a 99 % day may cost at which half the margin was lost as often as those anchors say. Shown
 * and never adopted: this severity is about how much a bad day costs. Anchored by how often ruin comes it would only
 * repeat the liquidation's, and a day that takes a third of the equity would not count.
 */
export function fitAccountLoss(
  excursions: readonly AdverseExcursion[],
  cases: readonly AdverseCase[],
  data: string,
): FitFinding<Ramp> {
  const drawn = excursions.flatMap(({ inShortfalls }) => inShortfalls ?? []);
  const finding = judged(lossesOf, (accountLoss) => ({ ...ANCHORS_IN_FORCE, accountLoss }), {
    excursions,
    cases,
    data,
    method:
      "shares of the margin at which half of it was lost in 0.1, 1, 5 and 20 % of days, as the liquidation probability's anchors",
    evidence: {
      excursions: drawn.length,
      probabilities: ANCHOR_PROBABILITIES,
      lostAtInForce: ANCHORS_IN_FORCE.accountLoss.at.map(
        (share) => drawn.filter((one) => one >= HALF_MARGIN / share).length / drawn.length,
      ),
    },
  });
  return {
    ...finding,
    isAdopted: false,
    verdict: `it weighs the size of a bad day, not how often ruin comes; ${finding.verdict}`,
  };
}

/** Ascending in distance: the rarest touch is the farthest and has severity 0. */
function distancesOf(excursions: readonly AdverseExcursion[]): Ramp {
  const sorted = excursions.map(({ inSigmas }) => inSigmas).sort((a, b) => b - a);
  const distances = ANCHOR_PROBABILITIES.map((p) => sorted[Math.floor(p * sorted.length)]!);
  return {
    at: distances.map((distance) => Math.round(100 * distance) / 100).reverse(),
    value: [...ANCHOR_SEVERITIES].reverse(),
  };
}

/** Half the margin is lost when the excursion reaches half / leverage, so when shortfall × leverage ≥ half / excursion. */
function lossesOf(excursions: readonly AdverseExcursion[]): Ramp {
  const sorted = excursions.flatMap(({ inShortfalls }) => inShortfalls ?? []).sort((a, b) => b - a);
  const shares = ANCHOR_PROBABILITIES.map((p) => HALF_MARGIN / sorted[Math.floor(p * sorted.length)]!);
  return { at: shares.map((share) => Math.round(100 * share) / 100), value: ANCHOR_SEVERITIES };
}

/**
 * Whether published probabilities come true: a logistic recalibration g of the first half of the days, judged on the
 * second. Knots moved to g⁻¹(p) would give points by what came true. They are shown and never adopted: the curve says
 * what points mean, so a probability that does not come true is corrected where it is made.
 */
export function fitAdverseCurve(cases: readonly AdverseCase[], data: string): FitFinding<Ramp> {
  const middle = medianDay(cases);
  const early = cases.filter(({ day }) => day < middle);
  const late = cases.filter(({ day }) => day >= middle);
  const map = fitPlatt(
    early.map(({ adverseProbability }) => adverseProbability),
    early.map(({ isAdverse }) => (isAdverse ? 1 : 0)),
    null,
    0,
  );
  const gain = clusteredBy(late, dayOf, ({ adverseProbability: p, isAdverse }) => {
    return forecastLoss(p, isAdverse) - forecastLoss(plattAt(map, p), isAdverse);
  });
  const { at, value } = SCORE.adverseCurve.value;
  const inverse = { intercept: -map.intercept / map.slope, slope: 1 / map.slope };
  const fitted: Ramp = { at: at.map((p) => plattAt(inverse, p)), value };
  const isBetter = isClearGain(gain);
  return {
    fitted,
    method: "the knots at which outcomes were as frequent as the points mean",
    standardError: gain.standardError,
    isAdopted: false,
    verdict: `the curve is what points mean; recalibrated probabilities ${isBetter ? "are better, which is for the forecast to mend" : "are not clearly better"}: log loss gain on the second half ${gain.mean.toFixed(5)} ± ${gain.standardError.toFixed(5)}`,
    data,
    evidence: { intercept: map.intercept, slope: map.slope, ...reliability(late) },
  };
}

/**
 * New anchors are adopted when those of the first half of the days let the score stand for clearly better probabilities
 * in the second; what is then adopted is fitted on all days.
 */
function judged(
  fit: (excursions: readonly AdverseExcursion[]) => Ramp,
  anchorsWith: (ramp: Ramp) => AdverseAnchors,
  {
    excursions,
    cases,
    data,
    method,
    evidence,
  }: {
    readonly excursions: readonly AdverseExcursion[];
    readonly cases: readonly AdverseCase[];
    readonly data: string;
    readonly method: string;
    readonly evidence: Evidence;
  },
): FitFinding<Ramp> {
  const middle = medianDay(cases);
  const late = cases.filter(({ day }) => day >= middle);
  const ofEarly = fit(excursions.filter(({ day }) => day < middle));
  const fitted = fit(excursions);
  const lossUnder = (one: AdverseCase, under: AdverseAnchors): number =>
    forecastLoss(scoreProbability(SCORE.adverseCurve.value, caseScore(one, under)), one.isAdverse);
  // A past of one drawn day has nothing before it.
  const anchors = ofEarly.at.every(Number.isFinite) ? anchorsWith(ofEarly) : ANCHORS_IN_FORCE;
  const gain = clusteredBy(late, dayOf, (one) => lossUnder(one, ANCHORS_IN_FORCE) - lossUnder(one, anchors));
  const isAscending = [ofEarly, fitted].every(({ at }) => at.every((x, i) => i === 0 || x > at[i - 1]!));
  const isAdopted = isAscending && isClearGain(gain);
  return {
    fitted,
    method,
    standardError: gain.standardError,
    isAdopted,
    verdict: `with the first half's anchors the probability that a score stands for ${isAdopted ? "predicts the second half better" : "does not predict the second half clearly better"}: log loss gain ${gain.mean.toFixed(5)} ± ${gain.standardError.toFixed(5)}`,
    data,
    evidence: {
      ...evidence,
      ofFirstHalf: ofEarly.at,
      ...bandEvidence("secondHalfInForce", bandTable(late)),
      ...bandEvidence("secondHalfOfFirstHalf", bandTable(late, anchors)),
    },
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
