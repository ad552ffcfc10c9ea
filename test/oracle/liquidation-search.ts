import type { MarginTier } from "../../src/domain/asset.ts";

/** Maintenance by the documented sum: each slice of notional at its own tier's rate. */
export function maintenanceBySlices(tiers: readonly MarginTier[], notionalUsd: number): number {
  let sum = 0;
  tiers.forEach((tier, i) => {
    const upper = tiers[i + 1]?.notionalLowerUsd ?? Infinity;
    const slice = Math.min(notionalUsd, upper) - tier.notionalLowerUsd;
    if (slice > 0) sum += slice / (2 * tier.maxLeverage);
  });
  return sum;
}

/** Walks the price away from the mark until equity no longer exceeds maintenance, then halves the bracket. */
export function liquidationBySearch(
  tiers: readonly MarginTier[],
  sizeBase: number,
  markPrice: number,
  equityUsd: number,
  otherMaintenanceUsd: number,
  maintenanceShare: number,
): number | null {
  const isAlive = (price: number): boolean =>
    equityUsd + sizeBase * (price - markPrice) >
    maintenanceShare * (maintenanceBySlices(tiers, Math.abs(sizeBase) * price) + otherMaintenanceUsd);
  if (sizeBase > 0 && isAlive(0)) return null;
  let alive = markPrice;
  let dead = sizeBase > 0 ? 0 : markPrice;
  while (sizeBase < 0 && isAlive(dead)) dead *= 2;
  for (let i = 0; i < 200; i++) {
    const middle = (alive + dead) / 2;
    if (isAlive(middle)) alive = middle;
    else dead = middle;
  }
  return dead;
}
