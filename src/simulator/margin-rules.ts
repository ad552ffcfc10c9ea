import { marginTableOf } from "./simulated-universe.ts";

/** Source: exchange docs, "Margining", "Margin tiers", "Liquidations"; all amounts in USD. */
export interface MarginTier {
  readonly lowerBoundUsd: number;
  /** mmr = 1 / (2 · max leverage). */
  readonly maintenanceRate: number;
  /** deduction_n = deduction_{n-1} + lowerBound_n · (mmr_n - mmr_{n-1}). */
  readonly deductionUsd: number;
}

const TIERS = new Map<number, readonly MarginTier[]>();

export function marginTiersOf(marginTableId: number): readonly MarginTier[] {
  const known = TIERS.get(marginTableId);
  if (known !== undefined) return known;
  const tiers: MarginTier[] = [];
  for (const { lowerBound, maxLeverage } of marginTableOf(marginTableId)?.marginTiers ?? []) {
    const lowerBoundUsd = Number(lowerBound);
    const maintenanceRate = 1 / (2 * maxLeverage);
    const below = tiers.at(-1);
    const deductionUsd =
      below === undefined
        ? 0
        : below.deductionUsd + lowerBoundUsd * (maintenanceRate - below.maintenanceRate);
    tiers.push({ lowerBoundUsd, maintenanceRate, deductionUsd });
  }
  TIERS.set(marginTableId, tiers);
  return tiers;
}

function tierAt(tiers: readonly MarginTier[], notionalUsd: number): MarginTier {
  return tiers.findLast((tier) => notionalUsd >= tier.lowerBoundUsd) ?? tiers[0]!;
}

/** MM = N · mmr - deduction, tier by notional. */
export function maintenanceMargin(tiers: readonly MarginTier[], notionalUsd: number): number {
  const tier = tierAt(tiers, notionalUsd);
  return notionalUsd * tier.maintenanceRate - tier.deductionUsd;
}

/**
 * Price at which raw + szi · p = |szi| · p · mmr_n - deduction_n for the tier n of the notional at that price:
 * p = (-raw - deduction_n) / (szi · (1 - s · mmr_n)). Maintenance is the largest of the tiers' lines, so that price is
 * the highest of theirs for a long, the lowest for a short. Undefined when no positive price liquidates.
 */
export function liquidationPrice(
  tiers: readonly MarginTier[],
  sizeSigned: number,
  rawUsd: number,
): number | undefined {
  const side = Math.sign(sizeSigned);
  const prices = tiers.map(
    ({ maintenanceRate, deductionUsd }) =>
      (-rawUsd - deductionUsd) / (sizeSigned * (1 - side * maintenanceRate)),
  );
  const price = side > 0 ? Math.max(...prices) : Math.min(...prices);
  return price > 0 ? price : undefined;
}

/** The signed cash that puts the liquidation price where wanted: the equation above solved for raw. */
export function rawForLiquidationAt(tiers: readonly MarginTier[], sizeSigned: number, price: number): number {
  return maintenanceMargin(tiers, Math.abs(sizeSigned) * price) - sizeSigned * price;
}
