import { wireNumber, wireRounded } from "./price-grid.ts";
import type { SimulatedMarket } from "./simulated-market.ts";

/** The little of the spot exchange that general clients load: three tokens, two pairs. */
export const SPOT_META = {
  universe: [
    { tokens: [1, 0], name: "PURR/USDC", index: 0, isCanonical: true },
    { tokens: [2, 0], name: "@107", index: 1, isCanonical: false },
  ],
  tokens: [
    token("USDC", 8, 8, 0, "0x6d1e7cde53ba9467b783cb7c530ce054", "USD Coin"),
    token("PURR", 0, 5, 1, "0xc1fb593aeffbeb02f85e0308e9956a90", null),
    token("HYPE", 2, 8, 2, "0x0d01dc56dcaaca66ad901c959b4011ec", "Hyperliquid"),
  ],
};

function token(
  name: string,
  szDecimals: number,
  weiDecimals: number,
  index: number,
  tokenId: `0x${string}`,
  fullName: string | null,
) {
  const deployerTradingFeeShare = "0.0";
  return {
    name,
    szDecimals,
    weiDecimals,
    index,
    tokenId,
    isCanonical: index < 2,
    evmContract: null,
    fullName,
    deployerTradingFeeShare,
  };
}

interface SpotContext {
  coin: string;
  prevDayPx: string;
  dayNtlVlm: string;
  dayBaseVlm: string;
  markPx: string;
  midPx: string;
  circulatingSupply: string;
  totalSupply: string;
}

export function spotContexts(market: SimulatedMarket): SpotContext[] {
  const hype = market.assetOf("HYPE")?.oraclePrice ?? 30;
  return SPOT_META.universe.map(({ name }, index) => {
    const price = index === 0 ? 0.1498 : hype;
    return {
      prevDayPx: wireNumber(price),
      dayNtlVlm: "1204411.52",
      markPx: wireNumber(price),
      midPx: wireNumber(price),
      circulatingSupply: "595842108.41",
      coin: name,
      totalSupply: "1000000000.0",
      dayBaseVlm: wireRounded(1_204_411.52 / price, 2),
    };
  });
}
