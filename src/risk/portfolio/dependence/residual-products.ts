import { clamp } from "../../../math/clamp.ts";
import { DrawMemory } from "../../scenarios/draw-memory.ts";
import { residualsOf, type ScenarioSheet } from "../../scenarios/sheet.ts";

/**
 * Products of two assets' hourly surprises, summed over the window: from them every portfolio's residual variance
 * follows without walking the window again. Each is computed when first asked for.
 *
 * Shapes:  [row][row], the smaller row first; NaN where nobody asked yet
 */
export interface ResidualProducts {
  /** Share of an hour's weight that the hour before it has in `recent`. */
  readonly decay: number;
  readonly rows: number;
  /** Σ z_a z_b. */
  readonly total: Float64Array;
  /** Σ (1 − decay) decay^age z_a z_b: an average whose weights sum to 1 less what the window does not reach. */
  readonly recent: Float64Array;
  /** decay^hours: the weight of what the window does not reach. */
  readonly unreached: number;
}

/** Those of each draw. */
export type ProductMemory = DrawMemory<ResidualProducts>;

export function createProductMemory(decay: number): ProductMemory {
  return new DrawMemory<ResidualProducts>(({ rows, windowHours }) => ({
    decay,
    rows,
    total: new Float64Array(rows * rows).fill(Number.NaN),
    recent: new Float64Array(rows * rows),
    unreached: decay ** windowHours,
  }));
}

/** Where the products of two rows stand in both arrays, computed if need be. Shapes: `products` of the sheet's draw */
export function productAt(
  sheet: ScenarioSheet,
  rowA: number,
  rowB: number,
  products: ResidualProducts,
): number {
  const at = rowA < rowB ? rowA * products.rows + rowB : rowB * products.rows + rowA;
  if (Number.isNaN(products.total[at])) fillProduct(sheet, rowA, rowB, at, products);
  return at;
}

/** Correlation of two assets' surprises; null when one is constant. */
export function residualCorrelation(
  sheet: ScenarioSheet,
  rowA: number,
  rowB: number,
  memory: ProductMemory,
): number | null {
  const products = memory.of(sheet);
  const cross = productAt(sheet, rowA, rowB, products);
  const ownA = productAt(sheet, rowA, rowA, products);
  const ownB = productAt(sheet, rowB, rowB, products);
  const { total } = products;
  const scale = Math.sqrt(total[ownA]! * total[ownB]!);
  return scale > 0 ? clamp(total[cross]! / scale, -1, 1) : null;
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
