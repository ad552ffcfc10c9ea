import { dayReturnsOf, type ScenarioSheet } from "../scenarios/sheet.ts";

/** A position as the joint sheet sees it. */
export interface SheetPosition {
  /** Row of the asset in the sheet. */
  readonly row: number;
  /** Positive long, negative short. */
  readonly notionalUsdSigned: number;
}

/**
 * Loss of every scenario, −Σ w_i (e^{c_i} − 1). Four positions at a time, so that a loss is loaded and stored once for
 * them; the order of the sums is that of one by one. What is missing to four is a position of nothing: one more pass over
 * all losses costs more than its products.
 */
export function fillPortfolioLosses(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  lossesUsd: Float64Array,
): void {
  const returns = positions.map(({ row }) => dayReturnsOf(sheet, row));
  const notionalsUsd = positions.map(({ notionalUsdSigned }) => notionalUsdSigned);
  lossesUsd.fill(0);
  for (let next = 0; next < notionalsUsd.length; next += 4) {
    const first = returns[next]!;
    addFour(
      first,
      notionalsUsd[next]!,
      returns[next + 1] ?? first,
      notionalsUsd[next + 1] ?? 0,
      returns[next + 2] ?? first,
      notionalsUsd[next + 2] ?? 0,
      returns[next + 3] ?? first,
      notionalsUsd[next + 3] ?? 0,
      lossesUsd,
    );
  }
}

function addFour(
  returnsA: Float32Array,
  a: number,
  returnsB: Float32Array,
  b: number,
  returnsC: Float32Array,
  c: number,
  returnsD: Float32Array,
  d: number,
  lossesUsd: Float64Array,
): void {
  for (let s = 0; s < lossesUsd.length; s++) {
    lossesUsd[s] = lossesUsd[s]! - a * returnsA[s]! - b * returnsB[s]! - c * returnsC[s]! - d * returnsD[s]!;
  }
}
