import type { BookSide } from "../../src/domain/book.ts";

/** A market order by definition: take level after level until the USD are spent. */
export function walkByDefinition(
  side: BookSide,
  notionalUsd: number,
): { filledUsd: number; filledBase: number; unfilledUsd: number } {
  let leftUsd = notionalUsd;
  let filledUsd = 0;
  let filledBase = 0;
  for (let level = 0; level < side.prices.length && leftUsd > 0; level++) {
    const takenUsd = Math.min(leftUsd, side.prices[level]! * side.sizesBase[level]!);
    filledUsd += takenUsd;
    filledBase += takenUsd / side.prices[level]!;
    leftUsd -= takenUsd;
  }
  return { filledUsd, filledBase, unfilledUsd: Math.max(0, notionalUsd - filledUsd) };
}

/** USD of every level within a fraction of mid, one by one. */
export function depthByDefinition(side: BookSide, midPrice: number, fraction: number): number {
  let sumUsd = 0;
  side.prices.forEach((price, level) => {
    if (Math.abs(price - midPrice) <= fraction * midPrice * (1 + 1e-12))
      sumUsd += price * side.sizesBase[level]!;
  });
  return sumUsd;
}
