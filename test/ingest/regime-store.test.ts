import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRegimeStore } from "../../src/ingest/regime-store.ts";
import { BTC, ETH, NOW_MS } from "../support/builders.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { unreadableCopy } from "../support/unreadable-copy.ts";

const STRESSED = { timeMs: NOW_MS, state: "stressed", posterior: [0, 0.9, 0.1] };
const NORMAL = { timeMs: NOW_MS, state: "normal", posterior: [0.9, 0.09, 0.01] };

const temporary = temporaryFolder();
const file = (): string => join(temporary.path, "regimes.json");

describe("openRegimeStore", () => {
  it("gives a new process what an old one kept last, and nothing before anything was kept", async () => {
    const store = openRegimeStore(temporary.path);
    expect(await store.load()).toEqual(new Map());

    const kept = [
      new Map([[BTC, NORMAL]]),
      new Map([[BTC, STRESSED]]),
      new Map([
        [BTC, STRESSED],
        [ETH, NORMAL],
      ]),
    ];
    await Promise.all(kept.map((regimes) => store.keep(regimes)));

    expect(await openRegimeStore(temporary.path).load()).toEqual(kept.at(-1));
    expect(await readdir(temporary.path)).toEqual(["regimes.json"]);
  });

  it.each(['{"BTC":{"timeMs":17', "[]", `{"BTC":${JSON.stringify(STRESSED)},"ETH":{"since":1}}`])(
    "sets %s aside, says so, and gives what of it is a regime",
    async (text) => {
      await writeFile(file(), text);
      const reports: string[] = [];
      const store = openRegimeStore(temporary.path, (detail) => reports.push(detail));

      const kept = await store.load();
      await store.keep(new Map([[ETH, NORMAL]]));

      expect(kept).toEqual(text.includes("posterior") ? new Map([[BTC, STRESSED]]) : new Map());
      const copy = unreadableCopy(file(), text);
      expect(await readFile(copy, "utf8")).toBe(text);
      expect(reports).toEqual([
        `${file()}: ${text.length} bytes are damaged, impossible or of another version; kept as ${copy}`,
      ]);
    },
  );

  it("says of an empty file that nothing was kept", async () => {
    await writeFile(file(), "");
    const reports: string[] = [];
    expect(await openRegimeStore(temporary.path, (detail) => reports.push(detail)).load()).toEqual(new Map());
    expect(reports).toEqual([`${file()}: empty, as no writer leaves it: what it held is lost`]);
  });

  it("names the file that can be neither read nor replaced", async () => {
    await mkdir(file());
    const store = openRegimeStore(temporary.path);
    await expect(store.load()).rejects.toThrow(`${file()}: EISDIR`);
    await expect(store.keep(new Map([[BTC, NORMAL]]))).rejects.toThrow(`${file()}: E`);
    expect(await readdir(temporary.path)).toEqual(["regimes.json"]);
  });

  it("does not make a data folder anew that was removed: nothing would say whose market it is of", async () => {
    const removed = join(temporary.path, "removed");
    const keeping = openRegimeStore(removed).keep(new Map([[BTC, NORMAL]]));
    await expect(keeping).rejects.toThrow(`${join(removed, "regimes.json")}: ENOENT`);
    expect(existsSync(removed)).toBe(false);
  });

  it("reads what is a regime and passes over what is not", async () => {
    const others = {
      A: null,
      B: { ...NORMAL, timeMs: "now" },
      C: { ...NORMAL, posterior: [0.9, "0.1"] },
      D: [NORMAL],
    };
    await writeFile(file(), JSON.stringify({ ...others, ETH: NORMAL, E: { ...NORMAL, state: 1 } }));
    expect(await openRegimeStore(temporary.path).load()).toEqual(new Map([[ETH, NORMAL]]));
  });
});
