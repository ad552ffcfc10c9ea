import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { SCORE } from "../../../src/risk/calibration.ts";
import { clusteredMean, constantAfter } from "../../../src/risk/calibration-fit/fit-finding.ts";
import { fitFundingForecast } from "../../../src/risk/calibration-fit/funding-fit.ts";
import { fitImpactCoefficient } from "../../../src/risk/calibration-fit/impact-fit.ts";
import { fitRangeGarchPrior } from "../../../src/risk/calibration-fit/prior-fit.ts";
import { fitRegimeCutpoints } from "../../../src/risk/calibration-fit/regime-fit.ts";
import { type RegimeHour, runRegimes } from "../../../src/risk/calibration-fit/regime-run.ts";
import { fitExcursionMax, fitResidualMax } from "../../../src/risk/calibration-fit/residual-fit.ts";
import { type AdverseCase, bandTable } from "../../../src/risk/calibration-fit/adverse-bands.ts";
import {
  fitAccountLoss,
  fitAdverseCurve,
  fitLiquidationSigmas,
} from "../../../src/risk/calibration-fit/severity-fit.ts";
import { fitPooledDaySigma, fitPooledTouch } from "../../../src/risk/calibration-fit/touch-fit.ts";
import { RANGE_GARCH_PRIOR } from "../../../src/risk/volatility/garch-parameters.ts";

// Every fit is asked for a truth that the data were drawn from. Mutants killed: gain measured on the first half or with
// the wrong sign, the first window instead of the longest, funding summed an hour early, sigma of a step for that of the
// window, unsigned flow, the answer read from after the order, cut points swapped, crisis given the stressed share,
// anchors descending, loss anchors inverted, Platt map for its inverse, confirmation by the coin itself, falls counted
// above instead of below, one-sided reflection, prior parameters swapped.

const random = createRandom(7);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(random.uniform())) * Math.cos(2 * Math.PI * random.uniform());

describe("clusteredMean", () => {
  it("is the mean over all, with the error of its clusters", () => {
    const found = clusteredMean([
      { sum: 4, count: 2 },
      { sum: 0, count: 2 },
    ]);

    expect(found.mean).toBe(1);
    expect(found.standardError).toBeCloseTo(Math.sqrt(8) / 4, 12);
  });
});

describe("constantAfter", () => {
  const inForce = { value: 1, unit: "1", source: "a book", fittedOn: "chosen" };
  const finding = {
    fitted: 2,
    standardError: 0.1,
    method: "counting",
    verdict: "because",
    data: "ten hours",
    evidence: { hours: 10 },
  };

  it("takes the fitted value with its date and data, or keeps the old one and says why", () => {
    expect(constantAfter(inForce, { ...finding, isAdopted: true }, "2026-11-20")).toEqual({
      ...inForce,
      value: 2,
      source: "counting",
      fittedOn: "2026-11-20: ten hours; because",
      evidence: { hours: 10 },
    });
    expect(constantAfter(inForce, { ...finding, isAdopted: false }, "2026-11-20")).toEqual({
      ...inForce,
      evidence: { hours: 10, judgedOn: "2026-11-20: ten hours", kept: "because" },
    });
  });
});

describe("fitFundingForecast", () => {
  const historiesOf = (rateAt: (hour: number, before: number) => number) =>
    ["A", "B", "C"].map((asset) => {
      let rate = 0;
      return {
        asset,
        firstHour: 0,
        ratesHourly: Float64Array.from({ length: 9600 }, (_, hour) => (rate = rateAt(hour, rate))),
      };
    });
  const persistent = (hour: number, before: number): number =>
    hour < 4800 ? 1e-5 + 0.97 * (before - 1e-5) + 2e-5 * normal() : (hour % 2 === 0 ? 1 : -1) * 1e-4;

  it("finds the persistence of an exact decay", () => {
    const decays = historiesOf((hour) => 1e-5 + 1e-3 * 0.9 ** (hour % 2400));

    expect(fitFundingForecast(decays).persistence.fitted).toBe(0.9);
  });

  it("takes a long memory of a mean that never moves, and the longest of windows that err alike", () => {
    const noisy = historiesOf((_hour, before) => 1e-5 + 0.9 * (before - 1e-5) + 2e-5 * normal());
    const spiked = historiesOf((hour) => (hour % 50 === 0 ? 1e-4 : 1e-5));

    expect(fitFundingForecast(noisy).meanHours.fitted).toBe(720);
    expect(fitFundingForecast(spiked).meanHours.fitted).toBe(720);
  });

  it("judges on days that were not chosen on: a second half that reverses the first is no gain", () => {
    expect(fitFundingForecast(historiesOf(persistent)).persistence).toMatchObject({ isAdopted: false });
  });
});

