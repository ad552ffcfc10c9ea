import { DAY_HOURS, HOUR_MS, WEEK_HOURS } from "../../domain/bar.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";

/** 1970-01-01 was a Thursday, so days 2 and 3 after it, modulo 7, are Saturday and Sunday (UTC). */
const SATURDAY = 2;
const SUNDAY = 3;

/**
 * Standard deviation of each hour of the week relative to the average hour. Shapes: 168 factors, index 0 the hour
 * 00:00 UTC of a Thursday (the epoch's). Holds: mean of the squares 1 before the guard, each in [0.5, 2].
 */
export interface Seasonality {
  readonly factors: Float64Array;
}

export const SEASONALITY: Calibrated<{
  readonly ownWeight: number;
  readonly factorMin: number;
  readonly factorMax: number;
  readonly historyHoursMin: number;
  readonly ownHistoryHoursMin: number;
}> = {
  value: {
    ownWeight: 0.8,
    factorMin: 0.5,
    factorMax: 2,
    historyHoursMin: 14 * DAY_HOURS,
    ownHistoryHoursMin: 1000,
  },
  unit: "weight of the estimate against 1; factor; hours",
  source: "hour-of-day and weekend factors worth as much as the model choice at 1 to 4 h on 9 perpetuals",
  fittedOn: "weights chosen 2026-11; factors are estimated per asset on its own window",
};

/** No seasonality: what an asset has before two weeks of bars. */
export function flatSeasonality(): Seasonality {
  return { factors: new Float64Array(WEEK_HOURS).fill(1) };
}

/** Hour of the week of a UTC instant from the epoch on, 0 … 167. */
export function hourOfWeek(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) % WEEK_HOURS;
}

/** Standard deviation of a whole hour of the week relative to the average hour. */
export function seasonalFactor(seasonality: Seasonality, timeMs: number): number {
  return seasonality.factors[hourOfWeek(timeMs)]!;
}

/** Standard deviation of the hour from `fromMs` on relative to the average hour: of clock hours, a share of each. */
export function seasonalFactorFrom(seasonality: Seasonality, fromMs: number): number {
  const { factors } = seasonality;
  const hour = hourOfWeek(fromMs);
  const elapsed = elapsedFractionOf(fromMs);
  if (elapsed === 0) return factors[hour]!;
  return Math.sqrt((1 - elapsed) * factors[hour]! ** 2 + elapsed * factors[(hour + 1) % WEEK_HOURS]! ** 2);
}

/** The same for the 168 hours that follow each other from `fromMs` on. */
export function comingFactors(seasonality: Seasonality, fromMs: number): Float64Array {
  const out = new Float64Array(WEEK_HOURS);
  for (let k = 0; k < WEEK_HOURS; k++) out[k] = seasonalFactorFrom(seasonality, fromMs + k * HOUR_MS);
  return out;
}

/** Share of its clock hour that has passed at an instant, in [0, 1). */
function elapsedFractionOf(timeMs: number): number {
  return timeMs / HOUR_MS - Math.floor(timeMs / HOUR_MS);
}

/**
 * Hour-of-day (24) times weekday/weekend (2) factors from the mean range per cell over its rms, each shrunk to
 * 0.8 f + 0.2 and then scaled to mean square 1 over the week. Under 1000 h the pooled factors of other assets are used
 * when given, under 14 days nothing is. Shapes: openTimeMs and rangeVarianceStep of one length.
 */
export function estimateSeasonality(
  openTimeMs: Float64Array,
  rangeVarianceStep: Float64Array,
  pooled: Seasonality | null,
): Seasonality {
  const rule = SEASONALITY.value;
  const n = openTimeMs.length;
  if (n < rule.ownHistoryHoursMin && pooled !== null) return pooled;
  if (n < rule.historyHoursMin) return flatSeasonality();
  const byHour = new CellMeans(DAY_HOURS);
  const byWeekend = new CellMeans(2);
  for (let t = 0; t < n; t++) {
    const hour = hourOfWeek(openTimeMs[t]!);
    const range = Math.sqrt(rangeVarianceStep[t]!);
    byHour.add(hour % DAY_HOURS, range);
    byWeekend.add(isWeekend(hour) ? 1 : 0, range);
  }
  const ofHour = byHour.relative(new Array<number>(DAY_HOURS).fill(1 / DAY_HOURS));
  const ofWeekend = byWeekend.relative([5 / 7, 2 / 7]);
  const factors = Float64Array.from(
    { length: WEEK_HOURS },
    (_, hour) => ofHour[hour % DAY_HOURS]! * ofWeekend[isWeekend(hour) ? 1 : 0]!,
  );
  return { factors: guarded(factors) };
}

/** The common pattern of several assets: geometric mean of their factors, scaled to mean square 1. */
export function poolSeasonality(assets: readonly Seasonality[]): Seasonality | null {
  if (assets.length === 0) return null;
  const factors = new Float64Array(WEEK_HOURS);
  for (let hour = 0; hour < WEEK_HOURS; hour++) {
    let sum = 0;
    for (const asset of assets) sum += Math.log(asset.factors[hour]!);
    factors[hour] = Math.exp(sum / assets.length);
  }
  return { factors: guarded(factors) };
}

function guarded(factors: Float64Array): Float64Array {
  const { factorMin, factorMax } = SEASONALITY.value;
  let square = 0;
  for (const factor of factors) square += (factor * factor) / factors.length;
  const scale = 1 / Math.sqrt(square);
  return factors.map((factor) => clamp(factor * scale, factorMin, factorMax));
}

function isWeekend(hourOfTheWeek: number): boolean {
  const day = Math.floor(hourOfTheWeek / DAY_HOURS);
  return day === SATURDAY || day === SUNDAY;
}

class CellMeans {
  readonly #sums: Float64Array;
  readonly #counts: Float64Array;

  constructor(cells: number) {
    this.#sums = new Float64Array(cells);
    this.#counts = new Float64Array(cells);
  }

  add(cell: number, value: number): void {
    this.#sums[cell]! += value;
    this.#counts[cell]! += 1;
  }

  /** Cell means over their weighted rms, shrunk toward 1; a cell without data, or an all-zero table, is 1. */
  relative(weights: readonly number[]): Float64Array {
    const means = this.#sums.map((sum, cell) => sum / this.#counts[cell]!);
    let square = 0;
    let weight = 0;
    means.forEach((value, cell) => {
      if (Number.isNaN(value)) return;
      square += weights[cell]! * value * value;
      weight += weights[cell]!;
    });
    const rms = Math.sqrt(square / weight);
    const { ownWeight } = SEASONALITY.value;
    return means.map((value) => (rms > 0 && value >= 0 ? ownWeight * (value / rms) + 1 - ownWeight : 1));
  }
}
