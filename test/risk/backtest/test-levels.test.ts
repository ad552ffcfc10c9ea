import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { standardisedTExpectedShortfall, standardisedTQuantile } from "../../../src/math/student-t.ts";
import { breachDurationTest } from "../../../src/risk/backtest/breach-durations.ts";
import { calibrationStatus } from "../../../src/risk/backtest/calibration-status.ts";
import { christoffersenTest } from "../../../src/risk/backtest/christoffersen.ts";
import { dynamicQuantileTest } from "../../../src/risk/backtest/dynamic-quantile.ts";
import { eProcessesOf } from "../../../src/risk/backtest/e-process.ts";
import { kupiecTest } from "../../../src/risk/backtest/kupiec.ts";
import { pooledCoverage } from "../../../src/risk/backtest/pooled-coverage.ts";
import { breachesOf, type TailRecord } from "../../../src/risk/backtest/tail-record.ts";
import { judgeTail } from "../../../src/risk/backtest/tail-verdict.ts";
import { z2Distribution } from "../../../src/risk/backtest/z2-critical-value.ts";
import { studentScale } from "../../support/student-scale.ts";

// What docs/calibration-health.md says of how often the tests are wrong. Losses are Student-t draws of the known law that
// the forecasts are made of, times a volatility that persists and is known; all draws are seeded.

const NU = 4;
const HISTORIES = 2000;
const SIGNIFICANCE = 0.05;

describe("a test at 5 % of forecasts that are right", () => {
  it.each([
    [250, 0.01, 0.095],
    [294, 0.01, 0.082],
    [1000, 0.01, 0.055],
    [2700, 0.01, 0.053],
    [250, 0.05, 0.059],
    [1000, 0.05, 0.051],
  ])("is Kupiec's: of %i periods at %d it rejects a share of %d, count by count", (periods, p, share) => {
    let rejected = 0;
    let logChance = periods * Math.log1p(-p);
    for (let breaches = 0; breaches <= periods; breaches++) {
      if (kupiecTest(breaches, periods, p).pValue < SIGNIFICANCE) rejected += Math.exp(logChance);
      logChance += Math.log(((periods - breaches) * p) / ((breaches + 1) * (1 - p)));
    }

    expect(rejected).toBeCloseTo(share, 3);
  });

  it.each([
    { periods: 250, p: 0.01, both: 0.85, foreseen: 10.75, durations: 14.4, won: 0.35 },
    { periods: 1000, p: 0.01, both: 2.9, foreseen: 10.95, durations: 7.2, won: 2.7 },
    { periods: 250, p: 0.05, both: 4.25, foreseen: 6.35, durations: 8.4, won: 3.15 },
    { periods: 1000, p: 0.05, both: 5.15, foreseen: 5.15, durations: 11.05, won: 4.4 },
  ])("is that of the others in so many percent: $periods periods at $p", ({ periods, p, ...shares }) => {
    const random = drawing(1);
    const rejected = { both: 0, foreseen: 0, durations: 0, won: 0 };
    for (let history = 0; history < HISTORIES; history++) {
      const record = random.record(periods, p, 1);
      const breaches = breachesOf(record);
      if (christoffersenTest(breaches, p).conditionalCoveragePValue < SIGNIFICANCE) rejected.both++;
      if (dynamicQuantileTest(record)!.pValue < SIGNIFICANCE) rejected.foreseen++;
      if ((breachDurationTest(breaches)?.pValue ?? 1) < SIGNIFICANCE) rejected.durations++;
      if (eProcessesOf(record, p, null).valueAtRisk.logCapitalMax >= Math.log(1 / SIGNIFICANCE))
        rejected.won++;
    }

    expect(inPercent(rejected, HISTORIES)).toEqual(shares);
    // By Ville's inequality, whenever one looks.
    expect(rejected.won / HISTORIES).toBeLessThan(SIGNIFICANCE);
  });
});

