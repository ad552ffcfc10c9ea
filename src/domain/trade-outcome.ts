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
}

/** An outcome as the store keeps it. */
export interface RecordedOutcome extends Outcome {
  /** Position in the record: ascending, never used twice. */
  readonly sequence: number;
  /** The recorder's clock. Later records can carry earlier times when that clock was set back. */
  readonly recordedAtMs: number;
}
