import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costOf, type CostInputs } from "../../src/risk/cost.ts";
import { feesOf, takerFeeFractionOf } from "../../src/risk/fees.ts";
import { IMPACT_CALIBRATION, impactOf, notionalAtImpactUsd } from "../../src/risk/liquidity/impact.ts";
import { magnitude } from "../support/arbitraries.ts";
import { forEachVector, vectorMismatches } from "../support/vectors.ts";

/*
 * Mutants killed by hand: impact without the root; inverse without the square; exit without fee; score from the entry alone.
 */

const inputs: fc.Arbitrary<CostInputs> = fc.record({
  entrySlippageFraction: magnitude(1e-6, 0.1),
  exitSlippageFraction: magnitude(1e-6, 0.1),
  impactFraction: magnitude(1e-6, 0.5),
  takerFeeFraction: magnitude(1e-5, 1e-3),
  leverage: fc.integer({ min: 1, max: 50 }),
  fundingDrag24hFraction: fc.double({ min: -0.5, max: 0.5, noNaN: true }),
});

describe("impactOf", () => {
  forEachVector("sqrt_impact", (vector) => {
    const { Y, sigma_daily, size_usd, adv_usd } = vector.input as Record<string, number>;
    // The law is linear in its coefficient.
    const sigma = (sigma_daily! * Y!) / IMPACT_CALIBRATION.coefficient.value;
    const { impactFraction, participationFraction } = impactOf(size_usd!, sigma, adv_usd!);

    expect(
      vectorMismatches(vector, {
        peak_impact_bps: 1e4 * impactFraction,
        // Of an order worked along its own square-root path; it is not asked for here.
        average_cost_bps: (1e4 * 2 * impactFraction) / 3,
        participation_pct: 100 * participationFraction,
      }),
    ).toEqual([]);
  });

  it("doubles when the order quadruples", () => {
    fc.assert(
      fc.property(magnitude(1, 1e6), magnitude(0.001, 0.1), magnitude(1e8, 1e10), (usd, sigma, volume) => {
        const once = impactOf(usd, sigma, volume).impactFraction;
        expect(impactOf(4 * usd, sigma, volume).impactFraction / once).toBeCloseTo(2, 9);
      }),
    );
  });

  it("is the worst there is, 10 000 bps, without volume or volatility, and nothing for nothing", () => {
    expect(impactOf(1000, 0.04, 0)).toEqual({ impactFraction: 1, participationFraction: 1000 });
    expect(impactOf(1000, null, 1e6).impactFraction).toBe(1);
    expect(impactOf(1e12, 0.04, 1e3).impactFraction).toBe(1);
    expect(impactOf(0, null, 0)).toEqual({ impactFraction: 0, participationFraction: 0 });
  });

  it("gives back the order that causes an impact", () => {
    fc.assert(
      fc.property(magnitude(10, 1e6), magnitude(0.001, 0.1), magnitude(1e8, 1e10), (usd, sigma, volume) => {
        const { impactFraction } = impactOf(usd, sigma, volume);
        expect(notionalAtImpactUsd(impactFraction, sigma, volume) / usd).toBeCloseTo(1, 9);
      }),
    );
    expect(notionalAtImpactUsd(0.01, null, 1e6)).toBe(0);
    expect(notionalAtImpactUsd(0.01, 0.04, 0)).toBe(0);
  });
});

describe("feesOf", () => {
  it("charges the wallet's rate, else 4.5 bps, and relates it to the margin", () => {
    expect(takerFeeFractionOf(0.00035)).toBe(0.00035);
    expect(takerFeeFractionOf(0)).toBe(0);
    expect(takerFeeFractionOf(null)).toBe(0.00045);
    expect(feesOf(10_000, 0.00045, 1000)).toEqual({
      takerFeeFraction: 0.00045,
      feeUsd: 4.5,
      feeOfMarginFraction: 0.0045,
    });
    expect(feesOf(10_000, 0.00045, 0).feeOfMarginFraction).toBe(0);
  });
});

describe("costOf", () => {
  it("adds an example up", () => {
    const cost = costOf({
      entrySlippageFraction: 0.0015,
      exitSlippageFraction: 0.002,
      impactFraction: 0.0009,
      takerFeeFraction: 0.00045,
      leverage: 10,
      fundingDrag24hFraction: 0.0003,
    });

    expect(cost.entryFraction).toBeCloseTo(0.00285, 12);
    expect(cost.roundTripFraction).toBeCloseTo(0.0062, 12);
    expect(cost.breakevenMoveFraction).toBeCloseTo(0.0062, 12);
    expect(cost.fundingDrag24hOfMarginFraction).toBeCloseTo(0.003, 12);
    expect(cost.costScore).toBeCloseTo(1 - Math.exp(-0.0062 / 0.005), 12);
  });

  it("shows funding that is received as negative, in percent of the same margin", () => {
    fc.assert(
      fc.property(inputs, (i) => {
        const drag = costOf(i).fundingDrag24hOfMarginFraction;
        const marginUsd = 10_000 / i.leverage;
        expect(drag * marginUsd).toBeCloseTo(10_000 * i.fundingDrag24hFraction, 8);
      }),
    );
  });

  it("keeps entry = slippage + impact + fee, round trip = entry + exit", () => {
    fc.assert(
      fc.property(inputs, (i) => {
        const cost = costOf(i);
        const identity = i.entrySlippageFraction + i.impactFraction + i.takerFeeFraction;
        expect(Math.abs(cost.entryFraction - identity)).toBeLessThan(1e-15);
        expect(Math.abs(cost.roundTripFraction - cost.entryFraction - cost.exitFraction)).toBeLessThan(1e-15);
        expect(cost.entryFraction).toBeLessThanOrEqual(cost.roundTripFraction);
        expect(cost.costScore).toBeGreaterThanOrEqual(0);
        expect(cost.costScore).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("scores dearer trades higher", () => {
    fc.assert(
      fc.property(inputs, magnitude(1e-5, 1e-2), (i, more) => {
        const dearer = costOf({ ...i, impactFraction: i.impactFraction + more });
        expect(dearer.costScore).toBeGreaterThanOrEqual(costOf(i).costScore);
      }),
    );
  });
});
