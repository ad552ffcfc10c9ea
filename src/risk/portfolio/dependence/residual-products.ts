import { clamp } from "../../../math/clamp.ts";
import { residualsOf, type PoolBuffers, type ScenarioSheet } from "../../scenarios/sheet.ts";

/**
 * Products of two assets' hourly surprises, summed over the window: from them every portfolio's residual variance
 * follows without walking the window again. Each is computed when first asked for and kept while the pool is; a sheet
 * with the same pool shares them.
 *
 * Shapes:  [row][row], the smaller row first; NaN where nobody asked yet
 */
export interface ResidualProducts {
  /** Share of an hour's weight that the hour before it has in `recent`. */
  readonly decay: number;
  pools: PoolBuffers | null;
  rows: number;
  /** Σ z_a z_b. */
  total: Float64Array;
  /** Σ (1 − decay) decay^age z_a z_b: an average whose weights sum to 1 less what the window does not reach. */
  recent: Float64Array;
  /** decay^hours: the weight of what the window does not reach. */
  unreached: number;
}

export function createResidualProducts(decay: number): ResidualProducts {
  return {
    decay,
    pools: null,
    rows: 0,
    total: new Float64Array(0),
    recent: new Float64Array(0),
    unreached: 0,
  };
}

/** Where the products of two rows stand in both arrays, computed if need be. */
export function productAt(
  sheet: ScenarioSheet,
  rowA: number,
  rowB: number,
  products: ResidualProducts,
): number {
  if (products.pools !== sheet.pools) beginPool(sheet, products);
  const at = rowA < rowB ? rowA * products.rows + rowB : rowB * products.rows + rowA;
  if (Number.isNaN(products.total[at])) fillProduct(sheet, rowA, rowB, at, products);
  return at;
}

/** Correlation of two assets' surprises; null when one is constant. */
export function residualCorrelation(
  sheet: ScenarioSheet,
  rowA: number,
  rowB: number,
  products: ResidualProducts,
): number | null {
  const cross = productAt(sheet, rowA, rowB, products);
  const ownA = productAt(sheet, rowA, rowA, products);
  const ownB = productAt(sheet, rowB, rowB, products);
  const { total } = products;
  const scale = Math.sqrt(total[ownA]! * total[ownB]!);
  return scale > 0 ? clamp(total[cross]! / scale, -1, 1) : null;
}

function beginPool(sheet: ScenarioSheet, products: ResidualProducts): void {
  products.pools = sheet.pools;
  products.rows = sheet.rows;
  products.total = new Float64Array(sheet.rows * sheet.rows).fill(Number.NaN);
  products.recent = new Float64Array(sheet.rows * sheet.rows);
  products.unreached = products.decay ** sheet.windowHours;
}

function fillProduct(
  sheet: ScenarioSheet,
  rowA: number,
  rowB: number,
  at: number,
  products: ResidualProducts,
): void {
  const a = residualsOf(sheet, rowA);
  const b = residualsOf(sheet, rowB);
  const { decay } = products;
  let total = 0;
  let recent = 0;
  for (let hour = 0; hour < a.length; hour++) {
    const product = a[hour]! * b[hour]!;
    total += product;
    recent = decay * recent + (1 - decay) * product;
  }
  products.total[at] = total;
  products.recent[at] = recent;
}
