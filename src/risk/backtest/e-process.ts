import { invariant } from "../../math/invariant.ts";
import type { TailRecord } from "./tail-record.ts";

/**
 * Evidence against a forecast as the capital of a gambler who starts with 1 and bets a share of it each period. Under a
 * correct model the capital ever reaches c with probability at most 1/c, however often it is looked at.
 */
export interface EProcess {
  readonly logCapital: number;
  readonly logCapitalMax: number;
}

export const EMPTY_E_PROCESS: EProcess = { logCapital: 0, logCapitalMax: 0 };

/** Capital at which to fail: by Ville's inequality wrong at most once in 100. */
export const E_FAILURE = 100;
/** Capital at which to warn: wrong at most once in 20. */
export const E_WARNING = 20;
/**
 * Of the shortfall, which is a loss. One that equals its VaR leaves nothing to bet on; a wider gap only makes the bet
 * smaller, so still fair.
 */
const RELATIVE_GAP_MIN = 1e-9;

/** One period: M ← M (1 − λ + λe). */
export function updateEProcess(process: EProcess, eValue: number, betFraction: number): EProcess {
  invariant(eValue >= 0 && betFraction > 0 && betFraction < 1, "a bet of a part of the capital");
  const logCapital = process.logCapital + Math.log1p(betFraction * (eValue - 1));
  return { logCapital, logCapitalMax: Math.max(process.logCapitalMax, logCapital) };
}

/** e = 1{loss > VaR}/p. Holds: mean at most 1 under a correct VaR. */
export function eValueOfVar(loss: number, valueAtRisk: number, tailProbability: number): number {
  return loss > valueAtRisk ? 1 / tailProbability : 0;
}

/** e = (loss − VaR)₊ / (p (ES − VaR)). Holds: mean at most 1 under a correct (VaR, ES). */
export function eValueOfShortfall(
  loss: number,
  valueAtRisk: number,
  expectedShortfall: number,
  tailProbability: number,
): number {
  if (loss <= valueAtRisk) return 0;
  const gap = Math.max(expectedShortfall - valueAtRisk, RELATIVE_GAP_MIN * expectedShortfall);
  return (loss - valueAtRisk) / (tailProbability * gap);
}

/**
 * The evidence of a record against its VaR and against its expected shortfall. With the times of its periods the
 * capital starts anew with every month (UTC), and what is left is the running month's: an old failure is for the tests
 * of the whole record to remember, and a model that has been mended is not held to it.
 *
 * Shapes:  timeMs as long as the record, ascending; null lets the capital run through
 * Source:  Wang, Wang and Ziegel, E-backtesting (2022)
 */
export function eProcessesOf(
  record: TailRecord,
  betFraction: number,
  timeMs: Float64Array | null,
): { readonly valueAtRisk: EProcess; readonly expectedShortfall: EProcess } {
  const { tailProbability: p } = record;
  let valueAtRisk = EMPTY_E_PROCESS;
  let expectedShortfall = EMPTY_E_PROCESS;
  for (let t = 0; t < record.loss.length; t++) {
    if (timeMs !== null && t > 0 && monthOf(timeMs[t]!) !== monthOf(timeMs[t - 1]!)) {
      valueAtRisk = EMPTY_E_PROCESS;
      expectedShortfall = EMPTY_E_PROCESS;
    }
    const loss = record.loss[t]!;
    const threshold = record.valueAtRisk[t]!;
    valueAtRisk = updateEProcess(valueAtRisk, eValueOfVar(loss, threshold, p), betFraction);
    const eValue = eValueOfShortfall(loss, threshold, record.expectedShortfall[t]!, p);
    expectedShortfall = updateEProcess(expectedShortfall, eValue, betFraction);
  }
  return { valueAtRisk, expectedShortfall };
}

/** Months since the epoch, by the calendar of UTC. */
function monthOf(timeMs: number): number {
  const date = new Date(timeMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
