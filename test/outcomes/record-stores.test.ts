import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Outcome, OutcomeCheck, RecordedOutcome } from "../../src/domain/trade-outcome.ts";
import { DAY_MS } from "../../src/domain/bar.ts";
import type { IssuedKey } from "../../src/domain/issued-key.ts";
import {
  publishCalibration,
  publishedCalibrations,
  UnreadableCalibrationError,
} from "../../src/outcomes/calibration-table.ts";
import { GroupCommit } from "../../src/outcomes/group-commit.ts";
import { createKey, issuedKeys, noteKeyUse, revokeKey } from "../../src/outcomes/key-table.ts";
import { checksOf, keepChecks } from "../../src/outcomes/outcome-checks.ts";
import {
  countedAfter,
  deleteOutcomesBefore,
  OUTCOMES_PER_COMMIT_MAX,
  outcomesAfter,
  recordOutcomes,
  type RecordVerdict,
  uncheckedAfter,
} from "../../src/outcomes/outcome-table.ts";
import { type RecordDatabase, revisionOf } from "../../src/outcomes/record-database.ts";
import { openRecords, type RecordLocation } from "../../src/outcomes/record-location.ts";
import { withoutRightToWrite } from "../support/lost-right.ts";
import { newSqlitePath, opened, outcomeWith, RECORD_BACKENDS } from "../support/record-backends.ts";

const KEY: IssuedKey = {
  id: "desk",
  salt: "aa",
  hashHex: "00",
  rateLimitPerMinute: 7,
  createdAtMs: 1_000,
  expiresAtMs: 1_900_000_000_000,
  revokedAtMs: null,
  lastUsedAtMs: null,
};

