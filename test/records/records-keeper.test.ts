import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { IssuedKey } from "../../src/domain/issued-key.ts";
import type { RecordedOutcome } from "../../src/domain/trade-outcome.ts";
import { OutcomeLedger } from "../../src/records/outcome-ledger.ts";
import { publishCalibration, publishedCalibrations } from "../../src/outcomes/calibration-table.ts";
import { createKey, issuedKeys, revokeKey } from "../../src/outcomes/key-table.ts";
import { keepChecks } from "../../src/outcomes/outcome-checks.ts";
import { deleteOutcomesBefore, outcomesAfter, recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import type { RecordDatabase } from "../../src/outcomes/record-database.ts";
import { RecordsKeeper } from "../../src/records/records-keeper.ts";
import { CALIBRATION_HASH } from "../../src/risk/calibration/calibration-hash.ts";
import { newSqlitePath, opened, outcomeWith } from "../support/record-backends.ts";

const DAY_MS = 24 * 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 20);
const QUIET = pino({ level: "silent" });
const KEY: IssuedKey = {
  id: "desk",
  salt: "aa",
  hashHex: "00",
  rateLimitPerMinute: null,
  createdAtMs: 1,
  expiresAtMs: null,
  revokedAtMs: null,
  lastUsedAtMs: null,
};

describe("RecordsKeeper", () => {
  const closing: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const open of closing.splice(0)) await open.close();
    vi.useRealTimers();
  });

  const keeperOf = (
    open: () => Promise<RecordDatabase>,
    retentionDays: number | null = null,
    onKeys: (keys: readonly IssuedKey[]) => void = () => undefined,
    onWritable: (isWritable: boolean) => void = () => undefined,
  ): RecordsKeeper => {
    const clock = { nowMs: () => NOW_MS };
    const keeper = new RecordsKeeper({ open, retentionDays, clock, logger: QUIET, onKeys, onWritable });
    closing.push(keeper);
    return keeper;
  };

  it("acknowledges nothing while the records cannot be opened, and records once they can", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const path = newSqlitePath();
    let isAway = true;
    const keeper = keeperOf(() =>
      isAway ? Promise.reject(new Error("away")) : opened({ kind: "sqlite", path }),
    );

    await expect(keeper.record(outcomeWith())).rejects.toThrow("not open");
    isAway = false;
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await keeper.record(outcomeWith())).toBe("recorded"), {
      interval: 1,
      timeout: 20_000,
    });
  });

  it("opens nothing more once it is closed, however often it failed to", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let attempts = 0;
    const keeper = keeperOf(() => {
      attempts++;
      return Promise.reject(new Error("away"));
    });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(attempts).toBe(2);

    await keeper.close();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(attempts).toBe(2);
  });

  it("leaves alone a database that opens while it closes, but for closing it", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const asked: string[] = [];
    const watched: RecordDatabase = {
      name: database.name,
      get queries() {
        asked.push("queries");
        return database.queries;
      },
      write: (body) => {
        asked.push("write");
        return database.write(body);
      },
      close: () => {
        asked.push("close");
        return database.close();
      },
    };
    const keeper = keeperOf(() => Promise.resolve(watched), 30);

    await keeper.close();
    await new Promise(setImmediate);

    expect(asked).toEqual(["close"]);
  });

  it("tells whether outcomes can be recorded, by its polls and by the last one it wrote", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    let isAway = false;
    let isFull = false;
    const failing: RecordDatabase = {
      name: database.name,
      get queries() {
        if (isAway) throw new Error("away");
        return database.queries;
      },
      write: (body) => (isFull ? Promise.reject(new Error("no space")) : database.write(body)),
      close: () => database.close(),
    };
    const told: boolean[] = [];
    const keeper = keeperOf(
      () => Promise.resolve(failing),
      null,
      () => undefined,
      (isWritable) => told.push(isWritable),
    );
    const untilTold = (...words: boolean[]): Promise<void> =>
      vi.waitFor(() => expect(told).toEqual(words), { interval: 1, timeout: 10_000 });

    await untilTold(true);
    isFull = true;
    await expect(keeper.record(outcomeWith())).rejects.toThrow("no space");
    await untilTold(true, false);
    isFull = false;
    await keeper.record(outcomeWith());
    await untilTold(true, false, true);
    isAway = true;
    await untilTold(true, false, true, false);
    isAway = false;
    await untilTold(true, false, true, false, true);
  });

  it("publishes the calibration in force, so that its outcomes are known", async () => {
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    keeperOf(() => opened(location));
    const reader = await opened(location);
    closing.push(reader);

    await vi.waitFor(
      async () =>
        expect([...(await publishedCalibrations(reader.queries)).keys()]).toEqual([CALIBRATION_HASH]),
      { interval: 1 },
    );
  });

  it("tells of keys at opening and at each change from another program", async () => {
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const other = await opened(location);
    closing.push(other);
    const told: (readonly IssuedKey[])[] = [];
    keeperOf(
      () => opened(location),
      null,
      (keys) => told.push(keys),
    );
    const untilTold = (times: number): Promise<void> =>
      vi.waitFor(() => expect(told).toHaveLength(times), { interval: 1, timeout: 10_000 });

    await untilTold(1);
    await createKey(other, KEY);
    await untilTold(2);
    await revokeKey(other, "desk", 7);
    await untilTold(3);

    expect(told.map((keys) => keys.map(({ id, revokedAtMs }) => [id, revokedAtMs]))).toEqual([
      [],
      [["desk", null]],
      [["desk", 7]],
    ]);
  });

  it("notes when a key was used, and goes on after a note that could not be kept", async () => {
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const other = await opened(location);
    closing.push(other);
    await createKey(other, KEY);
    const keeper = keeperOf(async () => {
      const database = await opened(location);
      let isAway = true;
      return {
        name: database.name,
        queries: database.queries,
        write: (body) =>
          isAway ? ((isAway = false), Promise.reject(new Error("away"))) : database.write(body),
        close: () => database.close(),
      };
    });
    const lastUse = async (): Promise<unknown> => (await issuedKeys(other.queries))[0]!.lastUsedAtMs;

    await vi.waitFor(
      async () => {
        keeper.noteKeyUse(new Map([["desk", 77]]));
        expect(await lastUse()).toBe(77);
      },
      { interval: 5, timeout: 10_000 },
    );
  });

  it("asks for the keys again after a store that failed to tell them", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    let failures = 0;
    const failing: RecordDatabase = {
      name: database.name,
      get queries() {
        if (failures++ === 0) throw new Error("away");
        return database.queries;
      },
      write: (body) => database.write(body),
      close: () => database.close(),
    };
    const told: (readonly IssuedKey[])[] = [];
    keeperOf(
      () => Promise.resolve(failing),
      null,
      (keys) => told.push(keys),
    );

    await vi.waitFor(() => expect(told).toEqual([[]]), { interval: 1, timeout: 10_000 });
    expect(failures).toBeGreaterThan(1);
  });

  it.each([
    [null, ["old", "young", "new"]],
    [30, ["young", "new"]],
  ])("with a retention of %j days keeps %j", async (retentionDays, kept) => {
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const other = await opened(location);
    closing.push(other);
    await recordOutcomes(other, [outcomeWith({ tradeId: "old" })], NOW_MS - 30 * DAY_MS - 1);
    await recordOutcomes(other, [outcomeWith({ tradeId: "young" })], NOW_MS - 30 * DAY_MS);

    const keeper = keeperOf(() => opened(location), retentionDays);
    await vi.waitFor(
      async () => expect(await keeper.record(outcomeWith({ tradeId: "new" }))).toBe("recorded"),
      {
        interval: 1,
      },
    );
    await keeper.close();

    expect((await outcomesAfter(other.queries, 0, 10)).map(({ tradeId }) => tradeId)).toEqual(kept);
  });
});

