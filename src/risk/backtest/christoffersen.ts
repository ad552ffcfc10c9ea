import { chiSquareSf } from "../../math/incomplete-gamma.ts";
import { bernoulliLogLikelihood } from "./bernoulli-likelihood.ts";
import { kupiecTest } from "./kupiec.ts";
import { breachCount } from "./tail-record.ts";

/** Steps from yesterday's breach (first digit) to today's (second); their sum is one less than the observations. */
export interface BreachTransitions {
  readonly n00: number;
  readonly n01: number;
  readonly n10: number;
  readonly n11: number;
}

/** Do breaches come independently of one another, and with the right frequency? */
export interface ChristoffersenTest {
  readonly transitions: BreachTransitions;
  /** Share of breaches after a calm period; null when there was none. */
  readonly breachAfterCalm: number | null;
  /** Share of breaches after a breach: the size of the clustering; null when there was no breach to follow. */
  readonly breachAfterBreach: number | null;
  readonly independenceRatio: number;
  /** Chi-square with one degree of freedom. */
  readonly independencePValue: number;
  /** Kupiec's ratio plus the independence ratio. */
  readonly conditionalCoverageRatio: number;
  /** Chi-square with two degrees of freedom. */
  readonly conditionalCoveragePValue: number;
}

/**
 * Tests first-order independence and conditional coverage, LR_cc = LR_pof + LR_ind.
 *
 * Shapes:  breaches 0 or 1 in the order of time
 * Holds:   LR_ind >= 0; a row of transitions that never occurred contributes nothing
 * Source:  Christoffersen, Evaluating interval forecasts, International Economic Review 39 (1998)
 */
export function christoffersenTest(breaches: Uint8Array, tailProbability: number): ChristoffersenTest {
  const transitions = transitionsOf(breaches);
  const { n00, n01, n10, n11 } = transitions;
  const breachAfterCalm = share(n01, n00 + n01);
  const breachAfterBreach = share(n11, n10 + n11);
  const pooled = share(n01 + n11, n00 + n01 + n10 + n11) ?? 0;
  const independent = bernoulliLogLikelihood(n00 + n10, n01 + n11, pooled);
  const dependent =
    bernoulliLogLikelihood(n00, n01, breachAfterCalm ?? 0) +
    bernoulliLogLikelihood(n10, n11, breachAfterBreach ?? 0);
  const independenceRatio = Math.max(0, 2 * (dependent - independent));
  const coverage = kupiecTest(breachCount(breaches), breaches.length, tailProbability);
  const conditionalCoverageRatio = coverage.likelihoodRatio + independenceRatio;
  return {
    transitions,
    breachAfterCalm,
    breachAfterBreach,
    independenceRatio,
    independencePValue: chiSquareSf(independenceRatio, 1),
    conditionalCoverageRatio,
    conditionalCoveragePValue: chiSquareSf(conditionalCoverageRatio, 2),
  };
}

function transitionsOf(breaches: Uint8Array): BreachTransitions {
  const counts: [number, number, number, number] = [0, 0, 0, 0];
  for (let t = 1; t < breaches.length; t++) counts[2 * breaches[t - 1]! + breaches[t]!]!++;
  const [n00, n01, n10, n11] = counts;
  return { n00, n01, n10, n11 };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
