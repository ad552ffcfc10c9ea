import { clamp } from "../../math/clamp.ts";
import { normalQuantile } from "../../math/normal.ts";
import { POOLED_DAY_SIGMA, POOLED_TOUCH } from "../scenarios/touch-floor.ts";
import { clusteredBy, dayOf, type FitFinding, isClearGain, medianDay } from "./fit-finding.ts";

/** How far a coin fell within one day: depth is 1 - low / price, 0 or more. */
export interface CoinDay {
  /** Days since the epoch: coins fall together, so a day is one observation. */
  readonly day: number;
  readonly depth: number;
}

export type TouchTable = readonly (readonly [number, number])[];

/** As many coin-days as the first table rested on: fewer say less. */
const COIN_DAYS_MIN = 17_125;

/**
 * Share of coin-days whose low was at or below each fall of the table in force. It is adopted when the shares of the
 * first half of the days say clearly better what happened in the second than those in force: by log loss, all falls
 * together. What is then adopted are the shares of all days.
 */
export function fitPooledTouch(days: readonly CoinDay[], data: string): FitFinding<TouchTable> {
  const inForce = POOLED_TOUCH.value;
  const falls = inForce.map(([fall]) => fall);
  const middle = medianDay(days);
  const early = days.filter(({ day }) => day < middle);
  const late = days.filter(({ day }) => day >= middle);
  const ofEarly = falls.map((fall) => [fall, touchShare(early, fall).share] as const);
  const shares = falls.map((fall) => touchShare(days, fall));
  const gain = clusteredBy(late, dayOf, ({ depth }) => logLossOf(inForce, depth) - logLossOf(ofEarly, depth));
  const isLong = days.length >= COIN_DAYS_MIN;
  const isAdopted = isLong && isClearGain(gain);
  const size = `log loss gain on the second half of the days ${gain.mean.toFixed(5)} ± ${gain.standardError.toFixed(5)}`;
  return {
    fitted: falls.map((fall, i) => [fall, shares[i]!.share] as const),
    method: "share of coin-days whose low touched the fall, 00 UTC days",
    standardError: gain.standardError,
    isAdopted,
    verdict: isLong ? size : `fewer coin-days than behind the table in force; ${size}`,
    data,
    evidence: {
      coinDays: days.length,
      days: new Set(days.map(({ day }) => day)).size,
      shares: shares.map(({ share }) => share),
      standardErrors: shares.map(({ standardError }) => standardError),
      sharesFirstHalf: ofEarly.map(([, share]) => share),
      sharesSecondHalf: falls.map((fall) => touchShare(late, fall).share),
      inForce: inForce.map(([, share]) => share),
    },
  };
}

/** Deviation of the day behind a table: its first two rows by reflection, P(fall) = 2 Φ(-|ln(1-fall)|/σ), averaged. */
export function fitPooledDaySigma(table: FitFinding<TouchTable>): FitFinding<number> {
  const sigmas = table.fitted
    .slice(0, 2)
    .map(([fall, share]) => Math.log1p(-fall) / normalQuantile(share / 2));
  const fitted = Math.round(5000 * (sigmas[0]! + sigmas[1]!)) / 1e4;
  return {
    fitted,
    method: "reflection principle on the first two rows of the table",
    standardError: Math.abs(sigmas[0]! - sigmas[1]!) / 2,
    isAdopted: table.isAdopted && fitted !== POOLED_DAY_SIGMA.value,
    verdict: table.isAdopted ? "belongs to the table" : "the table in force stays, and this with it",
    data: table.data,
    evidence: { sigmas },
  };
}

/** Frequency of a fall and its standard error, by days. */
function touchShare(
  days: readonly CoinDay[],
  fall: number,
): { readonly share: number; readonly standardError: number } {
  const { mean, standardError } = clusteredBy(days, dayOf, ({ depth }) => (depth >= fall ? 1 : 0));
  return { share: mean, standardError };
}

/** Of one coin-day, summed over the falls; a share of 0 or 1 counts as half a coin-day of the least history. */
function logLossOf(table: TouchTable, depth: number): number {
  const least = 0.5 / COIN_DAYS_MIN;
  let sum = 0;
  for (const [fall, share] of table) {
    const p = clamp(share, least, 1 - least);
    sum -= Math.log(depth >= fall ? p : 1 - p);
  }
  return sum;
}