describe("OutcomeLedger", () => {
  it("reads only what is new, and everything again after a deletion or a new calibration", async () => {
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const database = await opened(location);
    const ledger = new OutcomeLedger(database.queries);
    const scores = async (): Promise<number[]> => [...(await ledger.read()).riskScore];
    const trades = Array.from({ length: 3_000 }, (_, i) =>
      outcomeWith({ tradeId: `t-${i}`, riskScoreAtEntry: i / 30 }),
    );
    for (let from = 0; from < trades.length; from += 500) {
      await recordOutcomes(database, trades.slice(from, from + 500), from);
    }

    expect(await scores()).toEqual(trades.map(({ riskScoreAtEntry }) => riskScoreAtEntry));
    expect([...(await ledger.read()).forecast].every(Number.isNaN)).toBe(true);
    await recordOutcomes(
      database,
      [outcomeWith({ tradeId: "late", riskScoreAtEntry: 77, pnlUsd: -1_000 })],
      9_999,
    );
    expect((await scores()).at(-1)).toBe(77);
    expect((await ledger.read()).isAdverse.at(-1)).toBe(1);

    await database.queries
      .insertInto("calibrations")
      .values({
        calibration_hash: "calibration-a",
        score_curve: '{"at":[0.1,0.9],"value":[0,100]}',
        published_at_ms: 1,
      })
      .execute();
    const { forecast, calibrations } = await ledger.read();
    expect(calibrations).toEqual([{ hash: "calibration-a", isKnown: true }]);
    expect(forecast[0]).toBeCloseTo(0.1, 12);

    await deleteOutcomesBefore(database, 9_999);
    expect(await scores()).toEqual([77]);
    await database.close();
  });

  it("ends a reading of many at the next page when it is to stop", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    for (let from = 0; from < 5_000; from += 500) {
      const trades = Array.from({ length: 500 }, (_, i) => outcomeWith({ tradeId: `t-${from + i}` }));
      await recordOutcomes(database, trades, from);
    }
    const stopping = new AbortController();
    const ledger = new OutcomeLedger(database.queries, stopping.signal);

    const reading = ledger.read();
    setImmediate(() => stopping.abort());

    await expect(reading).rejects.toThrow("aborted");
    await database.close();
  });

  it("goes on behind the last page when a reading has failed midway", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const trades = Array.from({ length: 5_000 }, (_, i) =>
      outcomeWith({ tradeId: `t-${i}`, riskScoreAtEntry: i / 50 }),
    );
    for (let from = 0; from < trades.length; from += 500) {
      await recordOutcomes(database, trades.slice(from, from + 500), from);
    }
    // How many outcomes are read; the second page fails.
    let outcomesRead = 0;
    let isFailing = true;
    const queries = database.queries.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        const count = result.rows.filter((row) => "pnl_usd" in row).length;
        if (isFailing && count > 0 && outcomesRead > 0) return Promise.reject(new Error("connection lost"));
        outcomesRead += count;
        return Promise.resolve(result);
      },
    });
    const ledger = new OutcomeLedger(queries);

    await expect(ledger.read()).rejects.toThrow("connection lost");
    isFailing = false;

    expect([...(await ledger.read()).riskScore]).toEqual(
      trades.map(({ riskScoreAtEntry }) => riskScoreAtEntry),
    );
    expect(outcomesRead).toBe(trades.length);
    await database.close();
  });

  it("counts an outcome until a check takes it out, and judges it by the VaR that the check found", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const ledger = new OutcomeLedger(database.queries);
    const trades = ["a", "b", "c", "d"].map((tradeId, i) =>
      outcomeWith({ tradeId, riskScoreAtEntry: i, pnlUsd: -500 }),
    );
    await recordOutcomes(database, trades, 1);
    const read = async (from = ledger): Promise<unknown> => {
      const { riskScore, isAdverse, leftOut } = await from.read();
      return [[...riskScore], [...isAdverse], leftOut];
    };

    expect(await read()).toEqual([[0, 1, 2, 3], [0, 0, 0, 0], { pricesOutsideMarket: 0, overKeyCap: 0 }]);
    const sequences = (await outcomesAfter(database.queries, 0, 9)).map(({ sequence }) => sequence);
    await keepChecks(
      database,
      new Map([
        [sequences[0]!, { prices: "inside", var99Fraction: 0.05 }],
        [sequences[1]!, { prices: "outside", var99Fraction: 0.01 }],
        [sequences[3]!, { prices: "unknown", var99Fraction: 0.049 }],
      ]),
    );
    const checked = [[0, 2, 3], [0, 0, 1], { pricesOutsideMarket: 1, overKeyCap: 0 }];

    expect(await read()).toEqual(checked);
    expect(await read()).toEqual(checked);
    expect(await read(new OutcomeLedger(database.queries))).toEqual(checked);
    await database.close();
  });

  it("gives the same columns again where nothing is new, and none once everything is deleted", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const ledger = new OutcomeLedger(database.queries);
    await recordOutcomes(database, [outcomeWith()], 1);
    const first = await ledger.read();

    expect(first.riskScore).toHaveLength(1);
    expect(await ledger.read()).toBe(first);
    await deleteOutcomesBefore(database, 2);
    expect((await ledger.read()).riskScore).toHaveLength(0);
    await database.close();
  });

  it("reads everything again from a database that lost what it had last and gave its numbers anew", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const ledger = new OutcomeLedger(database.queries);
    const recorded = ["a", "b", "lost"].map((tradeId, i) => outcomeWith({ tradeId, riskScoreAtEntry: i }));
    await recordOutcomes(database, recorded, 1);
    await ledger.read();

    // As after a failover to a stand-by that lagged: nothing says that an outcome is gone.
    await database.queries.deleteFrom("outcomes").where("trade_id", "=", "lost").execute();
    expect([...(await ledger.read()).riskScore]).toEqual([0, 1]);
    await recordOutcomes(database, [outcomeWith({ tradeId: "c", riskScoreAtEntry: 7 })], 2);
    await ledger.read();
    await database.queries
      .updateTable("outcomes")
      .set({ trade_id: "d", risk_score_at_entry: 8 })
      .where("trade_id", "=", "c")
      .execute();
    expect([...(await ledger.read()).riskScore]).toEqual([0, 1, 8]);
    await database.close();
  });

  it("gives what was made in USD and as a fraction of the margin, and when it was reported", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    await recordOutcomes(database, [outcomeWith({ pnlPct: -12.5, pnlUsd: -250 })], 4_321);

    const { pnlUsd, pnlFraction, recordedAtMs } = await new OutcomeLedger(database.queries).read();

    expect([[...pnlUsd], [...pnlFraction], [...recordedAtMs]]).toEqual([[-250], [-0.125], [4_321]]);
    await database.close();
  });

  it("tells calibrations that were published from those that nobody knows", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    await publishCalibration(database, "known", { at: [0.1, 0.9], value: [0, 100] }, 1);
    const reported = ["known", "invented", "known"].map((calibrationHash, i) =>
      outcomeWith({ tradeId: String(i), calibrationHash }),
    );
    await recordOutcomes(database, reported, 1);

    const { calibrations, calibration, forecast } = await new OutcomeLedger(database.queries).read();

    expect(calibrations).toEqual([
      { hash: "known", isKnown: true },
      { hash: "invented", isKnown: false },
    ]);
    expect([...calibration]).toEqual([0, 1, 0]);
    expect([...forecast].map(Number.isNaN)).toEqual([false, true, false]);
    await database.close();
  });

  it("reads the check of an outcome once, or a long record would be read again with every question", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const trades = ["before", "after", "last"].map((tradeId) => outcomeWith({ tradeId }));
    await recordOutcomes(database, trades, 1);
    const ledger = new OutcomeLedger(database.queries);
    const outside = async (): Promise<number> => (await ledger.read()).leftOut.pricesOutsideMarket;
    for (const sequence of [1, 2]) {
      await keepChecks(database, new Map([[sequence, { prices: "inside", var99Fraction: null }]]));
      await ledger.read();
    }

    // Nobody does: a check stands, and a new one is announced. Whoever looks again would see these.
    await database.queries.updateTable("outcomes").set({ price_finding: "outside" }).execute();
    expect(await outside()).toBe(0);
    await keepChecks(database, new Map([[3, { prices: "outside", var99Fraction: null }]]));
    expect(await outside()).toBe(1);
    await database.close();
  });

  it("takes checks of any number at once, also after it has begun anew", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const ledger = new OutcomeLedger(database.queries);
    for (let from = 0; from < 1_200; from += 400) {
      const trades = Array.from({ length: 400 }, (_, i) => outcomeWith({ tradeId: `t-${from + i}` }));
      await recordOutcomes(database, trades, from);
    }
    expect(await ledger.read()).toMatchObject({ leftOut: { pricesOutsideMarket: 0 } });
    await deleteOutcomesBefore(database, 400);
    const rest = await outcomesAfter(database.queries, 0, 2_000);
    await ledger.read();

    for (let from = 0; from < rest.length; from += 400) {
      const found = rest.slice(from, from + 400);
      await keepChecks(
        database,
        new Map(found.map(({ sequence }) => [sequence, { prices: "outside", var99Fraction: null }])),
      );
    }

    expect(await ledger.read()).toMatchObject({ leftOut: { pricesOutsideMarket: 800 } });
    await database.close();
  });

  it("begins anew with what was checked meanwhile, each check with its own outcome", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const ledger = new OutcomeLedger(database.queries);
    await recordOutcomes(database, [outcomeWith({ tradeId: "old" })], 1);
    const kept = ["outside", "unchecked"].map((tradeId, i) => outcomeWith({ tradeId, riskScoreAtEntry: i }));
    await recordOutcomes(database, kept, 2);
    await ledger.read();
    const [, { sequence }] = (await outcomesAfter(database.queries, 0, 2)) as [unknown, RecordedOutcome];

    await keepChecks(database, new Map([[sequence, { prices: "outside", var99Fraction: null }]]));
    await deleteOutcomesBefore(database, 2);

    expect([...(await ledger.read()).riskScore]).toEqual([1]);
    await database.close();
  });

  it("counts the newest of a key that reports more than all others", async () => {
    const database = await opened({ kind: "sqlite", path: newSqlitePath() });
    const report = (reportedBy: string | null, count: number): Promise<unknown> =>
      recordOutcomes(
        database,
        Array.from({ length: count }, (_, i) =>
          outcomeWith({ tradeId: `${String(reportedBy)}-${i}`, reportedBy, riskScoreAtEntry: i / 10 }),
        ),
        1,
      );
    await report("flood", 510);
    const ledger = new OutcomeLedger(database.queries);
    expect((await ledger.read()).leftOut.overKeyCap).toBe(0);
    await report(null, 3);

    const { riskScore, leftOut } = await ledger.read();

    expect(leftOut).toEqual({ pricesOutsideMarket: 0, overKeyCap: 10 });
    expect(riskScore).toHaveLength(503);
    expect(riskScore[0]).toBe(1);
    await database.close();
  });
});
