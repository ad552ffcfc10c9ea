const INVERSE_SQRT_PI = 0.56418958354775628695;
const INVERSE_SQRT_TWO_PI = 0.398942280401432677939946;

/** Density of the standard normal distribution. */
export function normalDensity(x: number): number {
  return INVERSE_SQRT_TWO_PI * Math.exp(-0.5 * x * x);
}

/** Standard normal distribution function P(Z ≤ x) = ½ erfc(−x/√2), full relative precision in the lower tail. */
export function normalCdf(x: number): number {
  return 0.5 * erfc(-x * Math.SQRT1_2);
}

/**
 * Complementary error function, relative error about 1e-15.
 * Source: Cody, Rational Chebyshev approximations for the error function, Math. Comp. 23 (1969).
 */
function erfc(x: number): number {
  const y = Math.abs(x);
  if (y <= 0.46875) return 1 - erfNearZero(x);
  if (y > 27) return x > 0 ? 0 : 2;
  const tail = expMinusSquare(y) * (y <= 4 ? erfcMiddle(y) : erfcFar(y));
  return x > 0 ? tail : 2 - tail;
}

/** exp(−y²) with y² split so that its rounding error is not multiplied by y². */
function expMinusSquare(y: number): number {
  const head = Math.trunc(y * 16) / 16;
  return Math.exp(-head * head) * Math.exp(-(y - head) * (y + head));
}

function erfNearZero(x: number): number {
  const s = x * x;
  const p =
    (((1.85777706184603153e-1 * s + 3.1611237438705656) * s + 1.13864154151050156e2) * s +
      3.77485237685302021e2) *
      s +
    3.20937758913846947e3;
  const q =
    (((s + 2.36012909523441209e1) * s + 2.44024637934444173e2) * s + 1.28261652607737228e3) * s +
    2.84423683343917062e3;
  return (x * p) / q;
}

function erfcMiddle(y: number): number {
  const p =
    (((((((2.15311535474403846e-8 * y + 5.64188496988670089e-1) * y + 8.88314979438837594) * y +
      6.61191906371416295e1) *
      y +
      2.98635138197400131e2) *
      y +
      8.8195222124176909e2) *
      y +
      1.71204761263407058e3) *
      y +
      2.05107837782607147e3) *
      y +
    1.23033935479799725e3;
  const q =
    (((((((y + 1.57449261107098347e1) * y + 1.17693950891312499e2) * y + 5.37181101862009858e2) * y +
      1.62138957456669019e3) *
      y +
      3.29079923573345963e3) *
      y +
      4.36261909014324716e3) *
      y +
      3.43936767414372164e3) *
      y +
    1.23033935480374942e3;
  return p / q;
}

function erfcFar(y: number): number {
  const s = 1 / (y * y);
  const p =
    ((((1.63153871373020978e-2 * s + 3.05326634961232344e-1) * s + 3.60344899949804439e-1) * s +
      1.25781726111229246e-1) *
      s +
      1.60837851487422766e-2) *
      s +
    6.58749161529837803e-4;
  const q =
    ((((s + 2.56852019228982242) * s + 1.87295284992346047) * s + 5.27905102951428412e-1) * s +
      6.05183413124413191e-2) *
      s +
    2.33520497626869185e-3;
  return (INVERSE_SQRT_PI - (s * p) / q) / y;
}

/**
 * Standard normal quantile, the inverse of normalCdf on (0, 1); −∞ at 0 and +∞ at 1.
 * Source: Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988); relative error about 1e-16.
 */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) return Number.NaN;
  if (p === 0) return -Infinity;
  if (p === 1) return Infinity;
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return quantileCentral(q);
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const x = r <= 5 ? quantileMiddle(r - 1.6) : quantileFar(r - 5);
  return q < 0 ? -x : x;
}

function quantileCentral(q: number): number {
  const r = 0.180625 - q * q;
  return (
    (q *
      (((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r + 6.7265770927008700853e4) * r +
        4.5921953931549871457e4) *
        r +
        1.3731693765509461125e4) *
        r +
        1.9715909503065514427e3) *
        r +
        1.3314166789178437745e2) *
        r +
        3.387132872796366608)) /
    (((((((5.226495278852545925e3 * r + 2.8729085735721942674e4) * r + 3.930789580009271061e4) * r +
      2.1213794301586595867e4) *
      r +
      5.3941960214247511077e3) *
      r +
      6.871870074920579083e2) *
      r +
      4.2313330701600911252e1) *
      r +
      1)
  );
}

function quantileMiddle(r: number): number {
  return (
    (((((((7.7454501427834140764e-4 * r + 2.27238449892691845833e-2) * r + 2.4178072517745061177e-1) * r +
      1.27045825245236838258) *
      r +
      3.64784832476320460504) *
      r +
      5.7694972214606914055) *
      r +
      4.6303378461565452959) *
      r +
      1.42343711074968357734) /
    (((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 1.51986665636164571966e-2) * r +
      1.4810397642748007459e-1) *
      r +
      6.8976733498510000455e-1) *
      r +
      1.6763848301838038494) *
      r +
      2.05319162663775882187) *
      r +
      1)
  );
}

function quantileFar(r: number): number {
  return (
    (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.2426609473880784386e-3) * r +
      2.6532189526576123093e-2) *
      r +
      2.9656057182850489123e-1) *
      r +
      1.7848265399172913358) *
      r +
      5.4637849111641143699) *
      r +
      6.6579046435011037772) /
    (((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r +
      7.868691311456132591e-4) *
      r +
      1.48753612908506148525e-2) *
      r +
      1.3692988092273580531e-1) *
      r +
      5.9983220655588793769e-1) *
      r +
      1)
  );
}
