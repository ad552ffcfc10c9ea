import { execFileSync } from "node:child_process";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { barsFrom } from "../../src/domain/bar-columns.ts";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { mergeByTime } from "../../src/domain/time-series.ts";
import { type CandleStore, openCandleStore } from "../../src/ingest/candle-store.ts";
import { replaceRecords } from "../../src/ingest/record-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { unreadableCopy } from "../support/unreadable-copy.ts";

// Mutants killed by hand: checksum not compared; append behind a torn tail; the older of two equal bars wins;
// header not checked; the last 5000 not cut; turns not awaited; a time given twice.

const BTC = tickerOf("BTC");
const temporary = temporaryFolder();
const barsIn = async (store: CandleStore): Promise<readonly Bar[]> => barsFrom(await store.loadBars(BTC));
const file = (): string => join(temporary.path, "candles", "BTC.bin");

describe("openCandleStore", () => {
  it("gives a new process what an old one kept", async () => {
    await openCandleStore(temporary.path).keepBars(BTC, [barAt(0), barAt(1)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(0), barAt(1)]);
  });

  it("knows nothing of an asset it never saw", async () => {
    expect(
      await openCandleStore(temporary.path)
        .loadBars(tickerOf("xyz:GOLD/.."))
        .then((b) => b.length),
    ).toBe(0);
  });

  it.each([1, 20, 51])(
    "drops a record torn after %i bytes and keeps what is appended afterwards",
    async (torn) => {
      await openCandleStore(temporary.path).keepBars(BTC, [barAt(0), barAt(1), barAt(2)]);
      await truncate(file(), 8 + 2 * 52 + torn);

      const store = openCandleStore(temporary.path);
      expect(await barsIn(store)).toEqual([barAt(0), barAt(1)]);
      await store.keepBars(BTC, [barAt(2), barAt(3)]);

      expect(await barsIn(openCandleStore(temporary.path))).toEqual([0, 1, 2, 3].map(barAt));
    },
  );

  it("stops at a damaged record: what lies behind it cannot be trusted", async () => {
    await openCandleStore(temporary.path).keepBars(BTC, [0, 1, 2].map(barAt));
    const bytes = await readFile(file());
    bytes[8 + 52 + 11]! ^= 0x40;
    await writeFile(file(), bytes);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(0)]);
  });

  it.each<[string, Partial<Bar>]>([
    ["a price beyond any market's", { high: 1e200 }],
    ["a price too small for sums", { low: 1e-200 }],
    ["a price below nothing", { open: -1 }],
    ["no number", { close: Number.NaN }],
    ["a volume beyond any market's", { volumeBase: 1e300 }],
    ["no volume", { volumeBase: Number.NaN }],
    ["a time within the hour", { openTimeMs: 1.5 * HOUR_MS }],
    ["a time that is none", { openTimeMs: 1e200 }],
  ])("passes over a bar with %s, and sets the file aside before it writes", async (_, change) => {
    await openCandleStore(temporary.path).keepBars(BTC, [barAt(0), { ...barAt(1), ...change }]);
    const bytes = await readFile(file());

    const told: string[] = [];
    const store = openCandleStore(temporary.path, (detail) => told.push(detail));
    expect(await barsIn(store)).toEqual([barAt(0)]);
    await store.keepBars(BTC, [barAt(2)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(0), barAt(2)]);
    expect(told).toEqual([
      `${file()}: 52 bytes are damaged, impossible or of another version; kept as ${unreadableCopy(file(), bytes)}`,
    ]);
  });

  it.each([1e200, Number.NaN, -1.5])("passes over a settlement at a rate of %d", async (rateHourly) => {
    const settled = { timeMs: 3 * HOUR_MS + 0.5, rateHourly: 1e-5, premiumFraction: null };
    const refused = { ...settled, timeMs: 4 * HOUR_MS, rateHourly };
    const later = { timeMs: 5 * HOUR_MS, rateHourly: 2e-5, premiumFraction: 3e-4 };
    await openCandleStore(temporary.path).keepSettlements(BTC, [settled, refused, later]);

    expect(await openCandleStore(temporary.path).loadSettlements(BTC)).toEqual([settled, later]);
  });

  it("starts over when the file is of another format", async () => {
    await openCandleStore(temporary.path).keepBars(BTC, [barAt(0)]);
    await writeFile(file(), "not a candle file at all, but long enough to be read as a header");

    const store = openCandleStore(temporary.path);
    await store.keepBars(BTC, [barAt(5)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(5)]);
  });

  it("starts over when the file was begun by another program", async () => {
    await openCandleStore(temporary.path).keepBars(BTC, [barAt(0)]);
    const bytes = await readFile(file());
    bytes[0]! ^= 1;
    await writeFile(file(), bytes);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([]);
  });

  it.each([1, 3, 7])("starts over when %i bytes of the header are all that is left", async (left) => {
    await openCandleStore(temporary.path).keepBars(BTC, [barAt(0)]);
    await truncate(file(), left);

    const store = openCandleStore(temporary.path);
    expect(await barsIn(store)).toEqual([]);
    await store.keepBars(BTC, [barAt(5)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(5)]);
  });

  it("appends nothing behind what an append that failed may have left", async () => {
    const store = openCandleStore(temporary.path);
    await store.keepBars(BTC, [barAt(0)]);
    await rename(file(), `${file()}.away`);
    await mkdir(file());
    await expect(store.keepBars(BTC, [barAt(1)])).rejects.toThrow(`${file()}: `);
    await rm(file(), { recursive: true });
    await rename(`${file()}.away`, file());
    await appendFile(file(), Buffer.alloc(13));

    await store.keepBars(BTC, [barAt(2)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([0, 1, 2].map(barAt));
  });

  it("begins a file anew that was removed while it ran: behind no header nothing could be read", async () => {
    const store = openCandleStore(temporary.path);
    await store.keepBars(BTC, [barAt(0)]);
    await rm(file());

    await store.keepBars(BTC, [barAt(1)]);
    await store.keepBars(BTC, [barAt(2)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(1), barAt(2)]);
  });

  it("makes the folder again that was removed while it ran", async () => {
    const store = openCandleStore(temporary.path);
    await store.keepBars(BTC, [barAt(0)]);
    await rm(join(temporary.path, "candles"), { recursive: true });

    await store.keepBars(BTC, [barAt(1)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(1)]);
  });

  it("appends behind bytes that another process left half written", async () => {
    const store = openCandleStore(temporary.path);
    await store.keepBars(BTC, [barAt(0)]);
    await appendFile(file(), Buffer.alloc(13));

    await openCandleStore(temporary.path).keepBars(BTC, [barAt(1)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(0), barAt(1)]);
  });

  it("gives a time once that two processes appended each, the later one, and writes it once", async () => {
    await openCandleStore(temporary.path).keepBars(BTC, [barAt(0)]);
    const [one, other] = [openCandleStore(temporary.path), openCandleStore(temporary.path)];
    for (const store of [one, other]) await store.loadBars(BTC);
    for (const store of [one, other]) await store.keepBars(BTC, [barAt(1), barAt(2)]);
    await other.keepBars(BTC, [barAt(3)]);
    const { size } = await stat(file());

    const store = openCandleStore(temporary.path);
    expect(await barsIn(store)).toEqual([0, 1, 2, 3].map(barAt));
    await store.keepBars(BTC, [barAt(4)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([0, 1, 2, 3, 4].map(barAt));
    expect((await stat(file())).size - size).toBe(-52);
  });

  it("fails where a file is there and cannot be read, and replaces nothing by what it knows", async () => {
    const store = openCandleStore(temporary.path);
    await mkdir(file(), { recursive: true });

    await expect(store.loadBars(BTC)).rejects.toThrow(`${file()}: EISDIR: `);
    await expect(store.keepBars(BTC, [barAt(0)])).rejects.toThrow(`${file()}: EISDIR: `);
    await rm(file(), { recursive: true });
    await store.keepBars(BTC, [barAt(1)]);

    expect(await barsIn(openCandleStore(temporary.path))).toEqual([barAt(0), barAt(1)]);
  });

  it("fails where a pipe is in the file's place: its reading would end neither the start nor the process", async () => {
    await mkdir(dirname(file()));
    execFileSync("mkfifo", [file()]);

    await expect(openCandleStore(temporary.path).loadBars(BTC)).rejects.toThrow(
      `${file()}: is no regular file`,
    );
  });

  it("writes what could not be written with what comes next, gives it out meanwhile, and then goes on appending", async () => {
    const store = openCandleStore(temporary.path);
    await store.keepBars(BTC, [barAt(0)]);
    await rename(join(temporary.path, "candles"), join(temporary.path, "away"));
    await writeFile(join(temporary.path, "candles"), "in the way");
    await expect(store.keepBars(BTC, [barAt(1)])).rejects.toThrow(`${file()}: `);
    await expect(store.keepBars(BTC, [barAt(2), { ...barAt(1), close: 2 }])).rejects.toThrow();

    await rm(join(temporary.path, "candles"));
    await rename(join(temporary.path, "away"), join(temporary.path, "candles"));
    expect(await barsIn(store)).toEqual([barAt(0), { ...barAt(1), close: 2 }, barAt(2)]);
    await store.keepBars(BTC, [barAt(3)]);
    const { size } = await stat(file());
    await store.keepBars(BTC, [barAt(4)]);

    const kept = await barsIn(openCandleStore(temporary.path));
    expect(kept).toEqual([barAt(0), { ...barAt(1), close: 2 }, barAt(2), barAt(3), barAt(4)]);
    expect((await stat(file())).size - size).toBe(6 * 8 + 4);
  });

  it("leaves no half of a file where it could not be replaced", async () => {
    await mkdir(file(), { recursive: true });

    await expect(replaceRecords(file(), 1, Float64Array.of(1, 2))).rejects.toThrow(`${file()}: E`);

    expect(await readdir(dirname(file()))).toEqual(["BTC.bin"]);
  });

  it("keeps the newest 5000 bars", async () => {
    const store = openCandleStore(temporary.path);
    await store.keepBars(
      BTC,
      Array.from({ length: 6000 }, (_, i) => barAt(i)),
    );

    const bars = await barsIn(store);

    expect(bars.length).toBe(5000);
    expect(bars[0]).toEqual(barAt(1000));
  });

  it("writes a file anew before it holds more than twice as many", async () => {
    const store = openCandleStore(temporary.path);
    for (let from = 0; from < 20_000; from += 2_500) {
      await store.keepBars(
        BTC,
        Array.from({ length: 2_500 }, (_, i) => barAt(from + i)),
      );
      expect((await stat(file())).size).toBeLessThanOrEqual(8 + 10_000 * 52);
    }

    const bars = await barsIn(store);

    expect(bars.length).toBe(5000);
    expect(bars.at(-1)).toEqual(barAt(19_999));
  });

  it("counts an estimated and a fetched settlement of one hour once, the later call winning", async () => {
    const store = openCandleStore(temporary.path);
    await store.keepSettlements(BTC, [{ timeMs: 3 * HOUR_MS, rateHourly: 1e-5, premiumFraction: null }]);
    await store.keepSettlements(BTC, [{ timeMs: 3 * HOUR_MS + 71, rateHourly: 2e-5, premiumFraction: 3e-4 }]);

    expect(await store.loadSettlements(BTC)).toEqual([
      { timeMs: 3 * HOUR_MS + 71, rateHourly: 2e-5, premiumFraction: 3e-4 },
    ]);
  });

  it("equals one merge whatever the order and the overlaps of concurrent calls", async () => {
    const hours = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(hours, { minLength: 1, maxLength: 6 }), async (calls) => {
        const folder = await mkdtemp(join(temporary.path, "case-"));
        const store = openCandleStore(folder);
        const batches = calls.map((batch, call) =>
          batch.map((hour) => ({ ...barAt(hour), close: 1000 + call })),
        );

        await Promise.all(batches.map((batch) => store.keepBars(BTC, batch)));

        const expected = new Map<number, Bar>();
        for (const bar of batches.flat()) expected.set(bar.openTimeMs, bar);
        const sorted = [...expected.values()].sort((a, b) => a.openTimeMs - b.openTimeMs);
        expect(await barsIn(openCandleStore(folder))).toEqual(sorted);
      }),
      { numRuns: 25 },
    );
  });
});

describe("mergeByTime", () => {
  it("lets the second list win where both have a time", () => {
    const kept: [number, string][] = [
      [1, "a"],
      [3, "c"],
    ];
    const added: [number, string][] = [
      [3, "C"],
      [2, "b"],
    ];

    const merged = mergeByTime(kept, added, ([time]) => time);

    expect(merged).toEqual([
      [1, "a"],
      [2, "b"],
      [3, "C"],
    ]);
  });
});

function barAt(hour: number): Bar {
  return {
    openTimeMs: hour * HOUR_MS,
    open: 100 + hour,
    high: 101.5 + hour,
    low: 99.25 + hour,
    close: 100.125 + hour,
    volumeBase: 7,
  };
}
