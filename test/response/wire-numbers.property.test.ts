import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import { assess, type AssessInput } from "../../src/risk/assess.ts";
import type { Assessment } from "../../src/risk/assessment.ts";
import { STRESS_SCENARIOS } from "../../src/risk/stress/stress-scenarios.ts";
import { BTC } from "../support/builders.ts";
import { assessInputs } from "../support/market-arbitraries.ts";
import { plainValidate } from "../support/plain-body.ts";

/**
 * That a number goes out under its name and in its unit: what the assessment says and what other fields of the same
 * answer say of it agree. That the writers write these bodies is in json-text.property.test.ts.
 *
 * Mutants tried by hand, each killed here, the first four by no older test of bodies and handlers: the breakeven of margin,
 * the exit for the round trip, one side's depth, vega for theta; the worked entry for the entry, backstop for margin used,
 * liquidity for funding in a stress, the fee of notional, the suggested size for the safe one, the shortfall at 99 for 95 %,
 * 4 h at 95 %, a day's dollars for a week's.
 */
const VERSION = { engine_version: "1.2.3", calibration_hash: "hash" };

function expectClose(actual: number | null, expected: number): void {
  expect(actual).not.toBeNull();
  // As near as the contract promises to a client that works it out again.
  expect(Math.abs(actual! - expected)).toBeLessThanOrEqual(1e-4 * Math.abs(expected) + 1e-8);
}

function check(law: (body: ValidateResponse, of: Assessment, input: AssessInput) => void): void {
  fc.assert(
    fc.property(assessInputs, (input) => {
      const assessment = assess({ ...input, trade: { ...input.trade, wantsMonteCarlo: true } });
      const answer = { assessment, ticker: BTC, modelVersion: VERSION, requestId: "id", latencyMs: () => 1 };
      law(plainValidate(answer), assessment, input);
    }),
  );
}

