import { mostTraded } from "../domain/asset.ts";
import { REGIME_SCALE } from "../risk/regime/liquidity-regime.ts";
import type { AssetState } from "./asset-state.ts";

/** How unusual volatility is over the most traded assets, a crisis being systemic; null where no asset's is known. */
export function marketVolatilityScore(states: readonly AssetState[]): number | null {
  const listed = states.filter(({ listing }) => !listing.isDelisted);
  const scores = mostTraded(listed, REGIME_SCALE.value.marketAssets)
    .map(({ volatility }) => volatility.volatilityScore)
    .filter((score) => score !== null);
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
