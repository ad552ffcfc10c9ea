import * as fc from "fast-check";
import { HOUR_MS, type Bar } from "../../src/domain/bar.ts";
import { createRandom } from "../../src/math/random.ts";

const STEPS = 48;

/** A Monday, 00:00 UTC. */
export const SYNTHETIC_START_MS = Date.UTC(2026, 0, 5);

export interface SyntheticBars {
  readonly seed: number;
  readonly length: number;
  /** Standard deviation of an hour's return at rest. */
  readonly sigmaHour: number;
  /** Multiplier of an hour's sigma, by hours since the start, which is a midnight; 1 when absent. */
  readonly hourFactor?: (hour: number) => number;
}

/**
 * Hourly bars with clustered volatility: every bar is a walk of 48 steps, so that high and low are those of a path, and
 * an hour's sigma follows the size of the hour before.
 */
export function syntheticBars({ seed, length, sigmaHour, hourFactor = () => 1 }: SyntheticBars): Bar[] {
  const random = createRandom(seed);
  const bars: Bar[] = [];
  let logPrice = Math.log(100);
  let variance = sigmaHour * sigmaHour;
  for (let i = 0; i < length; i++) {
    const open = logPrice;
    let [high, low] = [open, open];
    const factor = hourFactor(i);
    const step = factor * Math.sqrt(variance / STEPS);
    for (let k = 0; k < STEPS; k++) {
      logPrice += step * random.normal();
      high = Math.max(high, logPrice);
      low = Math.min(low, logPrice);
    }
    const move = (logPrice - open) / factor;
    variance = 0.06 * sigmaHour * sigmaHour + 0.14 * move * move + 0.8 * variance;
    bars.push({
      openTimeMs: SYNTHETIC_START_MS + i * HOUR_MS,
      open: Math.exp(open),
      high: Math.exp(high),
      low: Math.exp(low),
      close: Math.exp(logPrice),
      volumeBase: 1,
    });
  }
  return bars;
}

/** Bars of a drawn seed, length and volatility. */
export function arbitraryBars(minLength: number, maxLength: number): fc.Arbitrary<Bar[]> {
  return fc
    .record({
      seed: fc.nat(),
      length: fc.integer({ min: minLength, max: maxLength }),
      sigmaHour: fc.double({ min: 0.001, max: 0.03, noNaN: true }),
    })
    .map(syntheticBars);
}
