import { HOUR_MS } from "../domain/bar.ts";
import type { Calibrated } from "../domain/calibrated.ts";
import { robustScore } from "../risk/regime/liquidity-regime.ts";

export const REGIME_SCALE: Calibrated<{ readonly windowHours: number; readonly hoursMin: number }> = {
  value: { windowHours: 2_160, hoursMin: 48 },
  unit: "hours of hourly means that a score compares with; fewest for a score",
  source: "chosen: 90 days are several regimes, two days hold every hour of the day twice",
  fittedOn: "not fitted",
};

/** Hourly means of one quantity and the robust score of a value against them. */
export class HourlyScale {
  readonly #means: number[] = [];
  #hourStartMs = 0;
  #sum = 0;
  #count = 0;
  #median = 0;
  #deviation = 0;

  observe(value: number, timeMs: number): void {
    const hourStartMs = Math.floor(timeMs / HOUR_MS) * HOUR_MS;
    if (hourStartMs > this.#hourStartMs) this.#closeHour(hourStartMs);
    this.#sum += value;
    this.#count++;
  }

  /** Null until there is enough to compare with, or when it never varied. */
  scoreOf(value: number): number | null {
    if (this.#means.length < REGIME_SCALE.value.hoursMin) return null;
    return robustScore(value, this.#median, this.#deviation);
  }

  #closeHour(hourStartMs: number): void {
    if (this.#count > 0) {
      this.#means.push(this.#sum / this.#count);
      if (this.#means.length > REGIME_SCALE.value.windowHours) this.#means.shift();
      this.#median = medianOf(this.#means);
      this.#deviation = medianOf(this.#means.map((mean) => Math.abs(mean - this.#median)));
    }
    this.#hourStartMs = hourStartMs;
    this.#sum = 0;
    this.#count = 0;
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >>> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