describe("the numbers of a validate answer", () => {
  it("say of costs what the parts add up to", () => {
    check(
      (
        { slippage, impact, fees, cost_analysis: cost, greeks, meta },
        { cost: of, fees: paid, trade, depth, applied },
        { asset },
      ) => {
        expectClose(cost.funding_drag_24h_pct, 100 * of.fundingDrag24hOfMarginFraction);
        expectClose(fees.taker_fee_bps, 1e4 * paid.takerFeeFraction);
        expectClose(fees.estimated_fee_usd, paid.takerFeeFraction * trade.notionalUsd);
        expectClose(fees.fee_pct_of_margin, (fees.taker_fee_bps / 100) * meta.leverage);
        if (depth === null) return;
        expectClose(slippage.bps, 1e4 * trade.direction * (slippage.fill_price! / slippage.mid_price! - 1));
        expectClose(cost.total_entry_cost_bps, slippage.bps! + impact.expected_bps + fees.taker_fee_bps);
        expectClose(cost.total_round_trip_cost_bps, cost.total_entry_cost_bps! + 1e4 * of.exitFraction);
        expectClose(cost.breakeven_move_pct, cost.total_round_trip_cost_bps! / 100);
        expectClose(cost.cost_score, 1 - Math.exp(-cost.total_round_trip_cost_bps! / 50));
        const { openedBase, closedBase } = applied;
        const isAgainst = !trade.isClose && closedBase > 0;
        const leftShare = isAgainst ? openedBase / (openedBase + closedBase) : 1;
        const dragFraction = trade.exposureDirection * asset.funding.drag24hFraction;
        const leaveFraction = trade.isClose ? of.entryFraction : of.exitFraction;
        expectClose(greeks!.theta, -leftShare * trade.notionalUsd * (dragFraction + leaveFraction / 7));
        expectClose(slippage.depth_50bps, depth.depth50BpsUsd);
        expectClose(slippage.depth_100bps, depth.bidDepth100BpsUsd + depth.askDepth100BpsUsd);
      },
    );
  });

  it("say of the tail at each level and horizon what the simulation says", () => {
    check(({ var: risk, monte_carlo: simulated, evt, meta }, { valueAtRisk: of, trade }, { asset }) => {
      if (of === null) return;
      const side = trade.exposureDirection === 1 ? asset.tails!.long : asset.tails!.short;
      const [, at4h, at24h, at7d] = side.horizons;
      expectClose(risk.pct_95_24h, 100 * at24h!.var95);
      expectClose(risk.pct_99_24h, 100 * at24h!.var99);
      expectClose(risk.es_95_24h, 100 * at24h!.expectedShortfall95);
      expectClose(risk.es_99_24h, 100 * at24h!.expectedShortfall99);
      expectClose(risk.pct_99_4h, 100 * at4h!.var99);
      expectClose(risk.pct_99_7d, 100 * at7d!.var99);
      const { notionalUsd } = trade;
      expectClose(risk.dollar_95_24h, at24h!.var95 * notionalUsd);
      expectClose(risk.dollar_99_24h, at24h!.var99 * notionalUsd);
      expectClose(risk.dollar_99_4h, at4h!.var99 * notionalUsd);
      expectClose(risk.dollar_99_7d, at7d!.var99 * notionalUsd);
      expectClose(risk.margin_var_99_pct, risk.pct_99_24h! * meta.leverage);
      expect(simulated).toMatchObject({
        var_95: risk.pct_95_24h,
        var_99: risk.pct_99_24h,
        expected_shortfall_95: risk.es_95_24h,
        expected_shortfall_99: risk.es_99_24h,
      });
      const { medianReturn, worstReturn, lowerReturn, upperReturn } = side.dayReturns;
      expectClose(simulated!.median_return, 100 * medianReturn);
      expectClose(simulated!.worst_case, 100 * worstReturn);
      expectClose(simulated!.confidence_interval[0], 100 * lowerReturn);
      expectClose(simulated!.confidence_interval[1], 100 * upperReturn);
      expectClose(evt!.var_99_9, 100 * side.extreme.var999);
      expectClose(evt!.expected_shortfall_99_9, 100 * side.extreme.expectedShortfall999);
    });
  });

  it("say of the position, its funding and its market what the assessment says", () => {
    check(({ liquidation, funding, impact, oi, greeks, drawdown, sizing, stress }, of, { asset }) => {
      expectClose(liquidation.margin_used_pct, 100 * of.liquidation.marginUsedFraction);
      expectClose(liquidation.effective_leverage, of.liquidation.effectiveLeverage);
      expectClose(liquidation.distance_pct, 100 * of.liquidation.distanceFraction);
      expectClose(funding.annualized_pct, 876_000 * asset.funding.rateHourly);
      expectClose(impact.participation_pct, 100 * of.impact.participationFraction);
      expectClose(oi.utilization_pct, 100 * asset.openInterest.utilizationFraction);
      expectClose(greeks!.delta, of.greeks.deltaBase);
      if (greeks!.vega !== null) expectClose(greeks!.vega, of.greeks.vegaUsd);
      if (drawdown !== null) expectClose(drawdown.suggested_stop_loss_pct, 100 * of.suggestedStopFraction!);
      if (sizing !== null) expectClose(sizing.max_safe_size_usd, of.sizing!.maxSafeSizeUsd);
      expect(stress.map(({ scenario }) => scenario)).toEqual(STRESS_SCENARIOS.map(({ id }) => id));
      stress.forEach(({ pnl_pct, pnl_usd, liquidity_cost_pct, funding_cost_pct }, i) => {
        expectClose(pnl_pct, 100 * of.stress.pnlFractions[i]!);
        expectClose(pnl_usd, of.stress.pnlFractions[i]! * of.trade.notionalUsd);
        expectClose(liquidity_cost_pct, 100 * of.stress.liquidityCostFractions[i]!);
        expectClose(funding_cost_pct, 100 * of.stress.fundingCostFractions[i]!);
      });
    });
  });
});
