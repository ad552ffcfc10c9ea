import { lnGamma } from "./log-gamma.ts";
import { studentTCdf, studentTQuantile } from "./student-t.ts";

/** Degrees of freedom at which the likelihood is evaluated; a parabola in 1/ν places the maximum between them. */
const T_COPULA_GRID = [2.1, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 15, 20, 30, 50] as const;

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

/** Of one series, for any number of pairs that it is fitted in. */
export interface CopulaMargin {
  readonly ranks: Uint32Array;
  /** By ν of the table's grid: −Σ ln f(x), but for what depends on ν alone. */
  readonly marginalLogs: readonly number[];
}

/** Shapes: rank indices of a series of the table's length. */
export function copulaMargin(ranks: Uint32Array, { nus, logKernels }: RankQuantiles): CopulaMargin {
  const marginalLogs = nus.map((nu, k) => {
    const kernels = logKernels[k]!;
    let sum = 0;
    for (let i = 0; i < ranks.length; i++) sum += kernels[ranks[i]!]!;
    return ((nu + 1) / 2) * sum;
  });
  return { ranks, marginalLogs };
}

/** Log likelihood of the bivariate t copula, Σ ln f₂(x,y; ν,ρ) − ln f(x) − ln f(y), at the grid's k-th ν; |rho| < 1. */
export function tCopulaLogLikelihood(
  a: CopulaMargin,
  b: CopulaMargin,
  rho: number,
  table: RankQuantiles,
  k: number,
): number {
  const nu = table.nus[k]!;
  const quantiles = table.quantiles[k]!;
  const ranksA = a.ranks;
  const ranksB = b.ranks;
  const n = ranksA.length;
  const perSpread = 1 / (nu * (1 - rho * rho));
  let joint = 0;
  // One logarithm per few hundred factors instead of one each.
  let product = 1;
  for (let i = 0; i < n; i++) {
    const x = quantiles[ranksA[i]!]!;
    const y = quantiles[ranksB[i]!]!;
    product *= 1 + (x * x - 2 * rho * x * y + y * y) * perSpread;
    if (product > 1e200) {
      joint += Math.log(product);
      product = 1;
    }
  }
  joint += Math.log(product);
  const constant =
    lnGamma((nu + 2) / 2) + lnGamma(nu / 2) - 2 * lnGamma((nu + 1) / 2) - 0.5 * Math.log(1 - rho * rho);
  return n * constant - ((nu + 2) / 2) * joint + a.marginalLogs[k]! + b.marginalLogs[k]!;
}

/** Degrees of freedom by maximum likelihood given ρ: the best of the grid, refined by a parabola in 1/ν. */
export function fitTCopulaNu(a: CopulaMargin, b: CopulaMargin, rho: number, table: RankQuantiles): number {
  const values = table.nus.map((_, k) => tCopulaLogLikelihood(a, b, rho, table, k));
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k]! > values[best]!) best = k;
  const at = values[best]!;
  if (best === 0 || best === values.length - 1) return table.nus[best]!;
  const u = 1 / table.nus[best]!;
  const left = 1 / table.nus[best - 1]! - u;
  const right = 1 / table.nus[best + 1]! - u;
  const leftDrop = values[best - 1]! - at;
  const rightDrop = values[best + 1]! - at;
  // Through three points: value = at + slope·d + bend·d², d = 1/ν − u; left > 0 > right. The middle one is the highest, so
  // that the parabola bends down and has its top between the other two.
  const bend = (leftDrop / left - rightDrop / right) / (left - right);
  const slope = leftDrop / left - bend * left;
  return 1 / (u - slope / (2 * bend));
}

/** Coefficient of tail dependence of the t copula, λ = 2 T_{ν+1}(−√((ν+1)(1−ρ)/(1+ρ))), the same in both tails. */
export function tCopulaTailDependence(rho: number, nu: number): number {
  return 2 * studentTCdf(-Math.sqrt(((nu + 1) * (1 - rho)) / (1 + rho)), nu + 1);
}
