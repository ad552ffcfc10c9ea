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

/** The largest ratio, either way, of what is lent for an hour of the week to what was; 1 where peers are too few to lend. */
export function lentMove(before: VolatilityPeers, now: VolatilityPeers): number {
  if (now.peer === null || now.pooledSeasonality === null) return 1;
  if (before.peer === null || before.pooledSeasonality === null) return Infinity;
  const varianceRatio = now.peer.varianceStep / before.peer.varianceStep;
  let most = 1;
  for (const [hour, factor] of now.pooledSeasonality.factors.entries()) {
    const ratio = varianceRatio * (factor / before.pooledSeasonality.factors[hour]!) ** 2;
    most = Math.max(most, ratio, 1 / ratio);
  }
  return most;
}
