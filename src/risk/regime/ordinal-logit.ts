import { logistic } from "../../math/logistic.ts";

/**
 * Probabilities of ordered states, P(state ≤ k) = logistic(c_k − η): the last state's probability rises with η.
 * Shapes: ascending cutpoints, one fewer than states. Source: McCullagh, Regression models for ordinal data (1980).
 */
export function ordinalProbabilities(eta: number, cutpoints: readonly number[]): number[] {
  const probabilities: number[] = [];
  let below = 0;
  for (const cutpoint of cutpoints) {
    const upTo = logistic(cutpoint - eta);
    probabilities.push(upTo - below);
    below = upTo;
  }
  // 1 − logistic(x) without its cancellation: the probability of the last state keeps its digits when it is small.
  probabilities.push(logistic(eta - (cutpoints.at(-1) ?? -Infinity)));
  return probabilities;
}
