import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FundingTrack } from "../../src/actors/funding-track.ts";
import type { FundingSettlement } from "../../src/domain/asset.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { buildFundingOutlook, FUNDING_CALIBRATION, usualFundingOf } from "../../src/risk/funding.ts";

/*
 * Mutants killed by hand: the kept rate wins over the later one; hours merged by their exact time; no rebuild after a load,
 * after venues, after a rate; hours kept for ever.
 */

const CEX_RATES_HOURLY = [2e-5];

/** Within its hour a settlement comes a little late. */
const settlement = fc
  .record({
    hour: fc.integer({ min: 0, max: 900 }),
    lateMs: fc.integer({ min: 0, max: 5000 }),
    rateHourly: fc.double({ min: -1e-3, max: 1e-3, noNaN: true }),
  })
  .map(({ hour, lateMs, rateHourly }): FundingSettlement => ({
    timeMs: hour * HOUR_MS + lateMs,
    rateHourly,
    premiumFraction: null,
  }));

describe("FundingTrack", () => {
  it("knows the last rate told of each of the last 720 hours, in whatever lists they came", () => {
    const lists = fc.array(fc.array(settlement, { maxLength: 600, size: "max" }), { maxLength: 4 });
    fc.assert(
      fc.property(lists, fc.double({ min: -1e-3, max: 1e-3, noNaN: true }), (loads, rateHourly) => {
        const track = new FundingTrack(1e-5);
        const byHour = new Map<number, number>();
        for (const settlements of loads) {
          track.load(settlements);
          for (const told of settlements) byHour.set(Math.floor(told.timeMs / HOUR_MS), told.rateHourly);
        }
        const rates = [...byHour].sort(([a], [b]) => a - b).map(([, rate]) => rate);
        expect(track.settlements).toHaveLength(Math.min(rates.length, FUNDING_CALIBRATION.usualHours.value));
        const usual = usualFundingOf(Float64Array.from(rates.slice(-FUNDING_CALIBRATION.usualHours.value)));
        expect(track.outlook).toEqual(buildFundingOutlook(usual, 1e-5, []));

        track.updateRate(rateHourly);
        expect(track.outlook).toEqual(buildFundingOutlook(usual, rateHourly, []));
        track.compare(CEX_RATES_HOURLY);
        expect(track.outlook).toEqual(buildFundingOutlook(usual, rateHourly, CEX_RATES_HOURLY));
      }),
    );
  });

  it("keeps its outlook while nothing changes", () => {
    const track = new FundingTrack(1e-5);
    const { outlook } = track;
    track.load([]);
    track.updateRate(1e-5);
    expect(track.outlook).toBe(outlook);
  });
});
