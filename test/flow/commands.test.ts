import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { BacktestSummary } from "../../src/cli/backtest-summary.ts";
import { createKey } from "../../src/outcomes/key-table.ts";
import { recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import { FITTED } from "../../src/risk/calibration/fitted-values.ts";
import { candleText, FIRST_HOUR } from "../support/candle-series.ts";
import { builtProgram } from "../support/built-program.ts";
import { opened, outcomeWith } from "../support/record-backends.ts";

// Mutants killed by hand: the folder not prepared; its parents made by Node's own recursion; a file taken for a folder;
// the driver's error let through; an unknown option, a second word or a missing record let through; a closed pipe
// complained of, or a key that went into one not; an empty period judged; funding of a month, or no trades, or candles
// of no whole day, calibrated on; an asset asked of the folder that it is not in; a failed last checkpoint, or a failed
// write of the records, shown with its stack.

const programOf = (command: string): string => builtProgram(`cli/${command}`);
const KEYS = programOf("keys");
const OUTCOMES = programOf("outcomes");
const FOLDER = mkdtempSync(join(tmpdir(), "breakwater-commands-"));
const FILE = join(FOLDER, "a-file");
writeFileSync(FILE, "");
const WITHOUT_DATABASE = join(FOLDER, "without-database");
mkdirSync(join(WITHOUT_DATABASE, "breakwater.db"), { recursive: true });
const UNMADE = join(FOLDER, "unmade");
const KEPT = join(FOLDER, "new", "folders");
spawnSync(process.execPath, [KEYS, "create", "--id", "b"], {
  env: { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: KEPT },
});
const CANDLES = join(FOLDER, "candles");
mkdirSync(CANDLES);
const CANDLE = `${String(Date.UTC(2024, 0, 1))},100,101,99,100,5`;
writeFileSync(join(CANDLES, "BTC.csv"), `ts_ms,open,high,low,close,volume\n${CANDLE}\n`);

const MARKET = join(FOLDER, "market");
const WITHOUT_TRADES = join(FOLDER, "without-trades");
for (const data of [MARKET, WITHOUT_TRADES]) {
  for (const folder of ["funding", "books", "candles_1h", "candles_1h_hyperliquid"]) {
    mkdirSync(join(data, folder), { recursive: true });
    if (folder.startsWith("candles")) {
      writeFileSync(join(data, folder, "BTC.csv"), `ts_ms,open,high,low,close,volume\n${CANDLE}\n`);
    }
  }
}
mkdirSync(join(MARKET, "trades"));
const FUNDED = join(FOLDER, "funded");
cpSync(MARKET, FUNDED, { recursive: true });
/** All that a calibration asks for: BTC's candles are in the one folder, ETH's in the other, and last as many hours. Of
 * two days the first has an outcome, but no forecast that it could judge. */
const [COMPLETE, SHORT] = [join(FOLDER, "complete"), join(FOLDER, "short")];
for (const [data, hours] of [
  [COMPLETE, 60 * 24],
  [SHORT, 2 * 24],
] as const) {
  for (const folder of ["funding", "books", "trades", "candles_1h", "candles_1h_hyperliquid"]) {
    mkdirSync(join(data, folder), { recursive: true });
  }
  writeFileSync(join(data, "candles_1h", "BTC.csv"), candleText(1, FIRST_HOUR, hours));
  writeFileSync(join(data, "candles_1h_hyperliquid", "ETH.csv"), candleText(2, FIRST_HOUR, hours));
  const trades = "ts_ms,price,size,side,tid\n1000,100,1,buy,1";
  writeFileSync(join(data, "trades", "hl_trades_BTC_20240101.csv.gz"), gzipSync(trades));
  const book = '{"time":0,"levels":[[{"px":"99"}],[{"px":"101"}]]}';
  writeFileSync(join(data, "books", "hl_l2book_BTC_20240101.jsonl.gz"), gzipSync(book));
}
for (const [data, days] of [
  [MARKET, 34],
  [FUNDED, 35],
  [COMPLETE, 35],
  [SHORT, 35],
] as const) {
  const settled = (_: unknown, hour: number): string => `${String(hour * 3_600_000)},0.00001,1,hyperliquid`;
  const lines = ["ts_ms,rate,interval_h,venue", ...Array.from({ length: days * 24 }, settled)];
  writeFileSync(join(data, "funding", "BTC.csv.gz"), gzipSync(lines.join("\n")));
}

describe("a command", () => {
  it.each([
    ["keys create --id a", "BREAKWATER_DATA_DIR cannot be used: ENOTDIR", { BREAKWATER_DATA_DIR: FILE }],
    [
      "keys create --id a",
      "BREAKWATER_DATA_DIR cannot be used: ENOTDIR",
      { BREAKWATER_DATA_DIR: join(FILE, "x") },
    ],
    ["keys create --id a", "BREAKWATER_DATA_DIR cannot be used: E", { BREAKWATER_DATA_DIR: "/proc/x/y" }],
    ["keys list", "there are no records at ", { BREAKWATER_DATA_DIR: UNMADE }],
    ["keys revoke --id a", "there are no records at ", { BREAKWATER_DATA_DIR: UNMADE }],
    [
      "keys list",
      `the records cannot be opened: ${WITHOUT_DATABASE}/breakwater.db: `,
      { BREAKWATER_DATA_DIR: WITHOUT_DATABASE },
    ],
    [
      "keys list",
      "the records cannot be opened: BREAKWATER_DATABASE_URL: connect",
      { BREAKWATER_DATABASE_URL: "postgres://127.0.0.1:1/x" },
    ],
    ["keys list", "BREAKWATER_DATABASE_URL must be a postgres:// URL", { BREAKWATER_DATABASE_URL: "x" }],
    ["keys list --all", "Unknown option '--all'", {}],
    ["keys", "usage: npm run --silent keys -- create", {}],
    ["keys list extra", "usage: npm run --silent keys -- create", {}],
    ["keys list --id a", "usage: npm run --silent keys -- create", {}],
    ["keys create a --id a", "usage: npm run --silent keys -- create", {}],
    ["keys revoke --id a --rate 5", "usage: npm run --silent keys -- create", {}],
    ["keys constructor", "usage: npm run --silent keys -- create", {}],
    ["keys create --id Desk", "--id must be 1 to 40 lower-case letters", {}],
    ["keys create --id a --rate 0", "--rate must be a whole number", {}],
    ["keys create --id a --rate 10000001", "--rate must be a whole number from 1 to 10000000", {}],
    ["keys create --id a --expires-days 0", "--expires-days must be a whole number from 1 to 1000000", {}],
    ["keys create --id a --for-file --expires-days 1", "an entry of a keys file does not expire\n", {}],
    ["keys revoke --id a", "no key in force has the id a", { BREAKWATER_DATA_DIR: KEPT }],
    [
      "keys create --id b",
      "the id b is taken; a revoked one is not used again\n",
      { BREAKWATER_DATA_DIR: KEPT },
    ],
    ["outcomes export", "there are no records at ", { BREAKWATER_DATA_DIR: UNMADE }],
    ["outcomes export", "the records cannot be opened: ", { BREAKWATER_DATA_DIR: WITHOUT_DATABASE }],
    ["outcomes export --all", "Unknown option '--all'", {}],
    ["outcomes export all", "usage: npm run --silent outcomes -- export", {}],
    ["outcomes export --format xml", '--format must be csv or jsonl, got "xml"', {}],
    ["demo --fast", "Unknown option '--fast'", {}],
    ["record", "--out is missing", {}],
    ["record --out x --minutes 0", '--minutes must be a number above 0 and up to 35791, got "0"', {}],
    ["record --out x --minutes soon", '--minutes must be a number above 0 and up to 35791, got "soon"', {}],
    ["record --out x --assets BTC,", '--assets must be tickers separated by commas, got "BTC,"', {}],
    [
      `record --out ${join(FOLDER, "vain")} --url http://127.0.0.1:1`,
      "no universe: metaAndAssetCtxs: connect ECONNREFUSED",
      {},
    ],
    [`record --out ${FILE} --minutes 35791`, "--out cannot be used: ENOTDIR", {}],
    [`record --out ${FILE} --minutes 35792`, "--minutes must be a number", {}],
    ["record --out x --url nonsense", '--url must be an http:// or https:// address, got "nonsense"', {}],
    [`record --out ${FILE}`, "--out cannot be used: ENOTDIR", {}],
    ["backtest", "--data is missing", {}],
    ["backtest --data x --from soon", "--from must be a day such as 2024-01-01", {}],
    [`backtest --data ${UNMADE}`, `${UNMADE} does not exist`, {}],
    [`backtest --data ${FILE}`, `${FILE}: ENOTDIR`, {}],
    [`backtest --data ${FOLDER}`, `${FOLDER} has no candle files`, {}],
    [
      `backtest --data ${CANDLES} --from 2024-01-02`,
      "--from and --to leave no candle: they span 2024-01-01",
      {},
    ],
    [
      `backtest --data ${CANDLES} --to 2024-01-01`,
      "--from and --to leave no candle: they span 2024-01-01",
      {},
    ],
    [`backtest --data ${CANDLES}`, "the candles of the named assets have no forecast that can be judged", {}],
    [`backtest --data ${CANDLES} --json ${UNMADE}/x`, `--json: ${UNMADE} does not exist`, {}],
    [`backtest --data ${CANDLES} --json ${FOLDER}`, "--json cannot be used: EISDIR", {}],
    ["calibrate", "--data is missing", {}],
    ["calibrate --data x y", "Unexpected argument 'y'", {}],
    [`calibrate --data ${FOLDER}`, `${join(FOLDER, "funding")} does not exist`, {}],
    [`calibrate --data ${FOLDER} --out ${UNMADE}/x`, `--out: ${UNMADE} does not exist`, {}],
    [`calibrate --data ${FOLDER} --out ${FILE}/x`, "--out cannot be used: ENOTDIR", {}],
    [`calibrate --data ${WITHOUT_TRADES}`, `${join(WITHOUT_TRADES, "trades")} does not exist`, {}],
    [
      `calibrate --data ${MARKET} --assets BTC,NOPE`,
      `neither ${MARKET}/candles_1h nor ${MARKET}/candles_1h_hyperliquid has candles of NOPE\n`,
      {},
    ],
    [`calibrate --data ${WITHOUT_TRADES} --assets NOPE`, `neither ${WITHOUT_TRADES}/candles_1h nor `, {}],
    [`calibrate --data ${FUNDED} --assets BTC`, `${FUNDED}/trades has no trades`, {}],
    [`calibrate --data ${MARKET}`, `${MARKET}/funding has too few hourly settlements`, {}],
    [`calibrate --data ${FUNDED}`, `${FUNDED}/trades has no trades`, {}],
    [`calibrate --data ${SHORT}`, "the candles of the named assets have no day that can be judged\n", {}],
  ])("%s is told what to put right, without a stack, and ends with 2: %s", (command, words, environment) => {
    const [name, ...options] = command.split(" ");

    const { status, stdout, stderr } = spawnSync(process.execPath, [programOf(name!), ...options], {
      env: { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: FOLDER, ...environment },
      encoding: "utf8",
      timeout: 20_000,
    });

    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.startsWith(words)).toBe(true);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it.each([
    ["keys", "usage: npm run --silent keys -- create"],
    ["keys list", "usage: npm run --silent keys -- create"],
    ["outcomes", "usage: npm run --silent outcomes -- export"],
    ["record --nonsense", "usage: npm run record"],
    ["backtest", "usage: npm run backtest"],
    ["calibrate", "usage: npm run calibrate"],
  ])("%s --help is told its usage, and ends with 0", (command, words) => {
    const [name, ...options] = command.split(" ");

    const { status, stdout, stderr } = spawnSync(process.execPath, [programOf(name!), ...options, "--help"], {
      env: { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: UNMADE },
      encoding: "utf8",
      timeout: 20_000,
    });

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.startsWith(words)).toBe(true);
  });

  it("ends without a complaint when its reader has had enough", async () => {
    const folder = join(FOLDER, "kept");
    const env = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: folder };
    spawnSync(process.execPath, [KEYS, "create", "--id", "a"], { env });

    const child = spawn(process.execPath, [OUTCOMES, "export"], { env });
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += text.toString()));
    child.stdout.destroy();
    const [status] = (await once(child, "close")) as [number];

    expect([status, said]).toEqual([0, ""]);
  });

  it.skipIf(!existsSync("/dev/full"))("says that its output has no room, not that the records fail", () => {
    const env = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: join(FOLDER, "exported") };
    spawnSync(process.execPath, [KEYS, "create", "--id", "a"], { env });
    const full = openSync("/dev/full", "w");

    const { status, stderr } = spawnSync(process.execPath, [OUTCOMES, "export"], {
      env,
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"],
    });

    closeSync(full);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^standard output cannot be written: ENOSPC\b.*\n$/);
  });

  it("says that a key is in force which it could show nobody, and ends with 2", async () => {
    const env = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: join(FOLDER, "unread") };

    const child = spawn(process.execPath, [KEYS, "create", "--id", "lost"], { env });
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += text.toString()));
    child.stdout.destroy();
    const [status] = (await once(child, "close")) as [number];

    expect([status, said]).toEqual([
      2,
      "the key lost is in force, but cannot be shown: write EPIPE; revoke it and create another\n",
    ]);
    const listed = spawnSync(process.execPath, [KEYS, "list"], { env, encoding: "utf8" });
    expect(listed.stdout).toMatch(/^lost +in force/m);
  });

  it("lists keys with their state, their limit and when they end", async () => {
    const folder = join(FOLDER, "listed");
    const env = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: folder };
    const keys = (words: string): string =>
      spawnSync(process.execPath, [KEYS, ...words.split(" ")], { env, encoding: "utf8" }).stdout;
    keys("create --id month --rate 7 --expires-days 30");
    keys("create --id gone");
    expect(keys("revoke --id gone")).toBe("revoked: gone\n");
    const database = await opened({ kind: "sqlite", path: join(folder, "breakwater.db") });
    const over = { id: "over", salt: "", hashHex: "", rateLimitPerMinute: null, createdAtMs: 0 };
    await createKey(database, { ...over, expiresAtMs: 1, revokedAtMs: null, lastUsedAtMs: null });
    await database.close();

    const rows = keys("list")
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));

    expect(rows[0]).toEqual(["id", "state", "rate/min", "created", "expires", "last used"]);
    const month = rows.find(([id]) => id === "month")!;
    expect([month[1], month[2], month[5]]).toEqual(["in force", "7", "-"]);
    expect(Date.parse(month[4]!) - Date.parse(month[3]!)).toBe(30 * 86_400_000);
    const states = rows.slice(1).map(([id, state, rate, , expires]) => [id, state, rate, expires]);
    expect(states).toContainEqual(["gone", "revoked", "default", "-"]);
    expect(states).toContainEqual(["over", "expired", "default", "1970-01-01T00:00:00.001Z"]);
  });

  it("prints an entry for a keys file with the key's own limit, and stores nothing", () => {
    const env = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: UNMADE };
    const words = ["create", "--id", "desk", "--rate", "5", "--for-file"];

    const { status, stdout } = spawnSync(process.execPath, [KEYS, ...words], { env, encoding: "utf8" });

    expect(status).toBe(0);
    const entry = JSON.parse(stdout.split("entry for the keys file: ")[1]!) as unknown;
    expect(entry).toEqual({
      id: "desk",
      salt: expect.stringMatching(/^[0-9a-f]+$/) as string,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      rate_limit_per_minute: 5,
    });
  });

  it("judges the days that it is asked for, tells of them and writes every figure to a file", () => {
    const candles = join(FOLDER, "judged");
    mkdirSync(candles);
    ["BTC", "ETH", "SOL"].forEach((asset, seed) =>
      writeFileSync(join(candles, `${asset}.csv`), candleText(seed, FIRST_HOUR, 37 * 24)),
    );
    const json = join(FOLDER, "judged.json");
    const days = ["--from", "2024-02-04", "--to", "2024-02-06"];
    const words = ["--data", candles, "--assets", "BTC,ETH", ...days, "--json", json, "--threads", "1"];

    const { status, stdout } = spawnSync(process.execPath, [programOf("backtest"), ...words], {
      encoding: "utf8",
    });

    expect(status).toBe(0);
    expect(stdout.match(/^## .*$/gm)).toEqual([
      "## BTC",
      "## ETH",
      "## All assets",
      "## Portfolios, 24 h",
      "## Touched within 24 h: predicted and observed",
    ]);
    expect(stdout).toMatch(/\n2 assets, \d+\.\d minutes\n$/);
    const { pooled, falls } = JSON.parse(readFileSync(json, "utf8")) as BacktestSummary;
    const judged = new Map(pooled.map(({ horizonHours, verdict }) => [horizonHours, verdict.observations]));
    // Two assets, both sides, two days.
    expect([...judged]).toEqual([
      [1, 4 * 48],
      [4, 4 * 12],
      [24, 4 * 2],
    ]);
    expect(falls[0]!.coinDays).toBe(4);
  }, 120_000);

  it.each([
    ["BTC,ETH", 2],
    ["ETH", 1],
  ])(
    "calibrates on %s, of whom a folder each has the candles, and writes every constant",
    (assets, coins) => {
      const out = join(FOLDER, `${assets}.json`);
      const words = ["--data", COMPLETE, "--assets", assets, "--out", out];

      const { status, stdout } = spawnSync(process.execPath, [programOf("calibrate"), ...words], {
        encoding: "utf8",
      });

      expect(status).toBe(0);
      const written = JSON.parse(readFileSync(out, "utf8")) as object;
      expect(Object.keys(written)).toEqual(Object.keys(FITTED));
      expect(stdout.match(/^\w+(?= \()/gm)).toEqual(Object.keys(FITTED));
      expect(stdout).toContain(`on hourly candles of ${String(coins)} coins, 2024-01-02 to 2024-02-29`);
    },
    120_000,
  );

  it("makes no records in order to export them, or to look for keys", () => {
    expect(existsSync(UNMADE)).toBe(false);
  });
});

