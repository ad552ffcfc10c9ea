import type { MarginMode } from "./account.ts";
import type { Ticker, WalletAddress } from "./ids.ts";

export type TradeAction = "long" | "short" | "close";
/** +1 gains when the price rises. */
export type Direction = 1 | -1;

/** The direction of a signed size or notional: short below zero, long otherwise. */
export function directionOf(signed: number): Direction {
  return signed < 0 ? -1 : 1;
}

/** The direction of the order that leaves this side. */
export function oppositeOf(direction: Direction): Direction {
  return direction === 1 ? -1 : 1;
}

/** A request to assess one trade, checked against the request schema and the opening rules. */
export interface ProposedTrade {
  readonly ticker: Ticker;
  readonly action: TradeAction;
  readonly notionalUsd: number;
  /** Undefined when omitted: the position's leverage, else 1. */
  readonly leverage: number | undefined;
  readonly wallet: WalletAddress;
  readonly marginMode: MarginMode;
  readonly wantsMonteCarlo: boolean;
  readonly wantsExplanation: boolean;
}
