import type { Selection } from "../../../math/order-statistics.ts";

/**
 * Keeps the changed losses, loss − change × return, that are not below a level, and their slots, in the order of the
 * slots; their number.
 *
 * Shapes:  by slot, of which the first `count` are known
 */
export function keepReaching(
  lossesUsd: Float64Array,
  returns: Float64Array,
  changeUsd: number,
  leastUsd: number,
  count: number,
  { keptValues, keptIndices }: Selection,
): number {
  let kept = 0;
  let slot = 0;
  // Four at a time: behind the tail mostly none of them is kept, and one branch says so.
  for (; slot + 3 < count; slot += 4) {
    const a = lossesUsd[slot]! - changeUsd * returns[slot]!;
    const b = lossesUsd[slot + 1]! - changeUsd * returns[slot + 1]!;
    const c = lossesUsd[slot + 2]! - changeUsd * returns[slot + 2]!;
    const d = lossesUsd[slot + 3]! - changeUsd * returns[slot + 3]!;
    if (a < leastUsd && b < leastUsd && c < leastUsd && d < leastUsd) continue;
    if (!(a < leastUsd)) {
      keptValues[kept] = a;
      keptIndices[kept++] = slot;
    }
    if (!(b < leastUsd)) {
      keptValues[kept] = b;
      keptIndices[kept++] = slot + 1;
    }
    if (!(c < leastUsd)) {
      keptValues[kept] = c;
      keptIndices[kept++] = slot + 2;
    }
    if (!(d < leastUsd)) {
      keptValues[kept] = d;
      keptIndices[kept++] = slot + 3;
    }
  }
  for (; slot < count; slot++) {
    const lossUsd = lossesUsd[slot]! - changeUsd * returns[slot]!;
    if (lossUsd < leastUsd) continue;
    keptValues[kept] = lossUsd;
    keptIndices[kept++] = slot;
  }
  return kept;
}
