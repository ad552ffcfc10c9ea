import { normalCdf } from "../../src/math/normal.ts";

/** P(a Brownian motion with drift touches b < 0 before time t), by the reflection principle. */
export function touchProbabilityOfBrownian(b: number, drift: number, sigma: number, time: number): number {
  const root = sigma * Math.sqrt(time);
  return (
    normalCdf((b - drift * time) / root) +
    Math.exp((2 * drift * b) / (sigma * sigma)) * normalCdf((b + drift * time) / root)
  );
}

/** A barrier watched only every `step` acts like one 0.5826 σ √step farther away (Broadie, Glasserman and Kou). */
export function watchedBarrier(b: number, sigma: number, step: number): number {
  return b - 0.5826 * sigma * Math.sqrt(step);
}
