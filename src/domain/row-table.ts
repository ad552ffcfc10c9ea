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

/** The rows of both tables, one after the other; one of them itself where the other is empty. */
export function joinRows(rows: Float64Array, more: Float64Array): Float64Array {
  if (more.length === 0) return rows;
  if (rows.length === 0) return more;
  const all = new Float64Array(rows.length + more.length);
  all.set(rows);
  all.set(more, rows.length);
  return all;
}

/** The last row of each time, ascending by time; the table itself, the usual case, where it is that already. */
export function lastOfEachTime(values: Float64Array, shape: RowShape): Float64Array {
  if (isAscending(values, shape)) return values;
  const { columns, timeMs } = shape;
  const placeOf = new Map<number, number>();
  for (let at = 0; at < values.length; at += columns) placeOf.set(timeMs(values, at), at);
  const out = new Float64Array(placeOf.size * columns);
  const places = [...placeOf.entries()].sort(([a], [b]) => a - b);
  places.forEach(([, at], row) => out.set(values.subarray(at, at + columns), row * columns));
  return out;
}
