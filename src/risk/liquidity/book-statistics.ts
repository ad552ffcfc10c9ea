import { HOUR_MS, hourStartMsOf } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";
import { quantileOfSorted } from "../../math/quantile.ts";

export const BOOK_STATISTICS_CALIBRATION = {
  windowHours: {
    value: 720,
    unit: "hours",
    source: "chosen: 30 days hold 7 bad hours at the 1 % level",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** Quantiles are believed from this much history on. */
  quantileHoursMin: {
    value: 168,
    unit: "hours",
    source: "chosen: every hour of a week once",
    fittedOn: "not fitted: chosen 2026-11",
  },
  spreadFactorMax: {
    value: 10,
    unit: "standard deviations",
    source: "chosen: one broken hour must not set the cost of exit",
    fittedOn: "not fitted: chosen 2026-11",
  },
  depthRatioMin: {
    value: 0.02,
    unit: "depth / median depth",
    source: "chosen: below it the book is gone and impact prices the exit",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

/** What is normal for an asset's book: hourly means of spread and depth over the last 30 days. */
export interface BookStatistics {
  /** Hours with at least one book, without the one under way if there are others. */
  readonly observedHours: number;
  readonly medianSpreadFraction: number;
  readonly meanSpreadFraction: number;
  readonly sdSpreadFraction: number;
  /** (q - mean) / sd of the spread at 95 and 99 %: how many sigmas a bad spread is away. Null: too little history. */
  readonly spreadFactor95: number | null;
  readonly spreadFactor99: number | null;
  /** Both sides within 100 bps of mid. */
  readonly medianDepthUsd: number;
  /** Depth / median depth that is undercut 5 and 1 % of the time, in (0, 1]. Null: too little history. */
  readonly depthRatio95: number | null;
  readonly depthRatio99: number | null;
}

/**
 * Rolling hours of one asset's book. Updated in place: one observation costs a few additions, an hour's end one slot.
 *
 * Shapes:  rings of windowHours; the first `hourCount` slots are in use
 */
export interface BookHours {
  /** Starts of the hours: those without a book have no slot, and older ones than the window are to be left out. */
  readonly startsMs: Float64Array;
  readonly spreads: Float64Array;
  readonly depths: Float64Array;
  hourCount: number;
  nextSlot: number;
  /** The hour under way. */
  hourStartMs: number;
  spreadSum: number;
  depthSum: number;
  observations: number;
}

export function createBookHours(): BookHours {
  const hours = BOOK_STATISTICS_CALIBRATION.windowHours.value;
  return {
    startsMs: new Float64Array(hours),
    spreads: new Float64Array(hours),
    depths: new Float64Array(hours),
    hourCount: 0,
    nextSlot: 0,
    hourStartMs: 0,
    spreadSum: 0,
    depthSum: 0,
    observations: 0,
  };
}

/** Takes one book in; true when it closed an hour, so that the statistics are worth building again. */
export function observeBook(
  hours: BookHours,
  spreadFraction: number,
  depthUsd: number,
  timeMs: number,
): boolean {
  const hourStartMs = hourStartMsOf(timeMs);
  const isNewHour = hourStartMs > hours.hourStartMs && hours.observations > 0;
  if (isNewHour) closeHour(hours);
  hours.hourStartMs = Math.max(hours.hourStartMs, hourStartMs);
  hours.spreadSum += spreadFraction;
  hours.depthSum += depthUsd;
  hours.observations++;
  return isNewHour;
}

/**
 * The statistics of the closed hours; while there are none, of the one under way; null before the first book. A mean of an hour
 * that has just begun is that of a few books, which differ more from each other than hours do.
 */
export function buildBookStatistics(hours: BookHours): BookStatistics | null {
  const spreads = sortedHours(hours, hours.spreads, hours.spreadSum);
  const depths = sortedHours(hours, hours.depths, hours.depthSum);
  const count = spreads.length;
  if (count === 0) return null;
  const meanSpreadFraction = spreads.reduce((sum, spread) => sum + spread, 0) / count;
  const squares = spreads.reduce((sum, spread) => sum + (spread - meanSpreadFraction) ** 2, 0);
  const sdSpreadFraction = count > 1 ? Math.sqrt(squares / (count - 1)) : 0;
  const medianDepthUsd = quantileOfSorted(depths, 0.5);
  const calibration = BOOK_STATISTICS_CALIBRATION;
  const isLong = count >= calibration.quantileHoursMin.value;
  const factorAt = (level: number): number | null =>
    isLong && sdSpreadFraction > 0
      ? clamp(
          (quantileOfSorted(spreads, level) - meanSpreadFraction) / sdSpreadFraction,
          0,
          calibration.spreadFactorMax.value,
        )
      : null;
  const ratioAt = (tail: number): number | null =>
    isLong && medianDepthUsd > 0
      ? Math.max(quantileOfSorted(depths, tail) / medianDepthUsd, calibration.depthRatioMin.value)
      : null;
  return {
    observedHours: count,
    medianSpreadFraction: quantileOfSorted(spreads, 0.5),
    meanSpreadFraction,
    sdSpreadFraction,
    spreadFactor95: factorAt(0.95),
    spreadFactor99: factorAt(0.99),
    medianDepthUsd,
    depthRatio95: ratioAt(0.05),
    depthRatio99: ratioAt(0.01),
  };
}

/** Depth now / median depth; 1 when nothing is known to compare with. */
export function depthRatioOf(depthUsd: number, statistics: BookStatistics | null): number {
  if (statistics === null || !(statistics.medianDepthUsd > 0)) return 1;
  return depthUsd / statistics.medianDepthUsd;
}

function closeHour(hours: BookHours): void {
  const capacity = hours.spreads.length;
  hours.startsMs[hours.nextSlot] = hours.hourStartMs;
  hours.spreads[hours.nextSlot] = hours.spreadSum / hours.observations;
  hours.depths[hours.nextSlot] = hours.depthSum / hours.observations;
  hours.nextSlot = (hours.nextSlot + 1) % capacity;
  hours.hourCount = Math.min(capacity, hours.hourCount + 1);
  hours.spreadSum = 0;
  hours.depthSum = 0;
  hours.observations = 0;
}

function sortedHours(hours: BookHours, ring: Float64Array, openSum: number): Float64Array {
  const { startsMs, hourCount, hourStartMs, observations } = hours;
  const oldestMs = hourStartMs - BOOK_STATISTICS_CALIBRATION.windowHours.value * HOUR_MS;
  const values = new Float64Array(Math.max(1, hourCount));
  let count = 0;
  for (let slot = 0; slot < hourCount; slot++) {
    if (startsMs[slot]! >= oldestMs) values[count++] = ring[slot]!;
  }
  if (count === 0 && observations > 0) values[count++] = openSum / observations;
  return values.subarray(0, count).sort();
}
