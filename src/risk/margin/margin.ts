import type { MarginTier } from "../../domain/asset.ts";

/**
 * An asset's margin table, ready to be read.
 *
 * Holds: lower bounds ascend from 0, leverage falls and maintenance rises with notional, so that the maintenance
 * margin is the convex, continuous function max over tiers of fraction x notional - deduction.
 */
export interface MarginSchedule {
  readonly notionalLowerUsd: Float64Array;
  readonly maxLeverage: Float64Array;
  readonly maintenanceFraction: Float64Array;
  readonly deductionUsd: Float64Array;
}

/**
 * Maintenance fraction 1 / (2 maxLeverage) of each tier; deduction_n = deduction_(n-1) + lower_n (fraction_n -
 * fraction_(n-1)), which makes the margin continuous. Source: the exchange's documentation, Margin tiers.
 */
export function buildMarginSchedule(tiers: readonly MarginTier[]): MarginSchedule {
  const notionalLowerUsd = Float64Array.from(tiers, (tier) => tier.notionalLowerUsd);
  const maxLeverage = Float64Array.from(tiers, (tier) => tier.maxLeverage);
  const maintenanceFraction = maxLeverage.map((leverage) => 1 / (2 * leverage));
  const deductionUsd = new Float64Array(tiers.length);
  for (let n = 1; n < tiers.length; n++) {
    const step = maintenanceFraction[n]! - maintenanceFraction[n - 1]!;
    deductionUsd[n] = deductionUsd[n - 1]! + notionalLowerUsd[n]! * step;
  }
  return { notionalLowerUsd, maxLeverage, maintenanceFraction, deductionUsd };
}

/** Index of the tier that a position of this notional is in. */
export function marginTierOf(schedule: MarginSchedule, notionalUsd: number): number {
  const lower = schedule.notionalLowerUsd;
  let tier = lower.length - 1;
  while (tier > 0 && notionalUsd < lower[tier]!) tier--;
  return tier;
}

/** Margin below which a position of this notional is liquidated: fraction x notional - deduction of its tier. */
export function maintenanceMarginUsd(schedule: MarginSchedule, notionalUsd: number): number {
  const tier = marginTierOf(schedule, notionalUsd);
  return schedule.maintenanceFraction[tier]! * notionalUsd - schedule.deductionUsd[tier]!;
}

/** Margin that opening a position of this notional takes: notional / leverage. */
export function initialMarginUsd(notionalUsd: number, leverage: number): number {
  return notionalUsd / leverage;
}

/** Highest leverage that the exchange accepts for a position of this notional. */
export function maxLeverageAt(schedule: MarginSchedule, notionalUsd: number): number {
  return schedule.maxLeverage[marginTierOf(schedule, notionalUsd)]!;
}
