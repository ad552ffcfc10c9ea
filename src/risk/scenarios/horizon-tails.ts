import type { Direction } from "../../domain/trade.ts";
import type { HarrellDavisWeights } from "../../math/harrell-davis.ts";
import { buildHarrellDavisWeights, harrellDavisOfDescending } from "../../math/harrell-davis.ts";
import { sortFloats } from "../../math/radix-sort.ts";
import { expectedShortfallOfDescending } from "../expected-shortfall.ts";
import type { HorizonTail, SideTails } from "../var.ts";
import { orderedTails } from "../var.ts";
import { HORIZON_HOURS } from "../volatility/term-structure.ts";
import type { HorizonHours } from "./horizon.ts";
import { boundedLogReturn, PATH_FACTS } from "./path-kernel.ts";

/** Of an asset's tails what a forecast is recorded with, a fraction of the work of all. */
export interface HorizonTails {
  readonly long: Pick<SideTails, "horizons">;
  readonly short: Pick<SideTails, "horizons">;
}

/** Quantile weights for one number of scenarios, built once. */
export interface TailEstimators {
  readonly scenarios: number;
  readonly at50: HarrellDavisWeights;
  readonly at95: HarrellDavisWeights;
  readonly at97_5: HarrellDavisWeights;
  readonly at2_5: HarrellDavisWeights;
  readonly at99: HarrellDavisWeights;
  readonly at99_9: HarrellDavisWeights;
}

export function buildTailEstimators(scenarios: number): TailEstimators {
  return {
    scenarios,
    at2_5: buildHarrellDavisWeights(scenarios, 0.025),
    at50: buildHarrellDavisWeights(scenarios, 0.5),
    at95: buildHarrellDavisWeights(scenarios, 0.95),
    at97_5: buildHarrellDavisWeights(scenarios, 0.975),
    at99: buildHarrellDavisWeights(scenarios, 0.99),
    at99_9: buildHarrellDavisWeights(scenarios, 0.999),
  };
}

/** The tails alone. Shapes: as buildAssetTails. Holds: its numbers, to the last bit. */
export function buildHorizonTails(paths: Float32Array, estimators: TailEstimators): HorizonTails {
  const { scenarios } = estimators;
  const sorted = new Float32Array(scenarios);
  const losses = new Float64Array(scenarios);
  const long: HorizonTail[] = [];
  const short: HorizonTail[] = [];
  HORIZON_HOURS.forEach((horizonHours, horizon) => {
    const at = horizon * PATH_FACTS.length * scenarios;
    sorted.set(paths.subarray(at, at + scenarios));
    sortFloats(sorted);
    fillLossesDescending(sorted, losses);
    long.push(tailOf(horizonHours, losses, estimators));
    turnLosses(losses);
    short.push(tailOf(horizonHours, losses, estimators));
  });
  return { long: { horizons: orderedTails(long) }, short: { horizons: orderedTails(short) } };
}

/** The same tails at another sigma. Shapes and numbers: as rescaleAssetTails. */
export function rescaleHorizonTails({ long, short }: HorizonTails, ratios: ArrayLike<number>): HorizonTails {
  return {
    long: { horizons: rescaleHorizons(long.horizons, ratios, 1) },
    short: { horizons: rescaleHorizons(short.horizons, ratios, -1) },
  };
}

/** One side's part of it. */
export function rescaleHorizons(
  horizons: readonly HorizonTail[],
  ratios: ArrayLike<number>,
  direction: Direction,
): readonly HorizonTail[] {
  return orderedTails(
    horizons.map((tail, horizon) => {
      const lossOf = (loss: number): number => rescaledLoss(loss, ratios[horizon]!, direction);
      return {
        horizonHours: tail.horizonHours,
        var95: lossOf(tail.var95),
        var99: lossOf(tail.var99),
        expectedShortfall95: lossOf(tail.expectedShortfall95),
        expectedShortfall99: lossOf(tail.expectedShortfall99),
      };
    }),
  );
}

/** A loss after its log return is multiplied by the ratio; gains are negative losses. */
export function rescaledLoss(loss: number, ratio: number, direction: Direction): number {
  if (ratio === 1) return loss;
  return -direction * Math.expm1(boundedLogReturn(ratio * Math.log1p(-direction * loss)));
}

/** What a long loses, 1 − e^c, of log returns in ascending order. Shapes: one length. */
export function fillLossesDescending(sortedLogReturns: Float32Array, losses: Float64Array): void {
  for (let rank = 0; rank < losses.length; rank++) losses[rank] = -Math.expm1(sortedLogReturns[rank]!);
}

/** The other side's losses in place, again in descending order: what one side loses, the other gains. */
export function turnLosses(losses: Float64Array): void {
  for (let i = 0, j = losses.length - 1; i <= j; i++, j--) {
    const front = losses[i]!;
    losses[i] = -losses[j]!;
    losses[j] = -front;
  }
}

/** One side's tail at one horizon, before the order of horizons and levels is restored. */
export function tailOf(
  horizonHours: HorizonHours,
  losses: Float64Array,
  estimators: TailEstimators,
): HorizonTail {
  return {
    horizonHours,
    var95: harrellDavisOfDescending(losses, estimators.at95),
    var99: harrellDavisOfDescending(losses, estimators.at99),
    expectedShortfall95: expectedShortfallOfDescending(losses, losses.length, 0.95),
    expectedShortfall99: expectedShortfallOfDescending(losses, losses.length, 0.99),
  };
}
