import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { createRandom } from "../../src/math/random.ts";

const STEPS_PER_HOUR = 30;

/** Hourly bars of a random walk seen at half-minute grain, so that ranges and returns tell one volatility. */
export function barWalk(hours: number, untilMs: number, seed = 7): readonly Bar[] {
  const random = createRandom(seed);
  let close = 100_000;
  return Array.from({ length: hours }, (_, i) => {
    const open = close;
    let high = open;
    let low = open;
    for (let step = 0; step < STEPS_PER_HOUR; step++) {
      close *= Math.exp((0.005 * random.normal()) / Math.sqrt(STEPS_PER_HOUR));
      high = Math.max(high, close);
      low = Math.min(low, close);
    }
    return { openTimeMs: untilMs + (i - hours) * HOUR_MS, open, high, low, close, volumeBase: 5 };
  });
}
