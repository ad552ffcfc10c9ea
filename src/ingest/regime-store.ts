import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../domain/cause-code.ts";
import { namedBy } from "../domain/cause-text.ts";
import type { Ticker } from "../domain/ids.ts";
import { isRecord, jsonValueOf } from "../domain/json-value.ts";
import type { KeptRegime } from "../domain/kept-regime.ts";
import { FileTurns } from "./file-turns.ts";
import { replaceFile } from "./replace-file.ts";

/** Every asset's liquidity regime, kept between runs: an alarm of an hour ago shows in nothing that can be measured now. */
export interface RegimeStore {
  /** Empty where nothing was kept. Errors: what the disk says, with the path; a file that is not of this form. */
  load(): Promise<ReadonlyMap<Ticker, KeptRegime>>;
  /** Replaces all that was kept, in one step. Errors: what the disk says, with the path. */
  keep(regimes: ReadonlyMap<Ticker, KeptRegime>): Promise<void>;
}

/** One JSON file under the data directory: an object by ticker. */
export function openRegimeStore(dataDir: string): RegimeStore {
  const path = join(dataDir, "regimes.json");
  const turns = new FileTurns();
  return {
    async load() {
      const text = await readFile(path, "utf8").catch((error: unknown) => {
        if (hasCode(error, "ENOENT")) return "{}";
        throw namedBy(path, error);
      });
      const value = jsonValueOf(text);
      if (!isRecord(value)) throw new Error(`${path} is not a JSON object`);
      return new Map(Object.entries(value).filter(isKept));
    },
    keep: (regimes) => turns.run(path, () => replaceFile(path, JSON.stringify(Object.fromEntries(regimes)))),
  };
}

function isKept(entry: [string, unknown]): entry is [Ticker, KeptRegime] {
  const [, kept] = entry;
  if (!isRecord(kept)) return false;
  const { timeMs, state, posterior } = kept;
  const isPosterior = Array.isArray(posterior) && posterior.every((p) => typeof p === "number");
  return typeof timeMs === "number" && typeof state === "string" && isPosterior;
}
