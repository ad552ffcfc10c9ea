import { describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import { FLAG_RULES } from "../../src/risk/scoring/flags.ts";
import { STRESS_SCENARIOS } from "../../src/risk/stress/stress-scenarios.ts";
import { examplesOf } from "../support/schema-examples.ts";

/** Readers take the examples at their word, so their numbers must belong together. Relative tolerance. */
const TOLERANCE = 1e-4;

describe.each(examplesOf<ValidateResponse>("validate-response"))(
  "the numbers of validate-response/%s",
  (_, body) => {
    const { fees, slippage, cost_analysis: cost, meta } = body;
    const sizeUsd = (fees.estimated_fee_usd / fees.taker_fee_bps) * 10_000;

    it("put every dollar VaR at its percent of the size", () => {
      for (const key of ["95_24h", "99_24h", "99_4h", "99_7d"] as const) {
        expectSame(body.var[`dollar_${key}`], ofSize(body.var[`pct_${key}`]));
      }
      expectSame(body.var.margin_var_99_pct, times(body.var.pct_99_24h, meta.leverage));
      for (const { pnl_pct, pnl_usd } of body.stress) expectSame(pnl_usd, ofSize(pnl_pct));
    });

    it("add slippage, impact and fee to the entry cost", () => {
      const sum = slippage.bps === null ? null : slippage.bps + body.impact.expected_bps + fees.taker_fee_bps;

      expectSame(cost.total_entry_cost_bps, sum);
      expectSame(cost.breakeven_move_pct, times(cost.total_round_trip_cost_bps, 0.01));
      expectSame(fees.fee_pct_of_margin, (fees.taker_fee_bps / 100) * meta.leverage);
    });

    it("put the fill where the slippage says", () => {
      if (slippage.bps === null) {
        expect(slippage).toMatchObject({ fill_price: null, mid_price: null });
        return;
      }
      const moved = Math.abs(slippage.fill_price! / slippage.mid_price! - 1);

      expectSame(moved * 10_000, slippage.bps);
    });

    it("put the liquidation price at its distance", () => {
      const { price, distance_pct } = body.liquidation;

      // Price 0 is 100 % away by the same formula.
      expectSame(distance_pct, Math.abs(price / meta.mark_price - 1) * 100);
    });

    it("share out the portfolio's VaR", () => {
      const attribution = body.portfolio_attribution;
      if (attribution === undefined || attribution === null) return;
      const sum = attribution.positions.reduce((total, { component_var }) => total + component_var, 0);

      expectSame(attribution.total_var_99, sum);
      if (body.portfolio_risk !== undefined) {
        expect(body.portfolio_risk.portfolio_var_99_24h).toBe(attribution.total_var_99);
        expect(body.portfolio_risk.position_count).toBe(attribution.positions.length);
      }
    });

    it("name every scenario, and no flag that does not exist", () => {
      expect(body.stress.map(({ scenario, description }) => ({ scenario, description }))).toEqual(
        STRESS_SCENARIOS.map(({ id, description }) => ({ scenario: id, description })),
      );
      expect(Object.keys(FLAG_RULES)).toEqual(expect.arrayContaining(body.flags));
    });

    it("lose a long no more than its size and its funding", () => {
      if (body.greeks === null || body.greeks.delta < 0) return;
      for (const { pnl_pct, funding_cost_pct } of body.stress) {
        expect(pnl_pct).toBeGreaterThanOrEqual(-100 - Math.max(funding_cost_pct, 0));
      }
    });

    it("fill the cap of an asset that is at it", () => {
      if (body.oi.at_cap) expect(body.oi.utilization_pct).toBeGreaterThanOrEqual(100);
    });

    it("agree between simulation and VaR", () => {
      if (body.monte_carlo === undefined || body.monte_carlo === null) return;

      expect(body.monte_carlo.var_99).toBe(body.var.pct_99_24h);
      expect(body.monte_carlo.expected_shortfall_95).toBe(body.var.es_95_24h);
    });

    it("explain the score to the point", () => {
      const { explanation } = body;
      if (explanation === undefined) return;
      const points = explanation.components.reduce((total, component) => total + component.points, 0);
      const shares = explanation.components.reduce((total, { share_points }) => total + share_points, 0);

      expectSame(points + explanation.compounding_points + explanation.adjustment_points, body.risk_score);
      expectSame(shares + explanation.base_points, explanation.unrounded_score);
    });

    function ofSize(percent: number | null): number | null {
      return times(percent, sizeUsd / 100);
    }
  },
);

function times(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

function expectSame(actual: number | null, expected: number | null): void {
  if (actual === null || expected === null) {
    expect(actual).toBe(expected);
    return;
  }
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(TOLERANCE * Math.max(Math.abs(expected), 1e-9));
}
