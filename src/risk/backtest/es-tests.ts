import { normalCdf } from "../../math/normal.ts";
import { breachesOf, type TailRecord } from "./tail-record.ts";

/** Is the mean loss beyond the VaR larger than the expected shortfall said? */
export interface McNeilFreyTest {
  readonly statistic: number;
  /** One-sided: small means the shortfall was understated. */
  readonly pValue: number;
}

/**
 * Tests that the residuals (loss − ES)/scale of breaches have mean 0 against a positive one,
 * t = mean / (sd / √(m−1)), sd dividing by m, with the normal's tail. Null with fewer than two breaches or equal ones.
 *
 * Shapes:  scale, when given, as long as the record: the sigma forecast, which makes residuals comparable over time
 * Source:  McNeil and Frey, Estimation of tail-related risk measures, J. Empirical Finance 7 (2000)
 */
export function mcNeilFreyTest(record: TailRecord, scale?: Float64Array): McNeilFreyTest | null {
  const breaches = breachesOf(record);
  const residuals: number[] = [];
  for (let t = 0; t < breaches.length; t++) {
    if (breaches[t] === 0) continue;
    residuals.push((record.loss[t]! - record.expectedShortfall[t]!) / (scale?.[t] ?? 1));
  }
  // None, one or equal ones, of which the rounding of their mean would still make a variance.
  if (residuals.every((z) => z === residuals[0])) return null;
  const m = residuals.length;
  const mean = residuals.reduce((sum, z) => sum + z, 0) / m;
  const variance = residuals.reduce((sum, z) => sum + (z - mean) ** 2, 0) / m;
  const statistic = mean / Math.sqrt(variance / (m - 1));
  return { statistic, pValue: normalCdf(-statistic) };
}

/**
 * Acerbi and Szekely's second statistic, Z2 = 1 − Σ over breaches of loss/ES / (n p): frequency and severity together.
 * 0 expected, negative when risk was understated, 1 without a breach.
 *
 * Source:  Acerbi and Szekely, Backtesting expected shortfall, Risk (December 2014)
 */
export function shortfallZ2(record: TailRecord): number {
  const breaches = breachesOf(record);
  let sum = 0;
  for (let t = 0; t < breaches.length; t++) {
    if (breaches[t] !== 0) sum += record.loss[t]! / record.expectedShortfall[t]!;
  }
  return 1 - sum / (record.loss.length * record.tailProbability);
}
