import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { causeText } from "./domain/cause-text.ts";
import { RATE_LIMIT_MAX } from "./domain/issued-key.ts";
import type { RecordLocation } from "./outcomes/record-location.ts";
import { type KeysFileEntry, parseKeysFile } from "./process/keys-file.ts";
import { SPEED_MAX, SPEED_MIN } from "./simulator/simulator-clock.ts";
import { ASSETS_MAX, SEED_MAX } from "./simulator/simulated-universe.ts";

/** Which exchange the engine talks to. A replay is a recording, or a folder of recorded market data. */
export type ExchangeChoice =
  | {
      readonly kind: "simulated";
      readonly seed: number;
      readonly speedFactor: number;
      readonly port: number;
      /** Undefined lists the simulator's named assets. */
      readonly assetCount: number | undefined;
    }
  | {
      readonly kind: "hyperliquid";
      readonly infoUrl: string;
      readonly wsUrl: string;
      /** Request weight that this program may spend in a minute. */
      readonly weightPerMinute: number;
    }
  | { readonly kind: "replay"; readonly directory: string; readonly speedFactor: number };

/** Everything the program can be told from outside; config.ts is the only reader of the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Threads that answer: with 1 the main thread does. */
  readonly gateways: number;
  /** How long a thread looks for the next request before it sleeps. */
  readonly busyPollUs: number;
  /** How often a thread that was asked lately answers the last order again for nobody; 0 for never. */
  readonly keepWarmMs: number;
  /** Keys in clear, for development. */
  readonly apiKeys: readonly string[];
  readonly keysFile: readonly KeysFileEntry[];
  readonly rateLimitPerMinute: number;
  readonly exchange: ExchangeChoice;
  readonly dataDir: string;
  /** Where outcomes and keys are kept. */
  readonly records: RecordLocation;
  /** Null keeps outcomes for ever. */
  readonly outcomeRetentionDays: number | null;
  readonly logLevel: LogLevel;
  /** Names of ours that are set and were not asked for: misspelt, or of an exchange that was not chosen. */
  readonly unreadSettings: readonly string[];
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Each has a copy of every asset's state, which the main thread tells it: more than a machine's cores gain nothing. */
const GATEWAYS_MAX = 64;
const RETENTION = "BREAKWATER_OUTCOME_RETENTION_DAYS";

/** A setting that cannot be used; the message names the variable, what was expected and what was given. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** What it says may pass by itself: trying again is worth while. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing = false) {
    super(message);
    this.isPassing = isPassing;
  }
}

/** Reads and checks the environment. Errors: ConfigError. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const read = new Set<string>();
  const text = (name: string, fallback: string): string => {
    read.add(name);
    return environment[name] || fallback;
  };
  const whole = (name: string, fallback: string, lowest: number, highest: number): number =>
    integer(name, text(name, fallback), lowest, highest);
  const dataDir = text("BREAKWATER_DATA_DIR", "data");
  const config = {
    host: text("HOST", "127.0.0.1"),
    port: whole("PORT", "8080", 0, 65_535),
    tls: tlsFrom(text("BREAKWATER_TLS_CERT_FILE", ""), text("BREAKWATER_TLS_KEY_FILE", "")),
    gateways: whole("BREAKWATER_GATEWAYS", "1", 1, GATEWAYS_MAX),
    busyPollUs: whole("BREAKWATER_BUSY_POLL_US", "100", 0, 1_000_000),
    keepWarmMs: whole("BREAKWATER_KEEP_WARM_MS", "5", 0, 1_000),
    apiKeys: apiKeysFrom(text("BREAKWATER_API_KEYS", "")),
    keysFile: keysFrom(text("BREAKWATER_KEYS_FILE", "")),
    rateLimitPerMinute: whole("BREAKWATER_RATE_LIMIT", "100", 1, RATE_LIMIT_MAX),
    exchange: exchangeFrom(text, whole),
    dataDir,
    records: recordsFrom(text("BREAKWATER_DATABASE_URL", ""), dataDir),
    outcomeRetentionDays: text(RETENTION, "") === "" ? null : whole(RETENTION, "", 1, 36_500),
    logLevel: logLevelFrom(text("BREAKWATER_LOG_LEVEL", "info")),
  };
  const isUnread = (name: string): boolean => name.startsWith("BREAKWATER_") && !read.has(name);
  return { ...config, unreadSettings: Object.keys(environment).filter(isUnread) };
}

/** Of the 4,096 bytes that the HTTP library reads of a request's head, what its line and shortest headers leave of them. */
const KEY_LENGTH_MAX = 4_000;

/** Those that no header can carry are refused, not repeated. */
function apiKeysFrom(list: string): readonly string[] {
  const keys = list
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
  if (!keys.every((key) => /^[\x21-\x7e]+$/.test(key))) {
    throw new ConfigError("BREAKWATER_API_KEYS must be keys of visible ASCII characters, comma-separated");
  }
  if (keys.some((key) => key.length > KEY_LENGTH_MAX)) {
    throw new ConfigError(`BREAKWATER_API_KEYS must be keys of at most ${KEY_LENGTH_MAX} characters each`);
  }
  return keys;
}

