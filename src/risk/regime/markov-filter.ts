/** Row-stochastic: transition[from][to], per hour. */
export type TransitionMatrix = readonly (readonly number[])[];

/**
 * Bayes' step of a hidden Markov filter: posterior ∝ predicted · likelihood. A likelihood of ones leaves the prediction.
 * Source: Hamilton, Econometrica 57 (1989).
 */
export function weighed(predicted: readonly number[], likelihood: readonly number[]): number[] {
  const weights = predicted.map((p, state) => p * likelihood[state]!);
  let total = 0;
  for (const weight of weights) total += weight;
  return weights.map((weight) => weight / total);
}

/** Prediction over any time: whole hours step by step, the rest by I + t(A − I), which is exact at 0 and 1. */
export function predictHours(
  posterior: readonly number[],
  transition: TransitionMatrix,
  elapsedHours: number,
): number[] {
  let current = [...posterior];
  const whole = Math.floor(elapsedHours);
  for (let hour = 0; hour < whole; hour++) current = predictStep(current, transition);
  const rest = elapsedHours - whole;
  const next = predictStep(current, transition);
  return current.map((p, state) => p + rest * (next[state]! - p));
}

/** Aᵀp. */
function predictStep(posterior: readonly number[], transition: TransitionMatrix): number[] {
  return posterior.map((_, to) => {
    let sum = 0;
    for (let from = 0; from < posterior.length; from++) sum += posterior[from]! * transition[from]![to]!;
    return sum;
  });
}
