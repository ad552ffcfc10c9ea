import { mostTraded } from "../domain/asset.ts";
import type { AssetState } from "./asset-state.ts";

/** Assets whose mean volatility score is the market's. */
const MARKET_ASSETS = 20;

/** How unusual volatility is over the most traded assets, a crisis being systemic; null where no asset's is known. */
export function marketVolatilityScore(states: readonly AssetState[]): number | null {
  const listed = states.filter(({ listing }) => !listing.isDelisted);
  const scores = mostTraded(listed, MARKET_ASSETS)
    .map(({ volatility }) => volatility.volatilityScore)
    .filter((score) => score !== null);
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
