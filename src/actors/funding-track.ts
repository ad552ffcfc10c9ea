import type { FundingSettlement, VenueFunding } from "../domain/asset.ts";
import { HOUR_MS } from "../domain/bar.ts";
import { mergeByTime } from "../domain/time-series.ts";
import { buildFundingOutlook, FUNDING_CALIBRATION, type FundingOutlook } from "../risk/funding.ts";

/** One asset's settlements and what other venues charge; the outlook is built again only when one of them changed. */
export class FundingTrack {
  #settlements: readonly FundingSettlement[] = [];
  #venues: readonly VenueFunding[] = [];
  #outlook: FundingOutlook;

  constructor(rateHourly: number) {
    this.#outlook = buildFundingOutlook([], rateHourly, []);
  }

  get outlook(): FundingOutlook {
    return this.#outlook;
  }

  load(settlements: readonly FundingSettlement[]): void {
    if (settlements.length === 0) return;
    const hourOf = ({ timeMs }: FundingSettlement): number => Math.floor(timeMs / HOUR_MS);
    const merged = mergeByTime(this.#settlements, settlements, hourOf);
    this.#settlements = merged.slice(-FUNDING_CALIBRATION.usualHours.value);
    this.#rebuild(this.#outlook.rateHourly);
  }

  compare(venues: readonly VenueFunding[]): void {
    this.#venues = venues;
    this.#rebuild(this.#outlook.rateHourly);
  }

  updateRate(rateHourly: number): void {
    if (rateHourly !== this.#outlook.rateHourly) this.#rebuild(rateHourly);
  }

  #rebuild(rateHourly: number): void {
    this.#outlook = buildFundingOutlook(this.#settlements, rateHourly, this.#venues);
  }
}
