import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type {
  AccuracyResponse,
  HealthResponse,
  OutcomesStatsResponse,
  ValidateResponse,
} from "../../src/contracts/generated/types.ts";
import { DAY_MS } from "../../src/domain/bar.ts";
import { recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import { builtProgram } from "../support/built-program.ts";
import { dropPostgres, opened, outcomeWith, RECORD_BACKENDS } from "../support/record-backends.ts";
import { type RunningService, startService, untilAllLive } from "../support/running-service.ts";

const WALLET = "0x0000000000000000000000000000000000000001";
const VALIDATE = { asset: "BTC", action: "long", size: 10_000, leverage: 5, wallet: WALLET };

interface ExportedRow {
  readonly trade_id: string;
  readonly calibration_known: boolean;
  readonly reported_by: string | null;
}

interface CommandEnvironment {
  readonly BREAKWATER_DATA_DIR: string;
}

const command = (environment: CommandEnvironment, name: string, ...words: readonly string[]): string =>
  execFileSync(process.execPath, [builtProgram(`cli/${name}`), ...words], {
    encoding: "utf8",
    stdio: "pipe",
    env: { PATH: process.env["PATH"], ...environment },
  });

function outcome(tradeId: string, validated: ValidateResponse, changes: object = {}): object {
  return {
    trade_id: tradeId,
    asset: "BTC",
    action: "long",
    entry_price: validated.meta.mark_price,
    exit_price: validated.meta.mark_price,
    size: 10_000,
    leverage: 5,
    risk_score_at_entry: validated.risk_score,
    calibration_hash: validated.model_version.calibration_hash,
    pnl_usd: 72.7,
    pnl_pct: 3.635,
    holding_period_hours: 6.5,
    ...changes,
  };
}

/** What the service says of its record. */
async function recordOf(service: RunningService): Promise<HealthResponse["outcome_record"]> {
  return ((await (await service.get("/health")).json()) as HealthResponse).outcome_record;
}

/** Asks until the answer has this status; a change of keys takes up to a second. */
async function untilStatus(ask: () => Promise<Response>, status: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (let last = 0; last !== status;) {
    if (Date.now() > deadline) throw new Error(`still ${last}, not ${status}`);
    last = (await ask()).status;
  }
}

describe("outcomes and keys of a running service", { timeout: 240_000 }, () => {
  let service: RunningService | undefined;

  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  const started = async (environment: Readonly<Record<string, string>>): Promise<ValidateResponse> => {
    service = await startService(environment);
    // Ready says that half the market's volume is live, not that this asset is.
    await untilAllLive(service);
    const answer = await service.post("/v1/validate", VALIDATE);
    const body: unknown = await answer.json();
    expect([answer.status, body]).toEqual([200, expect.anything()]);
    return body as ValidateResponse;
  };

  it("records, repeats, refuses and reports; a kill while clients write loses nothing acknowledged", async () => {
    const environment = { BREAKWATER_DATA_DIR: mkdtempSync(join(tmpdir(), "breakwater-outcomes-")) };
    const validated = await started(environment);
    const post = (id: string, changes: object = {}): Promise<Response> =>
      service!.post("/v1/outcome", outcome(id, validated, changes));

    const first = await post("t-1");
    const firstBody: unknown = await first.json();
    expect([first.status, firstBody]).toEqual([200, { status: "recorded", trade_id: "t-1" }]);
    expect((await post("t-1")).status).toBe(200);
    const conflict = await post("t-1", { pnl_usd: 72.8 });
    expect(conflict.status).toBe(409);
    expect((await post("t-2", { entry_price: 0 })).status).toBe(400);
    expect((await post("lost-half", { pnl_usd: -1_200, pnl_pct: -60 })).status).toBe(200);
    expect((await post("imported", { calibration_hash: "unknown" })).status).toBe(200);

    const stats = (await (await service!.get("/v1/outcomes/stats")).json()) as OutcomesStatsResponse;
    expect(stats).toMatchObject({
      total_outcomes: 3,
      scored_outcomes: 2,
      left_out: { prices_outside_market: 0, over_key_cap: 0 },
    });
    await vi.waitFor(async () => expect(await recordOf(service!)).toEqual({ writable: true }), 10_000);
    // Forecast p twice; one did not happen and one did.
    const p = stats.band_stats.find(({ count }) => count > 0)!.predicted_adverse_rate!;
    expect(stats.brier_score).toBeCloseTo((p ** 2 + (1 - p) ** 2) / 2, 6);

    const acknowledged = new Set(["t-1", "lost-half", "imported"]);
    const running = service!;
    const kills: Promise<void>[] = [];
    const client = async (number: number): Promise<void> => {
      for (let i = 0; kills.length === 0; i += 1) {
        const id = `c-${number}-${i}`;
        const answer = await post(id).catch(() => undefined);
        if (answer?.status === 200) acknowledged.add(id);
        if (acknowledged.size > 200) kills.push(running.kill());
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => client(number)));
    await Promise.all(kills);
    service = undefined;

    const lines = command(environment, "outcomes", "export", "--format", "jsonl").trimEnd().split("\n");
    const rows = lines.map((line) => JSON.parse(line) as ExportedRow);
    const ids = rows.map((row) => row.trade_id);
    expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(rows.map((row) => row.reported_by)).size).toBe(1);
    expect(rows[0]!.reported_by).toMatch(/^(demo|environment-1)$/);
    expect(rows.filter((row) => !row.calibration_known).map((row) => row.trade_id)).toEqual(["imported"]);
    const csv = command(environment, "outcomes", "export");
    expect(csv.split("\r\n")).toHaveLength(ids.length + 2);

    service = await startService(environment);
    await untilStatus(() => service!.get("/v1/accuracy"), 200);
    const accuracy = (await (await service.get("/v1/accuracy")).json()) as AccuracyResponse;
    expect(accuracy).toMatchObject({
      total_outcomes: ids.length,
      scored_outcomes: ids.length - 1,
      recent_7d: { total_outcomes: ids.length },
      score_probability: { method: "identity" },
    });
    expect(accuracy.auc).toBeCloseTo(0.5, 6);
    expect(accuracy.murphy!.reliability).toBeGreaterThanOrEqual(0);
    expect(accuracy.by_calibration.map(({ known }) => known)).toEqual([true, false]);
  });

  it("follows keys as they are created, used and revoked, without a restart", async () => {
    const environment = { BREAKWATER_DATA_DIR: mkdtempSync(join(tmpdir(), "breakwater-keys-")) };
    service = await startService(environment);
    const { url } = service;
    const shown = command(environment, "keys", "create", "--id", "desk", "--rate", "1000000");
    const key = /key \(shown once\): (\S+)/.exec(shown)![1]!;
    const ask = (): Promise<Response> =>
      fetch(`${url}/v1/model-info`, { headers: { authorization: `Bearer ${key}` } });

    await untilStatus(ask, 200);
    expect((await ask()).headers.get("ratelimit-limit")).toBe("1000000");
    expect(command(environment, "keys", "list")).not.toContain(key);
    expect(() => command(environment, "keys", "create", "--id", "desk")).toThrow(/is taken/);
    command(environment, "keys", "revoke", "--id", "desk");
    await untilStatus(ask, 401);
    await service.stop();
    service = undefined;

    // Whole by itself: whoever copies it now has all of it.
    const files = readdirSync(environment.BREAKWATER_DATA_DIR).filter((name) =>
      name.startsWith("breakwater.db"),
    );
    expect(files).toEqual(["breakwater.db"]);
    const [, row] = command(environment, "keys", "list").split("\n");
    expect(row).toMatch(/^desk +revoked +1000000 +20\S+Z +- +20\S+Z$/);
  });

  it("deletes outcomes past the age that it was told", async () => {
    const environment = { BREAKWATER_DATA_DIR: mkdtempSync(join(tmpdir(), "breakwater-aged-")) };
    const database = await opened({
      kind: "sqlite",
      path: join(environment.BREAKWATER_DATA_DIR, "breakwater.db"),
    });
    for (const [tradeId, days] of [
      ["old", 31],
      ["young", 29],
    ] as const) {
      await recordOutcomes(database, [outcomeWith({ tradeId })], Date.now() - days * DAY_MS);
    }
    await database.close();

    service = await startService({ ...environment, BREAKWATER_OUTCOME_RETENTION_DAYS: "30" });
    await vi.waitFor(() => expect(service!.logLines.join("")).toContain('"records.deleted"'), 20_000);

    const rows = command(environment, "outcomes", "export", "--format", "jsonl").trimEnd().split("\n");
    expect(rows.map((row) => (JSON.parse(row) as ExportedRow).trade_id)).toEqual(["young"]);
  });

  it("answers validate while the store is away, and refuses outcomes", async () => {
    const validated = await started({ BREAKWATER_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });

    expect(validated.risk_score).toBeGreaterThanOrEqual(0);
    const refused = await service!.post("/v1/outcome", outcome("t-1", validated));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await service!.get("/v1/outcomes/stats")).status).toBe(503);
    expect(await recordOf(service!)).toEqual({ writable: false });
    await vi.waitFor(async () => {
      const accuracy = await service!.get("/v1/accuracy");
      expect([accuracy.status, await accuracy.json()]).toEqual([
        503,
        expect.objectContaining({ detail: "the outcome record cannot be read" }),
      ]);
    }, 10_000);
    expect((await service!.post("/v1/validate", VALIDATE)).status).toBe(200);
    for (let i = 0; i < 20; i++) expect((await service!.get("/v1/outcomes/stats")).status).toBe(503);
    const complaints = service!.logLines.filter((line) =>
      /"(records.open_failed|accuracy.unread)"/.test(line),
    );
    expect(complaints.map((line) => JSON.parse(line) as unknown)).toEqual(
      complaints.map(() =>
        expect.objectContaining({ detail: "BREAKWATER_DATABASE_URL: connect ECONNREFUSED 127.0.0.1:1" }),
      ),
    );
    expect(complaints.join()).toContain("records.open_failed");
    // Not one for every question.
    expect(complaints.filter((line) => line.includes("accuracy.unread")).length).toBeLessThan(20);
    expect(complaints.join()).not.toMatch(/nobody|node_modules/);
  });

  const postgres = RECORD_BACKENDS.find(({ name }) => name === "postgres")!;
  it.skipIf(!postgres.isAvailable)("keeps its records in PostgreSQL when told to", async () => {
    const location = await postgres.newLocation();
    const url = location.kind === "postgres" ? location.url : "";
    const validated = await started({ BREAKWATER_DATABASE_URL: url });

    await untilStatus(() => service!.post("/v1/outcome", outcome("t-1", validated)), 200);
    expect((await service!.post("/v1/outcome", outcome("t-1", validated, { pnl_pct: 1 }))).status).toBe(409);
    const stats = (await (await service!.get("/v1/outcomes/stats")).json()) as OutcomesStatsResponse;
    expect(stats).toMatchObject({ total_outcomes: 1, scored_outcomes: 1 });

    // Whatever was reported while it could be read.
    await untilStatus(() => service!.get("/v1/accuracy"), 200);
    await dropPostgres(url);
    const refused = await service!.get("/v1/outcomes/stats");
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({ detail: "the outcome record cannot be read" }),
    ]);
  });
});
