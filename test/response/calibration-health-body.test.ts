import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { handleCalibrationHealth } from "../../src/handlers/calibration-health.ts";
import { calibrationHealthBody } from "../../src/response/calibration-health-body.ts";
import { type AssetDiagnostics, diagnose } from "../../src/risk/backtest/asset-diagnostics.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC, ETH, NOW_MS, walletState } from "../support/builders.ts";
import { forecastRow, returned } from "../support/forecast-rows.ts";
import { handlerDeps } from "../support/handler-deps.ts";

const DAY_MS = 24 * HOUR_MS;

/** 200 days of which every so many fell by 6 %, beyond a VaR of 4 %. */
function diagnosed(ticker: string, everyDays: number, computedAtMs = NOW_MS): AssetDiagnostics {
  return diagnose({
    ticker: tickerOf(ticker),
    computedAtMs,
    rows: Array.from({ length: 200 }, (_, day) =>
      forecastRow({
        timeMs: NOW_MS + (day - 201) * DAY_MS,
        outcome: returned(day % everyDays === 7 ? -0.06 : 0),
      }),
    ),
    multipliers: UNCORRECTED,
    quantileLossesOf: () => null,
  });
}

describe("the calibration-health body", () => {
  it("counts the assets that fail beyond chance, and names each of them critical", () => {
    const assets = ["A", "B", "C", "D", "E", "F"].map((asset, i) => ({
      asset,
      diagnostics: diagnosed(asset, i < 2 ? 10 : 1_000),
    }));
    const body = calibrationHealthBody(assets, NOW_MS);

    expect([body.assets_tested, body.assets_critical]).toEqual([6, 2]);
    const critical = body.suggestions.filter(({ severity }) => severity === "critical");
    expect(critical.map(({ asset }) => asset)).toEqual(["A", "B"]);
    expect(body.aggregate_status).toBe("miscalibrated");
  });

  it("is as new as the newest of its judgements", () => {
    const { snapshots } = handlerDeps({ account: walletState() });
    for (const [ticker, ageMs] of [
      [BTC, 60_000],
      [ETH, 5_000],
    ] as const) {
      const diagnostics = diagnosed(ticker, 100, NOW_MS - ageMs);
      snapshots.accept({ type: "diagnostics.published", diagnostics });
    }
    const answer = handleCalibrationHealth(snapshots, NOW_MS);

    expect(answer).toMatchObject({ ok: true, value: { computed_at: "2026-01-15T11:59:55.000Z" } });
  });
});
