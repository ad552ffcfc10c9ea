const STEPS_MAX = 200;

/**
 * A root of a continuous function between two points where its signs differ, by Brent's method: within `tolerance` of a
 * sign change, or the exact zero. Undefined when the signs do not differ.
 * Source: Brent, Algorithms for Minimization without Derivatives (1973), chapter 4.
 */
export function findRoot(
  f: (x: number) => number,
  lower: number,
  upper: number,
  tolerance: number,
): number | undefined {
  let a = lower;
  let b = upper;
  let fa = f(a);
  let fb = f(b);
  if (!(fa * fb <= 0)) return undefined;
  let c = a;
  let fc = fa;
  let step = b - a;
  let previousStep = step;
  for (let i = 0; i < STEPS_MAX; i++) {
    if (Math.abs(fc) < Math.abs(fb)) {
      a = b;
      b = c;
      c = a;
      fa = fb;
      fb = fc;
      fc = fa;
    }
    const margin = 2 * Number.EPSILON * Math.abs(b) + tolerance / 2;
    const half = (c - b) / 2;
    if (Math.abs(half) <= margin || fb === 0) return b;
    if (Math.abs(previousStep) >= margin && Math.abs(fa) > Math.abs(fb)) {
      const s = fb / fa;
      let p: number;
      let q: number;
      if (a === c) {
        p = 2 * half * s;
        q = 1 - s;
      } else {
        const r = fb / fc;
        const t = fa / fc;
        p = s * (2 * half * t * (t - r) - (b - a) * (r - 1));
        q = (t - 1) * (r - 1) * (s - 1);
      }
      if (p > 0) q = -q;
      p = Math.abs(p);
      const isInside = 2 * p < Math.min(3 * half * q - Math.abs(margin * q), Math.abs(previousStep * q));
      previousStep = isInside ? step : half;
      step = isInside ? p / q : half;
    } else {
      previousStep = step = half;
    }
    a = b;
    fa = fb;
    b += Math.abs(step) > margin ? step : half > 0 ? margin : -margin;
    fb = f(b);
    if (fb > 0 === fc > 0) {
      c = a;
      fc = fa;
      step = previousStep = b - a;
    }
  }
  return b;
}