describe("the status of half a year of days and hours", () => {
  it.each([
    ["right", 1, { pass: 196, too_few_breaches: 1, es_understated: 2, too_many_breaches: 1 }],
    ["10 % too narrow", 0.9, { pass: 90, too_many_breaches: 104, es_understated: 6 }],
    ["30 % too narrow", 0.7, { too_many_breaches: 200 }],
    ["30 % too wide", 1.3, { pass: 177, too_few_breaches: 23 }],
  ])("of 200 assets whose forecasts are %s", (_, scale, counts) => {
    const assets = 200;
    const random = drawing(2);
    const z2 = z2Distribution(180, 0.01);
    const found: Record<string, number> = {};
    for (let asset = 0; asset < assets; asset++) {
      const sides = [1, -1].map(() => {
        const day99 = judgeTail(random.record(180, 0.01, scale));
        return {
          day95: judgeTail(random.record(180, 0.05, scale)),
          day99,
          hour99: judgeTail(random.record(4320, 0.01, scale)),
          day99Z2Critical: z2.criticalValue(0.01),
          day99Z2PValue: z2.lowerTail(day99.shortfallZ2),
        };
      });
      const status = calibrationStatus(sides);
      found[status] = (found[status] ?? 0) + 1;
    }

    expect(found).toEqual(counts);
  });
});

describe("the pooled rate of 30 assets that fall and rise together", () => {
  // A t copula, correlation 0.6: a scale and a factor of all, and each asset's own part.
  it.each([
    ["right", 60, 1, 8, 4],
    ["right", 90, 1, 18, 10],
    ["right", 180, 1, 17, 10],
    ["right", 365, 1, 17, 10],
    ["a fifth too narrow", 180, 0.8, 0, 717],
    ["a fifth too narrow", 365, 0.8, 0, 970],
    ["a fifth too wide", 365, 1.2, 501, 0],
  ])(
    "whose forecasts are %s misses 1 %% by its interval of %i dates as often as documented, of 1000 histories",
    (_, dates, scale, ...counts) => {
      const random = createRandom(3);
      const assets = 30;
      const valueAtRisk95 = -scale * standardisedTQuantile(0.05, NU);
      const valueAtRisk99 = -scale * standardisedTQuantile(0.01, NU);
      let below = 0;
      let above = 0;
      for (let history = 0; history < 1000; history++) {
        const days = Array.from({ length: dates }, (_, timeMs) => {
          const spread = studentScale(NU, random);
          const factor = random.normal();
          const day = { timeMs, observations: 2 * assets, breaches95: 0, breaches99: 0 };
          for (let asset = 0; asset < assets; asset++) {
            const change = spread * (Math.sqrt(0.6) * factor + Math.sqrt(0.4) * random.normal());
            if (Math.abs(change) > valueAtRisk95) day.breaches95++;
            if (Math.abs(change) > valueAtRisk99) day.breaches99++;
          }
          return day;
        });
        const { interval } = pooledCoverage(days)!;
        if (interval.high < 0.01) below++;
        if (interval.low > 0.01) above++;
      }

      expect([below, above]).toEqual(counts);
    },
  );
});

/** Records of the t law; forecasts are the law's own VaR and shortfall, so many times as large. */
function drawing(seed: number): { record: (periods: number, p: number, scale: number) => TailRecord } {
  const random = createRandom(seed);
  return {
    record: (periods, p, scale) => {
      const valueAtRisk = -scale * standardisedTQuantile(p, NU);
      const expectedShortfall = scale * standardisedTExpectedShortfall(p, NU);
      let logSigma = 0;
      const sigmas = Float64Array.from({ length: periods }, () => {
        logSigma = 0.95 * logSigma + 0.15 * random.normal();
        return 0.02 * Math.exp(logSigma);
      });
      return {
        tailProbability: p,
        loss: sigmas.map((sigma) => sigma * studentScale(NU, random) * random.normal()),
        valueAtRisk: sigmas.map((sigma) => sigma * valueAtRisk),
        expectedShortfall: sigmas.map((sigma) => sigma * expectedShortfall),
      };
    },
  };
}

function inPercent(counts: Record<string, number>, of: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, (100 * count) / of]));
}
