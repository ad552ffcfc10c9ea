import { lnGamma } from "../../src/math/log-gamma.ts";
import { mean, populationVariance } from "../../src/math/moments.ts";
import { minimise } from "../../src/math/nelder-mead.ts";
import { standardisedTQuantile, studentTLogDensity, studentTQuantile } from "../../src/math/student-t.ts";

export interface StudentTFit {
  readonly location: number;
  readonly scale: number;
  readonly nu: number;
  readonly logLikelihood: number;
}

/** Maximum likelihood of location + scale × t(nu), from the median of the data outward. */
export function fitStudentT(sample: Float64Array): StudentTFit {
  const sd = Math.sqrt(populationVariance(sample));
  const centre = mean(sample);
  const scaled = sample.map((x) => (x - centre) / sd);
  const logLikelihood = (location: number, scale: number, nu: number): number =>
    scaled.reduce((sum, x) => sum + studentTLogDensity((x - location) / scale, nu), 0) -
    scaled.length * Math.log(scale);
  const objective = ([location, logScale, logNu]: Float64Array): number =>
    -logLikelihood(location!, Math.exp(logScale!), Math.exp(logNu!));
  const best = minimise(objective, Float64Array.of(0, -0.3, Math.log(4)), {
    steps: [0.05, 0.2, 0.3],
    evaluationsMax: 600,
    tolerance: 1e-9,
    restarts: 2,
  });
  const [location, logScale, logNu] = best;
  return {
    location: centre + sd * location!,
    scale: sd * Math.exp(logScale!),
    nu: Math.exp(logNu!),
    logLikelihood: -objective(best) - sample.length * Math.log(sd),
  };
}

/** Mean of location + scale × t(nu) below its quantile of a lower tail. */
export function studentTTailMean({ location, scale, nu }: StudentTFit, tailProbability: number): number {
  const q = studentTQuantile(tailProbability, nu);
  const density = Math.exp(studentTLogDensity(q, nu));
  return location - (scale * density * (nu + q * q)) / ((nu - 1) * tailProbability);
}

/**
 * Quantile of the skewed Student-t with mean 0 and variance 1: two halves of a t of variance 1, stretched by 1/xi and
 * xi. Source: Fernandez and Steel, On Bayesian modeling of fat tails and skewness (1998).
 */
export function skewedTQuantile(p: number, nu: number, xi: number): number {
  const m1 =
    (2 * Math.sqrt(nu - 2) * Math.exp(lnGamma((nu + 1) / 2) - lnGamma(nu / 2))) /
    (Math.sqrt(Math.PI) * (nu - 1));
  const mu = m1 * (xi - 1 / xi);
  const sigma = Math.sqrt((1 - m1 * m1) * (xi * xi + 1 / (xi * xi)) + 2 * m1 * m1 - 1);
  const below = 1 / (1 + xi * xi);
  const raw =
    p < below
      ? standardisedTQuantile((p * (1 + xi * xi)) / 2, nu) / xi
      : -xi * standardisedTQuantile(((1 - p) * (1 + 1 / (xi * xi))) / 2, nu);
  return (raw - mu) / sigma;
}
