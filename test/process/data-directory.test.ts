import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError, type ExchangeChoice } from "../../src/config.ts";
import {
  claimDataDirectory,
  marketDirectory,
  marketSinceMs,
  prepareDataDirectory,
  usable,
} from "../../src/process/data-directory.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Mutants seen to fail: a market not written, not compared; seeds, or recordings, taken for one market; an address or a
// speed taken for another.

const temporary = temporaryFolder();

describe("prepareDataDirectory", () => {
  it("makes the folder and those above it, and takes one that is there", () => {
    const path = join(temporary.path, "a", "b");

    for (let i = 0; i < 2; i++) prepareDataDirectory(path);

    expect(existsSync(path)).toBe(true);
  });

  it.each(["file", "file/below", "/proc/none/below"])("names the setting where %s cannot be one", (name) => {
    writeFileSync(join(temporary.path, "file"), "");
    const path = name.startsWith("/") ? name : join(temporary.path, name);

    expect(() => prepareDataDirectory(path, "THE_SETTING")).toThrow(ConfigError);
    expect(() => prepareDataDirectory(path, "THE_SETTING")).toThrow(/^THE_SETTING cannot be used: /);
  });
});

describe("usable", () => {
  it.each([
    ["ENOSPC", true],
    ["EDQUOT", true],
    ["EACCES", false],
    ["EROFS", false],
  ])("says of %s whether it may pass by itself", (code, isPassing) => {
    const refuse = (): never => {
      throw Object.assign(new Error(`${code}: refused`), { code });
    };

    expect(() => usable("THE_SETTING", "/a/file", refuse)).toThrow(
      expect.objectContaining({
        message: `THE_SETTING cannot be used: /a/file: ${code}: refused`,
        isPassing,
      }),
    );
  });
});

const replay = (directory: string): ExchangeChoice => ({ kind: "replay", directory, speedFactor: 1 });

const simulated = (seed: number, speedFactor = 1): ExchangeChoice => ({
  kind: "simulated",
  seed,
  speedFactor,
  port: 0,
  assetCount: undefined,
});

const hyperliquid = (infoUrl: string): ExchangeChoice => ({
  kind: "hyperliquid",
  infoUrl,
  wsUrl: "wss://x",
  weightPerMinute: 1_200,
});

describe("marketDirectory", () => {
  it("is the exchange's data folder itself, as it is", () => {
    mkdirSync(join(temporary.path, "candles"));

    expect(marketDirectory(temporary.path, hyperliquid("https://x"))).toBe(temporary.path);
    expect(readdirSync(temporary.path)).toEqual(["candles"]);
  });

  it.each([
    ["replay-state", replay("recording")],
    ["simulator-state", simulated(1)],
  ])("is %s where each start begins anew, without what a former one left", (name, exchange) => {
    writeFileSync(join(temporary.path, "breakwater.db"), "outcomes");
    // A recording, or another's data folder, that somebody keeps in there.
    mkdirSync(join(temporary.path, "replay"));
    const first = marketDirectory(temporary.path, exchange);
    writeFileSync(join(first, "regimes.json"), "of another past");

    const second = marketDirectory(temporary.path, exchange);

    expect([second, readdirSync(second)]).toEqual([join(temporary.path, name), []]);
    expect(readdirSync(temporary.path).toSorted()).toEqual(["breakwater.db", "replay", name]);
  });

  it("names the setting and the folder that cannot be emptied", () => {
    const path = join(temporary.path, "no", "where");

    expect(() => marketDirectory(path, replay("recording"))).toThrow(ConfigError);
    expect(() => marketDirectory(path, replay("recording"))).toThrow(
      /^BREAKWATER_DATA_DIR cannot be used: .*replay/,
    );
  });
});

describe("marketSinceMs", () => {
  it("is always of the exchange, the start of a simulator in real time, and never where hours are others", () => {
    const choices = [hyperliquid("https://x"), simulated(1), simulated(1, 60), replay("recording")];

    expect(choices.map((exchange) => marketSinceMs(exchange, 1_000))).toEqual([-Infinity, 1_000, null, null]);
  });
});

describe("claimDataDirectory", () => {
  it.each([
    [simulated(1), hyperliquid("https://x")],
    [simulated(1), simulated(2)],
    [simulated(1), replay("recording")],
    [replay("recording"), replay("another")],
    [hyperliquid("https://x"), replay("hyperliquid")],
  ])("refuses the folder of %j to %j, each time", (first, second) => {
    claimDataDirectory(temporary.path, first);

    for (let i = 0; i < 2; i++) {
      expect(() => claimDataDirectory(temporary.path, second)).toThrow(ConfigError);
      expect(() => claimDataDirectory(temporary.path, second)).toThrow(
        /^BREAKWATER_DATA_DIR must name a folder/,
      );
    }
  });

  it.each([
    [simulated(1), simulated(1, 60)],
    [hyperliquid("https://x"), hyperliquid("https://a-node-of-ours")],
    [replay("recording"), replay("./recording")],
  ])("gives the folder of %j to %j", (first, second) => {
    claimDataDirectory(temporary.path, first);

    expect(() => claimDataDirectory(temporary.path, second)).not.toThrow();
  });

  it("names the setting and the file of the market where that can be neither read nor written", () => {
    const file = join(temporary.path, "market");
    const refusal = /^BREAKWATER_DATA_DIR cannot be used: [^\n]*market[^\n]*$/;

    mkdirSync(file);
    expect(() => claimDataDirectory(temporary.path, simulated(1))).toThrow(ConfigError);
    expect(() => claimDataDirectory(temporary.path, simulated(1))).toThrow(refusal);
    expect(() => claimDataDirectory(temporary.path, simulated(1))).toThrow("market: EISDIR: ");
    rmSync(file, { recursive: true });
    symlinkSync(join(temporary.path, "no", "where"), file);
    expect(() => claimDataDirectory(temporary.path, simulated(1))).toThrow(ConfigError);
    expect(() => claimDataDirectory(temporary.path, simulated(1))).toThrow(refusal);
  });

  it("takes a folder whose market could not be written for nobody's", () => {
    writeFileSync(join(temporary.path, "market"), "");

    claimDataDirectory(temporary.path, simulated(1));

    expect(readFileSync(join(temporary.path, "market"), "utf8")).toBe("simulated, seed 1\n");
    expect(() => claimDataDirectory(temporary.path, simulated(2))).toThrow(ConfigError);
  });
});
