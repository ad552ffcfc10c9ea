import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import { handleAssets } from "../../src/handlers/assets.ts";
import { handleModelInfo } from "../../src/handlers/model-info.ts";
import { accuracyBody } from "../../src/response/accuracy-body.ts";
import { modelInfoBody } from "../../src/response/model-info-body.ts";
import { rounded, roundedOrNull } from "../../src/response/units.ts";
import { assess } from "../../src/risk/assess.ts";
import { accuracyReport } from "../../src/risk/backtest/accuracy-report.ts";
import type { OutcomeColumns } from "../../src/risk/backtest/outcome-columns.ts";
import { wilsonInterval } from "../../src/risk/backtest/wilson-interval.ts";
import { SCORE } from "../../src/risk/calibration/calibration.ts";
import { recommendationOf } from "../../src/risk/scoring/bands.ts";
import { assetContext, assetListing, BTC, ETH, NOW_MS, walletState } from "../support/builders.ts";
import { handlerDeps, LIVE_VIEWS } from "../support/handler-deps.ts";
import { assetView } from "../support/market.ts";
import { assessInputs } from "../support/market-arbitraries.ts";
import { plainValidate } from "../support/plain-body.ts";

describe("the accuracy body", () => {
  const body = accuracyBody(accuracyReport(columns(), SCORE.adverseCurve.value, NOW_MS));

  it("gives rates of outcomes as fractions and shares of profit in percent, each with its interval", () => {
    const [proceed] = body.band_stats;
    const { low, high } = wilsonInterval(300, 400, 0.95);

    expect(proceed!.profitable_pct).toBeCloseTo(75, 9);
    expect(proceed!.profitable_interval_pct![0]).toBeCloseTo(100 * low, 8);
    expect(proceed!.profitable_interval_pct![1]).toBeCloseTo(100 * high, 8);
    expect(body.recent_7d!.profitable_pct).toBeCloseTo(75, 9);
    const [range] = body.calibration_curve.filter(({ count }) => count > 0);
    expect(range!.actual_loss_rate).toBeCloseTo(0.25, 9);
    expect(range!.loss_rate_interval![1]).toBeCloseTo(wilsonInterval(100, 400, 0.95).high, 9);
  });

  it("gives no number, not even 0, of ranges and bands without an outcome", () => {
    const ranges = body.calibration_curve.filter(({ count }) => count === 0);
    const bands = body.band_stats.filter(({ count }) => count === 0);

    expect([ranges.length, bands.length]).toEqual([9, 2]);
    for (const range of ranges) expect(range).toMatchObject({ actual_loss_rate: null, avg_pnl_pct: null });
    for (const band of bands) {
      expect(band).toMatchObject({ profitable_pct: null, avg_pnl_pct: null, median_pnl_pct: null });
    }
  });

  it("takes the Brier score apart into parts that add up to it", () => {
    const { reliability, resolution, uncertainty, within_bin } = body.murphy!;

    expect(reliability - resolution + uncertainty + within_bin).toBeCloseTo(body.brier_score!, 8);
    expect(resolution).not.toBeCloseTo(reliability, 3);
    expect(Math.abs(within_bin)).toBeGreaterThan(1e-4);
    expect(uncertainty).toBeCloseTo(body.base_rate! * (1 - body.base_rate!), 9);
  });

  it("shows by how much a recalibration would have been better", () => {
    const [evidence] = body.score_probability.evidence;

    expect(evidence!.published_log_loss - evidence!.recalibrated_log_loss).toBeGreaterThan(
      evidence!.standard_error,
    );
    expect(body.score_probability.method).not.toBe("identity");
    // Where the forecasts lay, about twice of what was published had happened.
    const met = body.score_probability.curve.filter(({ published_probability: p }) => p > 0.03 && p < 0.2);
    expect(met.length).toBeGreaterThan(0);
    for (const { published_probability, probability } of met) {
      expect(probability / published_probability).toBeGreaterThan(1.5);
      expect(probability / published_probability).toBeLessThan(2.5);
    }
  });

  it("says of each reason how many reports were left out for it", () => {
    expect(body.left_out).toEqual({ prices_outside_market: 3, over_key_cap: 4 });
    expect([body.total_outcomes, body.scored_outcomes]).toEqual([400, 400]);
  });
});

