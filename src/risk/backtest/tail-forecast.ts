import type { TailNumbers } from "../../domain/forecast-row.ts";
import type { HarrellDavisWeights } from "../../math/harrell-davis.ts";
import {
  buildHarrellDavisWeights,
  harrellDavisOfDescending,
  harrellDavisReach,
} from "../../math/harrell-davis.ts";
import { normalCdf, normalQuantile } from "../../math/normal.ts";
import { expectedShortfallOfDescending, expectedShortfallReach } from "../tails/expected-shortfall.ts";

/** What any model says of one side over one horizon; fractions of notional, losses positive. */
export type TailForecast = TailNumbers;

export interface TwoSidedForecast {
  readonly long: TailForecast;
  readonly short: TailForecast;
}

/** Quantile weights of one sample size. */
export interface SampleTailWeights {
  readonly at95: HarrellDavisWeights;
  readonly at99: HarrellDavisWeights;
}

export function sampleTailWeights(sampleSize: number): SampleTailWeights {
  return {
    at95: buildHarrellDavisWeights(sampleSize, 0.95),
    at99: buildHarrellDavisWeights(sampleSize, 0.99),
  };
}

/** Harrell–Davis VaR and Acerbi–Tasche ES of both sides of a sample of log returns, which is sorted in place. */
export function tailsOfSample(
  logReturns: Float64Array | Float32Array,
  weights: SampleTailWeights,
): TwoSidedForecast {
  return tailsOfSorted(logReturns.sort(), weights);
}

/** The same of a sample already ascending. */
export function tailsOfSorted(
  logReturns: Float64Array | Float32Array,
  weights: SampleTailWeights,
): TwoSidedForecast {
  const n = logReturns.length;
  const reach = Math.min(
    n,
    Math.max(
      harrellDavisReach(weights.at95),
      harrellDavisReach(weights.at99),
      expectedShortfallReach(n, 0.95),
    ),
  );
  const losses = new Float64Array(reach);
  for (let rank = 0; rank < reach; rank++) losses[rank] = -Math.expm1(logReturns[rank]!);
  const long = tailOfDescending(losses, n, weights);
  for (let rank = 0; rank < reach; rank++) losses[rank] = Math.expm1(logReturns[n - 1 - rank]!);
  return { long, short: tailOfDescending(losses, n, weights) };
}

/** The same of the largest losses of a sample, largest first: as many as the weights and the 95 % tail reach. */
export function tailOfDescending(
  losses: Float64Array,
  sampleSize: number,
  { at95, at99 }: SampleTailWeights,
): TailForecast {
  return {
    var95: harrellDavisOfDescending(losses, at95),
    var99: harrellDavisOfDescending(losses, at99),
    expectedShortfall95: expectedShortfallOfDescending(losses, sampleSize, 0.95),
    expectedShortfall99: expectedShortfallOfDescending(losses, sampleSize, 0.99),
  };
}

/**
 * Both sides of a normal log return with mean 0.
 *
 *   long: VaR = 1 − e^{−zσ}, ES = 1 − e^{σ²/2} Φ(−z−σ)/p; short: VaR = e^{zσ} − 1, ES = e^{σ²/2} Φ(σ−z)/p − 1
 *
 * Units:   sigma of the horizon's log return, not annualised
 */
export function normalTails(sigma: number): TwoSidedForecast {
  const at = (p: number): { long: readonly [number, number]; short: readonly [number, number] } => {
    const z = normalQuantile(1 - p);
    const growth = Math.exp((sigma * sigma) / 2) / p;
    return {
      long: [-Math.expm1(-z * sigma), 1 - growth * normalCdf(-z - sigma)],
      short: [Math.expm1(z * sigma), growth * normalCdf(sigma - z) - 1],
    };
  };
  const at95 = at(0.05);
  const at99 = at(0.01);
  const side = (name: "long" | "short"): TailForecast => ({
    var95: at95[name][0],
    var99: at99[name][0],
    expectedShortfall95: at95[name][1],
    expectedShortfall99: at99[name][1],
  });
  return { long: side("long"), short: side("short") };
}
