import type { TradeAction } from "./trade.ts";

/**
 * What became of one trade, as its owner reports it. Numbers stay as they were reported, pnlPct in percent included:
 * the record is evidence, and the same report again must compare equal.
 */
export interface Outcome {
  /** The reporter's name for the trade; unique in the store. */
  readonly tradeId: string;
  readonly asset: string;
  readonly action: TradeAction;
  readonly entryPrice: number;
  readonly exitPrice: number;
  readonly sizeUsd: number;
  readonly leverage: number;
  readonly riskScoreAtEntry: number;
  readonly calibrationHash: string;
  readonly pnlUsd: number;
  readonly pnlPct: number;
  readonly holdingPeriodHours: number;
  readonly feesPaidUsd: number | null;
  readonly fundingPaidUsd: number | null;
  /** Id of the API key that reported it first; null where none was asked for. Not content: any key may repeat a report. */
  readonly reportedBy: string | null;
}

/** Where the reported prices lie against the market's; "unknown" where its candles are not to be had. */
export type PriceFinding = "inside" | "outside" | "unknown";

/** What the service's own records say of an outcome. Made once, when the candles of its time are closed, and kept. */
export interface OutcomeCheck {
  readonly prices: PriceFinding;
  /** The 99 % VaR that stood at entry over the true holding period, as a fraction of size; null where none is known. */
  readonly var99Fraction: number | null;
}

/** An outcome as the store keeps it. */
export interface RecordedOutcome extends Outcome {
  /** Position in the record: ascending, never used twice. */
  readonly sequence: number;
  /** The recorder's clock. Later records can carry earlier times when that clock was set back. */
  readonly recordedAtMs: number;
  /** Null until it is made. */
  readonly check: OutcomeCheck | null;
}
