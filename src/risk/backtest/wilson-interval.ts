import { invariant } from "../../math/invariant.ts";
import { normalQuantile } from "../../math/normal.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Score interval of a share, (p̂ + z²/2n ± z√(p̂(1−p̂)/n + z²/4n²)) / (1 + z²/n). Never empty, never outside [0, 1].
 *
 * Source:  Wilson, Probable inference, J. American Statistical Association 22 (1927)
 */
export function wilsonInterval(events: number, observations: number, confidence: number): Interval {
  invariant(observations > 0 && events >= 0 && events <= observations, "events are of the observations");
  const z = normalQuantile((1 + confidence) / 2);
  const share = events / observations;
  const weight = (z * z) / observations;
  const centre = (share + weight / 2) / (1 + weight);
  const half = (z / (1 + weight)) * Math.sqrt((share * (1 - share) + weight / 4) / observations);
  // At the ends the bound is the end itself, which the difference would miss by rounding.
  return {
    low: events === 0 ? 0 : centre - half,
    high: events === observations ? 1 : centre + half,
  };
}