const hasLimits = spawnSync("bash", ["--norc", "-c", "ulimit -S -f 100"]).status === 0;

describe.skipIf(!hasLimits)("a command whose disk has no room", () => {
  /** Creates a key while no file may be longer than 32 KiB, as SQLite's index of the log is; the record is. */
  function createdKey(folder: string): { status: number | null; stdout: string; stderr: string } {
    const words = [process.execPath, KEYS, "create", "--id", "late"];
    const env = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: folder };
    const limited = ["--norc", "-c", 'ulimit -S -f 32; exec "$0" "$@"', ...words];
    return spawnSync("bash", limited, { env, encoding: "utf8", timeout: 20_000 });
  }

  function folderWithRecords(name: string): string {
    const folder = join(FOLDER, name);
    const env = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: folder };
    spawnSync(process.execPath, [KEYS, "create", "--id", "early"], { env });
    return folder;
  }

  it("has done what it says, though the log cannot be emptied at its end", () => {
    const folder = folderWithRecords("no-room-to-close");

    const { status, stdout, stderr } = createdKey(folder);

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^key \(shown once\): bw_late_/);
    const env = { PATH: process.env["PATH"], BREAKWATER_DATA_DIR: folder };
    const listed = spawnSync(process.execPath, [KEYS, "list"], { env, encoding: "utf8" });
    expect(listed.stdout).toMatch(/^late +in force/m);
  });

  it("is told so in one line where its write is refused", async () => {
    const folder = folderWithRecords("no-room-to-write");
    const database = await opened({ kind: "sqlite", path: join(folder, "breakwater.db") });
    const outcomes = Array.from({ length: 500 }, (_, i) => outcomeWith({ tradeId: `t-${String(i)}` }));
    await recordOutcomes(database, outcomes, 1);

    const { status, stdout, stderr } = createdKey(folder);

    await database.close();
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^the records cannot be used: (disk I\/O error|database or disk is full)\n$/);
  });
});
