import { HOUR_MS } from "../domain/bar.ts";
import {
  initialLiquidityRegime,
  liquidityRegimeFacts,
  type LiquidityRegimeFacts,
  robustScore,
  updateLiquidityRegime,
} from "../risk/regime/liquidity-regime.ts";
import { HourlyScale } from "./hourly-scale.ts";

const MINUTE_MS = 60_000;

/** What ln(sigma now / long-run sigma) is usually, over the asset's own history. */
export interface VolatilityScale {
  readonly median: number;
  readonly medianAbsoluteDeviation: number;
}

/** What is measured of one asset at one moment; null where it is not known. */
export interface RegimeMeasurement {
  readonly spreadFraction: number | null;
  readonly depth50BpsUsd: number | null;
  readonly openInterestBase: number;
  /** Robust score of the funding rate, signed; null with too little history. */
  readonly fundingScore: number | null;
  readonly volatilityScore: number | null;
  /** Mean of volatilityScore over the most traded assets. */
  readonly marketVolatilityScore: number | null;
  readonly returnInSigmas: number;
  readonly depthRatio: number | null;
}

/** One asset's liquidity regime with the scales that its features are scored against. */
export class RegimeTrack {
  readonly #spreads = new HourlyScale();
  readonly #depths = new HourlyScale();
  readonly #openInterestFalls = new HourlyScale();
  /** A sample a minute, the oldest an hour old. */
  readonly #openInterests: { readonly timeMs: number; readonly openInterestBase: number }[] = [];
  #regime = initialLiquidityRegime();
  #updatedAtMs: number | null = null;
  #facts: LiquidityRegimeFacts | null = null;

  /** Null before the first measurement. */
  get facts(): LiquidityRegimeFacts | null {
    return this.#facts;
  }

  update(measured: RegimeMeasurement, nowMs: number): void {
    const { spreadFraction, depth50BpsUsd, fundingScore, volatilityScore, marketVolatilityScore } = measured;
    const thinness = depth50BpsUsd !== null && depth50BpsUsd > 0 ? -Math.log(depth50BpsUsd) : null;
    const features = {
      volatility: volatilityScore,
      spread: scored(this.#spreads, spreadFraction, nowMs),
      depth: scored(this.#depths, thinness, nowMs),
      funding: fundingScore === null ? null : Math.abs(fundingScore),
      openInterest: scored(this.#openInterestFalls, this.#fallOf(measured.openInterestBase, nowMs), nowMs),
      marketVolatility: marketVolatilityScore,
    };
    const { returnInSigmas, depthRatio } = measured;
    // The first measurement stands for the hour before it.
    const elapsedHours = this.#updatedAtMs === null ? 1 : (nowMs - this.#updatedAtMs) / HOUR_MS;
    this.#regime = updateLiquidityRegime(
      this.#regime,
      features,
      { returnInSigmas, depthRatio },
      elapsedHours,
    );
    this.#updatedAtMs = nowMs;
    this.#facts = liquidityRegimeFacts(this.#regime);
  }

  /** Share of the open interest that went within the last hour; null before there is an hour of it. */
  #fallOf(openInterestBase: number, nowMs: number): number | null {
    const samples = this.#openInterests;
    const newest = samples.at(-1);
    if (newest === undefined || nowMs - newest.timeMs >= MINUTE_MS) {
      samples.push({ timeMs: nowMs, openInterestBase });
    }
    while (samples.length > 1 && nowMs - samples[1]!.timeMs >= HOUR_MS) samples.shift();
    const oldest = samples[0]!;
    if (nowMs - oldest.timeMs < HOUR_MS || oldest.openInterestBase <= 0) return null;
    return 1 - openInterestBase / oldest.openInterestBase;
  }
}

/** Robust score of ln(sigma now / long-run sigma). */
export function volatilityScoreOf(logSigmaRatio: number, scale: VolatilityScale): number | null {
  return robustScore(logSigmaRatio, scale.median, scale.medianAbsoluteDeviation);
}

/** Scores a value against the hours before it, then remembers it. */
function scored(scale: HourlyScale, value: number | null, nowMs: number): number | null {
  if (value === null) return null;
  const score = scale.scoreOf(value);
  scale.observe(value, nowMs);
  return score;
}
