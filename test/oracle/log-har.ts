import { invariant } from "../../src/math/invariant.ts";
import { leastSquares } from "./least-squares.ts";

/** Bars averaged by the regressors; the first is the last bar itself. */
const SPANS_HOURS = [1, 6, 24, 168] as const;
const LONGEST = 168;

export interface LogHarFit {
  /** Constant, then one per span. */
  readonly coefficients: Float64Array;
  /** √(residual sum of squares / (rows − 5)). */
  readonly residualSd: number;
  readonly rSquared: number;
  /** Forecast of ln k for the bar after the last. */
  readonly nextLogRange: number;
}

/**
 * Regression of ln k_{t+1} on the logs of its means over 1, 6, 24 and 168 bars: the sharpest forecast of one hour, and
 * a yardstick for the recursions; it has no path recursion of its own. Shapes: more than 173 positive range variances.
 * Source: Corsi, A simple approximate long-memory model of realized volatility, J. Financ. Econometrics 7 (2009).
 */
export function fitLogHar(rangeVariance: Float64Array): LogHarFit {
  const n = rangeVariance.length;
  const rows = n - LONGEST;
  invariant(rows > SPANS_HOURS.length + 1, "more rows than coefficients");
  const means = SPANS_HOURS.map((span) => logTrailingMeans(rangeVariance, span));
  const ones = new Float64Array(rows).fill(1);
  const columns = [ones, ...means.map((column) => column.subarray(LONGEST - 1, n - 1))];
  const y = rangeVariance.subarray(LONGEST).map(Math.log);
  const coefficients = leastSquares(columns, y);
  invariant(coefficients !== undefined, "trailing means are not collinear");
  let centre = 0;
  for (const value of y) centre += value / rows;
  let residual = 0;
  let total = 0;
  for (let t = 0; t < rows; t++) {
    let fitted = 0;
    for (let i = 0; i < columns.length; i++) fitted += coefficients[i]! * columns[i]![t]!;
    residual += (y[t]! - fitted) ** 2;
    total += (y[t]! - centre) ** 2;
  }
  let next = coefficients[0]!;
  for (let i = 0; i < means.length; i++) next += coefficients[i + 1]! * means[i]![n - 1]!;
  return {
    coefficients,
    residualSd: Math.sqrt(residual / (rows - columns.length)),
    rSquared: 1 - residual / total,
    nextLogRange: next,
  };
}

/** ln of the mean over the last `span` bars up to and including each bar; NaN before there are so many. */
function logTrailingMeans(values: Float64Array, span: number): Float64Array {
  const out = new Float64Array(values.length).fill(Number.NaN);
  let sum = 0;
  for (let t = 0; t < values.length; t++) {
    sum += values[t]! - (t >= span ? values[t - span]! : 0);
    if (t >= span - 1) out[t] = Math.log(sum / span);
  }
  return out;
}
