/** Of the distance to the midpoint by which the secant's point is drawn to it, in units of the first bracket. */
const PULL = 0.2;
/** Evaluations that may be spent beyond those of bisection. */
const SLACK = 1;

/** Keeps the last bracket from being wider than asked for by a digit. */
const ROUNDING = 1 - 1e-9;

/** Two points of which one lies on each side of a root, with the values there: valueLow <= 0 < valueHigh. */
export interface RootBracket {
  readonly low: number;
  readonly high: number;
  readonly valueLow: number;
  readonly valueHigh: number;
}

/**
 * Narrows a bracket to `width`; gives its lower end, where the value is still 0 or less. Takes one evaluation more than
 * bisection at most, and few where the function is nearly straight. Source: ITP method, Oliveira and Takahashi, ACM TOMS
 * 47 (2020), with κ₁ = 0.2 / (high − low), κ₂ = 2, n₀ = 1.
 */
export function lowerEndOfRoot(bracket: RootBracket, width: number, valueAt: (x: number) => number): number {
  let { low, high, valueLow, valueHigh } = bracket;
  const first = high - low;
  let budget = ROUNDING * width * 2 ** (Math.ceil(Math.log2(first / width)) + SLACK);
  while (high - low > width) {
    const middle = (low + high) / 2;
    const length = high - low;
    const secant = (valueHigh * low - valueLow * high) / (valueHigh - valueLow);
    const side = Math.sign(middle - secant);
    const pull = (PULL * length ** 2) / first;
    const pulled = pull <= Math.abs(middle - secant) ? secant + side * pull : middle;
    // Within so much of the middle the bracket still ends in time.
    const reach = (budget - length) / 2;
    const x = Math.abs(pulled - middle) <= reach ? pulled : middle - side * reach;
    budget /= 2;
    const value = valueAt(x);
    if (value <= 0) {
      low = x;
      valueLow = value;
    } else {
      high = x;
      valueHigh = value;
    }
  }
  return low;
}
