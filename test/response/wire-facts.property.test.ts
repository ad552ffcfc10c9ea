import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import { assess, type AssessInput } from "../../src/risk/assess.ts";
import type { Assessment } from "../../src/risk/assessment.ts";
import { BTC } from "../support/builders.ts";
import { assessInput, assetView, DRAWDOWN, volatilityFacts } from "../support/market.ts";
import { assessInputs } from "../support/market-arbitraries.ts";
import { plainValidate } from "../support/plain-body.ts";

/**
 * What a client is told of sides, states and the asset, against the asset itself and the definitions of the
 * specification. The costs and the tail are in wire-numbers.property.test.ts.
 *
 * Mutants tried by hand, each killed here and by no older test of bodies and handlers: a side that pays from who asks,
 * the imbalance and the liquidation gamma with the other sign, z for the ratio to other venues, the cap for the open
 * interest, the safe size for the suggested one, distances as fractions, survival turned round, a horizon's sigma or
 * level's LVaR for another's, the regime's doubt for its confidence, trough for peak, the maximum for the current
 * drawdown, days for hours, the score before rounding, the highest leverage for the trade's.
 */
const VERSION = { engine_version: "1.2.3", calibration_hash: "hash" };

function bodyOf(assessment: Assessment): ValidateResponse {
  const answer = { assessment, ticker: BTC, modelVersion: VERSION, requestId: "id", latencyMs: () => 1 };
  return plainValidate(answer);
}

function check(law: (body: ValidateResponse, input: AssessInput, of: Assessment) => void): void {
  fc.assert(
    fc.property(assessInputs, (input) => {
      const of = assess(input);
      law(bodyOf(of), input, of);
    }),
  );
}

describe("what a validate answer says of the asset", () => {
  it("tells who pays funding by the sign of the rate, and whether the described side is the one", () => {
    check(({ funding }, { asset }, { trade, applied }) => {
      const { rateHourly, cexRatio } = asset.funding;
      const leftBase = applied.position?.sizeBase ?? 0;
      const isFunded = trade.isClose ? leftBase !== 0 : leftBase * trade.direction > 0;

      expect(funding.direction).toBe(rateHourly < 0 ? "shorts_pay" : "longs_pay");
      if (rateHourly !== 0) {
        const paysAsSide = (funding.direction === "longs_pay") === trade.exposureDirection > 0;
        expect(funding.agent_pays).toBe(paysAsSide && isFunded);
      }
      expect(funding.vs_cex_divergence).toBeCloseTo(cexRatio, 8);
      // By the hour; of a year its percent.
      expect(funding.funding_rate).toBeCloseTo(rateHourly, 9);
      expect(funding.annualized_pct).toBeCloseTo(100 * 24 * 365 * rateHourly, 6);
    });
  });

  it("counts a book's orders within half a percent as depth, bids positive in the imbalance", () => {
    check(({ slippage, cost_analysis }, { asset: { book } }) => {
      if (book === null) {
        expect(cost_analysis.cost_score).toBe(1);
        return;
      }
      const within = ({ prices, sizesBase }: typeof book.bids): number =>
        prices.reduce((sum, price, level) => {
          const isNear = Math.abs(price / book.midPrice - 1) <= 0.005 * (1 + 1e-9);
          return sum + (isNear ? price * sizesBase[level]! : 0);
        }, 0);
      const [bidUsd, askUsd] = [within(book.bids), within(book.asks)];

      expect(slippage.depth_50bps).toBeCloseTo(bidUsd + askUsd, 2);
      const imbalance = bidUsd + askUsd > 0 ? (bidUsd - askUsd) / (bidUsd + askUsd) : 0;
      expect(slippage.bid_ask_imbalance).toBeCloseTo(imbalance, 8);
    });
  });

  it("gives open interest in USD at mark, and the exchange's own word on the cap", () => {
    check(({ oi, meta }, { asset }) => {
      expect(oi.current).toBeCloseTo(asset.context.openInterestBase * asset.context.markPrice, 2);
      expect(oi.at_cap).toBe(asset.openInterest.isAtCap);
      expect(meta.mark_price).toBe(asset.context.markPrice);
      expect(meta.max_leverage).toBe(asset.listing.maxLeverage);
    });
  });

  it("gives the regime's state with the probability of that state", () => {
    check(({ regime }, { asset: { liquidityRegime } }) => {
      expect(regime?.state).toBe(liquidityRegime?.state);
      if (regime !== null) expect(regime.confidence).toBeCloseTo(liquidityRegime!.confidence, 9);
    });
  });

  it("gives every horizon its own volatility", () => {
    const volatility = {
      ...volatilityFacts(),
      sigmas: {
        sigma1hAnnual: 0.1,
        sigma4hAnnual: 0.2,
        sigma1dAnnual: 0.3,
        sigma7dAnnual: 0.4,
        longRunSigmaAnnual: 0.5,
      },
    };
    const body = bodyOf(assess(assessInput({ asset: assetView(BTC, { volatility }) })));

    expect(body.var.volatility_forecast).toEqual({
      sigma_1h: 0.1,
      sigma_4h: 0.2,
      sigma_1d: 0.3,
      sigma_7d: 0.4,
      long_run_sigma: 0.5,
    });
  });

  it("gives drawdowns and stops in percent, the closes that bound the worst, and hours", () => {
    const body = bodyOf(assess(assessInput({ asset: assetView(BTC, { drawdown: DRAWDOWN }) })));

    expect(body.drawdown).toMatchObject({
      max_drawdown_pct: 30,
      current_drawdown_pct: 10,
      peak_equity: 110_000,
      trough_equity: 77_000,
      drawdown_duration_hours: 100,
      calmar_ratio: 1.5,
      trailing_stop_distance_pct: 3.6,
    });
  });
});