// Mutants that these tests caught: conflict compares trade_id only; verdicts read before the insert; no advisory lock
// (PostgreSQL) with a reader that pages by sequence; "begin" for "begin immediate" (SQLite, two writers); int8 as
// text; last use moves back; deletion without its revision; the end of a key's time not kept, or not read.
describe.each(RECORD_BACKENDS)("the record on $name", (backend) => {
  describe.skipIf(!backend.isAvailable)("with a database", () => {
    let location: RecordLocation;
    let database: RecordDatabase;
    const others: RecordDatabase[] = [];

    beforeEach(async () => {
      location = await backend.newLocation();
      database = await opened(location);
    });
    afterEach(async () => {
      for (const open of [database, ...others.splice(0)]) await open.close();
    });
    const anotherProgram = async (): Promise<RecordDatabase> => {
      const other = await opened(location);
      others.push(other);
      return other;
    };
    const all = (from: RecordDatabase = database) => outcomesAfter(from.queries, 0, 100_000);

    it("gives back exactly what was recorded, in order, also to another program", async () => {
      const outcomes = [
        outcomeWith(),
        outcomeWith({
          ...{ tradeId: "t-2", entryPrice: 1e5 / 3, exitPrice: 2e5 / 3, sizeUsd: 1e4 / 3, leverage: 10 / 3 },
          ...{ riskScoreAtEntry: 40 / 3, pnlUsd: -200 / 3, pnlPct: -2 / 3, holdingPeriodHours: 19 / 3 },
          ...{ feesPaidUsd: 0.1 + 0.2, fundingPaidUsd: null },
        }),
      ];

      const verdicts = await recordOutcomes(database, outcomes, 1_700_000_000_123);

      expect(verdicts).toEqual(["recorded", "recorded"]);
      const stored = await all(await anotherProgram());
      expect(stored).toEqual(
        outcomes.map((outcome, i) => ({
          ...outcome,
          sequence: stored[0]!.sequence + i,
          recordedAtMs: 1_700_000_000_123,
          check: null,
        })),
      );
    });

    it("takes the same content again, refuses other content, and keeps the first", async () => {
      await recordOutcomes(database, [outcomeWith()], 1);
      const again = await recordOutcomes(
        database,
        [outcomeWith(), outcomeWith({ pnlUsd: 72.8 }), outcomeWith({ feesPaidUsd: 0 })],
        2,
      );

      expect(again).toEqual(["recorded", "conflict", "conflict"]);
      expect((await all()).map(({ pnlUsd, recordedAtMs }) => [pnlUsd, recordedAtMs])).toEqual([[72.7, 1]]);
    });

    it("takes the same content from another key too, and remembers who reported it first", async () => {
      const verdicts = await recordOutcomes(
        database,
        [outcomeWith(), outcomeWith({ reportedBy: "other" }), outcomeWith({ reportedBy: null })],
        1,
      );

      expect(verdicts).toEqual(["recorded", "recorded", "recorded"]);
      expect((await all()).map(({ reportedBy }) => reportedBy)).toEqual(["desk"]);
    });

    it("keeps one check of an outcome, the first, and shows what is left to check", async () => {
      await recordOutcomes(
        database,
        ["a", "b", "c"].map((tradeId) => outcomeWith({ tradeId })),
        1,
      );
      const [a, b, c] = (await all()).map(({ sequence }) => sequence) as [number, number, number];
      const inside: OutcomeCheck = { prices: "inside", var99Fraction: 0.1 + 0.2 };
      const outside: OutcomeCheck = { prices: "outside", var99Fraction: null };

      await keepChecks(
        database,
        new Map([
          [a, inside],
          [c, outside],
        ]),
      );
      await keepChecks(await anotherProgram(), new Map([[a, outside]]));
      await keepChecks(database, new Map());

      const checks = await checksOf(database.queries, [a, b, c]);
      expect([...checks].sort(([x], [y]) => x - y)).toEqual([
        [a, inside],
        [c, outside],
      ]);
      expect((await all()).map(({ check }) => check)).toEqual([inside, null, outside]);
      const uncheckedIds = async (sequence: number, fromMs: number, beforeMs: number): Promise<string[]> => {
        const page = await uncheckedAfter(database.queries, sequence, { fromMs, beforeMs }, 10);
        return page.map(({ tradeId }) => tradeId);
      };
      expect(await uncheckedIds(0, 1, 2)).toEqual(["b"]);
      expect(await uncheckedIds(b, 0, 2)).toEqual([]);
      expect(await uncheckedIds(0, 0, 1)).toEqual([]);
      expect(await uncheckedIds(0, 2, 3)).toEqual([]);
      // Readers look for checks anew at each of the two that kept something.
      expect(await revisionOf(database.queries, "checks")).toBe(2);
      // A check is no content: the same report is still the same.
      expect(await recordOutcomes(database, [outcomeWith({ tradeId: "a" })], 2)).toEqual(["recorded"]);
    });

    it("brings a database of the first version up to date with what it holds", async () => {
      const old = await backend.newLocation();
      const former = await opened(old);
      await recordOutcomes(former, [outcomeWith()], 7);
      await sql`drop index outcomes_unchecked`.execute(former.queries);
      for (const column of ["reported_by", "price_finding", "var_99_fraction"])
        await sql`alter table outcomes drop column ${sql.ref(column)}`.execute(former.queries);
      await sql`delete from revisions where subject = 'checks'`.execute(former.queries);
      await sql`delete from schema_migrations where version >= 2`.execute(former.queries);
      await former.close();

      const program = await opened(old);
      others.push(program);

      expect(await all(program)).toEqual([
        { ...outcomeWith({ reportedBy: null }), sequence: 1, recordedAtMs: 7, check: null },
      ]);
      expect(await revisionOf(program.queries, "checks")).toBe(0);
    });

    it("judges repetitions inside one commit by the first of them", async () => {
      const verdicts = await recordOutcomes(
        database,
        [outcomeWith({ pnlPct: 1 }), outcomeWith({ pnlPct: 2 }), outcomeWith({ pnlPct: 1 })],
        1,
      );

      expect(verdicts).toEqual(["recorded", "conflict", "recorded"]);
    });

    it("behaves like a map from trade_id to first content, whatever is recorded", async () => {
      const someOutcome = fc.record({
        tradeId: fc.constantFrom("a", "b", "é", "'; drop table outcomes; --", "𝒳".repeat(128)),
        pnlUsd: fc.constantFrom(-1e300, -0.1, 0, -0, 5e-324, 1 / 3),
        riskScoreAtEntry: fc.double({ min: 0, max: 100, noNaN: true }),
        feesPaidUsd: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
        action: fc.constantFrom("long", "short", "close"),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(someOutcome, { maxLength: 6 }), { maxLength: 4 }),
          async (commits) => {
            await sql`delete from outcomes`.execute(database.queries);
            const oracle = new Map<string, string>();
            for (const commit of commits) {
              const outcomes = commit.map((changes) => outcomeWith(changes));
              const expected = outcomes.map((outcome) => {
                const first = oracle.get(outcome.tradeId) ?? JSON.stringify(outcome);
                oracle.set(outcome.tradeId, first);
                return first === JSON.stringify(outcome) ? "recorded" : "conflict";
              });
              expect(await recordOutcomes(database, outcomes, 5)).toEqual(expected);
            }
            const stored = await all();
            expect(stored.map((row) => JSON.stringify(contentOf(row)))).toEqual([...oracle.values()]);
          },
        ),
        { numRuns: 40 },
      );
    });

    it("acknowledges every one of many concurrent writers once, from two programs with overlapping trades", async () => {
      const programs = [database, await anotherProgram()].map(
        (program) =>
          new GroupCommit<Outcome, RecordVerdict>(
            (items) => recordOutcomes(program, items, 1),
            OUTCOMES_PER_COMMIT_MAX,
          ),
      );
      const trades = Array.from({ length: 300 }, (_, i) =>
        outcomeWith({ tradeId: `t-${i % 200}`, pnlPct: i % 200 }),
      );

      const verdicts = await Promise.all(
        programs.flatMap((program) => trades.map((trade) => program.add(trade))),
      );

      expect(new Set(verdicts)).toEqual(new Set(["recorded"]));
      const ids = (await all()).map(({ tradeId }) => tradeId);
      expect(ids).toHaveLength(200);
      expect(new Set(ids).size).toBe(200);
    });

    it("shows a reader who follows the sequence every record, while two programs write", async () => {
      const writers = [database, await anotherProgram()];
      const reader = await anotherProgram();
      let isWriting = true;
      const seen: number[] = [];
      const reading = (async () => {
        for (let isLast = false; !isLast;) {
          isLast = !isWriting;
          const page = await outcomesAfter(reader.queries, seen.at(-1) ?? 0, 1_000);
          seen.push(...page.map(({ sequence }) => sequence));
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();

      await Promise.all(
        writers.map(async (writer, w) => {
          for (let i = 0; i < 40; i += 1)
            await recordOutcomes(writer, [outcomeWith({ tradeId: `${w}-${i}` })], i);
        }),
      );
      isWriting = false;
      await reading;

      expect(seen).toEqual((await all()).map(({ sequence }) => sequence));
      expect(seen).toHaveLength(80);
    });

    it("gives statistics the outcomes in pages, each as the record has it", async () => {
      const tradeIds = ["a", "b", "c"];
      await recordOutcomes(
        database,
        tradeIds.map((tradeId, i) => outcomeWith({ tradeId, pnlUsd: i })),
        5,
      );
      // PostgreSQL moves a row that changes behind the others.
      const [first] = await all();
      await keepChecks(database, new Map([[first!.sequence, { prices: "inside", var99Fraction: 0.1 }]]));
      const recorded = await all();

      const page = await countedAfter(database.queries, 0, 2);
      const rest = await countedAfter(database.queries, page.at(-1)!.sequence, 2);

      expect(page).toHaveLength(2);
      [...page, ...rest].forEach((counted, i) => expect(recorded[i]).toMatchObject(counted));
      expect(rest).toHaveLength(1);
    });

    it("keeps what was recorded when the clock goes back, in the order of recording", async () => {
      await recordOutcomes(database, [outcomeWith({ tradeId: "before" })], 2_000_000);
      await recordOutcomes(database, [outcomeWith({ tradeId: "after" })], 1_000_000);
      await deleteOutcomesBefore(database, 1_000_000);

      expect((await all()).map(({ tradeId }) => tradeId)).toEqual(["before", "after"]);
    });

    it("deletes by age in bounded steps, says so to readers, and never uses a sequence number again", async () => {
      const old = Array.from({ length: OUTCOMES_PER_COMMIT_MAX }, (_, i) =>
        outcomeWith({ tradeId: `old-${i}` }),
      );
      for (let i = 0; i < 11; i += 1) {
        await recordOutcomes(
          database,
          old.map((outcome) => ({ ...outcome, tradeId: `${outcome.tradeId}-${i}` })),
          999,
        );
      }
      const last = (await all()).at(-1)!.sequence;

      const first = await deleteOutcomesBefore(database, 1_000);
      const second = await deleteOutcomesBefore(database, 1_000);
      await recordOutcomes(database, [outcomeWith({ tradeId: "old-0-0", pnlUsd: 1 })], 1_000);

      expect([first.isMore, second.isMore]).toEqual([true, false]);
      expect(first.deleted + second.deleted).toBe(11 * OUTCOMES_PER_COMMIT_MAX);
      expect(await revisionOf(database.queries, "deletions")).toBeGreaterThan(1);
      const [left] = await all();
      expect(left!.sequence).toBeGreaterThan(last);
      const told = await revisionOf(database.queries, "deletions");
      expect(await deleteOutcomesBefore(database, 1_000)).toEqual({ deleted: 0, isMore: false });
      // Readers count all outcomes anew at each.
      expect(await revisionOf(database.queries, "deletions")).toBe(told);
    });

    it("waits for the disk at each commit, whatever the database's default", async () => {
      const isSqlite = backend.name === "sqlite";
      if (!isSqlite) {
        const name = new URL(location.kind === "postgres" ? location.url : "").pathname.slice(1);
        await sql`alter database ${sql.id(name)} set synchronous_commit = off`.execute(database.queries);
      }
      const writer = await anotherProgram();
      const { rows } = await writer.write((queries) =>
        sql<
          Record<string, unknown>
        >`${sql.raw(isSqlite ? "pragma synchronous" : "show synchronous_commit")}`.execute(queries),
      );

      // SQLite's 2 is FULL.
      expect(rows).toEqual([isSqlite ? { synchronous: 2 } : { synchronous_commit: "on" }]);
    });

    it.skipIf(backend.name !== "postgres")(
      "ends a write that its program leaves idle, so that others may write",
      async () => {
        const setting = sql.raw("show idle_in_transaction_session_timeout");
        const { rows } = await sql`${setting}`.execute(database.queries);
        expect(rows).toEqual([{ idle_in_transaction_session_timeout: "8s" }]);
      },
    );

    it.skipIf(backend.name !== "sqlite")(
      "makes nothing in place of a known file that is gone or empty, nor a folder for any",
      async () => {
        const path = newSqlitePath();
        const known = { kind: "sqlite", path, isKnown: true } as const;

        await expect(opened(known)).rejects.toThrow(`${path} is gone or empty`);
        expect(existsSync(path)).toBe(false);
        writeFileSync(path, "");
        await expect(opened(known)).rejects.toThrow(`${path} is gone or empty`);
        await (await opened({ kind: "sqlite", path })).close();
        await (await opened(known)).close();
        rmSync(dirname(path), { recursive: true });
        await expect(opened({ kind: "sqlite", path })).rejects.toThrow("Unable to open");
        expect(existsSync(dirname(path))).toBe(false);
      },
    );

    it.skipIf(backend.name !== "sqlite")(
      "refuses what would be lost with the file that it has open: one that was removed, or another in its place",
      async () => {
        const path = location.kind === "sqlite" ? location.path : "";
        await recordOutcomes(database, [outcomeWith()], 1);
        renameSync(path, `${path}.away`);

        const refused = () => recordOutcomes(database, [outcomeWith({ tradeId: "t-2" })], 2);
        await expect(refused()).rejects.toThrow(`${path} was removed or replaced`);
        writeFileSync(path, "");
        await expect(refused()).rejects.toThrow(`${path} was removed or replaced`);
        renameSync(`${path}.away`, path);

        expect(await recordOutcomes(database, [outcomeWith({ tradeId: "t-3" })], 3)).toEqual(["recorded"]);
        expect((await all(await anotherProgram())).map(({ tradeId }) => tradeId)).toEqual(["t-1", "t-3"]);
      },
    );

    it.skipIf(backend.name !== "sqlite")(
      "refuses what only a removed log would hold, and keeps what it held with the end of the program",
      async () => {
        const path = location.kind === "sqlite" ? location.path : "";
        await recordOutcomes(database, [outcomeWith()], 1);
        rmSync(`${path}-wal`);

        const refused = () => recordOutcomes(database, [outcomeWith({ tradeId: "t-2" })], 2);
        await expect(refused()).rejects.toThrow(`${path}-wal was removed or replaced`);
        await database.close();
        database = await opened(location);

        expect(await recordOutcomes(database, [outcomeWith({ tradeId: "t-3" })], 3)).toEqual(["recorded"]);
        expect((await all()).map(({ tradeId }) => tradeId)).toEqual(["t-1", "t-3"]);
      },
    );

    it.skipIf(backend.name !== "sqlite")(
      "refuses what only a removed log would hold of a file that its path links to",
      async () => {
        const path = location.kind === "sqlite" ? location.path : "";
        symlinkSync(path, `${path}.link`);
        const linked = await opened({ kind: "sqlite", path: `${path}.link` });
        others.push(linked);
        await recordOutcomes(linked, [outcomeWith()], 1);
        rmSync(`${path}-wal`);

        const refused = recordOutcomes(linked, [outcomeWith({ tradeId: "t-2" })], 2);
        await expect(refused).rejects.toThrow(`${path}-wal was removed or replaced`);
      },
    );

    it.skipIf(backend.name !== "sqlite")(
      "reads a file that it may not write, and takes outcomes when it may",
      async () => {
        await recordOutcomes(database, [outcomeWith()], 1);
        await database.close();
        const path = location.kind === "sqlite" ? location.path : "";
        const record = (tradeId: string) => recordOutcomes(database, [outcomeWith({ tradeId })], 2);
        await withoutRightToWrite(path, async () => {
          database = await opened(location);
          for (const tradeId of ["t-2", "t-3"]) await expect(record(tradeId)).rejects.toThrow("readonly");
          expect(await all()).toHaveLength(1);
        });

        expect(await Promise.all([record("t-4"), record("t-5")])).toEqual([["recorded"], ["recorded"]]);
        expect((await all()).map(({ tradeId }) => tradeId)).toEqual(["t-1", "t-4", "t-5"]);
        expect(await all(await anotherProgram())).toEqual(await all());
      },
    );

    it.skipIf(backend.name !== "postgres")(
      "refuses a database whose encoding lacks characters, and leaves no connection to it",
      async () => {
        const url = new URL(location.kind === "postgres" ? location.url : "");
        const openedAs = async (encoding: string): Promise<RecordDatabase> => {
          const name = `${url.pathname.slice(1)}_${encoding.toLowerCase()}`;
          await sql
            .raw(`create database ${name} encoding '${encoding}' locale 'C' template template0`)
            .execute(database.queries);
          const other = await opened({ kind: "postgres", url: new URL(`/${name}`, url).href });
          others.push(other);
          return other;
        };

        await expect(openedAs("LATIN1")).rejects.toThrow("the database's encoding is LATIN1");
        const connected = sql`select pid from pg_stat_activity where datname like '%_latin1'`;
        await vi.waitFor(
          async () => expect((await connected.execute(database.queries)).rows).toEqual([]),
          5_000,
        );
        const bytes = await openedAs("SQL_ASCII");
        const outcome = outcomeWith({ tradeId: "😀".repeat(128) });
        expect(await recordOutcomes(bytes, [outcome], 1)).toEqual(["recorded"]);
        expect((await all(bytes)).map(({ tradeId }) => tradeId)).toEqual([outcome.tradeId]);
      },
    );

    it.skipIf(backend.name !== "postgres")("opens for a role that may write and not create", async () => {
      const url = new URL(location.kind === "postgres" ? location.url : "");
      const role = `writer_${url.pathname.slice(1)}`;
      await sql`create role ${sql.id(role)} login`.execute(database.queries);
      for (const what of ["tables", "sequences"])
        await sql`grant all on all ${sql.raw(what)} in schema public to ${sql.id(role)}`.execute(
          database.queries,
        );
      await sql`revoke create on schema public from public`.execute(database.queries);
      url.username = role;
      const writer = await opened({ kind: "postgres", url: url.href });
      others.push(writer);

      expect(await recordOutcomes(writer, [outcomeWith()], 1)).toEqual(["recorded"]);
      expect((await all()).map(({ tradeId }) => tradeId)).toEqual(["t-1"]);
    });

    it.skipIf(backend.name !== "postgres")(
      "outlives the connections that the server ends, idle and between two statements, and tells of them",
      async () => {
        const lost: Error[] = [];
        const program = await openRecords(location, (cause) => lost.push(cause));
        others.push(program);
        await Promise.all([1, 2].map((limit) => outcomesAfter(program.queries, 0, limit)));

        const cut = program.write(async (queries) => {
          await sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`.execute(database.queries);
          await vi.waitFor(() => expect(lost).toHaveLength(2));
          await sql`select 1`.execute(queries);
        });

        await expect(cut).rejects.toThrow();
        expect(await recordOutcomes(program, [outcomeWith()], 1)).toEqual(["recorded"]);
      },
    );

    it.skipIf(backend.name !== "postgres")(
      "has the server give up a statement after four seconds",
      async () => {
        await expect(sql`select pg_sleep(20)`.execute(database.queries)).rejects.toThrow(
          "canceling statement due to statement timeout",
        );
      },
    );

    it("leaves nothing of a write that fails half-way", async () => {
      await expect(
        database.write(async (queries) => {
          await sql`insert into calibrations values ('half', '{}', 1)`.execute(queries);
          throw new Error("killed");
        }),
      ).rejects.toThrow("killed");
      await expect(recordOutcomes(database, [outcomeWith({ entryPrice: -1 })], 1)).rejects.toThrow();

      expect((await publishedCalibrations(database.queries)).size).toBe(0);
      expect(await recordOutcomes(database, [outcomeWith()], 1)).toEqual(["recorded"]);
    });

    it("applies its migrations once, also when two programs start at once, and refuses a newer schema", async () => {
      const fresh = await backend.newLocation();
      const programs = await Promise.all([opened(fresh), opened(fresh), opened(fresh)]);
      others.push(...programs);
      const { rows } = await sql<{ version: number }>`select version from schema_migrations`.execute(
        programs[0].queries,
      );
      expect(rows).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }]);

      await sql`insert into schema_migrations values (99, 'from the future')`.execute(programs[0].queries);
      await expect(opened(fresh)).rejects.toThrow("schema version 99");
    });

    it("makes its tables in a database that has another program's", async () => {
      await database.write(async (queries) => {
        for (const { name } of await queries.introspection.getTables())
          await sql`drop table ${sql.table(name)}`.execute(queries);
        await sql`create table of_another (n integer)`.execute(queries);
      });

      const other = await anotherProgram();

      expect(await recordOutcomes(other, [outcomeWith()], 1)).toEqual(["recorded"]);
    });

    it("remembers every published calibration as it was first published", async () => {
      const curve = { at: [0.01, 0.05], value: [25, 40] };
      await publishCalibration(database, "h", curve, 1);
      await publishCalibration(database, "h", { at: [0], value: [1] }, 2);

      expect([...(await publishedCalibrations(database.queries))]).toEqual([["h", curve]]);
    });

    it.each([
      "",
      "null",
      "[]",
      "{}",
      '{"at":[0,1],"value":[0]}',
      '{"at":[0],"value":[0]}',
      '{"at":[0,"1"],"value":[0,100]}',
      '{"at":[0,1],"value":[null,100]}',
      '{"at":[1,0],"value":[0,100]}',
      '{"at":[0,1],"value":[50,50]}',
    ])("names the calibration whose curve %j is none", async (json) => {
      await database.write(async (queries) => {
        await sql`insert into calibrations values ('bad', ${json}, 1)`.execute(queries);
      });

      await expect(publishedCalibrations(database.queries)).rejects.toThrow(
        new UnreadableCalibrationError("the score curve of calibration bad cannot be read"),
      );
    });

    it("issues, uses and revokes keys, each change with a new revision", async () => {
      const revisions = [await revisionOf(database.queries, "keys")];
      const note = async (): Promise<unknown> => revisions.push(await revisionOf(database.queries, "keys"));

      expect(await createKey(database, KEY)).toBe(true);
      await note();
      expect(await createKey(database, { ...KEY, hashHex: "11" })).toBe(false);
      await note();
      await noteKeyUse(database, new Map([["desk", 1_800_000_000_000]]));
      await noteKeyUse(database, new Map([["desk", 1_800_000_000_000 - 5_000]]));
      await note();
      expect(await revokeKey(database, "desk", 9_000)).toBe(true);
      await note();
      expect(await revokeKey(database, "desk", 9_001)).toBe(false);
      expect(await revokeKey(database, "nobody", 9_001)).toBe(false);
      await note();

      expect(await issuedKeys(database.queries)).toEqual([
        { ...KEY, lastUsedAtMs: 1_800_000_000_000, revokedAtMs: 9_000 },
      ]);
      expect(revisions.map((revision) => revision - revisions[0]!)).toEqual([0, 1, 1, 1, 2, 2]);
    });

    it("lists keys in the order in which they were issued, those of one moment by their names", async () => {
      for (const [id, createdAtMs] of [
        ["desk", 1_000],
        ["bot", 1_001],
        ["audit", 1_001],
      ] as const) {
        await createKey(database, { ...KEY, id, createdAtMs });
      }

      expect((await issuedKeys(database.queries)).map(({ id }) => id)).toEqual(["desk", "audit", "bot"]);
    });

    it("notes of every key that was used when that was", async () => {
      for (const id of ["desk", "bot", "idle"]) await createKey(database, { ...KEY, id });

      await noteKeyUse(
        database,
        new Map([
          ["desk", 5_000],
          ["bot", 6_000],
        ]),
      );

      const used = (await issuedKeys(database.queries)).map(({ id, lastUsedAtMs }) => [id, lastUsedAtMs]);
      expect(used).toEqual([
        ["bot", 6_000],
        ["desk", 5_000],
        ["idle", null],
      ]);
    });

    it("goes on with uses by a clock that was set right, where the wrong one was ahead by days", async () => {
      await createKey(database, KEY);
      const rightMs = 1_800_000_000_000;
      await noteKeyUse(database, new Map([["desk", rightMs + 40 * DAY_MS]]));

      await noteKeyUse(database, new Map([["desk", rightMs]]));

      expect((await issuedKeys(database.queries))[0]!.lastUsedAtMs).toBe(rightMs);
    });
  });
});

function contentOf(row: RecordedOutcome): Partial<RecordedOutcome> {
  const content: Partial<Record<keyof RecordedOutcome, unknown>> = { ...row };
  delete content.sequence;
  delete content.recordedAtMs;
  delete content.check;
  return content as Partial<RecordedOutcome>;
}
