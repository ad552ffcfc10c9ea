import { normalCdf } from "../../src/math/normal.ts";

/** P(a Brownian motion with drift touches b < 0 before time t), by the reflection principle. */
export function touchProbabilityOfBrownian(b: number, drift: number, sigma: number, time: number): number {
  const root = sigma * Math.sqrt(time);
  return (
    normalCdf((b - drift * time) / root) +
    Math.exp((2 * drift * b) / (sigma * sigma)) * normalCdf((b + drift * time) / root)
  );
}

/** Shift of a barrier watched only every `step`: b e^(−0.5826 σ √step) on the log scale. */
export function watchedBarrier(b: number, sigma: number, step: number): number {
  return b - 0.5825971579390106 * sigma * Math.sqrt(step);
}
