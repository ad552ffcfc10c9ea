import { afterEach, describe, expect, it } from "vitest";
import { publishCalibration } from "../../src/outcomes/calibration-table.ts";
import { exportedOutcomes } from "../../src/outcomes/outcome-export.ts";
import { keepChecks } from "../../src/outcomes/outcome-checks.ts";
import { recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import type { RecordDatabase } from "../../src/outcomes/record-database.ts";
import { newSqlitePath, opened, outcomeWith } from "../support/record-backends.ts";

const RECORDED_AT_MS = Date.UTC(2026, 10, 20, 14, 5, 9, 120);

describe("exportedOutcomes", () => {
  let database: RecordDatabase;
  afterEach(() => database.close());

  async function exported(format: "csv" | "jsonl"): Promise<string> {
    let all = "";
    for await (const text of exportedOutcomes(database.queries, format)) all += text;
    return all;
  }

  it("writes every field as it was reported, null as nothing, and quotes what CSV would misread", async () => {
    database = await opened({ kind: "sqlite", path: newSqlitePath() });
    await publishCalibration(database, "calibration-a", { at: [0.1], value: [10] }, 1);
    await recordOutcomes(
      database,
      [outcomeWith(), outcomeWith({ tradeId: 'a "b", c', calibrationHash: "other", feesPaidUsd: 0.1 + 0.2 })],
      RECORDED_AT_MS,
    );
    await keepChecks(database, new Map([[1, { prices: "inside", var99Fraction: 0.07 }]]));

    expect((await exported("csv")).split("\r\n")).toEqual([
      "trade_id,asset,action,entry_price,exit_price,size,leverage,risk_score_at_entry,calibration_hash,pnl_usd,pnl_pct,holding_period_hours,fees_paid_usd,funding_paid_usd,recorded_at,calibration_known,reported_by,price_finding,var_99_pct",
      "t-1,BTC,long,97411.8,98120,10000,5,13.4,calibration-a,72.7,3.635,6.5,,-1.2,2026-11-20T14:05:09.120Z,true,desk,inside,7",
      '"a ""b"", c",BTC,long,97411.8,98120,10000,5,13.4,other,72.7,3.635,6.5,0.30000000000000004,-1.2,2026-11-20T14:05:09.120Z,false,desk,,',
      "",
    ]);
    const [first, second] = (await exported("jsonl"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(first).toMatchObject({ trade_id: "t-1", fees_paid_usd: null, calibration_known: true });
    expect(second).toMatchObject({
      trade_id: 'a "b", c',
      fees_paid_usd: 0.1 + 0.2,
      calibration_known: false,
    });
  });

  it.each(['say "go"', "two\nlines", "two\r\nlines", "a, b"])(
    "quotes %j in CSV, so that it is one cell",
    async (tradeId) => {
      database = await opened({ kind: "sqlite", path: newSqlitePath() });
      await recordOutcomes(database, [outcomeWith({ tradeId })], RECORDED_AT_MS);

      const quoted = `"${tradeId.replace(/"/g, '""')}",BTC,long,`;
      expect((await exported("csv")).split("var_99_pct\r\n")[1]!.startsWith(quoted)).toBe(true);
    },
  );

  it.each([0, 1_000, 2_001])(
    "writes each of %i outcomes once, in their order, under one header",
    async (count) => {
      database = await opened({ kind: "sqlite", path: newSqlitePath() });
      const ids = Array.from({ length: count }, (_, i) => `t-${i}`);
      for (let from = 0; from < count; from += 500) {
        const part = ids.slice(from, from + 500).map((tradeId) => outcomeWith({ tradeId }));
        await recordOutcomes(database, part, from);
      }

      const rows = (await exported("csv")).split("\r\n").slice(0, -1);
      expect(rows.map((row) => row.split(",")[0])).toEqual(["trade_id", ...ids]);
      expect((await exported("jsonl")).split("\n").length - 1).toBe(count);
    },
  );
});
