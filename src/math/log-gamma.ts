const HALF_LOG_TWO_PI = 0.918938533204672741780329736406;

/**
 * Remainder of Stirling's formula, lnΓ(x+1) − [(x+½)ln x − x + ½ ln 2π]; asymptotic series in 1/x for x ≥ 10.
 * Source: Abramowitz and Stegun 6.1.41; Loader, Fast and accurate computation of binomial probabilities (2000).
 */
export function stirlingError(x: number): number {
  if (x < 10) return lnGamma(x + 1) - ((x + 0.5) * Math.log(x) - x + HALF_LOG_TWO_PI);
  return stirlingSeries(x);
}

/**
 * Logarithm of the gamma function for x > 0: Stirling's series above 10, below it the recurrence Γ(x+1) = xΓ(x).
 * Holds: absolute error below 1e-14 for x < 10, relative below 1e-15 above (near its zeros 1 and 2 only the absolute
 * one). Source: Abramowitz and Stegun 6.1.15 and 6.1.41.
 */
export function lnGamma(x: number): number {
  if (!(x > 0)) return Number.NaN;
  let shifted = x;
  let product = 1;
  while (shifted < 10) product *= shifted++;
  const value = (shifted - 0.5) * Math.log(shifted) - shifted + HALF_LOG_TWO_PI + stirlingSeries(shifted);
  return product === 1 ? value : value - Math.log(product);
}

function stirlingSeries(x: number): number {
  const inverse = 1 / x;
  const s = inverse * inverse;
  return (
    inverse *
    (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * (691 / 360360 - s / 156))))))
  );
}
