import { join } from "node:path";
import type { Ticker } from "../domain/ids.ts";
import { isRecord, jsonValueOf } from "../domain/json-value.ts";
import type { KeptRegime } from "../domain/kept-regime.ts";
import { FileTurns } from "./file-turns.ts";
import { type ReportUnreadable, setAside } from "./record-file.ts";
import { readDataFile } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";

/** Every asset's liquidity regime, kept between runs: an alarm of an hour ago shows in nothing that can be measured now. */
export interface RegimeStore {
  /**
   * Empty where nothing was kept. What is not of this form is passed over, once the file was set aside: the next keeping
   * replaces it. Errors: what the disk says, with the path.
   */
  load(): Promise<ReadonlyMap<Ticker, KeptRegime>>;
  /** Replaces all that was kept, in one step. Errors: what the disk says, with the path. */
  keep(regimes: ReadonlyMap<Ticker, KeptRegime>): Promise<void>;
}

/** One JSON file under the data directory: an object by ticker. */
export function openRegimeStore(dataDir: string, report: ReportUnreadable = () => undefined): RegimeStore {
  const path = join(dataDir, "regimes.json");
  const turns = new FileTurns();
  return {
    async load() {
      const bytes = (await readDataFile(path)) ?? Buffer.from("{}");
      const text = bytes.toString("utf8");
      const value = jsonValueOf(text);
      const entries = isRecord(value) ? Object.entries(value) : [];
      const kept = entries.filter(isKept);
      const isWhole = isRecord(value) && kept.length === entries.length;
      if (text === "") report(`${path}: empty, as no writer leaves it: what it held is lost`);
      else if (!isWhole) await setAside(path, { bytes, unreadableBytes: bytes.length }, report);
      return new Map(kept);
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
