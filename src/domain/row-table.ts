/**
 * Facts of one kind in time, one row of doubles each, one row after another: what a file of records holds, with no
 * object a fact.
 *
 * Shapes:  values[row × columns + column]
 */
export interface RowShape {
  readonly columns: number;
  /** Two rows of one time are one fact. */
  readonly timeMs: (values: Float64Array, at: number) => number;
}

/** Whether the row that begins at `at` says what can be. */
export type RowCheck = (values: Float64Array, at: number) => boolean;

/** The rows that pass a check, in their order; the table itself is written over. */
export function rowsWhere(values: Float64Array, columns: number, isKept: RowCheck): Float64Array {
  let length = 0;
  for (let at = 0; at < values.length; at += columns) {
    if (!isKept(values, at)) continue;
    if (length < at) values.copyWithin(length, at, at + columns);
    length += columns;
  }
  return values.subarray(0, length);
}

/** True where each row is later than the one before. */
export function isAscending(values: Float64Array, { columns, timeMs }: RowShape): boolean {
  for (let at = columns; at < values.length; at += columns) {
    if (!(timeMs(values, at) > timeMs(values, at - columns))) return false;
  }
  return true;
}

/** Rows of both tables, ascending by time, without doubles; where both have a time the second table wins. */
export function mergeRows(kept: Float64Array, added: Float64Array, shape: RowShape): Float64Array {
  const all = new Float64Array(kept.length + added.length);
  all.set(kept);
  all.set(added, kept.length);
  // The usual case.
  if (isAscending(all, shape)) return all;
  const { columns, timeMs } = shape;
  const placeOf = new Map<number, number>();
  for (let at = 0; at < all.length; at += columns) placeOf.set(timeMs(all, at), at);
  const merged = new Float64Array(placeOf.size * columns);
  const places = [...placeOf.entries()].sort(([a], [b]) => a - b);
  places.forEach(([, at], row) => merged.set(all.subarray(at, at + columns), row * columns));
  return merged;
}
