import { HOUR_MS, hourStartMsOf, MINUTE_MS } from "../domain/bar.ts";
import type { KeptRegime } from "../domain/kept-regime.ts";
import type { LearnedHour } from "../domain/learned-hour.ts";
import { FUNDING_CALIBRATION } from "../risk/funding.ts";
import {
  initialLiquidityRegime,
  keptLiquidityRegime,
  liquidityRegimeFacts,
  type LiquidityRegimeFacts,
  type RegimeAlarms,
  updateLiquidityRegime,
} from "../risk/regime/liquidity-regime.ts";
import { HourlyScale } from "./hourly-scale.ts";
import { HourRecorder } from "./hour-recorder.ts";

/** Over more than this a fall of open interest is not an hour's: after an outage it is watched anew. */
const FALL_MS_MAX = 1.5 * HOUR_MS;

/** What is measured of one asset at one moment; null where it is not known. */
export interface RegimeMeasurement extends RegimeAlarms {
  readonly spreadFraction: number | null;
  readonly depth50BpsUsd: number | null;
  readonly depth100BpsUsd: number | null;
  readonly openInterestBase: number;
  readonly openInterestUsd: number;
  readonly learnedCapUsd: number | null;
  readonly fundingRateHourly: number;
  /** Robust score of the funding rate over its last 30 days, signed; null with too little history. */
  readonly fundingScore: number | null;
  readonly volatilityScore: number | null;
  /** Mean of volatilityScore over the most traded assets. */
  readonly marketVolatilityScore: number | null;
}

/** One asset's liquidity regime with the scales that its features are scored against. */
export class RegimeTrack {
  readonly #spreads = new HourlyScale();
  readonly #thinness = new HourlyScale();
  readonly #openInterestFalls = new HourlyScale();
  readonly #fundingSizes = new HourlyScale(FUNDING_CALIBRATION.scaleFloorHourly.value);
  readonly #recorder = new HourRecorder();
  /** A sample a minute, the oldest an hour old. */
  readonly #openInterests: { readonly timeMs: number; readonly openInterestBase: number }[] = [];
  #unsaved: LearnedHour[] = [];
  #regime = initialLiquidityRegime();
  #updatedAtMs: number | null = null;
  #facts: LiquidityRegimeFacts | null = null;

  /** Null before the first measurement. */
  get facts(): LiquidityRegimeFacts | null {
    return this.#facts;
  }

  update(measured: RegimeMeasurement, timeMs: number): void {
    const { spreadFraction, depth50BpsUsd, fundingScore, volatilityScore, marketVolatilityScore } = measured;
    const thinness50Bps = depth50BpsUsd !== null && depth50BpsUsd > 0 ? -Math.log(depth50BpsUsd) : null;
    const openInterestFall = this.#fallOf(measured.openInterestBase, timeMs);
    const fundingSize = Math.abs(measured.fundingRateHourly);
    const moment = { ...measured, thinness50Bps, openInterestFall, fundingSize };
    const closed = this.#recorder.observe(moment, timeMs);
    if (closed !== null) {
      this.#learn(closed);
      this.#unsaved.push(closed);
    }
    const scored = (scale: HourlyScale, value: number | null): number | null =>
      value === null ? null : scale.scoreOf(value, timeMs);
    const features = {
      volatility: volatilityScore,
      spread: scored(this.#spreads, spreadFraction),
      depth: scored(this.#thinness, thinness50Bps),
      // Until an hour of the week is known, 30 days of settlements say more than the days watched so far.
      funding:
        this.#fundingSizes.sameHourScoreOf(fundingSize, timeMs) ??
        (fundingScore === null ? null : Math.abs(fundingScore)),
      openInterest: scored(this.#openInterestFalls, openInterestFall),
      marketVolatility: marketVolatilityScore,
    };
    const { returnInSigmas, depthRatio } = measured;
    // The first measurement stands for the hour before it.
    const elapsedHours = this.#updatedAtMs === null ? 1 : (timeMs - this.#updatedAtMs) / HOUR_MS;
    this.#regime = updateLiquidityRegime(
      this.#regime,
      features,
      { returnInSigmas, depthRatio },
      elapsedHours,
    );
    this.#updatedAtMs = timeMs;
    this.#facts = liquidityRegimeFacts(this.#regime);
  }

  /** To be given back when the asset is watched again; null before the first measurement. */
  get kept(): KeptRegime | null {
    if (this.#updatedAtMs === null) return null;
    const { state, posterior } = this.#regime;
    return { timeMs: this.#updatedAtMs, state, posterior };
  }

  /** Takes in the hours of earlier runs, oldest first, and the regime as it was left: both go on where they were. */
  restore(hours: readonly LearnedHour[], kept: KeptRegime | null, timeMs: number): void {
    const left = kept === null ? null : keptLiquidityRegime(kept, timeMs);
    if (kept !== null && left !== null) {
      this.#regime = left;
      this.#updatedAtMs = kept.timeMs;
    }
    const runningMs = hourStartMsOf(timeMs);
    for (const hour of hours) {
      if (hour.hourStartMs < runningMs) this.#learn(hour);
      else this.#recorder.resume(hour);
    }
  }

  /** Hours to keep that were not taken before; with the one under way, which comes again when it is over. */
  takeUnsaved(withOpenHour: boolean): readonly LearnedHour[] {
    const taken = this.#unsaved;
    this.#unsaved = [];
    const { openHour } = this.#recorder;
    return withOpenHour && openHour !== null ? [...taken, openHour] : taken;
  }

  #learn(hour: LearnedHour): void {
    this.#spreads.add(hour.hourStartMs, hour.spreadFraction);
    this.#thinness.add(hour.hourStartMs, hour.thinness50Bps);
    this.#openInterestFalls.add(hour.hourStartMs, hour.openInterestFall);
    this.#fundingSizes.add(hour.hourStartMs, hour.fundingSize);
  }

  /** Share of the open interest that went within the last hour; null before there is an hour of it. */
  #fallOf(openInterestBase: number, timeMs: number): number | null {
    const samples = this.#openInterests;
    const newest = samples.at(-1);
    if (newest === undefined || timeMs - newest.timeMs >= MINUTE_MS) {
      samples.push({ timeMs, openInterestBase });
    }
    while (samples.length > 1 && timeMs - samples[1]!.timeMs >= HOUR_MS) samples.shift();
    if (timeMs - samples[0]!.timeMs > FALL_MS_MAX) samples.shift();
    const oldest = samples[0]!;
    if (timeMs - oldest.timeMs < HOUR_MS || oldest.openInterestBase <= 0) return null;
    return 1 - openInterestBase / oldest.openInterestBase;
  }
}
