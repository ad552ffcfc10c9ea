import { invariant } from "../../math/invariant.ts";
import { ascendingOrder } from "../../math/radix-sort.ts";

/** Forecasts of one bin against what happened. */
export interface ReliabilityBin {
  /** Which bin, from 0. */
  readonly bin: number;
  readonly count: number;
  readonly events: number;
  readonly meanForecast: number;
  readonly observedRate: number;
}

export interface BinnedForecasts {
  /** Bins with forecasts in them, ascending. */
  readonly bins: readonly ReliabilityBin[];
  /** The bin of the i-th forecast. */
  readonly binOf: (i: number) => ReliabilityBin;
}

/** Sorts forecasts into bins of equal width; bin k holds [k, k+1)/bins, the last one 1 as well. */
export function equalWidthBins(
  probabilities: ArrayLike<number>,
  outcomes: ArrayLike<number>,
  bins: number,
): BinnedForecasts {
  const place = Uint32Array.from({ length: probabilities.length }, (_, i) =>
    Math.min(Math.floor(probabilities[i]! * bins), bins - 1),
  );
  return binned(probabilities, outcomes, place, bins);
}

/** Sorts forecasts into bins of equal count, by rank, ties in their order. */
export function equalMassBins(
  probabilities: ArrayLike<number>,
  outcomes: ArrayLike<number>,
  bins: number,
): BinnedForecasts {
  const n = probabilities.length;
  const place = new Uint32Array(n);
  ascendingOrder(probabilities).forEach((i, rank) => (place[i] = Math.floor((rank * bins) / n)));
  return binned(probabilities, outcomes, place, bins);
}

/**
 * Expected calibration error, Σ n_k/n |mean forecast − observed rate|; read it with the counts. Null of nothing.
 *
 * Source:  Naeini, Cooper and Hauskrecht, Obtaining well calibrated probabilities using Bayesian binning (AAAI 2015)
 */
export function expectedCalibrationError({ bins }: BinnedForecasts): number | null {
  const n = bins.reduce((sum, bin) => sum + bin.count, 0);
  if (n === 0) return null;
  return bins.reduce((sum, bin) => sum + (bin.count / n) * Math.abs(bin.meanForecast - bin.observedRate), 0);
}

function binned(
  probabilities: ArrayLike<number>,
  outcomes: ArrayLike<number>,
  place: Uint32Array,
  bins: number,
): BinnedForecasts {
  invariant(outcomes.length === probabilities.length && bins > 0, "a forecast for every outcome");
  const counts = new Float64Array(bins);
  const sums = new Float64Array(bins);
  const events = new Float64Array(bins);
  for (let i = 0; i < place.length; i++) {
    const at = place[i]!;
    counts[at]! += 1;
    sums[at]! += probabilities[i]!;
    events[at]! += outcomes[i]!;
  }
  const all = Array.from({ length: bins }, (_, bin) => {
    const count = counts[bin]!;
    return {
      bin,
      count,
      events: events[bin]!,
      meanForecast: sums[bin]! / count,
      observedRate: events[bin]! / count,
    };
  });
  return { bins: all.filter(({ count }) => count > 0), binOf: (i) => all[place[i]!]! };
}
