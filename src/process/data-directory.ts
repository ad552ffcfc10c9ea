import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigError, type ExchangeChoice } from "../config.ts";
import { hasCode } from "../domain/cause-code.ts";
import { causeText } from "../domain/cause-text.ts";

const { R_OK, W_OK, X_OK } = constants;
export const DATA_DIR = "BREAKWATER_DATA_DIR";
/** Emptied by each start: no names that somebody gives a recording, or a data folder inside another. */
const STATE_DIRS = { simulated: "simulator-state", replay: "replay-state" } as const;

/**
 * Makes the folder where things are kept; `setting` is what named it.
 *
 * Errors:  ConfigError when there is none to be had that can be written to
 */
export function prepareDataDirectory(path: string, setting = DATA_DIR): void {
  usable(setting, path, () => {
    makeFolder(path);
    accessSync(`${path}/.`, R_OK | W_OK | X_OK);
  });
}

/** What the disk refuses is for a person to put right, but for a lack of room. Node's own words do not always name the file. */
export function usable<T>(setting: string, path: string, use: () => T): T {
  try {
    return use();
  } catch (cause) {
    const isNamed = cause instanceof Error && "path" in cause;
    const text = `${setting} cannot be used: ${isNamed ? "" : `${path}: `}${causeText(cause)}`;
    throw new ConfigError(text, hasCode(cause, "ENOSPC") || hasCode(cause, "EDQUOT"));
  }
}

/** Node's own recursion does not end where the parent exists and nothing can be made in it, as under /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another program may have been faster.
    if (!existsSync(path)) throw cause;
  }
}

/**
 * Keeps the data folder for one market: candles, forecasts and outcomes of another would be taken for its own. The first
 * start writes which market that is.
 *
 * Errors:  ConfigError when the folder has another market, or the file cannot be read or written
 */
export function claimDataDirectory(path: string, exchange: ExchangeChoice): void {
  const file = join(path, "market");
  const market = marketOf(exchange);
  const inFile = <T>(use: () => T): T => usable(DATA_DIR, file, use);
  const kept = inFile(() => (existsSync(file) ? readFileSync(file, "utf8").trim() : ""));
  // A start that ended while it wrote, on a full disk, leaves an empty file: that is no market's.
  if (kept === "") {
    inFile(() => writeFileSync(file, `${market}\n`));
    return;
  }
  if (kept === market) return;
  throw new ConfigError(
    `BREAKWATER_DATA_DIR must name a folder of its own for each market: ${path} keeps "${kept}", not "${market}"`,
  );
}

/**
 * Where the market's own files are, in the data folder: all but outcomes and keys. Of a market that begins anew with each
 * start they are in a folder apart, emptied here. A replay begins where its recording does, and what a former one kept is
 * of hours that are still to come. The simulator draws the past of its assets so that it ends at their first prices, and
 * what a former one kept ends elsewhere, after a crash at half of them.
 *
 * Errors:  ConfigError when that folder cannot be emptied
 */
export function marketDirectory(path: string, exchange: ExchangeChoice): string {
  if (exchange.kind === "hyperliquid") return path;
  const folder = join(path, STATE_DIRS[exchange.kind]);
  usable(DATA_DIR, folder, () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  });
  return folder;
}

/**
 * Since when the market's files say what traded when, by this machine's clock; null where its hours are others. The
 * simulator's are from the start on: what is before was made up for it. At another speed, and in a replay, an hour of the
 * market is none of this machine's.
 */
export function marketSinceMs(exchange: ExchangeChoice, nowMs: number): number | null {
  if (exchange.kind === "hyperliquid") return Number.NEGATIVE_INFINITY;
  return exchange.kind === "simulated" && exchange.speedFactor === 1 ? nowMs : null;
}

function marketOf(exchange: ExchangeChoice): string {
  switch (exchange.kind) {
    case "simulated":
      return `simulated, seed ${exchange.seed}`;
    case "replay":
      return `replay:${resolve(exchange.directory)}`;
    case "hyperliquid":
      return exchange.kind;
  }
}
