import { quantileOfSorted } from "../../math/quantile.ts";
import { expectedFundingFraction, FUNDING_CALIBRATION } from "../funding.ts";
import { CLEAR_GAIN_ERRORS, clusteredMean, type FitFinding } from "./fit-finding.ts";

/** Settlements of one asset on the hourly clock; NaN where the exchange settled nothing. */
export interface FundingHistory {
  readonly asset: string;
  readonly ratesHourly: Float64Array;
}

const MEAN_HOURS = [72, 168, 336, 720, 1440] as const;
const HORIZON_HOURS = 24;
/** Forecasts a day apart, so that the sums they are compared with do not overlap; a week of them is one observation. */
const CLUSTER_DAYS = 7;
const HALF = 0.5;
const PERSISTENCES = Array.from({ length: 50 }, (_, i) => 0.5 + i / 100);

interface ForecastErrors {
  /** Mean absolute error of the day's funding, fraction of notional, with clusters for its standard error. */
  readonly clusters: readonly { readonly sum: number; readonly count: number }[];
  readonly mean: number;
}

type Forecast = (history: Float64Array, hour: number) => number | null;

/** Persistence of assets without a history of their own: the one whose 24-hour forecast errs least. */
export function fitFundingPersistence(histories: readonly FundingHistory[]): FitFinding<number> {
  const inForce = FUNDING_CALIBRATION.persistenceDefault.value;
  const meanHours = FUNDING_CALIBRATION.meanHours.value;
  const errorsOf = (part: Part, persistence: number): ForecastErrors =>
    forecastErrors(histories, part, (rates, hour) => {
      const mean = trailingMedian(rates, hour, meanHours);
      return mean === null ? null : expectedFundingFraction(rates[hour]!, mean, persistence, HORIZON_HOURS);
    });
  // The median depends on the window only, so it is found once and the search reads its errors.
  const inSample = PERSISTENCES.map((persistence) => errorsOf("first", persistence).mean);
  const fitted = PERSISTENCES[inSample.indexOf(Math.min(...inSample))]!;
  const ours = errorsOf("second", inForce);
  const gain = pairedGain(ours, errorsOf("second", fitted));
  const lastRate = forecastErrors(histories, "second", (rates, hour) => HORIZON_HOURS * rates[hour]!);
  const isAdopted = gain.mean > CLEAR_GAIN_ERRORS * gain.standardError;
  return {
    fitted,
    standardError: gain.standardError,
    isAdopted,
    verdict: verdictOf(isAdopted, gain),
    data: dataOf(histories),
    evidence: {
      halfLifeHours: Math.log(0.5) / Math.log(fitted),
      errorInForceBps: 1e4 * ours.mean,
      errorFittedBps: 1e4 * errorsOf("second", fitted).mean,
      errorLastRateBps: 1e4 * lastRate.mean,
      gainBps: 1e4 * gain.mean,
      gainStandardErrorBps: 1e4 * gain.standardError,
      ownEstimates: histories.map(({ ratesHourly }) => slopeAround(ratesHourly, meanHours)),
    },
  };
}

/** Hours of history whose median the rate returns to. */
export function fitFundingMeanHours(histories: readonly FundingHistory[]): FitFinding<number> {
  const inForce = FUNDING_CALIBRATION.meanHours.value;
  const persistence = FUNDING_CALIBRATION.persistenceDefault.value;
  const errorsOf = (part: Part, meanHours: number): ForecastErrors =>
    forecastErrors(histories, part, (rates, hour) => {
      // The longest window is asked of every candidate, so that all are judged on the same days.
      if (trailingMedian(rates, hour, MEAN_HOURS.at(-1)!) === null) return null;
      const mean = trailingMedian(rates, hour, meanHours)!;
      return expectedFundingFraction(rates[hour]!, mean, persistence, HORIZON_HOURS);
    });
  const inSample = MEAN_HOURS.map((hours) => errorsOf("first", hours).mean);
  const outOfSample = MEAN_HOURS.map((hours) => errorsOf("second", hours));
  const best = inSample.indexOf(Math.min(...inSample));
  const gain = pairedGain(errorsOf("second", inForce), outOfSample[best]!);
  const isAdopted = gain.mean > CLEAR_GAIN_ERRORS * gain.standardError;
  return {
    fitted: MEAN_HOURS[best]!,
    standardError: gain.standardError,
    isAdopted,
    verdict: verdictOf(isAdopted, gain),
    data: dataOf(histories),
    evidence: {
      windowsHours: MEAN_HOURS,
      errorsFirstHalfBps: inSample.map((value) => 1e4 * value),
      errorsSecondHalfBps: outOfSample.map(({ mean }) => 1e4 * mean),
      gainBps: 1e4 * gain.mean,
      gainStandardErrorBps: 1e4 * gain.standardError,
    },
  };
}

