import { describe, expect, it } from "vitest";
import { RegimeGatherer, type SeenHour } from "../../src/cli/calibration-regimes.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";

// Mutants seen to fail: recordings read an hour early, funding or depth with the other sign, unsettled models remembered.

const FIRST = 480_000;
const HOURS = 2_000;

const seen = (asset: string, volatilityScore: number | null, isReady = true): SeenHour => ({
  asset,
  volatilityScore,
  returnInSigmas: 0.5,
  logReturn: -0.01,
  isReady,
});
const quiet = { funding: new Map<string, never>(), books: new Map<string, never>() };

describe("RegimeGatherer", () => {
  it("gives every asset the mean of the known volatility scores, and remembers those with a settled model", () => {
    const gatherer = new RegimeGatherer(quiet);
    gatherer.remember(FIRST, [seen("A", 1), seen("B", 3, false), seen("C", null)], false);

    expect(gatherer.findings()).toEqual(
      ["A", "C"].map((asset) => ({
        asset,
        hours: [
          {
            timeMs: (FIRST + 1) * HOUR_MS,
            features: {
              volatility: asset === "A" ? 1 : null,
              marketVolatility: 2,
              funding: null,
              spread: null,
              depth: null,
              openInterest: null,
            },
            returnInSigmas: 0.5,
            logReturn: -0.01,
            isEpisode: false,
          },
        ],
      })),
    );
  });

  it("scores funding and books against the asset's own past, each signed so that more is worse", () => {
    // Alternating values have the median between them and a MAD of half their distance.
    const ratesHourly = Float64Array.from({ length: HOURS }, (_, i) => (i % 2 === 0 ? 1e-5 : -3e-5));
    ratesHourly[HOURS - 1] = -4e-4;
    const books = new Map(
      Array.from({ length: HOURS }, (_, i) => [
        FIRST + i,
        i === HOURS - 1
          ? { spreadFraction: 9e-5, depthUsd: 1e3 }
          : {
              spreadFraction: (i % 168) % 5 === 0 ? 1e-5 : 2e-5 + (i % 3) * 1e-6,
              depthUsd: i % 3 === 0 ? 1e6 : 2e6 + i,
            },
      ]),
    );
    const gatherer = new RegimeGatherer({
      funding: new Map([["A", { asset: "A", firstHour: FIRST, ratesHourly }]]),
      books: new Map([["A", books]]),
    });
    for (let hour = FIRST - 1; hour < FIRST + HOURS; hour++) gatherer.remember(hour, [seen("A", 0)], false);
    const hours = gatherer.findings()[0]!.hours;
    const at = (i: number) => hours[i]!.features;

    // Hour i of the recording closes with the i-th remembered one; nothing is known before there is a past.
    expect(hours[0]!.timeMs).toBe(FIRST * HOUR_MS);
    expect(at(0)).toMatchObject({ funding: null, spread: null, depth: null });
    expect(at(HOURS - 1).funding).toBeGreaterThan(3);
    expect(at(HOURS - 1).spread).toBeGreaterThan(3);
    expect(at(HOURS - 1).depth).toBeGreaterThan(3);
    expect(Math.abs(at(HOURS - 2).funding!)).toBeLessThan(1);
    // Recorded no longer: unknown, not calm.
    expect(at(HOURS)).toMatchObject({ funding: null, spread: null, depth: null });
  });

  it("compares the size of funding with that at the same hour of the week, whichever side paid", () => {
    // One hour of the week is thirty times what the others are, on changing sides.
    const scoreOf = (side: 1 | -1): number => {
      const ratesHourly = Float64Array.from({ length: HOURS }, (_, i) => {
        const week = Math.floor(i / 168);
        const size = i % 168 === 10 ? 3e-4 : 1e-5;
        return side * (week % 2 === 0 ? 1 : -1) * size * (1 + 0.1 * (week % 3));
      });
      const funding = new Map([["A", { asset: "A", firstHour: FIRST, ratesHourly }]]);
      const gatherer = new RegimeGatherer({ funding, books: new Map() });
      for (let hour = FIRST - 1; hour < FIRST + HOURS; hour++) gatherer.remember(hour, [seen("A", 0)], false);
      return gatherer.findings()[0]!.hours[11 * 168 + 10]!.features.funding!;
    };

    expect(Math.abs(scoreOf(1))).toBeLessThan(1.5);
    expect(scoreOf(-1)).toBe(scoreOf(1));
  });
});
