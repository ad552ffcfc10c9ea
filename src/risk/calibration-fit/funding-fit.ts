import { DAY_HOURS } from "../../domain/bar.ts";
import { clamp } from "../../math/clamp.ts";
import { medianOf } from "../../math/median.ts";
import { expectedFundingFraction, FUNDING_CALIBRATION, nextRateHourly } from "../funding.ts";
import { halfLifeHours } from "../volatility/term-structure.ts";
import { type ClusteredMean, clusteredBy, type FitFinding, isClearGain, medianDay } from "./fit-finding.ts";

/** Settlements of one asset on the hourly clock; NaN where the exchange settled nothing. */
export interface FundingHistory {
  readonly asset: string;
  /** Number of the hour that the first rate was settled at. */
  readonly firstHour: number;
  readonly ratesHourly: Float64Array;
}

/** The two constants of one forecast: f(t+k) = m + persistence^k (f(t) − m), m the median of so many hours. */
export interface FundingFindings {
  readonly persistence: FitFinding<number>;
  readonly meanHours: FitFinding<number>;
}

interface Candidate {
  readonly persistence: number;
  readonly anchorHours: number;
}

/** One day of one asset: what was paid, and what a forecast knew before. */
interface FundingDay {
  /** Number of the day that the forecast is made on. */
  readonly day: number;
  readonly paidFraction: number;
  readonly rateHourly: number;
  /** By window. */
  readonly medians: ReadonlyMap<number, number>;
  /** The asset's own hourly slope around its 30-day median, which a forecast could have used instead. */
  readonly ownPersistence: number;
}

type Forecast = (day: FundingDay) => number;

const ANCHOR_HOURS = [8, 12, 24, 48, 72, 168, 336, 720] as const;
const LONGEST_HOURS = ANCHOR_HOURS.at(-1)!;
const PERSISTENCES = Array.from({ length: 30 }, (_, i) => (70 + i) / 100);
const FORECAST_HOURS = DAY_HOURS;
/** A week of all assets, which crowd together, is one observation of the standard error. */
const CLUSTER_DAYS = 7;
const BPS = 1e4;

/**
 * The persistence and the window whose 24-hour forecast errs least on the first half of the days, judged on the
 * second. Of windows that err alike, within a standard error, the longest: an anchor that moves less is
 * explained better. Null where one of the halves has no day with every settlement of it.
 */
export function fitFundingForecast(histories: readonly FundingHistory[]): FundingFindings | null {
  const days = histories.flatMap(daysOf);
  const middle = medianDay(days);
  // What a forecast of the day before the middle is compared with ends in the later half.
  const early = days.filter(({ day }) => day < middle - 1);
  const late = days.filter(({ day }) => day >= middle);
  if (early.length === 0 || late.length === 0) return null;
  const inForce = {
    persistence: FUNDING_CALIBRATION.persistence.value,
    anchorHours: FUNDING_CALIBRATION.meanHours.value,
  };
  const perWindow = ANCHOR_HOURS.map((anchorHours) => bestPersistence(early, anchorHours));
  const errors = perWindow.map((candidate) => errorOf(early, forecastOf(candidate)));
  const best = perWindow[errors.indexOf(Math.min(...errors))]!;
  const fitted = perWindow.findLast((candidate) => {
    const { mean, standardError } = gainOf(early, forecastOf(candidate), forecastOf(best));
    // Of one week there is no error.
    return candidate === best || mean <= standardError;
  })!;
  const gain = gainOf(late, forecastOf(inForce), forecastOf(fitted));
  const isAdopted = isClearGain(gain);
  const size = `${(BPS * gain.mean).toFixed(3)} ± ${(BPS * gain.standardError).toFixed(3)} bps a day`;
  const finding = {
    method:
      "least mean absolute error of the next 24 hours' funding, one persistence and window for all coins",
    standardError: gain.standardError,
    isAdopted,
    verdict: isAdopted
      ? `errs less by ${size} on the later half`
      : `no clear gain on the later half: ${size}`,
    data: `hourly settlements of ${String(histories.length)} coins, ${String(days.length)} days; chosen on the first half of the days`,
    evidence: {
      windowsHours: ANCHOR_HOURS,
      bestPersistences: perWindow.map(({ persistence }) => persistence),
      errorsFirstHalfBps: errors.map((error) => BPS * error),
      errorsSecondHalfBps: perWindow.map((candidate) => BPS * errorOf(late, forecastOf(candidate))),
      errorInForceBps: BPS * errorOf(late, forecastOf(inForce)),
      errorOwnPersistenceBps: BPS * errorOf(late, ownForecast),
      errorLastRateBps: BPS * errorOf(late, ({ rateHourly }) => FORECAST_HOURS * rateHourly),
      errorMedianRateBps: BPS * errorOf(late, ({ medians }) => FORECAST_HOURS * medians.get(LONGEST_HOURS)!),
      halfLifeHours: halfLifeHours(fitted.persistence),
    },
  };
  return {
    persistence: { ...finding, fitted: fitted.persistence },
    meanHours: { ...finding, fitted: fitted.anchorHours },
  };
}