describe("fitImpactCoefficient", () => {
  it("finds the slope that the price was moved with, and does not adopt what minutes cannot show", () => {
    const coefficient = 0.8;
    const stepMs = 60_000;
    const steps = 400;
    const orders = Array.from({ length: steps }, () => normal());
    const volume = orders.reduce((sum, size) => sum + Math.abs(size), 0);
    // The price moves by coefficient × sign √(|Q|/V) in units of a sigma that is then what the window shows.
    const moves = orders.map((size) => Math.sign(size) * Math.sqrt(Math.abs(size) / volume));
    const noise = orders.map(() => normal());
    const impactPart = moves.reduce((sum, move) => sum + (coefficient * move) ** 2, 0);
    const noiseScale = Math.sqrt((1 - impactPart) / noise.reduce((sum, value) => sum + value * value, 0));
    const sigma = 0.02;
    let log = 0;
    const mids = [{ timeMs: 0, midPrice: 1 }];
    const trades = orders.map((size, i) => {
      log += sigma * (coefficient * moves[i]! + noiseScale * noise[i]!);
      mids.push({ timeMs: (i + 1) * stepMs, midPrice: Math.exp(log) });
      return {
        timeMs: i * stepMs + 1000,
        notionalUsd: 1e6 * Math.abs(size),
        direction: size > 0 ? (1 as const) : (-1 as const),
      };
    });

    const { fitted, standardError, isAdopted, evidence } = fitImpactCoefficient([
      { asset: "A", trades, mids },
    ]);
    const answers = evidence["answerTo1OrderAfterSecondsSlopes"] as number[];

    expect(Math.abs(fitted - coefficient)).toBeLessThan(4 * standardError!);
    expect(standardError).toBeLessThan(0.2);
    // The price answers at the end of the minute: nothing after ten seconds, all of it after sixty.
    expect(answers[1]).toBe(0);
    expect(answers[2]).toBeCloseTo(fitted, 3);
    expect(isAdopted).toBe(false);
  });
});

describe("fitPooledTouch", () => {
  it("counts how often a day fell at least so far, and solves the reflection for the day's deviation", () => {
    const sigma = 0.05;
    const days = Array.from({ length: 20_000 }, (_, i) => {
      // The lowest point of a Brownian path is distributed as -|N|.
      return { day: Math.floor(i / 5), depth: 1 - Math.exp(-sigma * Math.abs(normal())) };
    });
    const table = fitPooledTouch(days, "drawn");

    expect(table.fitted[1]![1]).toBeCloseTo(
      days.filter(({ depth }) => depth >= 0.05).length / days.length,
      12,
    );
    expect(table.isAdopted).toBe(true);
    expect(Math.abs(fitPooledDaySigma(table).fitted / sigma - 1)).toBeLessThan(0.03);
    expect(fitPooledTouch(days.slice(0, 500), "few").isAdopted).toBe(false);
  });
});

