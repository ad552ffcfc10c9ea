/**
 * The quantile that quantileOfSorted reads of the sorted values, to the last bit, for p near 1: only the values from it
 * on are kept in order, by insertion. Shapes: at least one value, no NaN; costs values.length × (1 − p) memory.
 */
export function upperQuantile(values: Float64Array, p: number): number {
  const position = (values.length - 1) * p;
  const below = Math.floor(position);
  const largest = new Float64Array(values.length - below).fill(-Infinity);
  let least = -Infinity;
  for (const value of values) {
    if (value <= least) continue;
    let place = 0;
    while (place + 1 < largest.length && largest[place + 1]! < value) {
      largest[place] = largest[place + 1]!;
      place++;
    }
    largest[place] = value;
    least = largest[0]!;
  }
  const high = largest[Math.min(1, largest.length - 1)]!;
  return least + (position - below) * (high - least);
}
