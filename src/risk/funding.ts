import { DAY_HOURS } from "../domain/bar.ts";
import type { Calibrated } from "../domain/calibrated.ts";
import { type Direction, directionOf } from "../domain/trade.ts";
import { clamp } from "../math/clamp.ts";
import { MAD_TO_SIGMA, medianOf } from "../math/median.ts";
import { FITTED } from "./calibration/fitted-values.ts";
import { HOURS_PER_YEAR } from "./volatility/term-structure.ts";

export const FUNDING_CALIBRATION = {
  /** Share of the distance to the anchor that is left after an hour, the same for every asset. */
  persistence: FITTED.fundingPersistence,
  /** The anchor that the rate returns to: the median of so many hours. The published name says mean. */
  meanHours: FITTED.fundingMeanHours,
  /** What is usual for an asset, against which a rate is an anomaly. */
  usualHours: {
    value: 720,
    unit: "hours",
    source: "chosen: 30 days",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** Many assets sit on the baseline rate for days: their spread of rates is 0 and any move would be an anomaly. */
  scaleFloorHourly: {
    value: 4e-5,
    unit: "fraction per hour",
    source: "chosen so that |z| > 3 in 1.4 % of hours over 17 coins of the exchange",
    fittedOn:
      "hourly settlements 2023-05 to 2025-07; half the months of a coin have no spread of rates at all",
  },
  negligibleHourly: {
    value: 1e-6,
    unit: "fraction per hour",
    source: "chosen: below 1 % a year a ratio of rates says nothing",
    fittedOn: "not fitted: chosen 2026-11",
  },
  ratioMax: {
    value: 100,
    unit: "ratio",
    source: "chosen: display bound",
    fittedOn: "not fitted: chosen 2026-11",
  },
  zScoreMax: {
    value: 100,
    unit: "sigmas",
    source: "chosen: display bound",
    fittedOn: "not fitted: chosen 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

/** Where an asset's funding stands and where it is expected to go. Rates are hourly; longs pay when positive. */
export interface FundingOutlook {
  readonly rateHourly: number;
  /** (rate - median) / robust sigma, both of the last 30 days. */
  readonly zScore: number;
  /** rate / median over centralized venues, clamped; 0 when either is negligible or none has a rate. */
  readonly cexRatio: number;
  /** Expected sum over the next 24 hours as a fraction of notional; what a long pays. */
  readonly drag24hFraction: number;
  /** Settlements of the last 30 days. */
  readonly historyHours: number;
}

/** What an asset's hourly rate usually is; medians and spread change with its settlements only. */
export interface UsualFunding {
  /** Settlements of the last 30 days; without any, today's rate is the usual one. */
  readonly historyHours: number;
  /** Median of the last meanHours settlements: what the rate returns to. */
  readonly anchorHourly: number;
  /** Median of the last 30 days. */
  readonly medianHourly: number;
  /** Robust standard deviation of the last 30 days, bounded below. */
  readonly sigmaHourly: number;
}

/** Shapes: ratesHourly one per settlement, oldest first; all but the last 30 days are ignored. */
export function usualFundingOf(ratesHourly: Float64Array): UsualFunding {
  const rates = ratesHourly.slice(-FUNDING_CALIBRATION.usualHours.value);
  const isKnown = rates.length > 0;
  const medianHourly = isKnown ? medianOf(rates) : 0;
  const deviation = isKnown ? medianOf(rates.map((rate) => Math.abs(rate - medianHourly))) : 0;
  return {
    historyHours: rates.length,
    anchorHourly: isKnown ? medianOf(rates.slice(-FUNDING_CALIBRATION.meanHours.value)) : 0,
    medianHourly,
    sigmaHourly: Math.max(MAD_TO_SIGMA * deviation, FUNDING_CALIBRATION.scaleFloorHourly.value),
  };
}

/**
 * Reversion of the hourly rate to an anchor, the median of the last meanHours settlements.
 *
 * Units:   rateHourly is the exchange's running estimate for the coming settlement
 */
export function buildFundingOutlook(
  usual: UsualFunding,
  rateHourly: number,
  cexRatesHourly: readonly number[],
): FundingOutlook {
  const isKnown = usual.historyHours > 0;
  const anchorHourly = isKnown ? usual.anchorHourly : rateHourly;
  const distance = isKnown ? rateHourly - usual.medianHourly : 0;
  const zMax = FUNDING_CALIBRATION.zScoreMax.value;
  const persistence = FUNDING_CALIBRATION.persistence.value;
  return {
    rateHourly,
    zScore: clamp(distance / usual.sigmaHourly, -zMax, zMax),
    cexRatio: cexRatioOf(rateHourly, cexRatesHourly),
    drag24hFraction: expectedFundingFraction(rateHourly, anchorHourly, persistence, DAY_HOURS),
    historyHours: usual.historyHours,
  };
}

/**
 * Funding of the coming settlements, as a fraction of notional: the first at the coming rate, each later one nearer to the
 * anchor.
 *
 *   sum over k = 0 … hours - 1 of m + p^k (f - m) = hours m + (f - m) (1 - p^hours) / (1 - p)
 */
export function expectedFundingFraction(
  comingRateHourly: number,
  anchorHourly: number,
  persistence: number,
  horizonHours: number,
): number {
  const decayed = (1 - persistence ** horizonHours) / (1 - persistence);
  return horizonHours * anchorHourly + (comingRateHourly - anchorHourly) * decayed;
}

/** The rate expected for the settlement after one at a rate. */
export function nextRateHourly(settledRateHourly: number, anchorHourly: number, persistence: number): number {
  return anchorHourly + persistence * (settledRateHourly - anchorHourly);
}

/** What a side is expected to pay in 24 h, as a fraction of its notional; what it receives does not count. */
export function paidFundingFraction(
  { drag24hFraction }: Pick<FundingOutlook, "drag24hFraction">,
  direction: Direction,
): number {
  return Math.max(0, direction * drag24hFraction);
}

/** What a position is expected to pay in 24 h, in USD; nothing is known to be paid without an outlook. */
export function paidFundingUsd(
  outlook: Pick<FundingOutlook, "drag24hFraction"> | undefined,
  notionalUsdSigned: number,
): number {
  if (outlook === undefined) return 0;
  return paidFundingFraction(outlook, directionOf(notionalUsdSigned)) * Math.abs(notionalUsdSigned);
}

/** True when this side pays at this rate; nobody pays at 0. */
export function agentPaysFunding(rateHourly: number, direction: Direction): boolean {
  return direction * rateHourly > 0;
}

/** The rate held for a year: a display, not a forecast. */
export function annualisedFundingFraction(rateHourly: number): number {
  return rateHourly * HOURS_PER_YEAR;
}

function cexRatioOf(rateHourly: number, cexRatesHourly: readonly number[]): number {
  const { negligibleHourly, ratioMax } = FUNDING_CALIBRATION;
  if (cexRatesHourly.length === 0) return 0;
  const cexRateHourly = medianOf(cexRatesHourly);
  if (Math.min(Math.abs(rateHourly), Math.abs(cexRateHourly)) < negligibleHourly.value) return 0;
  return clamp(rateHourly / cexRateHourly, -ratioMax.value, ratioMax.value);
}