describe("fitRegimeCutpoints", () => {
  /** Storms of 30 hours; scores of both volatilities are the same, so that η = 1.7 × score. */
  const hoursFrom = (iso: string, count: number, stormEvery: number): RegimeHour[] =>
    Array.from({ length: count }, (_, hour): RegimeHour => {
      const score = (hour % stormEvery > stormEvery - 30 ? 3 : 0) + normal();
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
        returnInSigmas: normal(),
        logReturn: 0.01 * normal(),
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

  it("calls a state more often when its cut is lower", () => {
    const at = (lower: number, upper: number) => runRegimes(assets, [lower, upper]).shares;

    expect(at(1, 5).normal).toBeLessThan(at(3, 5).normal);
    expect(at(1, 3).crisis).toBeGreaterThan(at(1, 5).crisis);
  });

  it("judges on the later half: what fits storms that no longer come is not adopted", () => {
    // In force the calm half is nearly all normal; cuts for a first half of storms would make it more so.
    const calmer = [...hoursFrom("2021-01-01", 4500, 60), ...hoursFrom("2022-01-01", 4500, 4500)];
    const finding = fitRegimeCutpoints([{ asset: "A", hours: calmer }]);

    expect(finding.isAdopted).toBe(false);
    expect(finding.evidence["cutpointsOfFirstHalf"]).not.toEqual(finding.fitted);
  });

  it("counts from the close of the day's worst hour until half of the assets are in crisis", () => {
    // 19 May: the worst hour closes at 13:00, the scores follow two hours later.
    const crash = (lateHours: number): RegimeHour[] =>
      hoursFrom("2021-05-18", 48, 1e6).map((hour, i) => {
        const score = i >= 36 + lateHours ? 6 : 0;
        return {
          ...hour,
          timeMs: hour.timeMs + 3_600_000,
          features: { ...hour.features, volatility: score, marketVolatility: score },
          returnInSigmas: 0,
          logReturn: i === 36 ? -0.2 : 0.001,
          isEpisode: true,
        };
      });
    const at = (lateHours: number) => {
      const { delays, shares } = runRegimes([{ asset: "A", hours: crash(lateHours) }], [2, 4]);
      expect(shares.normal).toBeNaN();
      return delays.get("2021-05-19")!;
    };

    expect(at(5) - at(0)).toBe(5);
    expect(at(-3)).toBe(0);
    expect(at(100)).toBe(Infinity);
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

describe("severity fits", () => {
  const excursions = Array.from({ length: 40_000 }, (_, i) => {
    const inSigmas = Math.abs(normal());
    return { day: i, inSigmas, inShortfalls: inSigmas / 3 };
  });
  /** Adverse with the published probability moved by `slope` in log-odds. */
  const cases = (slope: number): AdverseCase[] =>
    Array.from({ length: 20_000 }, (_, i) => {
      const logit = -4 + 2 * normal();
      const p = 1 / (1 + Math.exp(-logit));
      const truth = 1 / (1 + Math.exp(-slope * logit));
      return {
        day: Math.floor(i / 10),
        liquidationProbability: p / 2,
        liquidationSigmas: 3,
        adverseProbability: p,
        accountLossFraction: 0.2,
        isAdverse: random.uniform() < truth,
      };
    });

  it("put the distances where a normal day touches them as often as the anchors say", () => {
    const { fitted } = fitLiquidationSigmas(excursions, cases(1), "drawn");

    // 2 Φ(-d) = 20, 5, 1 and 0.1 %.
    [1.28, 1.96, 2.58, 3.29].forEach((distance, i) => {
      expect(Math.abs(fitted.at[i]! - distance)).toBeLessThan(0.15);
    });
    expect(fitted.value).toEqual([1, 0.7, 0.4, 0]);
  });

  it("put the losses where half the margin goes as often", () => {
    const { fitted } = fitAccountLoss(excursions, cases(1), "drawn");

    // Half of the margin is three sigmas' third of it: 1.5 / distance.
    [3.29, 2.58, 1.96, 1.28].forEach((distance, i) => {
      expect(Math.abs(fitted.at[i]! - 1.5 / distance)).toBeLessThan(0.05);
    });
    expect(fitted.value).toEqual([0, 0.4, 0.7, 1]);
  });

  it("leave a curve whose probabilities come true, and move one whose do not", () => {
    const honest = fitAdverseCurve(cases(1), "drawn");
    const bent = fitAdverseCurve(cases(0.6), "drawn");

    expect(honest.isAdopted).toBe(false);
    expect(honest.verdict).toContain("not clearly better");
    expect(bent.verdict).toContain("for the forecast to mend");
    expect(bent.isAdopted).toBe(false);
    // A published 1 % is really logistic(0.6 logit 1 %) = 6 %: the points of 6 % are wanted at 1 %.
    const g = (p: number): number => 1 / (1 + ((1 - p) / p) ** 0.6);
    bent.fitted.at.slice(2, 5).forEach((p, i) => {
      expect(Math.abs(Math.log(g(p) / SCORE.adverseCurve.value.at[i + 2]!))).toBeLessThan(0.25);
    });
  });

  it("show what came true in each band", () => {
    const table = bandTable(cases(1));

    expect(table.proceed.count + table.proceed_with_caution.count + table.abort.count).toBe(20_000);
    expect(table.proceed.observed).toBeLessThan(table.proceed_with_caution.observed);
    expect(table.proceed_with_caution.observed).toBeLessThan(table.abort.observed);
  });
});

describe("fitRangeGarchPrior", () => {
  /** Hours of h' = ω + αx + βh with x = h × a mean-one spread, V = 1e-4. */
  const coinOf = (reaction: number, persistence: number, hours: number) => {
    const returns = new Float64Array(hours);
    const ranges = new Float64Array(hours);
    let h = 1e-4;
    for (let t = 0; t < hours; t++) {
      returns[t] = Math.sqrt(h) * normal();
      ranges[t] = h * Math.exp(0.7 * normal() - 0.245);
      h = 1e-4 * (1 - persistence) + reaction * ranges[t]! + (persistence - reaction) * h;
    }
    return { asset: "A", reaction, asymmetry: 0, beta: persistence - reaction, returns, ranges };
  };

  it("returns the medians of the coins, and stays with the larger survey", () => {
    const fits = [0.1, 0.2, 0.3].map((reaction) => coinOf(reaction, 0.95, 700));
    const { fitted, isAdopted, evidence } = fitRangeGarchPrior(fits, "three");

    expect(evidence["reactionMedian"]).toBeCloseTo(0.2, 9);
    expect(evidence["persistenceMedian"]).toBeCloseTo(0.95, 9);
    expect(fitted.centre[3]).toBe(RANGE_GARCH_PRIOR.value.centre[3]);
    expect(isAdopted).toBe(false);
  });

  it("is judged on hours after a short fit, by the other coins' prior", () => {
    // Persistence far below the survey's: those who know it forecast what follows two weeks better.
    const alike = [0.15, 0.2, 0.25, 0.3, 0.35, 0.4].map((reaction, i) => ({
      ...coinOf(reaction, 0.15 + reaction, 2100),
      asymmetry: i / 10 - 0.25,
    }));
    const stranger = alike.map((coin, i) => ({ ...coin, reaction: 0.01 + i / 1e3, beta: 0.98 - i / 1e3 }));

    const known = fitRangeGarchPrior(alike, "six").evidence;
    expect(known["gainPerHour"]).toBeGreaterThan(2 * (known["gainStandardError"] as number));
    expect(fitRangeGarchPrior(stranger, "six").evidence["gainPerHour"]).toBeLessThan(0);
    // One coin alone has no other to learn from: what is left out is its own.
    const odd = [...stranger.slice(1), alike[0]!];
    expect(fitRangeGarchPrior(odd, "six").evidence["gainPerHour"]).toBeLessThan(0);
  });
});

describe("caps of residuals", () => {
  const move = (asset: string, hour: number, residual: number) => ({
    asset,
    hour,
    residual,
    excursion: residual + 1,
  });

  it("would not cut what another coin confirms, and leave the judgement to the backtest", () => {
    const alone = [move("A", 1, 40), move("A", 2, 12), move("B", 2, 6)];
    expect(fitResidualMax(alone, 100, "drawn")).toMatchObject({ fitted: 12, isAdopted: false });

    const together = [...alone, move("B", 1, 8)];
    expect(fitResidualMax(together, 100, "drawn")).toMatchObject({ fitted: 40, isAdopted: false });
    expect(fitExcursionMax(together, 100, "drawn")).toMatchObject({ fitted: 41, isAdopted: false });
  });
});
