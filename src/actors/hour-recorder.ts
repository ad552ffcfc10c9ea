import { hourStartMsOf } from "../domain/bar.ts";
import type { LearnedHour } from "../domain/learned-hour.ts";

/** One moment of what is learned by watching; null where it is not known. */
export interface WatchedMoment {
  readonly spreadFraction: number | null;
  readonly depth100BpsUsd: number | null;
  readonly thinness50Bps: number | null;
  readonly openInterestFall: number | null;
  readonly fundingSize: number;
  readonly openInterestUsd: number;
  readonly learnedCapUsd: number | null;
}

const MEANS = [
  "spreadFraction",
  "depth100BpsUsd",
  "thinness50Bps",
  "openInterestFall",
  "fundingSize",
] as const satisfies (keyof WatchedMoment & keyof LearnedHour)[];
type MeanName = (typeof MEANS)[number];

interface OpenHour {
  readonly hourStartMs: number;
  samples: number;
  readonly sums: Record<MeanName, number>;
  readonly counts: Record<MeanName, number>;
  openInterestMaxUsd: number;
  learnedCapUsd: number;
}

/** Makes hours out of moments; an hour is closed by the first moment of a later one. */
export class HourRecorder {
  #open: OpenHour | null = null;

  /** The hour that this moment closed, if any. */
  observe(moment: WatchedMoment, timeMs: number): LearnedHour | null {
    const hourStartMs = hourStartMsOf(timeMs);
    const isLater = this.#open !== null && hourStartMs > this.#open.hourStartMs;
    const closed = isLater ? this.openHour : null;
    if (this.#open === null || isLater) this.#open = emptyHour(hourStartMs);
    const open = this.#open;
    open.samples++;
    for (const name of MEANS) {
      const value = moment[name];
      if (value === null || !Number.isFinite(value)) continue;
      open.sums[name] += value;
      open.counts[name]++;
    }
    open.openInterestMaxUsd = Math.max(open.openInterestMaxUsd, moment.openInterestUsd);
    open.learnedCapUsd = moment.learnedCapUsd ?? Number.NaN;
    return closed;
  }

  /** The hour under way as far as it was seen. */
  get openHour(): LearnedHour | null {
    if (this.#open === null) return null;
    const { hourStartMs, samples, sums, counts, openInterestMaxUsd, learnedCapUsd } = this.#open;
    // 0 / 0 is the NaN that says nothing was seen.
    const mean = (name: MeanName): number => sums[name] / counts[name];
    return {
      hourStartMs,
      samples,
      spreadFraction: mean("spreadFraction"),
      depth100BpsUsd: mean("depth100BpsUsd"),
      thinness50Bps: mean("thinness50Bps"),
      openInterestFall: mean("openInterestFall"),
      fundingSize: mean("fundingSize"),
      openInterestMaxUsd,
      learnedCapUsd,
    };
  }

  /** Goes on with an hour that an earlier run began. */
  resume(hour: LearnedHour): void {
    this.#open ??= emptyHour(hour.hourStartMs);
    const open = this.#open;
    if (open.hourStartMs !== hour.hourStartMs) return;
    open.samples += hour.samples;
    for (const name of MEANS) {
      if (!Number.isFinite(hour[name])) continue;
      open.sums[name] += hour.samples * hour[name];
      open.counts[name] += hour.samples;
    }
    open.openInterestMaxUsd = Math.max(open.openInterestMaxUsd, hour.openInterestMaxUsd);
    if (Number.isNaN(open.learnedCapUsd)) open.learnedCapUsd = hour.learnedCapUsd;
  }
}

function emptyHour(hourStartMs: number): OpenHour {
  const zeros = (): Record<MeanName, number> => ({
    spreadFraction: 0,
    depth100BpsUsd: 0,
    thinness50Bps: 0,
    openInterestFall: 0,
    fundingSize: 0,
  });
  return {
    hourStartMs,
    samples: 0,
    sums: zeros(),
    counts: zeros(),
    openInterestMaxUsd: 0,
    learnedCapUsd: Number.NaN,
  };
}