function forecastOf({ persistence, anchorHours }: Candidate): Forecast {
  return ({ rateHourly, medians }) => fundingAfter(rateHourly, medians.get(anchorHours)!, persistence);
}

function ownForecast({ rateHourly, medians, ownPersistence }: FundingDay): number {
  return fundingAfter(rateHourly, medians.get(LONGEST_HOURS)!, ownPersistence);
}

/** Of the day after a settlement, whose rate is known. */
function fundingAfter(settledRateHourly: number, anchorHourly: number, persistence: number): number {
  const comingRateHourly = nextRateHourly(settledRateHourly, anchorHourly, persistence);
  return expectedFundingFraction(comingRateHourly, anchorHourly, persistence, FORECAST_HOURS);
}

function bestPersistence(days: readonly FundingDay[], anchorHours: number): Candidate {
  const errors = PERSISTENCES.map((persistence) => errorOf(days, forecastOf({ persistence, anchorHours })));
  return { persistence: PERSISTENCES[errors.indexOf(Math.min(...errors))]!, anchorHours };
}

/** Mean absolute error of the day's funding, fraction of notional. */
function errorOf(days: readonly FundingDay[], forecast: Forecast): number {
  return days.reduce((sum, day) => sum + Math.abs(day.paidFraction - forecast(day)), 0) / days.length;
}

/** How much less the second forecast errs than the first, on the same days. */
function gainOf(days: readonly FundingDay[], before: Forecast, after: Forecast): ClusteredMean {
  const gain = (day: FundingDay): number =>
    Math.abs(day.paidFraction - before(day)) - Math.abs(day.paidFraction - after(day));
  return clusteredBy(days, ({ day }) => Math.floor(day / CLUSTER_DAYS), gain);
}

/** Forecasts a day apart, so that the sums they are compared with do not overlap. */
function daysOf({ firstHour, ratesHourly: rates }: FundingHistory): readonly FundingDay[] {
  const days: FundingDay[] = [];
  for (let hour = LONGEST_HOURS; hour + FORECAST_HOURS < rates.length; hour += FORECAST_HOURS) {
    let paidFraction = 0;
    for (let k = 1; k <= FORECAST_HOURS; k++) paidFraction += rates[hour + k]!;
    const rateHourly = rates[hour]!;
    if (Number.isNaN(paidFraction + rateHourly)) continue;
    const medians = new Map(ANCHOR_HOURS.map((hours) => [hours, trailingMedian(rates, hour, hours)]));
    const day = Math.floor((firstHour + hour) / DAY_HOURS);
    const ownPersistence = ownSlope(rates, hour, medians.get(LONGEST_HOURS)!);
    days.push({ day, paidFraction, rateHourly, medians, ownPersistence });
  }
  return days;
}

/** Median of the known rates of the hours up to and with this one. */
function trailingMedian(rates: Float64Array, hour: number, hours: number): number {
  const known = rates.slice(Math.max(0, hour + 1 - hours), hour + 1).filter((rate) => !Number.isNaN(rate));
  return medianOf(known);
}

/** Slope of (next − m) on (this − m) over the last 30 days, within [0, 0.99]. */
function ownSlope(rates: Float64Array, hour: number, median: number): number {
  let cross = 0;
  let square = 0;
  for (let at = hour - LONGEST_HOURS + 1; at < hour; at++) {
    const product = (rates[at]! - median) * (rates[at + 1]! - median);
    if (Number.isNaN(product)) continue;
    cross += product;
    square += (rates[at]! - median) ** 2;
  }
  return square > 0 ? clamp(cross / square, 0, 0.99) : 0;
}