describe("what a validate answer says of the position", () => {
  it("shows the score that its band is told by, and the leverage that it was assessed at", () => {
    check(({ risk_score, meta, recommendation }, { trade: asked }, { score, trade }) => {
      expect(risk_score).toBeCloseTo(Math.round(10 * risk_score) / 10, 12);
      expect(Math.abs(risk_score - score.score)).toBeLessThan(1);
      expect(risk_score <= 40).toBe(recommendation === "proceed");
      expect(risk_score >= 71).toBe(recommendation === "abort");
      expect(meta.leverage).toBeCloseTo(trade.leverage, 8);
      if (asked.action !== "close" && asked.leverage !== undefined) {
        expect(meta.leverage).toBeCloseTo(asked.leverage, 8);
      }
    });
  });

  it("names the liquidation price in the price's own unit, 0 where there is none, and its gamma by the side", () => {
    check(({ liquidation, greeks, meta }, _, { liquidation: { sizeBase, liquidationPrice } }) => {
      expect(liquidation.price === 0).toBe(liquidationPrice === null);
      if (liquidation.price === 0) return;
      const distance = Math.abs(liquidation.price / meta.mark_price - 1);
      expect(liquidation.distance_pct).toBeCloseTo(100 * distance, 6);
      const gamma = (Math.sign(sizeBase) * liquidation.price) / meta.mark_price;
      expect(greeks!.liquidation_gamma).toBeCloseTo(gamma, 8);
    });
  });

  it("says of a scenario that the position survives it exactly where a distance is left, in percent", () => {
    let lost = 0;
    check(({ stress }, _, { stress: of }) => {
      stress.forEach(({ survives, liquidation_distance_pct: distancePct }, i) => {
        expect(distancePct).toBeCloseTo(100 * of.liquidationDistanceFractions[i]!, 6);
        if (!survives) {
          lost++;
          expect(distancePct).toBe(0);
        } else expect(distancePct).toBeGreaterThan(0);
      });
    });
    expect(lost).toBeGreaterThan(100);
  });

  it("adds to a level's VaR the exit at that level, which costs more at the higher one", () => {
    let costly = 0;
    check(({ var: risk }, _, { valueAtRisk: of }) => {
      if (of === null) return;
      expect(risk.lvar_95_24h).toBeGreaterThanOrEqual(risk.dollar_95_24h! - 1e-6);
      expect(risk.lvar_95_24h).toBeCloseTo(of.liquidityAdjustedVar95Usd, 4);
      expect(risk.lvar_99_24h).toBeCloseTo(of.liquidityAdjustedVar99Usd, 4);
      if (risk.lvar_99_24h! > 1.01 * risk.lvar_95_24h!) costly++;
    });
    expect(costly).toBeGreaterThan(50);
  });

  it("suggests no more than is safe, and names the tightest limit", () => {
    let tighter = 0;
    check(({ sizing }, _, { sizing: of }) => {
      if (of === null) {
        expect(sizing).toBeNull();
        return;
      }
      const limits = Object.values(of.limitsUsd);
      expect(of.limitsUsd[sizing!.size_limit_reason]).toBe(Math.min(...limits));
      expect(sizing!.suggested_size_usd).toBeLessThanOrEqual(0.61 * sizing!.max_safe_size_usd + 1e-9);
      if (sizing!.size_limit_reason !== "book_depth") tighter++;
    });
    expect(tighter).toBeGreaterThan(20);
  });
});

describe("what a validate answer says where something cannot be known", () => {
  it("is null without a book, because 0 would read as free; the depth of none is 0", () => {
    const { slippage, cost_analysis, greeks } = bodyOf(
      assess(assessInput({ asset: assetView(BTC, { book: null }) })),
    );

    expect(slippage).toEqual({
      bps: null,
      fill_price: null,
      mid_price: null,
      depth_50bps: 0,
      depth_100bps: 0,
      bid_ask_imbalance: 0,
    });
    expect(cost_analysis).toMatchObject({
      total_entry_cost_bps: null,
      total_round_trip_cost_bps: null,
      breakeven_move_pct: null,
      cost_score: 1,
    });
    expect([greeks?.theta, greeks?.vega]).toEqual([null, expect.any(Number)]);
  });

  it("is null of the tail without scenarios of the asset, and still tells its volatility", () => {
    const volatility = volatilityFacts();
    const asset = assetView(BTC, { tails: null, volatility });
    const { var: tail, greeks, evt } = bodyOf(assess(assessInput({ asset, scenarios: null })));

    const { volatility_regime, volatility_forecast, ...numbers } = tail;
    expect(volatility_regime).toBe(volatility.regime);
    expect(volatility_forecast?.sigma_1d).toBeCloseTo(volatility.sigmas.sigma1dAnnual, 9);
    expect(new Set(Object.values(numbers))).toEqual(new Set([null]));
    expect([greeks?.vega, evt]).toEqual([null, null]);
  });
});
