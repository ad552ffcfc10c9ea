import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { greeksOf, type GreeksInputs } from "../../src/risk/greeks.ts";
import { direction, magnitude } from "../support/arbitraries.ts";

const LONG: GreeksInputs = {
  sizeBase: 0.1,
  notionalUsd: 10_000,
  markPrice: 100_000,
  leftBase: 0.1,
  liquidationPrice: 91_000,
  // Every path of the tail falls by 8 %.
  tail24h: { expectedShortfall99: 0.08, doubledShortfall99: 1 - 0.92 ** 2 },
  sigmaAnnual: 0.5,
  longFundingDrag24hFraction: 0.0003,
  exitCostFraction: 0.0014,
};

describe("greeksOf", () => {
  it("is linear: delta is the coins, gamma 0", () => {
    expect(greeksOf(LONG)).toMatchObject({ deltaBase: 0.1, gamma: 0 });
  });

  it("loses 15.33 USD of expected shortfall per volatility point, 5 USD a day, and 0.91 of distance per unit of price", () => {
    const greeks = greeksOf(LONG);

    expect(greeks.vegaUsd).toBeCloseTo(-10_000 * (0.92 - 0.92 ** (0.51 / 0.5)), 9);
    expect(greeks.vegaUsd).toBeCloseTo(-15.33, 2);
    expect(greeks.thetaUsd).toBeCloseTo(-(3 + 14 / 7), 12);
    expect(greeks.liquidationGamma).toBeCloseTo(0.91, 12);
  });

  it("gives a short whose price may rise by 8 % more vega than a long that may lose as much", () => {
    const tail24h = { expectedShortfall99: 0.08, doubledShortfall99: 1.08 ** 2 - 1 };
    const short = greeksOf({ ...LONG, sizeBase: -0.1, leftBase: -0.1, tail24h });

    expect(short.vegaUsd).toBeCloseTo(-10_000 * (1.08 ** (0.51 / 0.5) - 1.08), 9);
    expect(short.vegaUsd).toBeLessThan(greeksOf(LONG).vegaUsd);
  });

  it("has no vega without a model and no liquidation gamma without a liquidation price", () => {
    const greeks = greeksOf({
      ...LONG,
      sigmaAnnual: null,
      tail24h: null,
      liquidationPrice: null,
    });

    expect(greeks).toMatchObject({ vegaUsd: 0, liquidationGamma: 0 });
    expect(greeksOf({ ...LONG, sigmaAnnual: 0 }).vegaUsd).toBe(0);
  });

  it("mirrors: a short's delta, funding and liquidation gamma have the other sign", () => {
    fc.assert(
      fc.property(
        direction,
        magnitude(10, 1e6),
        magnitude(1e-5, 0.1),
        magnitude(0.1, 3),
        (d, usd, funding, ratio) => {
          const greeks = greeksOf({
            ...LONG,
            sizeBase: d * usd,
            leftBase: d * usd,
            notionalUsd: usd,
            longFundingDrag24hFraction: funding,
            exitCostFraction: 0,
            liquidationPrice: 100_000 * ratio,
          });
          expect(Math.sign(greeks.deltaBase)).toBe(d);
          // A long pays this funding, so its theta is negative; a short receives it.
          expect(Math.sign(greeks.thetaUsd)).toBe(-d);
          expect(greeks.liquidationGamma).toBeCloseTo(d * ratio, 9);
          expect(greeks.vegaUsd).toBeLessThanOrEqual(0);
        },
      ),
    );
  });
});

describe("liquidationGamma", () => {
  it("is the slope of the distance to a fixed liquidation price in the relative price", () => {
    fc.assert(
      fc.property(direction, magnitude(0.05, 0.9), (d, distance) => {
        const liquidationPrice = 100_000 * (1 - d * distance);
        const distanceAt = (price: number): number => Math.abs(liquidationPrice / price - 1);
        const step = 1e-6;
        const slope = (distanceAt(100_000 * (1 + step)) - distanceAt(100_000 * (1 - step))) / (2 * step);
        const greeks = greeksOf({ ...LONG, leftBase: d * 0.1, liquidationPrice });
        expect(greeks.liquidationGamma).toBeCloseTo(slope, 5);
      }),
    );
  });
});
