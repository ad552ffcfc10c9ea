import { describe, expect, it } from "vitest";
import type { BacktestResponse, CalibrationHealthResponse } from "../../src/contracts/generated/types.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import type { ForecastRow } from "../../src/domain/forecast-row.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { handleAssetBacktest } from "../../src/handlers/asset-backtest.ts";
import { handleCalibrationHealth } from "../../src/handlers/calibration-health.ts";
import { diagnose, JUDGED_KEYS } from "../../src/risk/backtest/asset-diagnostics.ts";
import { UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import type { AssetSnapshot } from "../../src/snapshot/asset-snapshot.ts";
import type { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { NOW_MS, walletState } from "../support/builders.ts";
import { assertMatchesSchema } from "../support/closed-schema.ts";
import { forecastRow, returned } from "../support/forecast-rows.ts";
import { handlerDeps } from "../support/handler-deps.ts";
import { assetView } from "../support/market.ts";

// Mutants killed by hand: delisted names listed; 30 % exclusive.

const DAY_MS = 24 * HOUR_MS;

describe("handleCalibrationHealth", () => {
  it("lists every asset that can be traded, judged or not", () => {
    const snapshots = worldOf(["AAA", "BBB", "CCC"]);
    judge(snapshots, "AAA", passing());
    snapshots.accept({
      type: "asset.published",
      snapshot: { ...snapshotOf(snapshots, "CCC"), lifecycle: "delisted" },
    });

    const body = health(snapshots);

    expect(body.per_asset.map(({ asset, status }) => [asset, status])).toEqual([
      ["AAA", "pass"],
      ["BBB", "insufficient_data"],
    ]);
    expect([body.assets_tested, body.assets_passing, body.aggregate_status]).toEqual([
      1,
      1,
      "insufficient_data",
    ]);
    expect(body.per_asset[0]).toMatchObject({ observations: 400, var_99_breach_rate: 0.01 });
    expect(body.suggestions.map(({ asset, severity }) => [asset, severity])).toEqual([["BBB", "info"]]);
  });

  it.each([
    [0, "healthy"],
    [1, "degraded"],
    [2, "degraded"],
    [3, "miscalibrated"],
    [10, "miscalibrated"],
  ] as const)("calls ten assets of which %i are understated %s", (failing, status) => {
    const names = Array.from({ length: 10 }, (_, i) => `A${String(i)}`);
    const snapshots = worldOf(names);
    names.forEach((name, i) => judge(snapshots, name, i < failing ? tooManyBreaches() : passing()));

    const body = health(snapshots);

    expect(body.aggregate_status).toBe(status);
    expect(body.assets_passing).toBe(10 - failing);
    expect(body.suggestions).toHaveLength(failing);
  });

  it("judges all together from five assets on", () => {
    const statusOf = (count: number): string => {
      const names = Array.from({ length: count }, (_, i) => `A${String(i)}`);
      const snapshots = worldOf(names);
      for (const name of names) judge(snapshots, name, passing());
      return health(snapshots).aggregate_status;
    };

    expect([statusOf(4), statusOf(5)]).toEqual(["insufficient_data", "healthy"]);
  });

  it("puts what is dangerous first, in words and numbers", () => {
    const snapshots = worldOf(["CALM", "WILD", "FREE"]);
    judge(
      snapshots,
      "FREE",
      days(() => 0),
    );
    judge(snapshots, "WILD", tooManyBreaches());
    judge(snapshots, "CALM", passing());

    const [first, second] = health(snapshots).suggestions;

    expect(first).toMatchObject({ asset: "WILD", issue: "too_many_breaches", severity: "critical" });
    expect(first!.suggestion).toContain(
      "10 of 200 daily losses of a long exceeded the 99 % VaR, 2.0 were expected): take",
    );
    expect(second).toMatchObject({ asset: "FREE", issue: "too_few_breaches", severity: "info" });
  });

  it("tells the forecasts that have the wrong number of breaches, which need not be the daily ones at 99 %", () => {
    const snapshots = worldOf(["FAST", "WIDE"]);
    // Losses of 2.5 % are beyond the 95 % VaR of a day, those of 4.1 % beyond the 99 % VaR of any period.
    judge(snapshots, "FAST", [...hours((hour) => (hour % 40 === 7 ? -0.041 : 0)), ...passing()]);
    judge(
      snapshots,
      "WIDE",
      days((day) => (day % 8 === 3 ? -0.025 : 0)),
    );

    const [fast, wide] = health(snapshots).suggestions;

    expect(fast!.suggestion).toBe(
      "VaR is too low here (50 of 2000 hourly losses of a long exceeded the 99 % VaR, 20.0 were expected): take smaller positions than the numbers allow",
    );
    expect(wide!.suggestion).toContain(
      "(25 of 200 daily losses of a long exceeded the 95 % VaR, 10.0 were expected): take smaller positions than the numbers allow; sigma is being raised",
    );
  });

  it("counts the days of a record that it has seen, and none of one that it has not", () => {
    const snapshots = worldOf(["SHORT", "UNREAD"]);
    judge(snapshots, "SHORT", passing().slice(0, 20));

    const [short, unread] = health(snapshots).suggestions;

    expect(short!.suggestion).toContain("20 days so far");
    expect(unread!.suggestion).toBe("not judged yet since the service started: treat its VaR as untested");
  });

  it("warns of evidence that gathers in the running month of an asset that passes", () => {
    const snapshots = worldOf(["AAA"]);
    const quiet = days((day) => (day % 20 === 3 ? -0.021 : day % 20 === 13 ? 0.021 : 0));
    const deep = (place: number): ForecastRow => ({ ...quiet.at(place)!, outcome: returned(-0.09) });
    judge(snapshots, "AAA", quiet.with(-1, deep(-1)).with(-6, deep(-6)));

    const body = health(snapshots);

    expect(body.per_asset[0]!.status).toBe("pass");
    expect(body.suggestions).toHaveLength(1);
    expect(body.suggestions[0]).toMatchObject({ asset: "AAA", issue: "pass", severity: "warning" });
    expect(body.suggestions[0]!.suggestion).toMatch(/gather this month \(e-value [2-9]\d+,/);
  });

  it("pools the assets that are judged, and says how sure the pool is", () => {
    const names = Array.from({ length: 6 }, (_, i) => `A${String(i)}`);
    const snapshots = worldOf([...names, "NEW"]);
    for (const name of names) judge(snapshots, name, passing());
    judge(snapshots, "NEW", tooManyBreaches().slice(-20));

    const { pooled, assets_critical: critical } = health(snapshots);

    expect(critical).toBe(0);
    expect(pooled).toMatchObject({ dates: 200, observations: 2_400, var_99_breach_rate: 0.01 });
    const [low, high] = pooled!.var_99_breach_rate_interval;
    expect(low).toBeLessThan(0.01);
    expect(high).toBeGreaterThan(0.01);
  });

  it("is as new as the newest of its judgements", () => {
    const snapshots = worldOf(["AAA", "BBB"]);
    judge(snapshots, "AAA", passing(), NOW_MS - 60_000);
    judge(snapshots, "BBB", passing(), NOW_MS - 5_000);

    expect(health(snapshots).computed_at).toBe("2026-01-15T11:59:55.000Z");
  });

  it("waits until the service is ready", () => {
    const { snapshots } = handlerDeps({ account: walletState(), readiness: "starting" });

    expect(handleCalibrationHealth(snapshots, NOW_MS)).toMatchObject({
      ok: false,
      error: { code: "starting_up" },
    });
  });
});

describe("handleAssetBacktest", () => {
  it("shows every series of the record in percent, and its verdict", () => {
    const snapshots = worldOf(["AAA"]);
    judge(snapshots, "AAA", tooManyBreaches());

    const body = backtest(snapshots, "AAA");

    expect(body).toMatchObject({
      asset: "AAA",
      status: "too_many_breaches",
      observations: 400,
      forecasts: { live: 150, replayed: 50 },
      sigma_multiplier: 1,
      window: { estimation_hours: 4400, refit_hours: 168 },
    });
    expect(body.results).toHaveLength(16);
    const long99 = body.results.find(
      ({ side, horizon_hours: hours, confidence }) => side === "long" && hours === 24 && confidence === 0.99,
    )!;
    expect(long99).toMatchObject({
      observations: 200,
      breaches: 10,
      expected_breaches: 2,
      breach_rate: 0.05,
    });
    expect(long99.kupiec!.p_value).toBeLessThan(0.005);
    // One of the ten breaches lies in the running month: 0.99 a calm day, 1.99 that day.
    expect(long99.e_value_var).toBe(1.99);
    expect(long99.quantile_loss).toMatchObject({
      model: 0.1,
      historical_simulation: 0.2,
      ewma: 0.3,
      gaussian: 0.4,
    });
    expect(body.series).toHaveLength(90);
    expect(body.series.at(-1)).toMatchObject({ var_99_long_pct: 4, var_95_short_pct: 2 });
  });

  it("says insufficient data of an asset whose record is still being made", () => {
    const body = backtest(worldOf(["AAA"]), "AAA");

    expect(body).toMatchObject({ status: "insufficient_data", window: null, results: [], series: [] });
  });

  it.each([
    ["NOPE", undefined, "no volatility data: invalid asset: NOPE"],
    ["OLD", { lifecycle: "delisted" }, "no volatility data: asset OLD is delisted"],
    ["NEW", { volatility: null }, "no volatility data of NEW yet: its history is too short"],
    [
      "SOON",
      { volatility: null, lifecycle: "warming" },
      "no volatility data of SOON yet: its history is still being read",
    ],
  ] as const)("has nothing of %s and says why", (name, part, detail) => {
    const snapshots = worldOf([]);
    if (part !== undefined) {
      const snapshot = { ...snapshotOf(worldOf([name]), name), ...part };
      snapshots.accept({ type: "asset.published", snapshot });
    }

    expect(handleAssetBacktest(name, snapshots, NOW_MS)).toEqual({
      ok: false,
      error: { code: "not_found", detail },
    });
  });

  it("still shows the record of an asset delisted meanwhile", () => {
    const snapshots = worldOf(["AAA"]);
    judge(snapshots, "AAA", passing());
    snapshots.accept({
      type: "asset.published",
      snapshot: { ...snapshotOf(snapshots, "AAA"), lifecycle: "delisted" },
    });

    expect(backtest(snapshots, "AAA").status).toBe("pass");
  });
});

function health(snapshots: SnapshotStore): CalibrationHealthResponse {
  const result = handleCalibrationHealth(snapshots, NOW_MS);
  if (!result.ok) throw new Error(result.error.code);
  assertMatchesSchema("calibration-health", result.value);
  return result.value;
}

function backtest(snapshots: SnapshotStore, name: string): BacktestResponse {
  const result = handleAssetBacktest(name, snapshots, NOW_MS);
  if (!result.ok) throw new Error(result.error.code);
  assertMatchesSchema("backtest", result.value);
  return result.value;
}

function worldOf(names: readonly string[]): SnapshotStore {
  const views = names.map((name, i) => {
    const view = assetView(tickerOf(name));
    return { ...view, listing: { ...view.listing, ticker: tickerOf(name), assetIndex: i } };
  });
  return handlerDeps({ account: walletState(), views }).snapshots;
}

function snapshotOf(snapshots: SnapshotStore, name: string): AssetSnapshot {
  return snapshots.assetOf(name)!;
}

function judge(
  snapshots: SnapshotStore,
  name: string,
  rows: readonly ForecastRow[],
  computedAtMs = NOW_MS,
): void {
  const diagnostics = diagnose({
    ticker: tickerOf(name),
    computedAtMs,
    rows,
    multipliers: UNCORRECTED,
    quantileLosses: JUDGED_KEYS.map(() => ({
      model: 0.001,
      historicalSimulation: 0.002,
      ewma: 0.003,
      gaussian: 0.004,
    })),
  });
  snapshots.accept({ type: "diagnostics.published", diagnostics });
}

function passing(): readonly ForecastRow[] {
  return days((day) => {
    const size = [43, 53, 143, 153].includes(day) ? 0.041 : 0.021;
    if (day % 20 === 3) return -size;
    return day % 20 === 13 ? size : 0;
  });
}

function tooManyBreaches(): readonly ForecastRow[] {
  return days((day) => (day % 20 === 7 ? -0.041 : 0.001));
}

function hours(changeOf: (hour: number) => number): readonly ForecastRow[] {
  return Array.from({ length: 2000 }, (_, hour) =>
    forecastRow({
      timeMs: NOW_MS + (hour - 2001) * HOUR_MS,
      horizonHours: 1,
      outcome: returned(changeOf(hour)),
    }),
  );
}

function days(changeOf: (day: number) => number): readonly ForecastRow[] {
  return Array.from({ length: 200 }, (_, day) =>
    forecastRow({
      timeMs: NOW_MS - 12 * HOUR_MS + (day - 201) * DAY_MS,
      isReplayed: day < 50,
      outcome: returned(changeOf(day)),
    }),
  );
}
