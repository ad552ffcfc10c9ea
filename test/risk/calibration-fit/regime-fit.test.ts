import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { fitRegimeCutpoints } from "../../../src/risk/calibration-fit/regime-fit.ts";
import { type RegimeHour, runRegimes } from "../../../src/risk/calibration-fit/regime-run.ts";
import {
  initialLiquidityRegime,
  REGIME_LOGIT,
  updateLiquidityRegime,
} from "../../../src/risk/regime/liquidity-regime.ts";

// Mutants seen to fail: the first half's cuts fitted on all hours, judged on all hours, crisis given the stressed share,
// cuts left where nothing helps, the lower cut not moved with the upper one, episodes counted in the shares, the best
// hour for the worst, a crisis in the worst hour or one after days counted otherwise, hours with and without book swapped.

const random = createRandom(7);

describe("fitRegimeCutpoints", () => {
  /** Storms of 30 hours; scores of both volatilities are the same, so that η = 1.7 × score. */
  const hoursFrom = (iso: string, count: number, stormEvery: number): RegimeHour[] =>
    Array.from({ length: count }, (_, hour): RegimeHour => {
      const score = (hour % stormEvery > stormEvery - 30 ? 3 : 0) + random.normal();
      return {
        timeMs: Date.parse(iso) + hour * 3_600_000,
        features: {
          volatility: score,
          marketVolatility: score,
          spread: null,
          depth: null,
          funding: null,
          openInterest: null,
        },
        returnInSigmas: random.normal(),
        logReturn: 0.01 * random.normal(),
        isEpisode: false,
      };
    });
  const hours = hoursFrom("2023-05-01", 9000, 900);
  const assets = [{ asset: "A", hours }];

  it("spends the wanted shares of history in each state", () => {
    const { fitted } = fitRegimeCutpoints(assets);
    const { shares } = runRegimes(assets, fitted);

    expect(Math.abs(shares.normal - 0.9)).toBeLessThan(0.02);
    expect(Math.abs(shares.crisis - 0.015)).toBeLessThan(0.005);
  });

  it("says that there was nothing to judge by, of a history shorter than its scores look back", () => {
    const { isAdopted, verdict } = fitRegimeCutpoints([{ asset: "A", hours: [] }]);

    expect(isAdopted).toBe(false);
    expect(verdict).toMatch(/: no hour has a score, which looks back 90 days$/);
  });

  it("calls a state more often when its cut is lower", () => {
    const at = (lower: number, upper: number) => runRegimes(assets, [lower, upper]).shares;

    expect(at(1, 5).normal).toBeLessThan(at(3, 5).normal);
    expect(at(1, 3).crisis).toBeGreaterThan(at(1, 5).crisis);
  });

  it("walks as the service does: a state lasts from hour to hour, and less over a gap", () => {
    const gapHours = (i: number): number => (i > 0 && i % 50 === 0 ? 30 : 1);
    let timeMs = Date.parse("2023-05-01");
    const gapped = hours.slice(0, 2_000).map((hour, i) => ({
      ...hour,
      timeMs: (timeMs += gapHours(i) * 3_600_000),
    }));
    const logit = { ...REGIME_LOGIT.value, cutpoints: [2.4, 4.5] as const };
    const walk = (elapsedHours: (i: number) => number): string[] => {
      let regime = initialLiquidityRegime();
      return gapped.map(({ features, returnInSigmas }, i) => {
        const alarms = { returnInSigmas, depthRatio: null };
        regime = updateLiquidityRegime(regime, features, alarms, i === 0 ? 0 : elapsedHours(i), logit);
        return regime.state;
      });
    };
    const shareNormal = (states: readonly string[]): number =>
      states.filter((state) => state === "normal").length / states.length;

    const { shares } = runRegimes([{ asset: "A", hours: gapped }], [2.4, 4.5]);

    expect(shares.normal).toBe(shareNormal(walk(gapHours)));
    expect(shareNormal(walk(() => 1))).not.toBe(shares.normal);
    expect(shareNormal(walk(() => 1_000))).not.toBe(shares.normal);
  });

  it("judges on the later half: what fits storms that no longer come is not adopted", () => {
    // In force the calm half is nearly all normal; cuts for a first half of storms would make it more so.
    const calmer = [...hoursFrom("2021-01-01", 2000, 60), ...hoursFrom("2022-01-01", 2000, 2000)];
    const finding = fitRegimeCutpoints([{ asset: "A", hours: calmer }]);

    expect(finding.isAdopted).toBe(false);
    expect(finding.evidence["cutpointsOfFirstHalf"]).not.toEqual(finding.fitted);
  });

  /** 19 May 2021: the worst hour is the 36th of four days, the scores follow `lateHours` after it. */
  const crash = (lateHours: number, crashScore: number): RegimeHour[] =>
    hoursFrom("2021-05-18", 96, 1e6).map((hour, i) => {
      const score = i >= 36 + lateHours ? crashScore : 0;
      return {
        ...hour,
        timeMs: hour.timeMs + 3_600_000,
        features: { ...hour.features, volatility: score, marketVolatility: score },
        returnInSigmas: 0,
        logReturn: i === 36 ? -0.2 : 0.001,
        isEpisode: true,
      };
    });

  it("counts from the close of the day's worst hour until half of the assets are in crisis", () => {
    const at = (lateHours: number) => {
      const { delays, shares } = runRegimes([{ asset: "A", hours: crash(lateHours, 6) }], [2, 4]);
      expect(shares.normal).toBeNaN();
      return delays.get("2021-05-19")!;
    };

    expect(at(5) - at(0)).toBe(5);
    expect(at(-3)).toBe(0);
    expect(at(40)).toBe(Infinity);
    expect(at(100)).toBe(Infinity);
  });

  it("calls a crisis more often than wanted where a crash would else be seen late, unless nothing helps", () => {
    const history = [{ asset: "A", hours: hoursFrom("2023-05-01", 900, 300) }];
    const withoutCrash = fitRegimeCutpoints(history).fitted;
    const withCrash = [...history, { asset: "B", hours: crash(0, 3) }];
    const { fitted } = fitRegimeCutpoints(withCrash);
    const { shares, delays } = runRegimes(withCrash, fitted);

    expect(runRegimes(withCrash, withoutCrash).delays.get("2021-05-19")).toBeGreaterThan(2);
    expect(delays.get("2021-05-19")).toBeLessThanOrEqual(2);
    expect(fitted[1]).toBeLessThan(withoutCrash[1]);
    expect(shares.crisis).toBeGreaterThan(0.015);
    expect(Math.abs(shares.normal - 0.9)).toBeLessThan(0.01);

    const unseen = [...history, { asset: "B", hours: crash(100, 3) }];
    expect(fitRegimeCutpoints(unseen).fitted).toEqual(withoutCrash);
  });

  it("tells the states of hours with a recorded book apart, and uses its scores", () => {
    const withBook = hours.map((hour, i) =>
      i % 6 === 0 ? { ...hour, features: { ...hour.features, spread: 6, depth: 6 } } : hour,
    );
    const { shares, sharesWithBook } = runRegimes([{ asset: "A", hours: withBook }], [2.4, 4.5]);

    expect(runRegimes(assets, [2.4, 4.5]).sharesWithBook.normal).toBeNaN();
    expect(sharesWithBook.normal).toBeLessThan(shares.normal);
    expect(shares.normal).toBeLessThan(runRegimes(assets, [2.4, 4.5]).shares.normal);
  });
});
