import { poolSeasonality } from "../risk/volatility/seasonality.ts";
import type { VolatilityOptions } from "../risk/volatility/volatility-fit.ts";
import { VOLATILITY_LADDER, type VolatilityModel } from "../risk/volatility/volatility-model.ts";

/** What young assets borrow. */
export type VolatilityPeers = Pick<VolatilityOptions, "pooledSeasonality" | "peer">;

/** The pooled pattern and the median variance, of an even number the upper of the two in the middle, of grown assets' models; nothing of fewer than five. */
export function volatilityPeersOf(models: readonly VolatilityModel[]): VolatilityPeers {
  if (models.length < VOLATILITY_LADDER.value.peersMin) return { pooledSeasonality: null, peer: null };
  const variances = models.map((model) => model.windowVarianceStep).sort((a, b) => a - b);
  return {
    pooledSeasonality: poolSeasonality(models.map(({ seasonality }) => seasonality)),
    peer: { varianceStep: variances[variances.length >>> 1]! },
  };
}
