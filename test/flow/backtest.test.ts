import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  BacktestResponse,
  CalibrationHealthResponse,
  HealthResponse,
  ModelInfoResponse,
} from "../../src/contracts/generated/types.ts";
import { startService, untilReady, type RunningService } from "../support/running-service.ts";

/** The record of forecasts on the whole program and the embedded exchange, from a first start on. */
describe("backtesting the simulated exchange", { timeout: 240_000 }, () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService();
    await untilReady(service, 90_000);
  }, 120_000);

  afterAll(async () => {
    await service.stop();
  });

  it("owns up to knowing nothing at first", async () => {
    const health = await asked<CalibrationHealthResponse>("/v1/calibration/health");

    const { assets } = (await (await service.get("/health")).json()) as HealthResponse;
    expect(assets.listed).toBeGreaterThan(10);
    expect(health.per_asset).toHaveLength(assets.listed);
    expect(health.aggregate_status).toBe("insufficient_data");
  });

  it("has judged an asset out of sample soon after, by every test", async () => {
    const asset = await firstJudged();
    const body = await asked<BacktestResponse>(`/v1/backtest/${asset}`);

    expect(body.status).not.toBe("insufficient_data");
    expect(body.observations).toBeGreaterThan(200);
    expect(body.forecasts.replayed).toBeGreaterThan(3_000);
    expect(body.results).toHaveLength(16);
    for (const result of body.results.filter(({ horizon_hours: hours }) => hours < 168)) {
      expect(result.observations).toBeGreaterThan(100);
      expect(result.expected_breaches).toBeCloseTo((1 - result.confidence) * result.observations, 6);
      expect(result.breach_rate!).toBeCloseTo(result.breaches / result.observations, 6);
      expect(result.kupiec).not.toBeNull();
      expect(result.quantile_loss!.model).toBeGreaterThan(0);
    }
    expect(Date.parse(body.window!.to)).toBeLessThanOrEqual(Date.parse(body.computed_at));
    expect(body.series.length).toBe(90);
    for (const { var_95_long_pct: at95, var_99_long_pct: at99 } of body.series) {
      expect(at99).toBeGreaterThan(at95);
    }
    // What the record taught is small, and in force.
    expect(body.sigma_multiplier).toBeGreaterThan(0.8);
    expect(body.sigma_multiplier).toBeLessThan(1.5);
  });

  it("shows the rule and the reach of the correction in model-info", async () => {
    const { fits, models } = await asked<ModelInfoResponse>("/v1/model-info");

    expect(models.find(({ name }) => name === "sigma_recalibration")!.parameters).toHaveLength(2);
    expect(fits.sigma_recalibration.smallest_multiplier).toBeLessThanOrEqual(
      fits.sigma_recalibration.largest_multiplier,
    );
  });

  it("names what it has nothing of", async () => {
    const response = await service.get("/v1/backtest/NOPE");
    const body: unknown = await response.json();

    expect([response.status, body]).toEqual([
      404,
      { error: "not_found", detail: "no volatility data: invalid asset: NOPE" },
    ]);
  });

  /** Asks until the background work has come to its first asset; the test's own limit ends it. */
  async function firstJudged(): Promise<string> {
    for (;;) {
      const { per_asset: assets } = await asked<CalibrationHealthResponse>("/v1/calibration/health");
      const judged = assets.find(({ status }) => status !== "insufficient_data");
      if (judged !== undefined) return judged.asset;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  async function asked<T>(path: string): Promise<T> {
    const response = await service.get(path);
    const body: unknown = await response.json();
    expect([response.status, body]).toMatchObject([200, {}]);
    return body as T;
  }
});
