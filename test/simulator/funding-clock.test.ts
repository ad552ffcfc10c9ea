import { describe, expect, it } from "vitest";
import { FundingClock, hourlyFundingRate, premiumOf } from "../../src/simulator/funding-clock.ts";
import { hasSharedData, sharedText } from "../support/shared-data.ts";

/** Mutants seen to fail here: a premium over the impact price instead of the oracle. */
const HOUR_MS = 3_600_000;

describe("funding rate", () => {
  it.each([
    [0, 0.0000125],
    [0.0005, 0.0000125],
    [-0.0004, 0.0000125],
    [0.0016, 0.0001375],
    [-0.0016, -0.0001375],
    [0.5, 0.04],
    [-0.5, -0.04],
  ])("of premium %f is %f an hour", (premium, rate) => {
    expect(hourlyFundingRate(premium)).toBeCloseTo(rate, 10);
  });

  it.skipIf(!hasSharedData)("reproduces every recorded BTC hour from its own premium", () => {
    const rows = sharedText("funding/hl_BTC_with_premium.csv.gz").trim().split("\n").slice(1);
    for (const row of rows) {
      const [, rate, premium] = row.split(",").map(Number);
      expect(Math.abs(hourlyFundingRate(premium!) - rate!)).toBeLessThan(2e-10);
    }
    expect(rows.length).toBeGreaterThan(10_000);
  });

  it("takes the premium from whichever impact price lies beyond the oracle", () => {
    expect(premiumOf(101, 102, 100)).toBe(0.01);
    expect(premiumOf(97, 98, 100)).toBe(-0.02);
    expect(premiumOf(99, 101, 100)).toBe(0);
  });

  it("averages the hour's samples and starts the next hour anew", () => {
    const clock = new FundingClock(7, 10);
    for (const premium of [0.001, 0.003, 0.002]) clock.sample(premium);
    expect(clock.rateHourly).toBe(hourlyFundingRate(0.002));
    const hourMs = 500_000 * HOUR_MS;
    const settled = clock.settle(hourMs);
    expect(settled.rateHourly).toBe(hourlyFundingRate(0.002));
    clock.sample(0);
    expect(clock.rateHourly).toBe(0.0000125);
  });

  it("is settled 1 to 118 ms past the hour, and the newest hours are kept", () => {
    const clock = new FundingClock(7, 3000);
    const hours = Array.from({ length: 4000 }, (_, i) => 500_000 + i);
    const delays = hours.map(
      (hour) => clock.record(hour * HOUR_MS, 0.001 * (hour % 7)).timeMs - hour * HOUR_MS,
    );

    expect(new Set(delays)).toEqual(new Set(Array.from({ length: 118 }, (_, i) => i + 1)));
    expect(clock.settlements.map(({ timeMs }) => Math.floor(timeMs / HOUR_MS))).toEqual(hours.slice(1000));
    expect(clock.settlements.at(-1)).toMatchObject({
      premium: 0.001 * (503_999 % 7),
      rateHourly: hourlyFundingRate(0.001 * (503_999 % 7)),
    });
  });
});
