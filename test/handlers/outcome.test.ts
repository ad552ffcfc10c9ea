import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeRequestError } from "../../src/domain/error-description.ts";
import { err, ok } from "../../src/domain/result.ts";
import type { Outcome } from "../../src/domain/trade-outcome.ts";
import { handleOutcome, parseOutcome } from "../../src/handlers/outcome.ts";
import { handleOutcomesStats } from "../../src/handlers/outcomes-stats.ts";
import { handleAccuracy } from "../../src/handlers/accuracy.ts";
import type { OutcomeRecorder } from "../../src/outcomes/outcome-recorder.ts";
import type { AccuracyReport } from "../../src/risk/backtest/accuracy-report.ts";
import type { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";

const BODY = {
  trade_id: "t-1",
  asset: "BTC",
  action: "long",
  entry_price: 97_411.8,
  exit_price: 98_120,
  size: 10_000,
  leverage: 5,
  risk_score_at_entry: 13.4,
  calibration_hash: "imported",
  pnl_usd: 72.7,
  pnl_pct: 3.635,
  holding_period_hours: 6.5,
};

/** Of a snapshot store a handler asks only these two things. */
const snapshotsOf = (assets: readonly string[], readiness: "starting" | "ready"): SnapshotStore =>
  ({
    assetOf: (name: string) => (assets.includes(name) ? { listing: { isDelisted: true } } : undefined),
    hasBeenReady: readiness === "ready",
  }) as unknown as SnapshotStore;

const recorderOf = (
  answer: Awaited<ReturnType<OutcomeRecorder["record"]>>,
  kept: Outcome[] = [],
): OutcomeRecorder => ({
  record: (outcome) => {
    kept.push(outcome);
    return Promise.resolve(answer);
  },
});

describe("parseOutcome", () => {
  it("keeps the report as it is, with null for what was not said", () => {
    expect(
      parseOutcome({ ...BODY, fees_paid_usd: -0.5, note: "unknown fields are ignored" }, "desk"),
    ).toEqual(
      ok({
        tradeId: "t-1",
        asset: "BTC",
        action: "long",
        entryPrice: 97_411.8,
        exitPrice: 98_120,
        sizeUsd: 10_000,
        leverage: 5,
        riskScoreAtEntry: 13.4,
        calibrationHash: "imported",
        pnlUsd: 72.7,
        pnlPct: 3.635,
        holdingPeriodHours: 6.5,
        feesPaidUsd: -0.5,
        fundingPaidUsd: null,
        reportedBy: "desk",
      }),
    );
  });

  it.each([
    [{ trade_id: "" }, "trade_id must be text of 1 to 256 characters, none of them a control character"],
    [{ trade_id: "x".repeat(257) }, "trade_id"],
    [{ trade_id: "a\u0000" }, "trade_id"],
    [{ trade_id: "\ud800" }, "trade_id must be text without lone surrogates"],
    [{ calibration_hash: "a\udfffb" }, "calibration_hash must be text without lone surrogates"],
    [{ trade_id: 7 }, "trade_id"],
    [{ action: "hold" }, "action must be one of long, short, close"],
    [{ entry_price: 0 }, "entry_price must be > 0"],
    [{ exit_price: -1 }, "exit_price"],
    [{ entry_price: Infinity }, "entry_price"],
    [{ exit_price: Number.NaN }, "exit_price"],
    [{ size: 0 }, "size must be positive, got 0"],
    [{ size: Infinity }, "size must be a number that 64 bits can hold"],
    [{ size: 2e15 }, "size must be <= 1000000000000000"],
    [{ leverage: 0 }, "leverage"],
    [{ risk_score_at_entry: -0.1 }, "risk_score_at_entry"],
    [{ risk_score_at_entry: 100.1 }, "risk_score_at_entry"],
    [{ calibration_hash: null }, "calibration_hash"],
    [{ calibration_hash: "" }, "calibration_hash must be text of 1 to 128 characters"],
    [{ pnl_usd: "1" }, "pnl_usd"],
    [{ pnl_usd: 1e16 }, "pnl_usd"],
    [{ pnl_pct: Number.NaN }, "pnl_pct"],
    [{ holding_period_hours: -1 }, "holding_period_hours"],
    [{ fees_paid_usd: "free" }, "fees_paid_usd"],
    [{ funding_paid_usd: "1" }, "funding_paid_usd must be of type number"],
    [{ feesPaidUsd: 1 }, "unknown field feesPaidUsd: did you mean fees_paid_usd?"],
  ])("refuses %j by name", (change, detail) => {
    const parsed = parseOutcome({ ...BODY, ...change }, null);

    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    expect(describeRequestError(parsed.error).error).toBe("validation_error");
    expect(describeRequestError(parsed.error).detail).toContain(detail);
  });

  it("takes an optional field that is null for one that is absent", () => {
    const absent = parseOutcome(BODY, "desk");

    expect(parseOutcome({ ...BODY, fees_paid_usd: null, funding_paid_usd: null }, "desk")).toEqual(absent);
    expect(absent.ok && absent.value.feesPaidUsd).toBeNull();
  });

  it("takes every character in an id but controls and lone surrogates", () => {
    const codePoints = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint);
    const fields = ["trade_id", "calibration_hash"] as const;
    const isTaken = (codePoint: number, field: string): boolean =>
      parseOutcome({ ...BODY, [field]: String.fromCodePoint(codePoint) }, null).ok;

    for (const field of fields) {
      const refused = codePoints.filter((codePoint) => !isTaken(codePoint, field));
      expect(refused).toEqual(
        codePoints.filter((codePoint) => /[\p{Cc}\p{Cs}]/u.test(String.fromCodePoint(codePoint))),
      );
    }
  });

  it("takes only finite numbers, whatever the body", () => {
    // Of any values one in twenty is taken: numbers among them, so that more are.
    const anyValue = fc.oneof(fc.double(), fc.anything());
    fc.assert(
      fc.property(anyValue, fc.constantFrom(...Object.keys(BODY)), (value, field) => {
        const parsed = parseOutcome({ ...BODY, [field]: value }, null);
        if (!parsed.ok) return;
        for (const kept of Object.values(parsed.value)) {
          if (typeof kept === "number") expect(Number.isFinite(kept)).toBe(true);
        }
      }),
    );
  });
});

