import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { outcomesAfter, recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import type { RecordLocation } from "../../src/outcomes/record-location.ts";
import { bundleWriter, write, writeUntilKilled } from "../support/crashing-writer.ts";
import { newSqlitePath, opened, outcomeWith, RECORD_BACKENDS } from "../support/record-backends.ts";

const KILLS = { sqlite: 50, postgres: 8 };
/** Databases at once: while one waits for its disk another starts its program. */
const LANES = 4;
/** Between two looks the next program finds the log as the kill left it. */
const KILLS_PER_LOOK = 6;

beforeAll(bundleWriter);

async function recordedIds(location: RecordLocation): Promise<readonly string[]> {
  const database = await opened(location);
  const outcomes = await outcomesAfter(database.queries, 0, 1_000_000);
  await database.close();
  return outcomes.map(({ tradeId }) => tradeId);
}

/** Acknowledged trades that are not there, and how many are there twice. */
async function lostOrDoubled(
  location: RecordLocation,
  acknowledged: ReadonlySet<string>,
): Promise<{ readonly lost: readonly string[]; readonly doubled: number }> {
  const ids = await recordedIds(location);
  const there = new Set(ids);
  return { lost: [...acknowledged].filter((id) => !there.has(id)), doubled: ids.length - there.size };
}

const NOTHING = { lost: [], doubled: 0 };

// Mutants that these tests caught: the verdict before the commit; trade_id without its unique constraint; a damaged
// file taken at its word. A kill loses no page cache, so that synchronous FULL is asserted in record-stores.test.ts.
describe.each(RECORD_BACKENDS)("a writer on $name that is killed", (backend) => {
  const kills = KILLS[backend.name];

  it.skipIf(!backend.isAvailable)(
    `loses and doubles nothing it acknowledged, over ${kills} kills in each of ${LANES} databases`,
    { timeout: 300_000 },
    async () => {
      const lane = async (laneNumber: number): Promise<number> => {
        const location = await backend.newLocation();
        const acknowledged = new Set<string>();
        for (let kill = 1; kill <= kills; kill += 1) {
          // From the first acknowledgement to somewhere inside a later commit, all residues of the eight writers.
          const writing = await writeUntilKilled(location, `${laneNumber}.${kill}`, 1 + ((kill * 7) % 24));
          for (const id of writing.acknowledged) acknowledged.add(id);
          if (kill % KILLS_PER_LOOK === 0 || kill === kills) {
            expect(await lostOrDoubled(location, acknowledged)).toEqual(NOTHING);
          }
        }
        return acknowledged.size;
      };

      const sizes = await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));

      for (const size of sizes) expect(size).toBeGreaterThan(kills * 8);
    },
  );
});

describe("the file", () => {
  it("is cut back to the last whole commit when its log ends in rubbish", async () => {
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const acknowledged = new Set<string>();
    for (const rubbish of [randomBytes(1), randomBytes(24), randomBytes(4_120), Buffer.alloc(70_000)]) {
      const { acknowledged: more } = await writeUntilKilled(location, `r${rubbish.length}`, 20);
      for (const id of more) acknowledged.add(id);
      expect(existsSync(`${location.path}-wal`)).toBe(true);
      appendFileSync(`${location.path}-wal`, rubbish);

      expect(await lostOrDoubled(location, acknowledged)).toEqual(NOTHING);
    }
  });

  it("keeps every commit before the one that a power cut tore", async () => {
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const first = await writeUntilKilled(location, "first", 20);
    const wholeBytes = statSync(`${location.path}-wal`).size;
    await writeUntilKilled(location, "second", 20);
    // The file system lost the end of the second program's writes, in the middle of a page.
    truncateSync(
      `${location.path}-wal`,
      Math.min(wholeBytes + 6_000, statSync(`${location.path}-wal`).size - 100),
    );

    const ids = await recordedIds(location);

    expect(first.acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ["ends in the middle of a page", (path: string) => truncateSync(path, statSync(path).size - 5_000)],
    [
      "has rubbish in its last pages",
      (path: string) => {
        const bytes = readFileSync(path);
        randomBytes(8_192).copy(bytes, bytes.length - 8_192);
        writeFileSync(path, bytes);
      },
    ],
    ["is not a database", (path: string) => writeFileSync(path, randomBytes(20_000))],
  ])("is refused and left alone when it %s", async (_damage, spoil) => {
    const original = newSqlitePath();
    const database = await opened({ kind: "sqlite", path: original });
    const outcomes = Array.from({ length: 500 }, (_, i) => outcomeWith({ tradeId: `t-${i}` }));
    await recordOutcomes(database, outcomes, 1);
    await database.close();
    const path = newSqlitePath();
    copyFileSync(original, path);
    spoil(path);
    copyFileSync(path, `${path}.as-found`);

    await expect(opened({ kind: "sqlite", path })).rejects.toThrow(/damaged|malformed|not a database/);

    expect(readFileSync(path).equals(readFileSync(`${path}.as-found`))).toBe(true);
  });

  it.each([
    ["gone", (path: string) => rmSync(path)],
    ["empty", (path: string) => writeFileSync(path, "")],
  ])("is not begun anew beside its log when it is %s", async (_state, lose) => {
    const location = { kind: "sqlite", path: newSqlitePath() } as const;
    const { acknowledged } = await writeUntilKilled(location, "killed", 20);
    copyFileSync(location.path, `${location.path}.away`);
    lose(location.path);

    await expect(opened(location)).rejects.toThrow("put the file back, or move the log away");

    renameSync(`${location.path}.away`, location.path);
    expect(await lostOrDoubled(location, new Set(acknowledged))).toEqual(NOTHING);
  });

  const hasLimits = spawnSync("bash", ["-c", "ulimit -S -f 100 && command -v prlimit"]).status === 0;
  it.skipIf(!hasLimits)(
    "refuses while there is no room, and takes outcomes again when there is",
    async () => {
      const location = { kind: "sqlite", path: newSqlitePath() } as const;
      const database = await opened(location);
      await recordOutcomes(database, [outcomeWith({ tradeId: "before" })], 1);
      await database.close();
      let refused = 0;
      let afterwards = 0;

      const { acknowledged } = await write({
        location,
        run: "full",
        // 200 KiB a file, soft, so that room can be made while the program runs.
        shell: "ulimit -S -f 200",
        isPatient: true,
        onLine: (line, pid) => {
          if (line.startsWith("refused")) {
            refused += 1;
            if (refused === 5) spawnSync("prlimit", ["--pid", String(pid), "--fsize=unlimited"]);
          } else if (refused >= 5) {
            afterwards += 1;
            if (afterwards === 100) process.kill(pid, "SIGKILL");
          }
        },
      });

      expect(refused).toBeGreaterThanOrEqual(5);
      expect(afterwards).toBeGreaterThanOrEqual(100);
      expect(await lostOrDoubled(location, new Set(["before", ...acknowledged]))).toEqual(NOTHING);
    },
  );
});
