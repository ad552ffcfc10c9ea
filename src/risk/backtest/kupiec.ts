import { binomialCdf, binomialSf } from "../../math/binomial.ts";
import { chiSquareSf } from "../../math/incomplete-gamma.ts";
import { invariant } from "../../math/invariant.ts";
import { bernoulliLogLikelihood } from "./bernoulli-likelihood.ts";

/** Does the share of breaches equal the tail probability? */
export interface KupiecTest {
  readonly likelihoodRatio: number;
  /** Of the two-sided test, chi-square with one degree of freedom. */
  readonly pValue: number;
  /** Exact P(X >= breaches): small means too many. */
  readonly tooManyPValue: number;
  /** Exact P(X <= breaches): small means too few, conservative rather than unsafe. */
  readonly tooFewPValue: number;
}

/**
 * Tests unconditional coverage, and names the direction with the exact binomial.
 *
 *   LR = −2 ln[(1−p)^(n−x) p^x / ((1−x/n)^(n−x) (x/n)^x)]
 *
 * Holds:   LR >= 0, and 0 where x/n = p; the order of the breaches does not matter
 * Source:  Kupiec, Techniques for verifying the accuracy of risk measurement models, J. Derivatives 3 (1995)
 */
export function kupiecTest(breaches: number, observations: number, tailProbability: number): KupiecTest {
  invariant(
    observations > 0 && breaches >= 0 && breaches <= observations,
    "breaches are of the observations",
  );
  const misses = observations - breaches;
  const ratio =
    2 *
    (bernoulliLogLikelihood(misses, breaches, breaches / observations) -
      bernoulliLogLikelihood(misses, breaches, tailProbability));
  // The best rate cannot be less likely than p: a negative ratio is the rounding of a difference of equals.
  const likelihoodRatio = Math.max(0, ratio);
  return {
    likelihoodRatio,
    pValue: chiSquareSf(likelihoodRatio, 1),
    tooManyPValue: binomialSf(breaches - 1, observations, tailProbability),
    tooFewPValue: binomialCdf(breaches, observations, tailProbability),
  };
}
