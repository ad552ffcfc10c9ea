import { HOUR_MS, hourStartMsOf } from "../domain/bar.ts";
import { LEARNED_HOURS_MAX } from "../domain/learned-hour.ts";

interface HourPeak {
  readonly hourStartMs: number;
  readonly value: number;
}

/**
 * The largest value of one quantity over the 90 days that are kept of what was watched: older hours are forgotten, as a
 * start would not find them, however long the process runs.
 */
export class HourlyMaximum {
  /** Ascending in time, falling in value: each is larger than all that came after its hour. */
  #peaks: HourPeak[] = [];

  /** As of the newest time; 0 without any. */
  get value(): number {
    return this.#peaks[0]?.value ?? 0;
  }

  /** A time of an hour before the newest, by a clock that was set back, counts as that one's. */
  add(timeMs: number, value: number): void {
    const peaks = this.#peaks;
    const newestMs = Math.max(hourStartMsOf(timeMs), peaks.at(-1)?.hourStartMs ?? Number.NEGATIVE_INFINITY);
    while (peaks.length > 0 && peaks.at(-1)!.value <= value) peaks.pop();
    if (peaks.at(-1)?.hourStartMs !== newestMs) peaks.push({ hourStartMs: newestMs, value });
    while (peaks[0]!.hourStartMs < timeMs - LEARNED_HOURS_MAX * HOUR_MS) peaks.shift();
  }

  /** Hours of earlier runs, oldest first, which go before those that this one has seen. */
  restore(hours: readonly HourPeak[]): void {
    const seen = this.#peaks;
    this.#peaks = [];
    for (const { hourStartMs, value } of [...hours, ...seen]) this.add(hourStartMs, value);
  }
}
