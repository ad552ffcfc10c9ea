import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  agentPaysFunding,
  annualisedFundingFraction,
  buildFundingOutlook,
  expectedFundingFraction,
  nextRateHourly,
  FUNDING_CALIBRATION,
  paidFundingFraction,
  usualFundingOf,
} from "../../src/risk/funding.ts";
import { direction } from "../support/arbitraries.ts";

/*
 * Mutants killed by hand: decay from k = 0; unlimited history, the forecast's mean of 30 days, the anomaly against the last days; payer by the rate alone.
 */

const BASELINE = 0.0000125;
const UNKNOWN = usualFundingOf(new Float64Array(0));

describe("buildFundingOutlook", () => {
  it("expects an elevated rate to decay to the usual one", () => {
    const outlook = buildFundingOutlook(usualFundingOf(new Float64Array(48).fill(BASELINE)), 1e-4, []);
    let expected = 0;
    const persistence = FUNDING_CALIBRATION.persistence.value;
    for (let k = 0; k < 24; k++) expected += BASELINE + persistence ** k * (1e-4 - BASELINE);

    expect(outlook).toMatchObject({ rateHourly: 1e-4, historyHours: 48 });
    expect(outlook.drag24hFraction).toBeCloseTo(expected, 14);
    expect(outlook.zScore).toBeCloseTo((1e-4 - BASELINE) / 4e-5, 10);
  });

  it("measures what is unusual in deviations of a normal, from the median of absolute ones", () => {
    // 101 rates, evenly spread about their median: half of them within 25 steps.
    const spread = Float64Array.from({ length: 101 }, (_, i) => 4e-4 + (i - 50) * 1e-5);

    expect(buildFundingOutlook(usualFundingOf(spread), 24e-4, []).zScore).toBeCloseTo(
      2e-3 / (1.4826 * 25e-5),
      9,
    );
  });

  it("compares hourly with hourly: the median venue, and 0 when a rate is negligible or unknown", () => {
    expect(buildFundingOutlook(UNKNOWN, 4e-5, [1e-5, 2e-5, 9e-5]).cexRatio).toBe(2);
    expect(buildFundingOutlook(UNKNOWN, 4e-5, [9e-7]).cexRatio).toBe(0);
    expect(buildFundingOutlook(UNKNOWN, 9e-7, [4e-5]).cexRatio).toBe(0);
    expect(buildFundingOutlook(UNKNOWN, 4e-5, []).cexRatio).toBe(0);
    expect(buildFundingOutlook(UNKNOWN, -0.04, [1e-5]).cexRatio).toBe(-100);
  });

  it("knows nothing of an asset without history but its current rate", () => {
    expect(buildFundingOutlook(UNKNOWN, 3e-5, [])).toMatchObject({
      zScore: 0,
      historyHours: 0,
    });
    expect(buildFundingOutlook(UNKNOWN, 3e-5, []).drag24hFraction).toBeCloseTo(24 * 3e-5, 14);
  });

  it("returns to the last days, and calls unusual what differs from the last 30", () => {
    const hours = FUNDING_CALIBRATION.meanHours.value;
    const month = new Array<number>(720 - hours).fill(BASELINE);
    const rates = [...new Array<number>(5000).fill(1e-3), ...month, ...new Array<number>(hours).fill(5e-5)];
    const outlook = buildFundingOutlook(usualFundingOf(Float64Array.from(rates)), 5e-5, []);

    expect(outlook.historyHours).toBe(720);
    expect(outlook.drag24hFraction).toBeCloseTo(24 * 5e-5, 14);
    // More than half of the 30 days are at the baseline, unless the mean itself is that long.
    expect(outlook.zScore).toBeCloseTo(hours < 360 ? (5e-5 - BASELINE) / 4e-5 : 0, 10);
  });
});

describe("expected funding", () => {
  const rate = fc.double({ min: -0.04, max: 0.04, noNaN: true });
  const persistence = fc.double({ min: 0, max: 0.99, noNaN: true });

  it("is the sum of the coming settlements: the first at the rate that is estimated for it, then decaying", () => {
    fc.assert(
      fc.property(rate, rate, persistence, fc.integer({ min: 1, max: 168 }), (f, m, p, hours) => {
        let sum = 0;
        let gap = f - m;
        for (let k = 0; k < hours; k++) {
          sum += m + gap;
          gap *= p;
        }
        expect(nextRateHourly(f, m, p)).toBeCloseTo(m + p * (f - m), 15);
        expect(Math.abs(expectedFundingFraction(f, m, p, hours) - sum)).toBeLessThan(1e-11);
      }),
    );
  });

  it("is paid by exactly one side, by nobody at 0, and annualises by 8760 hours", () => {
    fc.assert(
      fc.property(rate, direction, (f, d) => {
        const opposite = d === 1 ? -1 : 1;
        if (f !== 0) expect(agentPaysFunding(f, d)).toBe(!agentPaysFunding(f, opposite));
        expect(agentPaysFunding(0, d)).toBe(false);
        expect(annualisedFundingFraction(f)).toBe(f * 8760);
      }),
    );
    expect(agentPaysFunding(1e-5, 1)).toBe(true);
  });

  it("counts what a side pays of a day, and nothing of what it receives", () => {
    const paid = (drag24hFraction: number): number[] =>
      ([1, -1] as const).map((side) => paidFundingFraction({ drag24hFraction }, side));

    expect([paid(0.003), paid(-0.002)]).toEqual([
      [0.003, 0],
      [0, 0.002],
    ]);
  });
});
