/** The probability of given log-odds, 1 / (1 + e^{-x}). */
export function logistic(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** The log-odds of a probability, ln(p / (1 − p)); infinite at 0 and 1. */
export function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}
