import { chiSquareSf } from "../../math/incomplete-gamma.ts";
import { breachesOf, type TailRecord } from "./tail-record.ts";

/** Can breaches be foreseen from earlier breaches or from the VaR itself? */
export interface DynamicQuantileTest {
  readonly statistic: number;
  /** 6, less one for each regressor that the others already contain (a constant VaR, no breach at all). */
  readonly degreesOfFreedom: number;
  readonly pValue: number;
}

/** Periods before whose breaches are looked at. */
const LAGS = 4;
/** A regressor whose part outside the earlier ones is below this share of its length adds nothing. */
const COLLINEAR = 1e-9;

/**
 * Regresses Hit − p on 1, the VaR and its own lags: DQ = b'X'Xb / (p(1−p)), chi-square. The projection is built by
 * orthogonalisation, so it exists for every record. Null when the record is not longer than its regressors.
 *
 * Source:  Engle and Manganelli, CAViaR, J. Business & Economic Statistics 22 (2004)
 */
export function dynamicQuantileTest(record: TailRecord): DynamicQuantileTest | null {
  const { tailProbability, valueAtRisk } = record;
  const excess = Float64Array.from(breachesOf(record), (breach) => breach - tailProbability);
  const rows = excess.length - LAGS;
  if (rows <= LAGS + 2) return null;
  const regressors = [
    new Float64Array(rows).fill(1),
    valueAtRisk.slice(LAGS),
    ...Array.from({ length: LAGS }, (_, k) => excess.slice(LAGS - 1 - k, excess.length - 1 - k)),
  ];
  const target = excess.subarray(LAGS);
  const basis: Float64Array[] = [];
  let projected = 0;
  for (const column of regressors) {
    const length = Math.sqrt(dot(column, column));
    // Twice: the second pass removes what rounding left of the first.
    for (let pass = 0; pass < 2; pass++) for (const unit of basis) subtract(column, unit, dot(column, unit));
    const rest = Math.sqrt(dot(column, column));
    if (!(rest > COLLINEAR * length)) continue;
    const unit = column.map((value) => value / rest);
    projected += dot(unit, target) ** 2;
    basis.push(unit);
  }
  const statistic = projected / (tailProbability * (1 - tailProbability));
  return { statistic, degreesOfFreedom: basis.length, pValue: chiSquareSf(statistic, basis.length) };
}

function subtract(from: Float64Array, unit: Float64Array, length: number): void {
  for (let t = 0; t < from.length; t++) from[t]! -= length * unit[t]!;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let t = 0; t < a.length; t++) sum += a[t]! * b[t]!;
  return sum;
}
