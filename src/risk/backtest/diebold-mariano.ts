import { invariant } from "../../math/invariant.ts";

/** Is one forecast's loss lower than another's? */
export interface DieboldMarianoTest {
  /** Mean of loss A − loss B: negative when A is better. */
  readonly meanDifference: number;
  /** Standard normal when neither is better; null when all differences are equal or of one date: there is nothing to estimate an error from. */
  readonly statistic: number | null;
}

/** As a share of all differences, what rounding leaves of an error that is 0. */
const ROUNDING = 1e-12;

/**
 * Tests equal expected loss of two forecasts over a panel: differences of one date (assets fall together) are summed
 * before anything is called independent, and the lags count dates. Unequal numbers of assets per date keep their weight.
 *
 *   DM = Σ d / √S, S = Σ_{|k|<=lags} (1 − |k|/(lags+1)) Σ_t c_t c_{t−k}, c a date's sum of d − mean(d)
 *
 * Shapes:  date, non-decreasing, one per difference
 * Source:  Diebold and Mariano, Comparing predictive accuracy, J. Business & Economic Statistics 13 (1995);
 *          Newey and West, Econometrica 55 (1987)
 */
export function clusteredDieboldMariano(
  lossA: Float64Array,
  lossB: Float64Array,
  date: Float64Array,
  lags: number,
): DieboldMarianoTest {
  const n = lossA.length;
  invariant(n > 0 && lossB.length === n, "two losses for every forecast");
  let sum = 0;
  let absoluteSum = 0;
  for (let i = 0; i < n; i++) {
    const difference = lossA[i]! - lossB[i]!;
    sum += difference;
    absoluteSum += Math.abs(difference);
  }
  const meanDifference = sum / n;
  const sums: number[] = [];
  for (let i = 0; i < n; i++) {
    const centred = lossA[i]! - lossB[i]! - meanDifference;
    if (i > 0 && date[i] === date[i - 1]) sums[sums.length - 1]! += centred;
    else sums.push(centred);
  }
  const error = Math.sqrt(longRunSum(sums, lags));
  return { meanDifference, statistic: error > ROUNDING * absoluteSum ? sum / error : null };
}

/** Bartlett-weighted sum of the autoproducts; non-negative by construction of the weights. */
function longRunSum(values: readonly number[], lags: number): number {
  let total = 0;
  for (let k = 0; k <= lags; k++) {
    let product = 0;
    for (let t = k; t < values.length; t++) product += values[t]! * values[t - k]!;
    total += (k === 0 ? 1 : 2) * (1 - k / (lags + 1)) * product;
  }
  return total;
}
