import { lnGamma } from "../../src/math/log-gamma.ts";

export interface Definition {
  readonly omega: number;
  readonly reaction: number;
  readonly asymmetry: number;
  readonly beta: number;
}

/** h_{t+1} = ω + A(1 + g s) x + βh, one bar at a time, in the order in which the formula is written. */
export function variancesByDefinition(
  model: Definition,
  returns: readonly number[],
  news: readonly number[],
  firstVariance: number,
): number[] {
  const variances = [firstVariance];
  returns.forEach((r, t) => {
    const s = r < 0 ? 1 : -1;
    variances.push(
      model.omega + model.reaction * (1 + model.asymmetry * s) * news[t]! + model.beta * variances[t]!,
    );
  });
  return variances;
}

/** Σ ln φ(r; 0, h), every logarithm taken on its own. */
export function gaussianLogLikelihoodByDefinition(
  returns: readonly number[],
  variances: readonly number[],
): number {
  return returns.reduce((sum, r, t) => {
    const h = variances[t]!;
    return sum - 0.5 * (Math.log(2 * Math.PI) + Math.log(h) + (r * r) / h);
  }, 0);
}

/** Σ [ln h + x/h]. */
export function qlikeByDefinition(news: readonly number[], variances: readonly number[]): number {
  return news.reduce((sum, x, t) => sum + Math.log(variances[t]!) + x / variances[t]!, 0);
}

/** Σ ln of the variance-1 Student density of r/√h, over √h. */
export function studentLogLikelihoodByDefinition(
  returns: readonly number[],
  variances: readonly number[],
  nu: number,
): number {
  return returns.reduce((sum, r, t) => {
    const h = variances[t]!;
    const z = r / Math.sqrt(h);
    return (
      sum +
      lnGamma((nu + 1) / 2) -
      lnGamma(nu / 2) -
      0.5 * Math.log(Math.PI * (nu - 2)) -
      ((nu + 1) / 2) * Math.log(1 + (z * z) / (nu - 2)) -
      0.5 * Math.log(h)
    );
  }, 0);
}