/** 400 outcomes of one score, a quarter of them lost, whose forecasts are half of what happens. */
function columns(): OutcomeColumns {
  const rows = Array.from({ length: 400 }, (_, i) => i);
  const forecastOf = (i: number): number => 0.02 + 0.3 * ((i % 10) / 10) ** 2;
  return {
    riskScore: Float64Array.from(rows, () => 25),
    pnlUsd: Float64Array.from(rows, (i) => (i % 4 === 0 ? -1 : 1)),
    pnlFraction: Float64Array.from(rows, () => 0.01),
    isAdverse: Uint8Array.from(rows, (i) => Number((0.618_034 * i) % 1 < 2 * forecastOf(i))),
    forecast: Float64Array.from(rows, forecastOf),
    recordedAtMs: Float64Array.from(rows, (i) => NOW_MS - i * 1_000),
    calibration: Uint32Array.from(rows, () => 0),
    calibrations: [{ hash: "k", isKnown: true }],
    leftOut: { pricesOutsideMarket: 3, overKeyCap: 4 },
  };
}

describe("the assets body", () => {
  it("lists what can be traded, with eight hours of funding and open interest in USD at mark", () => {
    const context = assetContext({ markPrice: 50_000, fundingRateHourly: 1e-5, openInterestBase: 30 });
    const listing = assetListing({ isIsolatedOnly: true, maxLeverage: 7 });
    const delisted = assetView(LIVE_VIEWS[1]!.listing.ticker, {
      listing: { ...LIVE_VIEWS[1]!.listing, isDelisted: true },
    });
    const unread = assetView(ETH, { listing: assetListing({ ticker: ETH, isCloseOnly: true }) });
    const views = [assetView(BTC, { context, listing }), delisted, unread, LIVE_VIEWS[2]!];
    const answer = handleAssets(handlerDeps({ account: walletState(), views }).snapshots);

    const { assets } = answer.ok ? answer.value : { assets: [] };
    expect(assets.map(({ name }) => name)).toEqual(["BTC", "SOL"]);
    expect(assets[0]).toMatchObject({
      mark_price: 50_000,
      max_leverage: 7,
      only_isolated: true,
      funding_rate_8h: 8e-5,
      funding_rate_hourly: 1e-5,
      oi: 1_500_000,
      volume_24h: context.volume24hUsd,
      margin_tiers: listing.marginTiers.length,
    });
    expect(assets[1]!.only_isolated).toBe(false);
  });
});

describe("the model-info body", () => {
  it("gives the bands as the recommendation reads them", () => {
    const { snapshots } = handlerDeps({ account: walletState() });
    const { proceed_max, caution_max } = handleModelInfo(snapshots, "1.2.3").recommendation_bands;

    expect([proceed_max, proceed_max + 0.01, caution_max, caution_max + 0.01].map(recommendationOf)).toEqual([
      "proceed",
      "proceed_with_caution",
      "proceed_with_caution",
      "abort",
    ]);
  });

  it("tells the oldest fit from the newest, and failed refits from those done", () => {
    const { snapshots } = handlerDeps({ account: walletState() });
    const status = snapshots.status!;
    const counts = { ...status.counts, refitsDone: 11, refitsFailed: 2 };
    const { fits } = modelInfoBody(
      "1.2.3",
      { ...status, counts },
      {
        assetsByModel: { "range-garch": 2 },
        assetsWithoutModel: 1,
        oldestFitAtMs: NOW_MS,
        newestFitAtMs: NOW_MS + 60_000,
        sheet: { version: 4, builtAtMs: NOW_MS + 120_000, assets: 5, scenarios: 4_096 },
        recalibration: { assets: 3, marketMultiplier: 1.1, smallestMultiplier: 0.9, largestMultiplier: 1.4 },
      },
    );

    expect(fits).toMatchObject({
      oldest_fit_at: "2026-01-15T12:00:00.000Z",
      newest_fit_at: "2026-01-15T12:01:00.000Z",
      refits_done: 11,
      refits_failed: 2,
      ...{ assets_by_volatility_model: { "range-garch": 2 }, assets_without_model: 1 },
      scenario_sheet: { version: 4, built_at: "2026-01-15T12:02:00.000Z", assets: 5, scenarios: 4_096 },
      sigma_recalibration: {
        ...{ assets: 3, market_multiplier: 1.1, smallest_multiplier: 0.9, largest_multiplier: 1.4 },
      },
    });
  });

  it("shows the constants of a model with their units, and once what they were fitted on", () => {
    const { snapshots } = handlerDeps({ account: walletState() });
    const { models } = handleModelInfo(snapshots, "1.2.3");
    const ages = models.find(({ name }) => name === "age_limits")!;

    expect(ages.parameters.length).toBeGreaterThan(1);
    for (const { value, unit, source } of ages.parameters) {
      expect(typeof value).toBe("object");
      expect(unit).not.toBe(source);
    }
    for (const { fitted_on } of ages.parameters) expect(ages.fitted_on.split(fitted_on)).toHaveLength(2);
  });
});

