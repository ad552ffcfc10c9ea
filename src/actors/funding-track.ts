import type { FundingSettlement } from "../domain/asset.ts";
import { HOUR_MS } from "../domain/bar.ts";
import { mergeByTime } from "../domain/time-series.ts";
import {
  buildFundingOutlook,
  FUNDING_CALIBRATION,
  type FundingOutlook,
  usualFundingOf,
} from "../risk/funding.ts";

/**
 * One asset's settlements and what other venues charge. Settlements are kept as columns: a month of every asset as
 * objects is 160,000 of them, some 17 MB. The outlook is built again only when something changed; the rate changes every
 * few seconds, and with it alone no median is computed.
 */
export class FundingTrack {
  /** Hours since 1970 of the settlements kept, ascending. */
  #hours = new Float64Array(0);
  /** Of the same hours. */
  #ratesHourly = new Float64Array(0);
  #usual = usualFundingOf(this.#ratesHourly);
  #cexRatesHourly: readonly number[] = [];
  #outlook: FundingOutlook;

  constructor(rateHourly: number) {
    this.#outlook = buildFundingOutlook(this.#usual, rateHourly, this.#cexRatesHourly);
  }

  get outlook(): FundingOutlook {
    return this.#outlook;
  }

  /** What is known, ascending, for a track that is to go on from it. */
  get settlements(): readonly FundingSettlement[] {
    return Array.from(this.#hours, (hour, i) => ({
      timeMs: hour * HOUR_MS,
      rateHourly: this.#ratesHourly[i]!,
      premiumFraction: null,
    }));
  }

  load(settlements: readonly FundingSettlement[]): void {
    if (settlements.length === 0) return;
    const merged = mergeByTime(this.settlements, settlements, hourOf);
    const recent = merged.slice(-FUNDING_CALIBRATION.usualHours.value);
    this.#hours = Float64Array.from(recent, hourOf);
    this.#ratesHourly = Float64Array.from(recent, ({ rateHourly }) => rateHourly);
    this.#usual = usualFundingOf(this.#ratesHourly);
    this.#rebuild(this.#outlook.rateHourly);
  }

  /** The running rate that an hour ended with. Where the hour is known already, it was fetched, and exact. */
  estimate(settlement: FundingSettlement): void {
    if (!this.#hours.includes(hourOf(settlement))) this.load([settlement]);
  }

  compare(cexRatesHourly: readonly number[]): void {
    this.#cexRatesHourly = cexRatesHourly;
    this.#rebuild(this.#outlook.rateHourly);
  }

  updateRate(rateHourly: number): void {
    if (rateHourly !== this.#outlook.rateHourly) this.#rebuild(rateHourly);
  }

  #rebuild(rateHourly: number): void {
    this.#outlook = buildFundingOutlook(this.#usual, rateHourly, this.#cexRatesHourly);
  }
}

function hourOf({ timeMs }: FundingSettlement): number {
  return Math.floor(timeMs / HOUR_MS);
}
