import { lnGamma } from "./log-gamma.ts";
import { studentTCdf, studentTQuantile } from "./student-t.ts";

/** Degrees of freedom at which the likelihood is evaluated; a parabola in 1/ν places the maximum between them. */
export const T_COPULA_GRID = [2.1, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 15, 20, 30, 50] as const;

/**
 * Student-t quantiles of every rank's pseudo-observation, the same for every series of one length.
 *
 * Shapes:  per ν one entry per doubled rank 2 … 2n (ties have half ranks), at [2·rank − 2]
 */
export interface RankQuantiles {
  readonly sampleSize: number;
  readonly nus: readonly number[];
  /** t_ν^{-1}(rank/(n+1)). */
  readonly quantiles: readonly Float64Array[];
  /** ln(1 + quantile²/ν), the logarithm in the marginal density. */
  readonly logKernels: readonly Float64Array[];
}

export function buildRankQuantiles(
  sampleSize: number,
  nus: readonly number[] = T_COPULA_GRID,
): RankQuantiles {
  const length = 2 * sampleSize - 1;
  const quantiles = nus.map((nu) => {
    const out = new Float64Array(length);
    for (let i = 0; i < (length - 1) / 2; i++) {
      const quantile = studentTQuantile((i + 2) / 2 / (sampleSize + 1), nu);
      out[i] = quantile;
      out[length - 1 - i] = -quantile;
    }
    return out;
  });
  const logKernels = quantiles.map((values, k) => values.map((x) => Math.log1p((x * x) / nus[k]!)));
  return { sampleSize, nus, quantiles, logKernels };
}

/** Twice the average rank (1 = smallest) of each value less 2: the index into a RankQuantiles row. */
export function rankIndices(values: ArrayLike<number>): Uint32Array {
  const n = values.length;
  const order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const indices = new Uint32Array(n);
  for (let start = 0; start < n;) {
    let end = start + 1;
    while (end < n && values[order[end]!] === values[order[start]!]) end++;
    for (let i = start; i < end; i++) indices[order[i]!] = start + end - 1;
    start = end;
  }
  return indices;
}

/**
 * Log likelihood of the bivariate t copula, Σ ln f₂(x,y; ν,ρ) − ln f(x) − ln f(y), at the grid's k-th ν.
 *
 * Shapes:  rank indices of two series of the table's length; |rho| < 1
 */
export function tCopulaLogLikelihood(
  ranksA: Uint32Array,
  ranksB: Uint32Array,
  rho: number,
  table: RankQuantiles,
  k: number,
): number {
  const nu = table.nus[k]!;
  const quantiles = table.quantiles[k]!;
  const logKernels = table.logKernels[k]!;
  const n = ranksA.length;
  const spread = nu * (1 - rho * rho);
  let joint = 0;
  let marginal = 0;
  // One logarithm per few hundred factors instead of one each.
  let product = 1;
  for (let i = 0; i < n; i++) {
    const x = quantiles[ranksA[i]!]!;
    const y = quantiles[ranksB[i]!]!;
    product *= 1 + (x * x - 2 * rho * x * y + y * y) / spread;
    marginal += logKernels[ranksA[i]!]! + logKernels[ranksB[i]!]!;
    if (product > 1e200) {
      joint += Math.log(product);
      product = 1;
    }
  }
  joint += Math.log(product);
  const constant =
    lnGamma((nu + 2) / 2) + lnGamma(nu / 2) - 2 * lnGamma((nu + 1) / 2) - 0.5 * Math.log(1 - rho * rho);
  return n * constant - ((nu + 2) / 2) * joint + ((nu + 1) / 2) * marginal;
}

export interface TCopulaFit {
  readonly nu: number;
  readonly logLikelihood: number;
}

/** Degrees of freedom by maximum likelihood given ρ: the best of the grid, refined by a parabola in 1/ν. */
export function fitTCopulaNu(
  ranksA: Uint32Array,
  ranksB: Uint32Array,
  rho: number,
  table: RankQuantiles,
): TCopulaFit {
  const values = table.nus.map((_, k) => tCopulaLogLikelihood(ranksA, ranksB, rho, table, k));
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k]! > values[best]!) best = k;
  const at = values[best]!;
  if (best === 0 || best === values.length - 1) return { nu: table.nus[best]!, logLikelihood: at };
  const u = 1 / table.nus[best]!;
  const left = 1 / table.nus[best - 1]! - u;
  const right = 1 / table.nus[best + 1]! - u;
  const leftDrop = values[best - 1]! - at;
  const rightDrop = values[best + 1]! - at;
  // Through three points: value = at + slope·d + bend·d², d = 1/ν − u; left > 0 > right.
  const bend = (leftDrop / left - rightDrop / right) / (left - right);
  const slope = leftDrop / left - bend * left;
  if (!(bend < 0)) return { nu: table.nus[best]!, logLikelihood: at };
  const shift = Math.max(right, Math.min(left, -slope / (2 * bend)));
  return { nu: 1 / (u + shift), logLikelihood: at + slope * shift + bend * shift * shift };
}

/** Coefficient of tail dependence of the t copula, λ = 2 T_{ν+1}(−√((ν+1)(1−ρ)/(1+ρ))), the same in both tails. */
export function tCopulaTailDependence(rho: number, nu: number): number {
  if (rho >= 1) return 1;
  if (rho <= -1) return 0;
  return 2 * studentTCdf(-Math.sqrt(((nu + 1) * (1 - rho)) / (1 + rho)), nu + 1);
}
