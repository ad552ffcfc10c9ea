import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RecordFolder, type RecordKind, timeSeries } from "../../src/ingest/record-folder.ts";
import { BTC } from "../support/builders.ts";
import { disk, type Fate, mendDisk } from "../support/failing-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

vi.mock("node:fs/promises", async (original) => {
  const { onFailingDisk } = await import("../support/failing-disk.ts");
  return onFailingDisk(await original());
});

// Mutants killed by hand: a file appended to after an append that failed, or behind a torn tail; what could not be written
// forgotten, left out of what is read, or taken for older than the file; a file written in its place.

const COLUMNS = 2;
const COUNT_MAX = 4;
const SHAPE = { columns: COLUMNS, timeMs: (values: Float64Array, at: number) => values[at]! };
const COMMON = { ...SHAPE, folder: "rows", version: 0, countMax: COUNT_MAX, isPossible: () => true };
const KINDS: Readonly<Record<string, RecordKind>> = {
  "of which the later told one stands": timeSeries(COMMON),
  "of which the first told one stands": {
    ...COMMON,
    factsOf: (rows) => rowsOf(factsOf(tableOf(rows), "first")),
    isOrderly: () => true,
  },
};

/** A time, and when it was told: the rows told so far. */
type Row = readonly [timeMs: number, told: number];

interface Keeping {
  readonly times: readonly number[];
  readonly fates: readonly Fate[];
  /** The process ends with the first step that fails, and another goes on. */
  readonly isMortal: boolean;
  /** What is known is asked for afterwards: a reading may show what a writing did not. */
  readonly isRead: boolean;
}

const fate = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fate>("done") },
  fc.constantFrom<Fate>("refused", "half", "untold"),
);
const keeping: fc.Arbitrary<Keeping> = fc.record({
  times: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 4 }),
  fates: fc.oneof(fc.constant([]), fc.array(fate, { maxLength: 8 })),
  isMortal: fc.boolean(),
  isRead: fc.boolean(),
});
const temporary = temporaryFolder();

describe.each(Object.entries(KINDS))("facts %s, on a disk that fails", (name, kind) => {
  const stands = name.includes("first") ? "first" : "later";
  afterEach(mendDisk);

  it("are all there once they were kept, whatever failed before, and none is lost or made up by a failure", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(keeping, { minLength: 1, maxLength: 6 }), async (keepings) => {
        const dataDir = mkdtempSync(join(temporary.path, "case-"));
        const damages: string[] = [];
        const open = (): RecordFolder => new RecordFolder(dataDir, kind, (damage) => damages.push(damage));
        const loaded = async (folder: RecordFolder): Promise<readonly Row[]> =>
          tableOf(await folder.load(BTC));
        let folder = open();
        let toldCount = 0;
        /** By this process, and what it found. */
        let told: readonly Row[] = [];
        /** Of these, what was kept. */
        let kept: readonly Row[] = [];
        for (const { times, fates, isMortal, isRead } of keepings) {
          const rows = times.map((timeMs): Row => [timeMs, toldCount++]);
          told = [...told, ...rows];
          Object.assign(disk, { fates: [...fates], isMortal });
          const isKept = await folder.keep(BTC, rowsOf(rows)).then(
            () => true,
            () => false,
          );
          const hasDied = disk.isDead;
          mendDisk();

          const found = await loaded(open());
          if (isKept) {
            kept = told;
            expect(found).toEqual(factsOf(told, stands));
          } else expectNoneLost(factsOf(kept, stands), found, told);
          if (hasDied) {
            folder = open();
            told = kept = found;
          }
          if (isRead) expect(await loaded(folder)).toEqual(factsOf(told, stands));
        }
        expect(damages).toEqual([]);
      }),
    );
  });
});

/** What a process finds that comes after a failure. */
function expectNoneLost(kept: readonly Row[], found: readonly Row[], told: readonly Row[]): void {
  for (const row of found) expect(told).toContainEqual(row);
  expect(found.map(([timeMs]) => timeMs)).toEqual(
    [...new Set(found.map(([timeMs]) => timeMs))].sort((a, b) => a - b),
  );
  for (const [timeMs, toldAs] of kept) {
    const same = found.find((row) => row[0] === timeMs);
    const isDisplaced = found.length === COUNT_MAX && found[0]![0] > timeMs;
    if (same === undefined) expect([timeMs, isDisplaced]).toEqual([timeMs, true]);
    else expect(same[1]).toBeGreaterThanOrEqual(toldAs);
  }
}

/** The plain way. */
function factsOf(told: readonly Row[], stands: "first" | "later"): readonly Row[] {
  const inTurn = stands === "later" ? told : told.toReversed();
  return [...new Map(inTurn.map((row) => [row[0], row])).values()]
    .sort((a, b) => a[0] - b[0])
    .slice(-COUNT_MAX);
}

function rowsOf(rows: readonly Row[]): Float64Array {
  return Float64Array.from(rows.flat());
}

function tableOf(rows: Float64Array): readonly Row[] {
  return Array.from({ length: rows.length / COLUMNS }, (_, i): Row => [
    rows[i * COLUMNS]!,
    rows[i * COLUMNS + 1]!,
  ]);
}
