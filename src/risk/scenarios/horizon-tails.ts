import type { Direction } from "../../domain/trade.ts";
import type { HarrellDavisWeights } from "../../math/harrell-davis.ts";
import { buildHarrellDavisWeights, harrellDavisOfDescending } from "../../math/harrell-davis.ts";
import { sortFloats } from "../../math/radix-sort.ts";
import { expectedShortfallOfDescending, expectedShortfallReach } from "../tails/expected-shortfall.ts";
import type { HorizonTail, SideTails } from "../tails/var.ts";
import { orderedTails } from "../tails/var.ts";
import { HORIZON_HOURS } from "./horizon.ts";
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
  HORIZON_HOURS.forEach((_, horizon) => {
    const at = horizon * PATH_FACTS.length * scenarios;
    sorted.set(paths.subarray(at, at + scenarios));
    sortFloats(sorted);
    fillLossesDescending(sorted, losses);
    long.push(tailOf(losses, estimators, 1));
    turnLosses(losses);
    short.push(tailOf(losses, estimators, -1));
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
      const ratio = ratios[horizon]!;
      if (ratio === 1) return tail;
      const { expectedShortfall95, expectedShortfall99, doubledShortfall95, doubledShortfall99 } = tail;
      return {
        var95: rescaledLoss(tail.var95, ratio, direction),
        var99: rescaledLoss(tail.var99, ratio, direction),
        expectedShortfall95: rescaledShortfall(expectedShortfall95, doubledShortfall95, ratio, direction),
        expectedShortfall99: rescaledShortfall(expectedShortfall99, doubledShortfall99, ratio, direction),
        doubledShortfall95: rescaledShortfall(expectedShortfall95, doubledShortfall95, 2 * ratio, direction),
        doubledShortfall99: rescaledShortfall(expectedShortfall99, doubledShortfall99, 2 * ratio, direction),
      };
    }),
  );
}

/** A loss after its log return is multiplied by the ratio; gains are negative losses. */
export function rescaledLoss(loss: number, ratio: number, direction: Direction): number {
  if (ratio === 1) return loss;
  return -direction * Math.expm1(boundedLogReturn(ratio * Math.log1p(-direction * loss)));
}

/**
 * A tail mean after the log return of each of its paths is multiplied by the ratio k. With growths g = 1 ∓ loss, ln E[gᵏ]
 * is known at k = 0, 1 and 2, and convex: the parabola through them up to 2, its tangent beyond.
 *
 * Units:   fractions of notional; `doubled` is the mean at k = 2
 * Holds:   `shortfall` at 1, at least `doubled` at 2, where a parabola through it would not have turned before exactly
 *          that; from k = ½ on never less at a larger k
 */
export function rescaledShortfall(
  shortfall: number,
  doubled: number,
  ratio: number,
  direction: Direction,
): number {
  const atOne = Math.log1p(-direction * shortfall);
  // A parabola that had turned before 2 would fall again.
  const leastAtTwo = (4 / 3) * Math.abs(atOne);
  const atTwo = -direction * Math.max(-direction * Math.log1p(-direction * doubled), leastAtTwo);
  const upTo = Math.min(ratio, 2);
  const parabola = upTo * (2 - upTo) * atOne + ((upTo * (upTo - 1)) / 2) * atTwo;
  const logGrowth = parabola + (ratio - upTo) * (1.5 * atTwo - 2 * atOne);
  return -direction * Math.expm1(boundedLogReturn(logGrowth));
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
export function tailOf(losses: Float64Array, estimators: TailEstimators, direction: Direction): HorizonTail {
  const { scenarios } = estimators;
  const doubled = losses.slice(0, expectedShortfallReach(scenarios, 0.95));
  for (let rank = 0; rank < doubled.length; rank++) {
    doubled[rank] = rescaledLoss(doubled[rank]!, 2, direction);
  }
  return {
    var95: harrellDavisOfDescending(losses, estimators.at95),
    var99: harrellDavisOfDescending(losses, estimators.at99),
    expectedShortfall95: expectedShortfallOfDescending(losses, scenarios, 0.95),
    expectedShortfall99: expectedShortfallOfDescending(losses, scenarios, 0.99),
    doubledShortfall95: expectedShortfallOfDescending(doubled, scenarios, 0.95),
    doubledShortfall99: expectedShortfallOfDescending(doubled, scenarios, 0.99),
  };
}
