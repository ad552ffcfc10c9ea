import { regularizedIncompleteBeta } from "../../src/math/incomplete-beta.ts";

export interface LossTail {
  readonly var95: number;
  readonly var99: number;
  readonly expectedShortfall95: number;
  readonly expectedShortfall99: number;
}

/** Harrell–Davis quantile and tail mean of a whole sample, weight by weight. */
export function lossTailByDefinition(losses: readonly number[]): LossTail {
  const ascending = [...losses].sort((a, b) => a - b);
  return {
    var95: quantile(ascending, 0.95),
    var99: quantile(ascending, 0.99),
    expectedShortfall95: tailMean(ascending, 0.95),
    expectedShortfall99: tailMean(ascending, 0.99),
  };
}

function quantile(ascending: readonly number[], c: number): number {
  const n = ascending.length;
  const at = (j: number): number => regularizedIncompleteBeta(j / n, (n + 1) * c, (n + 1) * (1 - c));
  return ascending.reduce((sum, loss, i) => sum + (at(i + 1) - at(i)) * loss, 0);
}

function tailMean(ascending: readonly number[], c: number): number {
  const size = ascending.length * (1 - c);
  const whole = Math.floor(size);
  const descending = [...ascending].reverse();
  const sum = descending.slice(0, whole).reduce((total, loss) => total + loss, 0);
  return (sum + (size - whole) * (descending[whole] ?? 0)) / size;
}
