import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Config, readConfig } from "../src/config.ts";
import { SEED_MAX } from "../src/simulator/simulated-universe.ts";
import { hasOpenssl, selfSignedFiles } from "./support/self-signed.ts";

describe("readConfig", () => {
  it("runs with nothing said: loopback, the simulated exchange, 100 requests a minute", () => {
    expect(readConfig({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      tls: undefined,
      gateways: 1,
      busyPollUs: 100,
      keepWarmMs: 5,
      apiKeys: [],
      keysFile: [],
      rateLimitPerMinute: 100,
      exchange: { kind: "simulated", seed: 1, speedFactor: 1, port: 8081, assetCount: undefined },
      dataDir: "data",
      records: { kind: "sqlite", path: join("data", "breakwater.db") },
      outcomeRetentionDays: null,
      logLevel: "info",
      unreadSettings: [],
    });
  });

  it.each<[name: string, lowest: number, highest: number, read: (config: Config) => unknown, rest?: object]>([
    ["PORT", 0, 65_535, ({ port }) => port],
    ["BREAKWATER_GATEWAYS", 1, 64, ({ gateways }) => gateways],
    ["BREAKWATER_BUSY_POLL_US", 0, 1_000_000, ({ busyPollUs }) => busyPollUs],
    ["BREAKWATER_KEEP_WARM_MS", 0, 1_000, ({ keepWarmMs }) => keepWarmMs],
    ["BREAKWATER_RATE_LIMIT", 1, 10_000_000, ({ rateLimitPerMinute }) => rateLimitPerMinute],
    ["BREAKWATER_OUTCOME_RETENTION_DAYS", 1, 36_500, ({ outcomeRetentionDays }) => outcomeRetentionDays],
    ["BREAKWATER_SIMULATOR_SEED", 0, SEED_MAX, exchangeField("seed")],
    ["BREAKWATER_SIMULATOR_PORT", 0, 65_535, exchangeField("port")],
    ["BREAKWATER_SIMULATOR_ASSETS", 1, 1_000, exchangeField("assetCount")],
    [
      "BREAKWATER_EXCHANGE_WEIGHT",
      100,
      1_000_000_000,
      exchangeField("weightPerMinute"),
      { BREAKWATER_EXCHANGE: "hyperliquid" },
    ],
  ])("takes %s from %i to %i and nothing beyond", (name, lowest, highest, read, rest = {}) => {
    for (const value of [lowest, highest])
      expect(read(readConfig({ ...rest, [name]: String(value) }))).toBe(value);
    for (const value of [lowest - 1, highest + 1, `${String(lowest)}.5`]) {
      expect(() => readConfig({ ...rest, [name]: String(value) })).toThrow(
        `${name} must be a whole number from ${lowest} to ${highest}, got "${value}"`,
      );
    }
  });

  it("names settings of ours that nothing reads: misspelt ones, and those of another exchange", () => {
    const { unreadSettings } = readConfig({
      BREAKWATER_GATEWAY: "2",
      BREAKWATER_SIMULATOR_SPEED: "10",
      BREAKWATER_EXCHANGE: "hyperliquid",
      HOME: "/",
    });

    expect(unreadSettings).toEqual(["BREAKWATER_GATEWAY", "BREAKWATER_SIMULATOR_SPEED"]);
    expect(readConfig({ BREAKWATER_SIMULATOR_SPEED: "10" }).unreadSettings).toEqual([]);
  });

  it("reads keys, port, and each kind of exchange", () => {
    expect(readConfig({ BREAKWATER_API_KEYS: " a, b ,,", PORT: "9000" })).toMatchObject({
      apiKeys: ["a", "b"],
      port: 9000,
    });
    expect(readConfig({ BREAKWATER_SIMULATOR_ASSETS: "230" })).toMatchObject({
      exchange: { kind: "simulated", assetCount: 230 },
    });
    expect(readConfig({ BREAKWATER_EXCHANGE: "hyperliquid" }).exchange).toEqual({
      kind: "hyperliquid",
      infoUrl: "https://api.hyperliquid.xyz/info",
      wsUrl: "wss://api.hyperliquid.xyz/ws",
      weightPerMinute: 1200,
    });
    expect(
      readConfig({ BREAKWATER_EXCHANGE: "replay:some/dir", BREAKWATER_REPLAY_SPEED: "10" }).exchange,
    ).toEqual({ kind: "replay", directory: "some/dir", speedFactor: 10 });
  });

  it.each([
    [{ PORT: "80x" }, 'PORT must be a whole number from 0 to 65535, got "80x"'],
    [{ PORT: " " }, 'PORT must be a whole number from 0 to 65535, got " "'],
    [{ PORT: "0x1f90" }, "PORT must be a whole number"],
    [{ BREAKWATER_EXCHANGE: "binance" }, "must be simulated, hyperliquid or replay:<directory>"],
    [{ BREAKWATER_SIMULATOR_SPEED: "1001" }, "BREAKWATER_SIMULATOR_SPEED must be a number from 0.01 to 1000"],
    [
      { BREAKWATER_SIMULATOR_SPEED: "0.009" },
      "BREAKWATER_SIMULATOR_SPEED must be a number from 0.01 to 1000",
    ],
    [{ BREAKWATER_REPLAY_SPEED: "0", BREAKWATER_EXCHANGE: "replay:x" }, "must be a number from 0.01 to"],
    [
      { BREAKWATER_REPLAY_SPEED: "1000000001", BREAKWATER_EXCHANGE: "replay:x" },
      "BREAKWATER_REPLAY_SPEED must be a number from 0.01 to 1000000000",
    ],
    [{ BREAKWATER_EXCHANGE: "replay:" }, "must be simulated, hyperliquid or replay:<directory>"],
    [{ BREAKWATER_DATABASE_URL: "mysql://user:secret@host/x" }, "must be a postgres:// URL"],
    [{ BREAKWATER_API_KEYS: "a,b c" }, "BREAKWATER_API_KEYS must be keys of visible ASCII characters"],
    [{ BREAKWATER_API_KEYS: `a,${"b".repeat(4_001)}` }, "BREAKWATER_API_KEYS must be keys of at most 4000"],
    [{ BREAKWATER_API_KEYS: "a,é" }, "BREAKWATER_API_KEYS must be keys of visible ASCII characters"],
    [
      { BREAKWATER_EXCHANGE: "hyperliquid", BREAKWATER_EXCHANGE_INFO_URL: "api.hyperliquid.xyz" },
      "BREAKWATER_EXCHANGE_INFO_URL must be an address with http:// or https://",
    ],
    [
      { BREAKWATER_EXCHANGE: "hyperliquid", BREAKWATER_EXCHANGE_WS_URL: "https://api.hyperliquid.xyz/ws" },
      "BREAKWATER_EXCHANGE_WS_URL must be an address with ws:// or wss://",
    ],
    [
      { BREAKWATER_EXCHANGE: "hyperliquid", BREAKWATER_EXCHANGE_WS_URL: "wss://api.hyperliquid.xyz/ws#x" },
      "BREAKWATER_EXCHANGE_WS_URL must be an address with ws:// or wss:// and without #",
    ],
    [{ BREAKWATER_LOG_LEVEL: "loud" }, "BREAKWATER_LOG_LEVEL must be one of"],
    [{ BREAKWATER_TLS_CERT_FILE: "x" }, "go together"],
    [
      { BREAKWATER_TLS_CERT_FILE: "x", BREAKWATER_TLS_KEY_FILE: "x" },
      "BREAKWATER_TLS_CERT_FILE cannot be read",
    ],
    [
      { BREAKWATER_TLS_CERT_FILE: "package.json", BREAKWATER_TLS_KEY_FILE: "package.json" },
      "BREAKWATER_TLS_CERT_FILE and BREAKWATER_TLS_KEY_FILE hold no certificate",
    ],
    [{ BREAKWATER_KEYS_FILE: "not/there.json" }, "BREAKWATER_KEYS_FILE cannot be read"],
  ])("refuses %j", (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });

  it.skipIf(!hasOpenssl)(
    "refuses PEM files that only Node would take: an empty one, and a byte order mark",
    () => {
      const directory = mkdtempSync(join(tmpdir(), "breakwater-config-"));
      const { certFile, keyFile } = selfSignedFiles(directory);
      const empty = join(directory, "empty.pem");
      const marked = join(directory, "marked.pem");
      writeFileSync(empty, "");
      writeFileSync(marked, `\uFEFF${readFileSync(certFile, "utf8")}`);
      const tlsOf = (cert: string, key: string): unknown =>
        readConfig({ BREAKWATER_TLS_CERT_FILE: cert, BREAKWATER_TLS_KEY_FILE: key }).tls;

      expect(tlsOf(certFile, keyFile)).toEqual({ certFile, keyFile });
      const described = join(directory, "described.pem");
      writeFileSync(described, `Bag Attributes\n${readFileSync(certFile, "utf8")}`);
      expect(tlsOf(described, keyFile)).toEqual({ certFile: described, keyFile });
      for (const [cert, key] of [
        [empty, keyFile],
        [certFile, empty],
        [marked, keyFile],
      ] as const) {
        expect(() => tlsOf(cert, key)).toThrow("hold no certificate and its key in PEM: no line starts with");
      }
    },
  );

  it("keeps records in a file of the data folder, or in PostgreSQL, for ever unless told otherwise", () => {
    expect(readConfig({ BREAKWATER_DATA_DIR: "kept" })).toMatchObject({
      records: { kind: "sqlite", path: join("kept", "breakwater.db") },
      outcomeRetentionDays: null,
    });
    const url = "postgres://user:secret@host/records";
    expect(
      readConfig({ BREAKWATER_DATABASE_URL: url, BREAKWATER_OUTCOME_RETENTION_DAYS: "365" }),
    ).toMatchObject({ records: { kind: "postgres", url }, outcomeRetentionDays: 365 });
  });

  it("does not repeat a database URL, which may hold a password", () => {
    expect(() => readConfig({ BREAKWATER_DATABASE_URL: "mysql://user:secret@host/x" })).not.toThrow("secret");
  });

  it("reads hashed keys from a file and names what is wrong in a file of another shape", () => {
    const directory = mkdtempSync(join(tmpdir(), "breakwater-config-"));
    const entry = { id: "desk", salt: "ab", hash: "0".repeat(64), rate_limit_per_minute: 5 };
    const write = (name: string, content: unknown): string => {
      writeFileSync(join(directory, name), JSON.stringify(content));
      return join(directory, name);
    };

    expect(readConfig({ BREAKWATER_KEYS_FILE: write("good", { keys: [entry] }) }).keysFile).toEqual([entry]);
    const busiest = { ...entry, rate_limit_per_minute: 10_000_000 };
    expect(readConfig({ BREAKWATER_KEYS_FILE: write("busiest", { keys: [busiest] }) }).keysFile).toEqual([
      busiest,
    ]);
    const named = { ...entry, id: "Müller & Söhne, desk 7" };
    expect(readConfig({ BREAKWATER_KEYS_FILE: write("named", { keys: [named] }) }).keysFile).toEqual([named]);
    expect(readConfig({ BREAKWATER_RATE_LIMIT: "10000000" }).rateLimitPerMinute).toBe(10_000_000);
    for (const [name, content, complaint] of [
      ["list", [entry], 'must hold {"keys": [{"id", "salt", "hash", "rate_limit_per_minute"?}]}'],
      ["text", { keys: ["desk"] }, "keys[0] must be an object"],
      ["id", { keys: [{ ...entry, id: "" }] }, "keys[0].id must be a text without control characters"],
      ["cut", { keys: [{ ...entry, id: "a\0b" }] }, "keys[0].id must be a text without control characters"],
      ["torn", { keys: [{ ...entry, id: "a\ud800" }] }, "keys[0].id must be a text without control"],
      ["hash", { keys: [entry, { ...entry, id: "b", hash: "clear text" }] }, "keys[1].hash must be 64 hexa"],
      ["limit", { keys: [{ ...entry, rate_limit_per_minute: 10_000_001 }] }, "from 1 to 10000000"],
      ["misspelt", { keys: [{ ...entry, rate_limit: 5 }] }, 'keys[0] has an unknown field "rate_limit"'],
      ["beside", { keys: [entry], rate_limit_per_minute: 5 }, 'unknown field "rate_limit_per_minute"'],
      ["twice", { keys: [entry, entry] }, 'holds the id "desk" twice'],
    ] as const) {
      expect(() => readConfig({ BREAKWATER_KEYS_FILE: write(name, content) })).toThrow(
        new RegExp(`^BREAKWATER_KEYS_FILE .*${complaint.replace(/[[\]{}?.]/g, "\\$&")}`),
      );
    }
  });
});

function exchangeField(name: string): (config: Config) => unknown {
  return ({ exchange }) => (exchange as unknown as Record<string, unknown>)[name];
}
