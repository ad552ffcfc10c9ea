import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isRecordedFolder, openRecordedFolder } from "../../../src/exchange/replay/recorded-folder.ts";
import type { ReplaySource } from "../../../src/exchange/replay/replay-source.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const START_MS = 1_700_000_000_000;
const temporary = temporaryFolder();

describe("openRecordedFolder", () => {
  it("plays the books of all listed coins in order of time, from the first of them", async () => {
    const source = await folderOf({ BTC: [500, 1_500], ETH: [0, 1_000], GONE: [-9_000] });

    expect(source.startMs).toBe(START_MS);
    expect(await framesOf(source, isWholeBook)).toEqual([
      ...twice(0, "ETH"),
      ...twice(500, "BTC"),
      ...twice(1_000, "ETH"),
      ...twice(1_500, "BTC"),
    ]);
  });

  it("passes over what is no book, and plays a file that was cut off up to its end", async () => {
    const whole = await folderOf({ BTC: [500, 1_500], ETH: [0, 1_000] });
    const before = await framesOf(whole, isWholeBook);
    const lines = gunzipSync(readFileSync(bookPath("BTC"))).toString("utf8");
    const damaged = gzipSync(`\n{"coin":"BTC"}\n${lines}{"coin":"BTC","time":${START_MS + 1_600},"lev`);
    writeFileSync(bookPath("BTC"), damaged.subarray(0, -8));
    writeFileSync(join(temporary.path, "books", "hl_l2book_ETH_20230103.jsonl.gz"), gzipSync(""));

    const source = await openRecordedFolder(temporary.path);

    expect(source.startMs).toBe(START_MS);
    expect(await framesOf(source, isWholeBook)).toEqual(before);
  });

  it("plays a file up to where it is damaged, and the others to their end", async () => {
    const times = Array.from({ length: 2_000 }, (_, i) => i);
    await folderOf({ BTC: times, ETH: [5_000] });
    const path = bookPath("BTC");
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, bytes.length / 2));

    const seen = await framesOf(await openRecordedFolder(temporary.path), isWholeBook);

    const played = seen.length / 2 - 1;
    expect(played).toBeGreaterThan(100);
    expect(played).toBeLessThan(2_000);
    expect(seen).toEqual([
      ...times.slice(0, played).flatMap((ms) => twice(ms, "BTC")),
      ...twice(5_000, "ETH"),
    ]);
  });

  it("goes on without a file that is gone when it is played", async () => {
    const source = await folderOf({ BTC: [500], ETH: [0, 1_000] });
    rmSync(bookPath("BTC"));

    expect(await framesOf(source, isWholeBook)).toEqual([...twice(0, "ETH"), ...twice(1_000, "ETH")]);
  });

  it.each([
    ["candleSnapshot", "candles_1h_hyperliquid", { req: { coin: "BTC", startTime: 0, endTime: 1 } }],
    ["fundingHistory", "funding", { coin: "BTC" }],
  ] as const)("answers a %s from a damaged file with a failure that names it", async (type, folder, body) => {
    const source = await folderOf({ BTC: [0] });
    mkdirSync(join(temporary.path, folder));
    const path = join(temporary.path, folder, "BTC.csv.gz");
    writeFileSync(path, "ts_ms,open\n");

    expect(source.answer({ type, ...body }, START_MS)).toMatchObject({
      ok: false,
      error: { code: "unparseable", detail: expect.stringContaining(path) as string },
    });
  });

  it.each(["metaAndAssetCtxs_20230102.json", "clearinghouseState_small.json", "report_user_fees_1.json"])(
    "is not opened with a %s that is no JSON, which it names",
    async (name) => {
      await folderOf({ BTC: [0] });
      const path = join(temporary.path, "exchange_fixtures", name);
      writeFileSync(path, "{");

      await expect(openRecordedFolder(temporary.path)).rejects.toThrow(`${path} cannot be read: `);
    },
  );

  it("sends a coin's context with its first book and then once a second", async () => {
    const source = await folderOf({ BTC: [0, 400, 999, 1_000, 1_400, 2_500], ETH: [100] });

    expect(await framesOf(source, (data) => data["ctx"] !== undefined)).toEqual([
      [0, "BTC"],
      [100, "ETH"],
      [1_000, "BTC"],
      [2_500, "BTC"],
    ]);
  });

  it("answers with the newest universe that was recorded", async () => {
    const source = await folderOf({ BTC: [0] });

    const answer = source.answer({ type: "metaAndAssetCtxs" }, START_MS);

    expect(answer).toMatchObject({ value: [{ universe: [{ name: "BTC" }, { name: "ETH" }] }, [{}, {}]] });
  });

  it("is not taken for one without books", () => {
    mkdirSync(join(temporary.path, "exchange_fixtures"));
    expect(isRecordedFolder(temporary.path)).toBe(false);
    mkdirSync(join(temporary.path, "books"));
    expect(isRecordedFolder(temporary.path)).toBe(true);
  });
});

/** A folder with two universes, the newer of BTC and ETH, and books of mid 100 at these milliseconds. */
function folderOf(booksMs: Readonly<Record<string, readonly number[]>>): Promise<ReplaySource> {
  for (const folder of ["books", "exchange_fixtures"]) mkdirSync(join(temporary.path, folder));
  for (const [day, names] of [
    ["20230102", ["BTC", "ETH"]],
    ["20230101", ["BTC"]],
  ] as const) {
    const universe = names.map((name) => ({ name, szDecimals: 5, maxLeverage: 40, marginTableId: 40 }));
    const path = join(temporary.path, "exchange_fixtures", `metaAndAssetCtxs_${day}.json`);
    writeFileSync(path, JSON.stringify([{ universe, marginTables: [] }, names.map(() => CONTEXT)]));
  }
  for (const [coin, times] of Object.entries(booksMs)) {
    const lines = times.map((ms) =>
      JSON.stringify({ coin, time: START_MS + ms, levels: [[level("99.0")], [level("101.0")]] }),
    );
    writeFileSync(bookPath(coin), gzipSync(`${lines.join("\n")}\n`));
  }
  return openRecordedFolder(temporary.path);
}

function bookPath(coin: string): string {
  return join(temporary.path, "books", `hl_l2book_${coin}_20230102.jsonl.gz`);
}

function isWholeBook(data: Record<string, unknown>): boolean {
  return data["levels"] !== undefined && data["fast"] === undefined;
}

async function framesOf(
  source: ReplaySource,
  isWanted: (data: Record<string, unknown>) => boolean,
): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { atMs, frame } of source.frames()) {
    const data = frame["data"] as Record<string, unknown>;
    if (isWanted(data)) seen.push([atMs - START_MS, data["coin"]]);
  }
  return seen;
}

/** A book is sent whole and in buckets. */
function twice(atMs: number, coin: string): unknown[] {
  return [
    [atMs, coin],
    [atMs, coin],
  ];
}

const PRICES = { markPx: "50", oraclePx: "50", midPx: "50", prevDayPx: "50", impactPxs: null };
const CONTEXT = { ...PRICES, funding: "0", openInterest: "1", dayNtlVlm: "1", premium: null };

function level(px: string): object {
  return { px, sz: "1.0", n: 1 };
}