describe("the explanation body", () => {
  it("has shares that add up to the score, and the floor that it names", () => {
    let demanded = 0;
    fc.assert(
      fc.property(assessInputs, (input) => {
        const trade = { ...input.trade, wantsExplanation: true };
        const { explanation, risk_score } = bodyOf(assess({ ...input, trade }));
        const { components, base_points, unrounded_score, adjustment_reason } = explanation!;
        const { compounding_points, adjustment_points } = explanation!;

        const shares = components.reduce((sum, { share_points }) => sum + share_points, base_points);
        expect(shares).toBeCloseTo(unrounded_score, 6);
        for (const { points, weight, severity } of components) {
          expect(points).toBeCloseTo(100 * weight * severity, 8);
        }
        const added = components.reduce((sum, { points: of }) => sum + of, compounding_points);
        expect(added + adjustment_points).toBeCloseTo(risk_score, 6);
        const [, name, points] =
          /^(\w+) alone demands at least ([\d.]+) points$/.exec(adjustment_reason ?? "") ?? [];
        if (name === undefined) return;
        demanded++;
        const floor = components.find(({ component }) => component === name)!.floor_points;
        expect(Number(points)).toBe(risk_score);
        expect(floor).toBeCloseTo(unrounded_score, 6);
      }),
      // One in six is such an answer.
      { numRuns: 400 },
    );
    expect(demanded).toBeGreaterThan(20);
  });

  it("gives each fact of the score under its own name", () => {
    let better = 0;
    fc.assert(
      fc.property(assessInputs, (input) => {
        const assessment = assess({ ...input, trade: { ...input.trade, wantsExplanation: true } });
        const { explanation } = bodyOf(assessment);
        const { components, compoundingPoints, nextBetterBand: next } = assessment.explanation!;

        expect(explanation!.compounding_points).toBe(rounded(compoundingPoints));
        expect(
          explanation!.components.map(({ driver, raw_value, raw_unit }) => [driver, raw_value, raw_unit]),
        ).toEqual(
          components.map(({ driver, rawValue, rawUnit }) => [driver, roundedOrNull(rawValue), rawUnit]),
        );
        if (next === null || next.recommendation === "abort") {
          expect(explanation!.next_better_band).toBeNull();
          return;
        }
        better++;
        expect(explanation!.next_better_band).toEqual({
          recommendation: next.recommendation,
          size: roundedOrNull(next.notionalUsd),
          leverage: roundedOrNull(next.leverage),
          mode: next.marginMode,
        });
      }),
    );
    expect(better).toBeGreaterThan(20);
  });
});

function bodyOf(assessment: ReturnType<typeof assess>): ValidateResponse {
  const modelVersion = { engine_version: "1.2.3", calibration_hash: "hash" };
  return plainValidate({ assessment, ticker: BTC, modelVersion, requestId: "id", latencyMs: () => 1 });
}
