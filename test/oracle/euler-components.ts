import { regularizedIncompleteBeta } from "../../src/math/incomplete-beta.ts";

/**
 * What each position contributes to the quantile (Harrell-Davis) and to the tail mean of their sum: the position's own
 * loss in the portfolio's ordered scenarios, weighted as the estimator weighs them.
 *
 * Shapes:  one array of losses a position, over the same scenarios
 */
export function eulerComponents(
  lossesOf: readonly Float64Array[],
  confidence: number,
): { readonly varOf: readonly number[]; readonly shortfallOf: readonly number[] } {
  const n = lossesOf[0]!.length;
  const total = (s: number): number => lossesOf.reduce((sum, losses) => sum + losses[s]!, 0);
  const worstFirst = Array.from({ length: n }, (_, s) => s).sort((a, b) => total(b) - total(a));
  const beta = (j: number): number =>
    regularizedIncompleteBeta(j / n, (n + 1) * confidence, (n + 1) * (1 - confidence));
  const quantileWeights = worstFirst.map((_, rank) => beta(n - rank) - beta(n - rank - 1));
  const tail = n * (1 - confidence);
  const tailWeights = worstFirst.map((_, rank) => Math.min(1, Math.max(0, tail - rank)) / tail);
  const weighted = (losses: Float64Array, weights: readonly number[]): number =>
    worstFirst.reduce((sum, s, rank) => sum + weights[rank]! * losses[s]!, 0);
  return {
    varOf: lossesOf.map((losses) => weighted(losses, quantileWeights)),
    shortfallOf: lossesOf.map((losses) => weighted(losses, tailWeights)),
  };
}
