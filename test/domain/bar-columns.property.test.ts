import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import {
  appendBar,
  barColumnsOf,
  barsFrom,
  lastOpenTimeMs,
  mergeBars,
  newestBars,
  newestBarsWhere,
  NO_BARS,
} from "../../src/domain/bar-columns.ts";
import { mergeByTime } from "../../src/domain/time-series.ts";

// Mutants killed by hand: the kept bar wins; the oldest instead of the newest kept; no room left to append; a bar written
// at the place of the last; memory of one thread alone; spare rows merged as if they were bars.

const barOf = (hour: number, close: number): Bar => ({
  openTimeMs: hour * HOUR_MS,
  open: 1,
  high: 3,
  low: 0.5,
  close,
  volumeBase: hour + 0.25,
});
/** Ascending, without doubles. */
const barsWith = (close: number): fc.Arbitrary<readonly Bar[]> =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 12 })
    .map((hours) => hours.sort((a, b) => a - b).map((hour) => barOf(hour, close)));

describe("bars in columns", () => {
  it("merge as bars in lists do, in memory that another thread can read", () => {
    fc.assert(
      fc.property(barsWith(1), barsWith(2), fc.integer({ min: 1, max: 15 }), (kept, added, barsMax) => {
        const merged = mergeBars(mergeBars(NO_BARS, barColumnsOf(kept), 100), barColumnsOf(added), barsMax);

        expect(barsFrom(merged)).toEqual(mergeByTime(kept, added, (bar) => bar.openTimeMs).slice(-barsMax));
        expect(merged.values.buffer).toBeInstanceOf(SharedArrayBuffer);
      }),
    );
  });

  it("give the newest that are accepted as filtering all of them does", () => {
    fc.assert(
      fc.property(
        barsWith(1),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 5 }),
        (bars, n, count) => {
          const accepts = ({ openTimeMs }: Bar): boolean => (openTimeMs / HOUR_MS) % n === 0;

          expect(newestBarsWhere(barColumnsOf(bars), accepts, count)).toEqual(
            bars.filter(accepts).slice(-count),
          );
        },
      ),
    );
  });

  it("grow by a month without moving, and older views stay true", () => {
    const first = mergeBars(NO_BARS, barColumnsOf([barOf(0, 1), barOf(1, 1)]), 100);
    let grown = first;
    for (let hour = 2; hour < 722; hour++) grown = appendBar(grown, barOf(hour, 2), 100);

    expect(grown.values.buffer).toBe(first.values.buffer);
    expect(barsFrom(first)).toEqual([barOf(0, 1), barOf(1, 1)]);
    const moved = appendBar(grown, barOf(722, 3), 100);
    expect(moved.values.buffer).not.toBe(first.values.buffer);
    expect(moved.length).toBe(100);
    expect(lastOpenTimeMs(moved)).toBe(722 * HOUR_MS);
    expect(barsFrom(newestBars(moved, 2))).toEqual([barOf(721, 2), barOf(722, 3)]);
  });
});
