import { existsSync } from "node:fs";
import { mkdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import type { LearnedHour } from "../../src/domain/learned-hour.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { openLearnedStore } from "../../src/ingest/learned-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { unreadableCopy } from "../support/unreadable-copy.ts";

// Mutants killed: columns written in another order than read; the version not compared; an hour under way kept beside
// its end; the file read whole for every hour that is added.

const BTC = tickerOf("BTC");
const temporary = temporaryFolder();
const file = (): string => join(temporary.path, "learned", "BTC.bin");

describe("openLearnedStore", () => {
  it("gives a new process what an old one kept, what is not known included", async () => {
    const unknown = { ...hourAt(1), openInterestFall: Number.NaN, learnedCapUsd: Number.NaN };
    await openLearnedStore(temporary.path).keep(BTC, [hourAt(0), unknown]);

    expect(await openLearnedStore(temporary.path).load(BTC)).toEqual([hourAt(0), unknown]);
    expect(await openLearnedStore(temporary.path).load(tickerOf("ETH"))).toEqual([]);
  });

  it("replaces an hour under way by its end, and appends what is new", async () => {
    const store = openLearnedStore(temporary.path);
    await store.keep(BTC, [hourAt(0), { ...hourAt(1), samples: 5 }]);
    await store.keep(BTC, [hourAt(1)]);
    await store.keep(BTC, [hourAt(2)]);

    expect(await openLearnedStore(temporary.path).load(BTC)).toEqual([0, 1, 2].map(hourAt));
    expect((await stat(file())).size).toBe(8 + 3 * (9 * 8 + 4));
  });

  it("drops a torn tail and goes on behind it", async () => {
    await openLearnedStore(temporary.path).keep(BTC, [0, 1, 2].map(hourAt));
    await truncate(file(), 8 + 2 * 76 + 30);

    const store = openLearnedStore(temporary.path);
    expect(await store.load(BTC)).toEqual([0, 1].map(hourAt));
    await store.keep(BTC, [hourAt(3)]);

    expect(await openLearnedStore(temporary.path).load(BTC)).toEqual([0, 1, 3].map(hourAt));
  });

  it("takes a file of another version for none, sets it aside and writes its own", async () => {
    await openLearnedStore(temporary.path).keep(BTC, [hourAt(0)]);
    const bytes = await readFile(file());
    bytes.writeUInt16LE(2, 6);
    await writeFile(file(), bytes);

    const told: string[] = [];
    const store = openLearnedStore(temporary.path, (detail) => told.push(detail));
    expect(await store.load(BTC)).toEqual([]);
    await store.keep(BTC, [hourAt(5)]);
    await store.keep(BTC, [hourAt(4)]);

    expect(await openLearnedStore(temporary.path).load(BTC)).toEqual([4, 5].map(hourAt));
    expect(await readFile(unreadableCopy(file(), bytes))).toEqual(bytes);
    expect(told).toEqual([
      `${file()}: 76 bytes are damaged, impossible or of another version; kept as ${unreadableCopy(file(), bytes)}`,
    ]);
  });

  it("sets a file aside that is damaged in its middle, and a torn one not", async () => {
    const told: string[] = [];
    const keep = (hour: number): Promise<void> =>
      openLearnedStore(temporary.path, (detail) => told.push(detail)).keep(BTC, [hourAt(hour)]);
    await openLearnedStore(temporary.path).keep(BTC, [0, 1, 2].map(hourAt));
    await truncate(file(), 8 + 2 * 76 + 75);
    await keep(3);
    expect(told).toEqual([]);

    const bytes = await readFile(file());
    bytes.writeUInt8(255 - bytes.readUInt8(100), 100);
    await writeFile(file(), bytes);
    await keep(5);
    expect(told.map((detail) => / \d+ bytes/.exec(detail)?.[0])).toEqual([" 152 bytes"]);
    expect(await openLearnedStore(temporary.path).load(BTC)).toEqual([0, 5].map(hourAt));
    expect(await readFile(unreadableCopy(file(), bytes))).toEqual(bytes);
  });

  it.each<[keyof LearnedHour, number]>([
    ["hourStartMs", 3.5 * HOUR_MS],
    ["samples", 0],
    ["samples", 1e200],
    ["samples", Number.NaN],
    ["spreadFraction", 1e200],
    ["spreadFraction", -1e-4],
    ["depth100BpsUsd", 1e200],
    ["thinness50Bps", -1e200],
    ["openInterestFall", -1e200],
    ["openInterestFall", 1.5],
    ["fundingSize", 1e200],
    ["openInterestMaxUsd", 1e200],
    ["openInterestMaxUsd", Number.NaN],
    ["learnedCapUsd", 1e200],
  ])("passes over an hour whose %s is %d, and sets the file aside before it writes", async (name, value) => {
    await openLearnedStore(temporary.path).keep(BTC, [hourAt(0), { ...hourAt(1), [name]: value }]);
    const bytes = await readFile(file());

    const told: string[] = [];
    const store = openLearnedStore(temporary.path, (detail) => told.push(detail));
    expect(await store.load(BTC)).toEqual([hourAt(0)]);
    await store.keep(BTC, [hourAt(5)]);

    expect(await openLearnedStore(temporary.path).load(BTC)).toEqual([hourAt(0), hourAt(5)]);
    expect(told).toHaveLength(1);
    expect(await readFile(unreadableCopy(file(), bytes))).toEqual(bytes);
  });

  it("does not make a data folder anew that was removed: nothing would say whose market it is of", async () => {
    const dataDir = join(temporary.path, "data");
    await mkdir(dataDir);
    const store = openLearnedStore(dataDir);
    await store.keep(BTC, [hourAt(0)]);
    await rm(dataDir, { recursive: true });

    await expect(store.keep(BTC, [hourAt(1)])).rejects.toThrow("ENOENT");
    expect(existsSync(dataDir)).toBe(false);
  });

  it("keeps what was set aside before, as a version that is gone back from needs", async () => {
    const setAside: Buffer[] = [];
    for (const hour of [0, 1]) {
      await openLearnedStore(temporary.path).keep(BTC, [hourAt(hour)]);
      const bytes = await readFile(file());
      bytes.writeUInt16LE(2, 6);
      await writeFile(file(), bytes);
      setAside.push(bytes);
    }
    await openLearnedStore(temporary.path).keep(BTC, [hourAt(2)]);

    for (const bytes of setAside) expect(await readFile(unreadableCopy(file(), bytes))).toEqual(bytes);
  });
});

function hourAt(hour: number): LearnedHour {
  return {
    hourStartMs: hour * HOUR_MS,
    samples: 360 + hour,
    spreadFraction: 1e-4 + hour / 1e6,
    depth100BpsUsd: 2e6 + hour,
    thinness50Bps: -13 - hour / 100,
    openInterestFall: 0.01 * hour,
    fundingSize: 1e-5 + hour / 1e7,
    openInterestMaxUsd: 1e8 + hour,
    learnedCapUsd: 3e8 + hour,
  };
}
