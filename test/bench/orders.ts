import { REMEMBERED_PER_ASSET } from "../../src/response/answer-memory.ts";
import { KEPT_PER_ASSET } from "../../src/risk/sizing/sizing-memory.ts";

/** The simulator's funded wallet without positions, the one with one, and the one with twelve. */
export const NO_POSITIONS = walletNumbered(1);
export const TWELVE_POSITIONS = walletNumbered(5);

/** Of orders in turns of which none is met again before its sizing and its answer are forgotten. */
export const OTHER_LEVERAGES = Array.from(
  { length: Math.max(KEPT_PER_ASSET, REMEMBERED_PER_ASSET) + 1 },
  (_, i) => i + 2,
);

export function walletNumbered(n: number): string {
  return `0x5eed${String(n).padStart(36, "0")}`;
}

export function orderOf(wallet: string, leverage = 10): string {
  return JSON.stringify({ asset: "ETH", action: "long", size: 25_000, leverage, wallet });
}

export function otherOrdersOf(wallet: string): readonly string[] {
  return OTHER_LEVERAGES.map((leverage) => orderOf(wallet, leverage));
}