/** The URL may hold a password, and is not repeated. */
function recordsFrom(url: string, dataDir: string): RecordLocation {
  if (url === "") return { kind: "sqlite", path: join(dataDir, "breakwater.db") };
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ConfigError("BREAKWATER_DATABASE_URL must be a postgres:// URL, or empty for a file");
  }
  return { kind: "postgres", url };
}

function exchangeFrom(
  text: (name: string, fallback: string) => string,
  whole: (name: string, fallback: string, lowest: number, highest: number) => number,
): ExchangeChoice {
  const choice = text("BREAKWATER_EXCHANGE", "simulated");
  if (choice === "simulated") {
    const assets = text("BREAKWATER_SIMULATOR_ASSETS", "");
    return {
      kind: "simulated",
      seed: whole("BREAKWATER_SIMULATOR_SEED", "1", 0, SEED_MAX),
      speedFactor: speed("BREAKWATER_SIMULATOR_SPEED", text("BREAKWATER_SIMULATOR_SPEED", "1"), SPEED_MAX),
      port: whole("BREAKWATER_SIMULATOR_PORT", "8081", 0, 65_535),
      assetCount: assets === "" ? undefined : integer("BREAKWATER_SIMULATOR_ASSETS", assets, 1, ASSETS_MAX),
    };
  }
  if (choice === "hyperliquid") {
    const [infoName, wsName] = ["BREAKWATER_EXCHANGE_INFO_URL", "BREAKWATER_EXCHANGE_WS_URL"] as const;
    return {
      kind: "hyperliquid",
      infoUrl: address("http", infoName, text(infoName, "https://api.hyperliquid.xyz/info")),
      wsUrl: address("ws", wsName, text(wsName, "wss://api.hyperliquid.xyz/ws")),
      weightPerMinute: whole("BREAKWATER_EXCHANGE_WEIGHT", "1200", 100, 1_000_000_000),
    };
  }
  if (choice.startsWith("replay:") && choice.length > "replay:".length) {
    return {
      kind: "replay",
      directory: choice.slice("replay:".length),
      speedFactor: speed("BREAKWATER_REPLAY_SPEED", text("BREAKWATER_REPLAY_SPEED", "1"), 1e9),
    };
  }
  throw new ConfigError(
    `BREAKWATER_EXCHANGE must be simulated, hyperliquid or replay:<directory>, got "${choice}"`,
  );
}

function integer(name: string, value: string, lowest: number, highest: number): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= lowest && number <= highest)) {
    throw new ConfigError(`${name} must be a whole number from ${lowest} to ${highest}, got "${value}"`);
  }
  return number;
}

function speed(name: string, value: string, highest: number): number {
  const number = Number(value);
  if (!(number >= SPEED_MIN && number <= highest)) {
    throw new ConfigError(`${name} must be a number from ${SPEED_MIN} to ${highest}, got "${value}"`);
  }
  return number;
}

function address(scheme: "http" | "ws", name: string, value: string): string {
  // Sockets refuse an address with a fragment.
  if (!URL.canParse(value) || !new RegExp(`^${scheme}s?://[^#]*$`, "i").test(value)) {
    throw new ConfigError(
      `${name} must be an address with ${scheme}:// or ${scheme}s:// and without #, got "${value}"`,
    );
  }
  return value;
}

function logLevelFrom(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level === undefined) {
    throw new ConfigError(`BREAKWATER_LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, got "${value}"`);
  }
  return level;
}

function tlsFrom(certFile: string, keyFile: string): Config["tls"] {
  if (certFile === "" && keyFile === "") return undefined;
  if (certFile === "" || keyFile === "") {
    throw new ConfigError("BREAKWATER_TLS_CERT_FILE and BREAKWATER_TLS_KEY_FILE go together: one is missing");
  }
  const cert = readText("BREAKWATER_TLS_CERT_FILE", certFile);
  const key = readText("BREAKWATER_TLS_KEY_FILE", keyFile);
  try {
    // Node takes an empty file for none, and reads past a byte order mark. The HTTP library does neither.
    if (![cert, key].every(startsPem)) throw new Error("no line starts with -----BEGIN in one of them");
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new ConfigError(
      `BREAKWATER_TLS_CERT_FILE and BREAKWATER_TLS_KEY_FILE hold no certificate and its key in PEM: ${causeText(cause)}`,
    );
  }
  return { certFile, keyFile };
}

/** Whether what the first "-----BEGIN" of a text is on starts with it. */
function startsPem(text: string): boolean {
  const at = text.indexOf("-----BEGIN ");
  return at === 0 || text[at - 1] === "\n";
}

function keysFrom(path: string): readonly KeysFileEntry[] {
  if (path === "") return [];
  const keys = parseKeysFile(readText("BREAKWATER_KEYS_FILE", path));
  if (!keys.ok) throw new ConfigError(`BREAKWATER_KEYS_FILE ${keys.error}`);
  return keys.value;
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`${name} cannot be read: ${causeText(cause)}`);
  }
}
