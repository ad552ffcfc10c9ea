import { ORDERS_REMEMBERED } from "../../src/response/answer-memory.ts";
import { KEPT_PER_ASSET } from "../../src/risk/sizing/sizing-memory.ts";

/** The simulator's funded wallet without positions, and the one with twelve. */
export const NO_POSITIONS = walletNumbered(1);
export const TWELVE_POSITIONS = walletNumbered(5);

/** Of orders in turns of which none is met again before its sizing is forgotten. */
export const OTHER_LEVERAGES = Array.from({ length: KEPT_PER_ASSET + 1 }, (_, i) => i + 2);
/** With these sizes, none before its answer is. */
const OTHER_SIZES = Math.ceil(ORDERS_REMEMBERED / OTHER_LEVERAGES.length) + 1;

function walletNumbered(n: number): string {
  return `0x5eed${String(n).padStart(36, "0")}`;
}

export function orderOf(wallet: string, leverage = 10, sizeUsd = 25_000): string {
  return JSON.stringify({ asset: "ETH", action: "long", size: sizeUsd, leverage, wallet });
}

/** One order in more sizes than are remembered: all but the sizing of each answer is computed. */
export function otherSizesOf(wallet: string): readonly string[] {
  return sizesUsd(ORDERS_REMEMBERED + 1).map((sizeUsd) => orderOf(wallet, 10, sizeUsd));
}

/** Orders of which neither the answer nor the sizing is met again before it is forgotten. */
export function otherOrdersOf(wallet: string): readonly string[] {
  return sizesUsd(OTHER_SIZES).flatMap((sizeUsd) =>
    OTHER_LEVERAGES.map((leverage) => orderOf(wallet, leverage, sizeUsd)),
  );
}

function sizesUsd(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => 25_000 + 10 * i);
}
