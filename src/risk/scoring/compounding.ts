import { SCORE, SCORE_COMPONENTS } from "../calibration/calibration.ts";

const COMPONENT_COUNT = SCORE_COMPONENTS.length;
/** Every component present. */
const ALL_COMPONENTS = (1 << COMPONENT_COUNT) - 1;

const WEIGHTS = SCORE_COMPONENTS.map((component) => SCORE.weights.value[component]);
const ROOT_WEIGHTS = WEIGHTS.map(Math.sqrt);

/**
 * What the components contribute before aggregation.
 *
 * Shapes:  one number per component, in the order of SCORE_COMPONENTS
 */
export interface ScoreLevels {
  /** 0 harmless to 1 worst. */
  readonly severities: readonly number[];
  /** Points below which each component alone does not let the score fall. */
  readonly floorPoints: readonly number[];
}

/** What the score depends on beside its components. */
export interface ScoreSetting {
  /** Added to kappa by the market's regime. */
  readonly regimeKappa: number;
  /** Points that hold whatever the components say: stale inputs. */
  readonly basePoints: number;
  /** 100, or the cap of a close. */
  readonly maxPoints: number;
}

/** How a score comes about, in points. */
export interface ScoreParts {
  readonly weightedPoints: number;
  readonly compoundingPoints: number;
  readonly regimePoints: number;
  /** The highest floor of a component, or the base points. */
  readonly floorPoints: number;
  readonly score: number;
}

/**
 * The score of the components in a set, the others taken as absent.
 *
 *   compound = sum w_i c_i + kappa sum_{i<j} sqrt(w_i w_j) c_i c_j + min(regime max, kappa_regime x the same sum)
 *   S = min(maxPoints, max(100 compound, highest floor, basePoints))
 *
 * Shapes:  `present` is a bit set of SCORE_COMPONENTS
 * Holds:   0 <= score <= maxPoints; non-decreasing in every severity, floor and in the set
 */
export function compoundScore(
  { severities, floorPoints: floors }: ScoreLevels,
  setting: ScoreSetting,
  present: number = ALL_COMPONENTS,
): ScoreParts {
  let weighted = 0;
  let rootSum = 0;
  let squareSum = 0;
  let floorPoints = setting.basePoints;
  for (let i = 0; i < COMPONENT_COUNT; i += 1) {
    if ((present & (1 << i)) === 0) continue;
    const severity = severities[i]!;
    const floor = floors[i]!;
    const root = ROOT_WEIGHTS[i]! * severity;
    weighted += WEIGHTS[i]! * severity;
    rootSum += root;
    squareSum += root * root;
    if (floor > floorPoints) floorPoints = floor;
  }
  const pairs = Math.max(0, (rootSum * rootSum - squareSum) / 2);
  const weightedPoints = 100 * weighted;
  const compoundingPoints = 100 * SCORE.kappa.value * pairs;
  const regimePoints = Math.min(SCORE.regimePointsMax.value, 100 * setting.regimeKappa * pairs);
  const compound = weightedPoints + compoundingPoints + regimePoints;
  const score = Math.min(setting.maxPoints, Math.max(compound, floorPoints));
  return { weightedPoints, compoundingPoints, regimePoints, floorPoints, score };
}

/**
 * Each component's share of the score: Shapley values of the set function above.
 *
 *   phi_i = sum over sets T without i of |T|! (5 - |T|)! / 6! x (S(T + i) - S(T))
 *
 * Holds:   they sum to the score less the score of no component; none is negative
 * Source:  Shapley, A Value for n-Person Games (1953)
 */
export function shapleyPoints(levels: ScoreLevels, setting: ScoreSetting): Float64Array {
  const ofSet = new Float64Array(ALL_COMPONENTS + 1);
  for (let set = 0; set <= ALL_COMPONENTS; set += 1) ofSet[set] = compoundScore(levels, setting, set).score;
  const points = new Float64Array(COMPONENT_COUNT);
  for (let set = 0; set < ALL_COMPONENTS; set += 1) {
    const weight = COALITION_WEIGHTS[memberCount(set)]!;
    for (let i = 0; i < COMPONENT_COUNT; i += 1) {
      const bit = 1 << i;
      if ((set & bit) === 0) points[i] = points[i]! + weight * (ofSet[set | bit]! - ofSet[set]!);
    }
  }
  return points;
}

function memberCount(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

/** Weight of a set by its size: |T|! (n - 1 - |T|)! / n!. */
const COALITION_WEIGHTS = Array.from(
  { length: COMPONENT_COUNT },
  (_, size) => (factorial(size) * factorial(COMPONENT_COUNT - 1 - size)) / factorial(COMPONENT_COUNT),
);