describe("handleOutcome", () => {
  const ready = snapshotsOf(["BTC"], "ready");

  it("answers recorded once it is, for a delisted asset too", async () => {
    const kept: Outcome[] = [];
    const answer = await handleOutcome(BODY, "desk", {
      snapshots: ready,
      recorder: recorderOf(ok("recorded"), kept),
    });

    expect(answer).toEqual(ok({ status: "recorded", trade_id: "t-1" }));
    expect(kept.map(({ tradeId, reportedBy }) => [tradeId, reportedBy])).toEqual([["t-1", "desk"]]);
  });

  it.each([
    ["conflict", BODY, ready, recorderOf(ok("conflict"))],
    ["unavailable", BODY, ready, recorderOf(err({ code: "records_unavailable" }))],
    ["unknown_asset", { ...BODY, asset: "NOPE" }, ready, recorderOf(ok("recorded"))],
    ["starting_up", BODY, snapshotsOf([], "starting"), recorderOf(ok("recorded"))],
  ] as const)("answers %s", async (code, body, snapshots, recorder) => {
    const answer = await handleOutcome(body, null, { snapshots, recorder });

    expect(answer).toMatchObject({ ok: false, error: { code } });
  });

  it("hands over nothing that it refuses", async () => {
    const kept: Outcome[] = [];
    const recorder = recorderOf(ok("recorded"), kept);
    await handleOutcome({ ...BODY, asset: "NOPE" }, null, { snapshots: ready, recorder });
    await handleOutcome({ ...BODY, leverage: 0 }, null, { snapshots: ready, recorder });

    expect(kept).toEqual([]);
  });
});

describe("what the record says", () => {
  it("is unavailable when it cannot be read, before it was read first and when it is late, and says which", async () => {
    const statistics = () => Promise.resolve(err({ code: "records_unavailable" } as const));
    const unreadable = { code: "unavailable", detail: "the outcome record cannot be read" };
    const unread = { code: "unavailable", detail: "the outcome record has not been read yet" };

    expect(await handleOutcomesStats({ statistics, accuracy: null })).toEqual(err(unreadable));
    expect(await handleOutcomesStats({ statistics, accuracy: undefined })).toEqual(err(unread));
    expect(await handleOutcomesStats({ statistics, accuracy: {} as AccuracyReport })).toMatchObject({
      error: { code: "unavailable", detail: "the outcome record's statistics are not computed in time" },
    });
    expect(handleAccuracy(null)).toEqual(err(unreadable));
    expect(handleAccuracy(undefined)).toEqual(err(unread));
  });
});
