import { HOUR_MS, hourStartMsOf } from "../domain/bar.ts";
import {
  REGIME_SCALE,
  type RobustScale,
  robustScaleOf,
  robustScore,
} from "../risk/regime/liquidity-regime.ts";
import { hourOfWeek } from "../risk/volatility/seasonality.ts";

/** The scales that an hour's values are compared with; null where there is too little, or nothing ever varied. */
interface HourScales {
  readonly hourStartMs: number;
  readonly sameHour: RobustScale | null;
  /** Undefined until asked for: where the hour of the week is known, sorting 90 days is never needed. */
  anyHour: RobustScale | null | undefined;
}

/** Hourly values of one quantity over 90 days, and how unusual a value is for its hour of the week. */
export class HourlyScale {
  readonly #sigmaMin: number;
  #hoursMs: number[] = [];
  #values: number[] = [];
  #scales: HourScales | null = null;

  /** Units: sigmaMin is the least robust standard deviation that is believed of the quantity, in its own unit */
  constructor(sigmaMin = 0) {
    this.#sigmaMin = sigmaMin;
  }

  /** Adds an hour's value; hours come in the order of time, those that are not numbers are left out. */
  add(hourStartMs: number, value: number): void {
    if (!Number.isFinite(value) || hourStartMs <= (this.#hoursMs.at(-1) ?? -Infinity)) return;
    this.#hoursMs.push(hourStartMs);
    this.#values.push(value);
    const oldestMs = hourStartMs - REGIME_SCALE.value.windowHours * HOUR_MS;
    const expired = this.#hoursMs.findIndex((hourMs) => hourMs > oldestMs);
    if (expired > 0) {
      this.#hoursMs = this.#hoursMs.slice(expired);
      this.#values = this.#values.slice(expired);
    }
    this.#scales = null;
  }

  /** Against the same hour of the week; null with less than 60 days of it. */
  sameHourScoreOf(value: number, timeMs: number): number | null {
    return scoreOn(this.#scalesAt(timeMs).sameHour, value);
  }

  /** Against the same hour of the week where that is known, else against all hours; null without either. */
  scoreOf(value: number, timeMs: number): number | null {
    return this.sameHourScoreOf(value, timeMs) ?? scoreOn(this.#anyHourAt(timeMs), value);
  }

  #anyHourAt(timeMs: number): RobustScale | null {
    const scales = this.#scalesAt(timeMs);
    if (scales.anyHour === undefined) {
      scales.anyHour = this.#scaleOf(this.#recentValues(scales.hourStartMs), REGIME_SCALE.value.hoursMin);
    }
    return scales.anyHour;
  }

  #scalesAt(timeMs: number): HourScales {
    const hourStartMs = hourStartMsOf(timeMs);
    if (this.#scales?.hourStartMs === hourStartMs) return this.#scales;
    const hour = hourOfWeek(hourStartMs);
    const same = this.#recentValues(hourStartMs, (hourMs) => hourOfWeek(hourMs) === hour);
    const sameHour = this.#scaleOf(same, REGIME_SCALE.value.weeksMin);
    this.#scales = { hourStartMs, sameHour, anyHour: undefined };
    return this.#scales;
  }

  #scaleOf(values: readonly number[], countMin: number): RobustScale | null {
    if (values.length < countMin) return null;
    const scale = robustScaleOf(values, this.#sigmaMin);
    return scale.deviation > 0 ? scale : null;
  }

  /** Of the 90 days before an hour. */
  #recentValues(hourStartMs: number, isWanted: (hourMs: number) => boolean = () => true): number[] {
    const oldestMs = hourStartMs - REGIME_SCALE.value.windowHours * HOUR_MS;
    return this.#values.filter((_, i) => this.#hoursMs[i]! >= oldestMs && isWanted(this.#hoursMs[i]!));
  }
}

function scoreOn(scale: RobustScale | null, value: number): number | null {
  return scale === null ? null : robustScore(value, scale);
}