type Part = "first" | "second";

/** Absolute errors of a forecast of the next day's funding, once a day, over the first or second half of each history. */
function forecastErrors(
  histories: readonly FundingHistory[],
  part: Part,
  forecast: Forecast,
): ForecastErrors {
  const clusters: { sum: number; count: number }[] = [];
  for (const { ratesHourly: rates } of histories) {
    const middle = Math.floor(HALF * rates.length);
    const from = part === "first" ? 0 : middle;
    const to = (part === "first" ? middle : rates.length) - HORIZON_HOURS;
    let cluster = { sum: 0, count: 0 };
    for (let hour = from, day = 0; hour < to; hour += HORIZON_HOURS, day++) {
      if (day % CLUSTER_DAYS === 0) clusters.push((cluster = { sum: 0, count: 0 }));
      let paid = 0;
      for (let k = 1; k <= HORIZON_HOURS; k++) paid += rates[hour + k]!;
      const expected = Number.isNaN(rates[hour]!) || Number.isNaN(paid) ? null : forecast(rates, hour);
      if (expected === null) continue;
      cluster.sum += Math.abs(paid - expected);
      cluster.count++;
    }
  }
  const { mean } = clusteredMean(clusters);
  return { clusters, mean };
}

/** How much less the second forecast errs than the first, on the same days. */
function pairedGain(
  before: ForecastErrors,
  after: ForecastErrors,
): { readonly mean: number; readonly standardError: number } {
  return clusteredMean(
    before.clusters.map(({ sum, count }, i) => ({ sum: sum - after.clusters[i]!.sum, count })),
  );
}

const medians = new WeakMap<Float64Array, Map<string, number | null>>();

/** Median of the known rates of the hours up to this one; null with less than half of them. */
function trailingMedian(rates: Float64Array, hour: number, hours: number): number | null {
  const known = medians.get(rates) ?? new Map<string, number | null>();
  medians.set(rates, known);
  const key = `${String(hour)}/${String(hours)}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const window = rates.slice(Math.max(0, hour + 1 - hours), hour + 1).filter((rate) => !Number.isNaN(rate));
  const median = window.length < HALF * hours ? null : quantileOfSorted(window.sort(), HALF);
  known.set(key, median);
  return median;
}

/** An asset's own hourly autocorrelation around its 30-day medians. */
function slopeAround(rates: Float64Array, meanHours: number): number {
  let cross = 0;
  let square = 0;
  let mean = Number.NaN;
  for (let hour = 0; hour + 1 < rates.length; hour++) {
    if (hour % HORIZON_HOURS === 0) mean = trailingMedian(rates, hour, meanHours) ?? Number.NaN;
    const product = (rates[hour]! - mean) * (rates[hour + 1]! - mean);
    if (Number.isNaN(product)) continue;
    cross += product;
    square += (rates[hour]! - mean) ** 2;
  }
  return cross / square;
}

function verdictOf(
  isAdopted: boolean,
  gain: { readonly mean: number; readonly standardError: number },
): string {
  const size = `${(1e4 * gain.mean).toFixed(3)} ± ${(1e4 * gain.standardError).toFixed(3)} bps a day in the later half`;
  return isAdopted ? `errs less by ${size}` : `no clear gain: ${size}`;
}

function dataOf(histories: readonly FundingHistory[]): string {
  const hours = histories.reduce((sum, { ratesHourly }) => sum + ratesHourly.length, 0);
  return `hourly settlements of ${String(histories.length)} coins, ${String(hours)} hours; chosen on the first half of each`;
}
