import { kendallTau } from "../../src/math/kendall-tau.ts";
import { cholesky } from "./least-squares.ts";
import { lnGamma } from "../../src/math/log-gamma.ts";
import { rankSeries } from "../../src/math/ranks.ts";
import { buildRankQuantiles, copulaMargin, tCopulaLogLikelihood } from "../../src/math/t-copula.ts";

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Where a function of one peak is highest, by golden section. */
function peakOf(value: (at: number) => number, low: number, high: number, width: number): number {
  let [a, b] = [low, high];
  let [left, right] = [b - GOLDEN * (b - a), a + GOLDEN * (b - a)];
  let [atLeft, atRight] = [value(left), value(right)];
  while (b - a > width) {
    if (atLeft >= atRight) {
      [b, right, atRight] = [right, left, atLeft];
      left = b - GOLDEN * (b - a);
      atLeft = value(left);
    } else {
      [a, left, atLeft] = [left, right, atRight];
      right = a + GOLDEN * (b - a);
      atRight = value(right);
    }
  }
  return (a + b) / 2;
}

/** Maximum pseudo-likelihood of the bivariate t copula in both parameters: for every nu its best rho. */
export function fitTCopulaByLikelihood(
  a: Float64Array,
  b: Float64Array,
  near: { readonly rho: number; readonly nu: number },
): { readonly rho: number; readonly nu: number; readonly logLikelihood: number } {
  const [ranksA, ranksB] = [rankSeries(a).ranks, rankSeries(b).ranks];
  const bestRho = (logNu: number): { rho: number; logLikelihood: number } => {
    const table = buildRankQuantiles(a.length, [Math.exp(logNu)]);
    const [first, second] = [copulaMargin(ranksA, table), copulaMargin(ranksB, table)];
    const at = (rho: number): number => tCopulaLogLikelihood(first, second, rho, table, 0);
    const rho = peakOf(at, near.rho - 0.1, Math.min(near.rho + 0.1, 0.999), 1e-4);
    return { rho, logLikelihood: at(rho) };
  };
  const centre = Math.log(near.nu);
  const logNu = peakOf((at) => bestRho(at).logLikelihood, centre - 0.2, centre + 0.2, 4e-3);
  return { nu: Math.exp(logNu), ...bestRho(logNu) };
}

/**
 * The t copula of several series: correlations by inversion of Kendall's tau, one nu for all by maximum pseudo-likelihood.
 *
 * Shapes:  rhos of the upper triangle, row by row
 */
export function fitTCopulaOfMany(columns: readonly Float64Array[]): {
  readonly rhos: readonly number[];
  readonly nu: number;
} {
  const d = columns.length;
  const ranked = columns.map((column) => rankSeries(column));
  const matrix = new Float64Array(d * d).fill(1);
  const rhos: number[] = [];
  for (let i = 0; i < d; i++) {
    for (let j = i + 1; j < d; j++) {
      const rho = Math.sin((Math.PI * kendallTau(ranked[i]!, ranked[j]!)) / 2);
      matrix[i * d + j] = matrix[j * d + i] = rho;
      rhos.push(rho);
    }
  }
  const factor = cholesky(matrix, d)!;
  const ranks = ranked.map((series) => series.ranks);
  const n = columns[0]!.length;
  const logLikelihood = (logNu: number): number => {
    const nu = Math.exp(logNu);
    const table = buildRankQuantiles(n, [nu]);
    const [quantiles, kernels] = [table.quantiles[0]!, table.logKernels[0]!];
    let logDeterminant = 0;
    for (let i = 0; i < d; i++) logDeterminant += 2 * Math.log(factor[i * d + i]!);
    const constant =
      lnGamma((nu + d) / 2) + (d - 1) * lnGamma(nu / 2) - d * lnGamma((nu + 1) / 2) - logDeterminant / 2;
    let sum = n * constant;
    for (let t = 0; t < n; t++) {
      // Mahalanobis distance by forward substitution in L y = x.
      const y: number[] = [];
      for (let i = 0; i < d; i++) {
        let rest = quantiles[ranks[i]![t]!]!;
        for (let j = 0; j < i; j++) rest -= factor[i * d + j]! * y[j]!;
        y.push(rest / factor[i * d + i]!);
        sum += ((nu + 1) / 2) * kernels[ranks[i]![t]!]!;
      }
      const distance = y.reduce((total, value) => total + value * value, 0);
      sum -= ((nu + d) / 2) * Math.log1p(distance / nu);
    }
    return sum;
  };
  return { rhos, nu: Math.exp(peakOf(logLikelihood, Math.log(2.1), Math.log(30), 5e-3)) };
}
