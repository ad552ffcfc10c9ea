import type { Bar } from "./bar.ts";
import { joinRows, lastOfEachTime, type RowShape } from "./row-table.ts";

/**
 * Closed bars of one asset. Those of a model's history are in shared memory: passing them to another thread copies
 * nothing.
 *
 * Shapes:  values[bar × 6 + (open time, open, high, low, close, volume)], `length` bars ascending in time
 * Holds:   what is within `length` never changes; appending writes behind it, so older views stay true
 */
export interface BarColumns {
  readonly values: Float64Array;
  readonly length: number;
}

const FIELDS = 6;
/** Room for a month of appending before the values move. */
const SPARE_BARS = 720;

/** A bar as a row of doubles, in a file as in memory. */
export const BAR_ROW: RowShape = { columns: FIELDS, timeMs: (values, at) => values[at]! };

export const NO_BARS: BarColumns = { values: new Float64Array(0), length: 0 };

/** Bars ascending in time. */
export function barColumnsOf(bars: readonly Bar[]): BarColumns {
  const values = new Float64Array(bars.length * FIELDS);
  bars.forEach((bar, i) => writeBar(values, i, bar));
  return { values, length: bars.length };
}

/** The newest `barsMax` bars of both, in shared memory with room to append; of two of one time the second wins. */
export function mergeBars(kept: BarColumns, added: BarColumns, barsMax: number): BarColumns {
  const merged = lastOfEachTime(joinRows(rowsOf(kept), rowsOf(added)), BAR_ROW);
  const newest = newestBars({ values: merged, length: merged.length / FIELDS }, barsMax);
  const bytes = (newest.length + SPARE_BARS) * FIELDS * Float64Array.BYTES_PER_ELEMENT;
  const values = new Float64Array(new SharedArrayBuffer(bytes));
  values.set(newest.values);
  return { values, length: newest.length };
}

/** The bars with one more at the end; its time must be later. Only the owner of the newest view may append. */
export function appendBar(columns: BarColumns, bar: Bar, barsMax: number): BarColumns {
  if ((columns.length + 1) * FIELDS > columns.values.length) {
    return mergeBars(columns, barColumnsOf([bar]), barsMax);
  }
  writeBar(columns.values, columns.length, bar);
  return { values: columns.values, length: columns.length + 1 };
}

/** The bars opening at or after a time, oldest first; all of them by default. */
export function barsFrom(columns: BarColumns, fromMs = -Infinity): readonly Bar[] {
  let first = columns.length;
  while (first > 0 && openTimeMsAt(columns, first - 1) >= fromMs) first--;
  return Array.from({ length: columns.length - first }, (_, i) => barAt(columns, first + i));
}

/** The newest `count` bars, without copying. */
export function newestBars(columns: BarColumns, count: number): BarColumns {
  const skipped = Math.max(0, columns.length - count);
  return { values: columns.values.subarray(skipped * FIELDS), length: columns.length - skipped };
}

/** The newest `count` bars that are accepted, oldest first; fewer where there are no more. */
export function newestBarsWhere(
  columns: BarColumns,
  accepts: (bar: Bar) => boolean,
  count: number,
): readonly Bar[] {
  const found: Bar[] = [];
  for (let index = columns.length - 1; index >= 0 && found.length < count; index--) {
    const bar = barAt(columns, index);
    if (accepts(bar)) found.unshift(bar);
  }
  return found;
}

export function barAt({ values }: BarColumns, index: number): Bar {
  const at = index * FIELDS;
  return {
    openTimeMs: values[at]!,
    open: values[at + 1]!,
    high: values[at + 2]!,
    low: values[at + 3]!,
    close: values[at + 4]!,
    volumeBase: values[at + 5]!,
  };
}

export function openTimeMsAt({ values }: BarColumns, index: number): number {
  return values[index * FIELDS]!;
}

/** Open time of the newest bar; null when there is none. */
export function lastOpenTimeMs(columns: BarColumns): number | null {
  return columns.length === 0 ? null : openTimeMsAt(columns, columns.length - 1);
}

function rowsOf({ values, length }: BarColumns): Float64Array {
  return values.subarray(0, length * FIELDS);
}

function writeBar(values: Float64Array, index: number, bar: Bar): void {
  const at = index * FIELDS;
  values[at] = bar.openTimeMs;
  values[at + 1] = bar.open;
  values[at + 2] = bar.high;
  values[at + 3] = bar.low;
  values[at + 4] = bar.close;
  values[at + 5] = bar.volumeBase;
}
