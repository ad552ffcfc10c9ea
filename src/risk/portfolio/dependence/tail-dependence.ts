import { chosen } from "../../calibration/calibration.ts";
import { clamp } from "../../../math/clamp.ts";
import { kendallTau } from "../../../math/kendall-tau.ts";
import { type RankedSeries, rankSeries } from "../../../math/ranks.ts";
import type { CopulaMargin, RankQuantiles } from "../../../math/t-copula.ts";
import { copulaMargin, fitTCopulaNu, tCopulaTailDependence } from "../../../math/t-copula.ts";

/** Tail share at which empirical dependence is counted. */
export const EMPIRICAL_TAIL_SHARE = chosen(0.05, "fraction of each tail", "205 joint chances in 4096 hours");
/** A rank correlation of exactly ±1 (one series twice) has no t copula; its limit stands in. */
const RHO_MAX = 0.9999;

/** How two assets' surprises go together, in the middle and in both tails. */
export interface TailDependence {
  /** P(one is in its worst tail | the other is): mean of the t copula's λ and the empirical share at 5 %. */
  readonly lowerTailLambda: number;
  readonly upperTailLambda: number;
  readonly pearsonRho: number;
  readonly degreesOfFreedom: number;
}

/** One asset's residuals, with what all of its pairs need of it. */
export interface RankedResiduals extends RankedSeries, CopulaMargin {
  /** Less their mean, over the root of the sum of squares; NaN when they are constant. */
  readonly normalised: Float64Array;
}

/** Shapes: as many residuals as the table's sampleSize. */
export function rankResiduals(residuals: ArrayLike<number>, table: RankQuantiles): RankedResiduals {
  const { order, ranks, tiedPairs } = rankSeries(residuals);
  const { marginalLogs } = copulaMargin(ranks, table);
  return { order, ranks, tiedPairs, marginalLogs, normalised: normalised(residuals) };
}

/**
 * Tail dependence of a pair from standardised residuals of the same hours. A t copula is symmetric, the market is not
 * (at 2 % the lower tail's median λ over 780 pairs is 0.44, the upper one's 0.32), so each tail is averaged with what
 * was seen in it. The copula's ρ is sin(πτ/2) of Kendall's τ.
 *
 * Shapes:  both of table.sampleSize values
 * Holds:   lambdas in [0, 1]; symmetric in the pair; null when either series is constant
 * Source:  Demarta and McNeil, The t copula and related copulas, Int. Stat. Review 73 (2005)
 */
export function tailDependence(
  a: RankedResiduals,
  b: RankedResiduals,
  table: RankQuantiles,
): TailDependence | null {
  const tau = kendallTau(a, b);
  const pearsonRho = pearson(a.normalised, b.normalised);
  if (Number.isNaN(tau) || Number.isNaN(pearsonRho)) return null;
  const rho = clamp(Math.sin((Math.PI * tau) / 2), -RHO_MAX, RHO_MAX);
  const nu = fitTCopulaNu(a, b, rho, table);
  const lambda = tCopulaTailDependence(rho, nu);
  const empirical = empiricalTails(a.ranks, b.ranks, EMPIRICAL_TAIL_SHARE.value);
  return {
    lowerTailLambda: (lambda + Math.min(1, empirical.lower)) / 2,
    upperTailLambda: (lambda + Math.min(1, empirical.upper)) / 2,
    pearsonRho,
    degreesOfFreedom: nu,
  };
}

/** Joint tail counts over their expectation for comonotone series, #{u <= q, v <= q}/(nq) and #{u > 1 − q, v > 1 − q}/(nq). */
export function empiricalTails(
  ranksA: Uint32Array,
  ranksB: Uint32Array,
  share: number,
): { readonly lower: number; readonly upper: number } {
  const n = ranksA.length;
  // Doubled rank d stands for u = (d + 2)/(2(n+1)).
  const lowerMax = 2 * share * (n + 1) - 2;
  const upperMin = 2 * (1 - share) * (n + 1) - 2;
  let lower = 0;
  let upper = 0;
  for (let i = 0; i < n; i++) {
    if (ranksA[i]! <= lowerMax && ranksB[i]! <= lowerMax) lower++;
    if (ranksA[i]! > upperMin && ranksB[i]! > upperMin) upper++;
  }
  return { lower: lower / (n * share), upper: upper / (n * share) };
}

function normalised(values: ArrayLike<number>): Float64Array {
  const n = values.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += values[i]! / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (values[i]! - mean) ** 2;
  const scale = 1 / Math.sqrt(squares);
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = (values[i]! - mean) * scale;
  return out;
}

function pearson(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
