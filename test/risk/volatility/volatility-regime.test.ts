import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type VolatilityRegime,
  volatilityRegime,
  volatilityRegimeAfter,
} from "../../../src/risk/volatility/volatility-regime.ts";
import "../../support/property.ts";

/** 0.001, 0.002, … 1: rank equals value. */
const YEAR = Float64Array.from({ length: 1000 }, (_, i) => (i + 0.5) / 1000);

describe("volatility regime", () => {
  it("is low in the lowest quarter, high in the top fifth of the asset's own history", () => {
    expect(volatilityRegime(0.24, 0.5, YEAR, null)).toBe("low");
    expect(volatilityRegime(0.26, 0.5, YEAR, null)).toBe("normal");
    expect(volatilityRegime(0.79, 0.5, YEAR, null)).toBe("normal");
    expect(volatilityRegime(0.81, 0.5, YEAR, null)).toBe("high");
  });

  it("is entered five points beyond the threshold and left five points back", () => {
    expect(volatilityRegime(0.83, 0.5, YEAR, "normal")).toBe("normal");
    expect(volatilityRegime(0.86, 0.5, YEAR, "normal")).toBe("high");
    expect(volatilityRegime(0.77, 0.5, YEAR, "high")).toBe("high");
    expect(volatilityRegime(0.74, 0.5, YEAR, "high")).toBe("normal");
    expect(volatilityRegime(0.22, 0.5, YEAR, "normal")).toBe("normal");
    expect(volatilityRegime(0.19, 0.5, YEAR, "normal")).toBe("low");
    expect(volatilityRegime(0.28, 0.5, YEAR, "low")).toBe("low");
    expect(volatilityRegime(0.1, 0.5, YEAR, "high")).toBe("low");
  });

  it("compares with the long run while there are under 30 days of history", () => {
    const short = YEAR.slice(0, 719);
    expect(volatilityRegime(0.34, 0.5, short, null)).toBe("low");
    expect(volatilityRegime(0.36, 0.5, short, null)).toBe("normal");
    expect(volatilityRegime(0.71, 0.5, short, null)).toBe("high");
    expect(volatilityRegime(0.71, 0.5, short, "normal")).toBe("normal");
    expect(volatilityRegime(0.72, 0.5, short, "normal")).toBe("normal");
    expect(volatilityRegime(0.73, 0.5, short, "normal")).toBe("high");
    // Of these 30 days' forecasts the largest is 0.72.
    expect(volatilityRegime(0.71, 0.5, YEAR.slice(0, 720), "normal")).toBe("high");
    expect(volatilityRegime(0.6, 0.7, YEAR.slice(0, 720), null)).toBe("high");
  });

  it("calls a constant history normal", () => {
    expect(volatilityRegime(0.5, 0.5, new Float64Array(800).fill(0.5), null)).toBe("normal");
  });
});

describe("volatilityRegimeAfter", () => {
  it("is where the rule for one forecast after the other ends, ranked or not", () => {
    // Some hours of few levels, repeated: ties, and as much of them as is ranked, or less.
    const histories = fc
      .tuple(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 40 }), fc.nat(30))
      .map(([levels, times]) => Float64Array.from(Array.from({ length: times }, () => levels).flat()));
    fc.assert(
      fc.property(histories, (history) => {
        let regime: VolatilityRegime | null = null;
        for (const sigma of history) regime = volatilityRegime(sigma, 10, history, regime);
        expect(volatilityRegimeAfter(history, 10)).toBe(regime);
      }),
    );
  });

  it("is high after a storm that has calmed into the band, and normal before one", () => {
    const storm = new Float64Array(300).fill(0.9);
    const calm = new Float64Array(700).fill(0.3);
    expect(volatilityRegimeAfter(Float64Array.of(...calm, ...storm, 0.5), 0.5)).toBe("normal");
    const [low, high] = [new Float64Array(780).fill(0.3), new Float64Array(220).fill(0.9)];
    expect(volatilityRegimeAfter(Float64Array.of(...low, ...high, 0.5), 0.5)).toBe("high");
    expect(volatilityRegimeAfter(Float64Array.of(...high, ...low, 0.5), 0.5)).toBe("normal");
  });
});
