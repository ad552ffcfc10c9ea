import { incompleteBetaOfPair } from "./incomplete-beta.ts";
import { lnGamma } from "./log-gamma.ts";
import { normalQuantile } from "./normal.ts";

/** lnΓ((ν+1)/2) − lnΓ(ν/2) − ½ ln(πν): the constant of the log density, hoisted out of likelihood loops. */
function studentTLogNormaliser(nu: number): number {
  return lnGamma((nu + 1) / 2) - lnGamma(nu / 2) - 0.5 * Math.log(Math.PI * nu);
}

/** Log density of Student's t with nu degrees of freedom (scale 1, so variance nu/(nu−2)). */
export function studentTLogDensity(x: number, nu: number): number {
  return studentTLogNormaliser(nu) - ((nu + 1) / 2) * Math.log1p((x * x) / nu);
}

/** Distribution function P(T ≤ x) = ½ I_{ν/(ν+x²)}(ν/2, ½) in the lower tail, full relative precision there. */
export function studentTCdf(x: number, nu: number): number {
  if (!(nu > 0) || Number.isNaN(x)) return Number.NaN;
  if (!Number.isFinite(x)) return x > 0 ? 1 : 0;
  const tail = upperTail(Math.abs(x), nu);
  return x <= 0 ? tail : 1 - tail;
}

/**
 * Quantile of Student's t: Hill's expansion as a start, then Halley steps on the tail probability.
 * Holds: studentTCdf(studentTQuantile(p)) = p to about 1e-14 relative in the smaller tail; closed forms at nu 1 and 2.
 * Source: Hill, Algorithm 396, CACM 13 (1970).
 */
export function studentTQuantile(p: number, nu: number): number {
  if (!(p >= 0 && p <= 1 && nu > 0)) return Number.NaN;
  if (p === 0) return -Infinity;
  if (p === 1) return Infinity;
  if (p === 0.5) return 0;
  const tailProbability = Math.min(p, 1 - p);
  const magnitude = upperTailQuantile(tailProbability, nu);
  return p < 0.5 ? -magnitude : magnitude;
}

/** Quantile of the variance-1 form, T √((ν−2)/ν) for nu > 2. */
export function standardisedTQuantile(p: number, nu: number): number {
  return studentTQuantile(p, nu) * Math.sqrt((nu - 2) / nu);
}

/**
 * Constant of the variance-1 form's log density, lnΓ((ν+1)/2) − lnΓ(ν/2) − ½ ln(π(ν−2)) − ½(ν+1) ln(1 + z²/(ν−2)):
 * all but the last term, nu > 2.
 */
export function standardisedTLogNormaliser(nu: number): number {
  return lnGamma((nu + 1) / 2) - lnGamma(nu / 2) - 0.5 * Math.log(Math.PI * (nu - 2));
}

/** Expected loss beyond the lower-tail quantile of the variance-1 form, E[−Z | Z ≤ q_p] > 0, for nu > 2. */
export function standardisedTExpectedShortfall(tailProbability: number, nu: number): number {
  const quantile = studentTQuantile(tailProbability, nu);
  const density = Math.exp(studentTLogDensity(quantile, nu));
  const scale = Math.sqrt((nu - 2) / nu);
  return (scale * density * (nu + quantile * quantile)) / (tailProbability * (nu - 1));
}

function upperTail(magnitude: number, nu: number): number {
  const square = magnitude * magnitude;
  return 0.5 * incompleteBetaOfPair(nu / (nu + square), square / (nu + square), nu / 2, 0.5);
}

function upperTailQuantile(tailProbability: number, nu: number): number {
  if (nu === 1) return 1 / Math.tan(Math.PI * tailProbability);
  if (nu === 2) return (1 - 2 * tailProbability) / Math.sqrt(2 * tailProbability * (1 - tailProbability));
  let t = hillStart(2 * tailProbability, nu);
  const logNormaliser = studentTLogNormaliser(nu);
  for (let step = 0; step < 50; step++) {
    const density = Math.exp(logNormaliser - ((nu + 1) / 2) * Math.log1p((t * t) / nu));
    const newton = (upperTail(t, nu) - tailProbability) / density;
    const curvature = ((nu + 1) * t) / (nu + t * t);
    const change = newton / Math.max(1 - 0.5 * newton * curvature, 0.25);
    const next = t + change;
    t = next > 0 ? next : t / 2;
    if (Math.abs(change) <= 1e-15 * t) break;
  }
  return t;
}

/** Hill's asymptotic inverse expansion for a two-tailed probability. */
function hillStart(twoTailed: number, nu: number): number {
  const a = 1 / (nu - 0.5);
  const b = (48 / a) * (1 / a);
  let c = ((20700 * a) / b - 98) * a - 16;
  c = c * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * nu;
  let y = (d * twoTailed) ** (2 / nu);
  if (!(nu > 0.5) || !Number.isFinite(y)) return 1;
  if (y > 0.05 + a) {
    const x = normalQuantile(0.5 * twoTailed);
    y = x * x;
    if (nu < 5) c += 0.3 * (nu - 4.5) * (x + 0.6);
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = Math.expm1(a * y * y);
  } else {
    y =
      ((1 / (((nu + 6) / (nu * y) - 0.089 * d - 0.822) * (nu + 2) * 3) + 0.5 / (nu + 4)) * y - 1) *
        ((nu + 1) / (nu + 2)) +
      1 / y;
  }
  const start = Math.sqrt(nu * y);
  return start > 0 && Number.isFinite(start) ? start : 1;
}
