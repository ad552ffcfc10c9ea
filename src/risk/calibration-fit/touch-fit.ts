import { normalQuantile } from "../../math/normal.ts";
import { POOLED_DAY_SIGMA, POOLED_TOUCH } from "../portfolio/touch-floor.ts";
import { CLEAR_GAIN_ERRORS, type FitFinding } from "./fit-finding.ts";

/** How far a coin fell within one day: depth is 1 - low / price, 0 or more. */
export interface CoinDay {
  /** Days since the epoch: coins fall together, so a day is one observation. */
  readonly day: number;
  readonly depth: number;
}

export type TouchTable = readonly (readonly [number, number])[];

/** As many coin-days as the first table rested on: fewer say less. */
const COIN_DAYS_MIN = 17_125;

/** Share of coin-days whose low was at or below each fall of the table in force. */
export function fitPooledTouch(days: readonly CoinDay[], data: string): FitFinding<TouchTable> {
  const falls = POOLED_TOUCH.value.map(([fall]) => fall);
  const shares = falls.map((fall) => shareOf(days, fall));
  const largestMiss = Math.max(
    ...shares.map(({ share, standardError }, i) => {
      return Math.abs(share - POOLED_TOUCH.value[i]![1]) / Math.max(standardError, Number.MIN_VALUE);
    }),
  );
  const isLong = days.length >= COIN_DAYS_MIN;
  const isAdopted = isLong && largestMiss > CLEAR_GAIN_ERRORS;
  return {
    fitted: falls.map((fall, i) => [fall, shares[i]!.share] as const),
    standardError: null,
    isAdopted,
    verdict: isAdopted
      ? `a row in force lies ${largestMiss.toFixed(1)} standard errors away`
      : isLong
        ? "every row in force lies within two standard errors"
        : "fewer coin-days than behind the table in force",
    data,
    evidence: {
      coinDays: days.length,
      days: new Set(days.map(({ day }) => day)).size,
      shares: shares.map(({ share }) => share),
      standardErrors: shares.map(({ standardError }) => standardError),
      inForce: POOLED_TOUCH.value.map(([, share]) => share),
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
    standardError: Math.abs(sigmas[0]! - sigmas[1]!) / 2,
    isAdopted: table.isAdopted && fitted !== POOLED_DAY_SIGMA.value,
    verdict: table.isAdopted ? "belongs to the table" : "the table in force stays, and this with it",
    data: table.data,
    evidence: { sigmas },
  };
}

/** Frequency of a fall and its standard error, by days. */
function shareOf(
  days: readonly CoinDay[],
  fall: number,
): { readonly share: number; readonly standardError: number } {
  const touched = new Map<number, { sum: number; count: number }>();
  let total = 0;
  for (const { day, depth } of days) {
    const cluster = touched.get(day) ?? { sum: 0, count: 0 };
    touched.set(day, cluster);
    cluster.count++;
    if (depth < fall) continue;
    cluster.sum++;
    total++;
  }
  const share = total / days.length;
  let squares = 0;
  for (const { sum, count } of touched.values()) squares += (sum - share * count) ** 2;
  return { share, standardError: Math.sqrt(squares) / days.length };
}
