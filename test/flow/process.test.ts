import { execFileSync, spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { listeningUrls } from "../../src/cli/listening-urls.ts";
import type { HealthResponse } from "../../src/contracts/generated/types.ts";
import { NICER } from "../../src/domain/thread-priority.ts";
import { lockDataDirectory } from "../../src/process/data-lock.ts";
import { builtProgram } from "../support/built-program.ts";
import {
  serviceEnvironment,
  startService,
  untilReady,
  type RunningService,
} from "../support/running-service.ts";
import { hasOpenssl, selfSignedFiles } from "../support/self-signed.ts";

const PROGRAM = builtProgram("main");
const KEYS = builtProgram("cli/keys");
const PORT_TAKEN =
  "HOST and PORT cannot be used: 127.0.0.1:%d is taken, not allowed or not of this machine; PORT 0 takes a free one";
const BODY = {
  asset: "BTC",
  action: "long",
  size: 100,
  wallet: "0x0000000000000000000000000000000000000001",
};
if (!hasOpenssl) console.info("openssl is not installed: the TLS test is skipped");

describe("the process", () => {
  let service: RunningService | undefined;

  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  it("says not ready while it starts, in the documented shapes", async () => {
    service = await startService();

    const health = await fetch(`${service.url}/health`);
    const early = await service.post("/v1/validate", BODY);

    expect([health.status, early.status]).toEqual([503, 503]);
    expect(Number(early.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });

  it("counts its uptime from the start of the process, not from when it listens", async () => {
    // What nothing reads is logged before the simulated exchange is made, which takes longer than an answer.
    service = await startService({ BREAKWATER_OF_NOBODY: "1" });
    const [line] = service.logLines.filter((text) => text.includes("settings.unread"));
    const { time } = JSON.parse(line!) as { readonly time: string };
    await (await fetch(`${service.url}/health`)).text();

    const sinceLineMs = Date.now() - Date.parse(time);
    const { uptime_s } = (await (await fetch(`${service.url}/health`)).json()) as HealthResponse;

    expect(1_000 * uptime_s).toBeGreaterThanOrEqual(sinceLineMs);
  });

  it.each([
    ["makes a key of its own", "", 200],
    ["makes no other", "a-configured-key", 401],
  ])("%s for a simulated exchange where the configured keys are '%s'", async (_law, keys, status) => {
    const env = serviceEnvironment({
      BREAKWATER_API_KEYS: keys,
      BREAKWATER_DATA_DIR: newFolder("demo-key"),
    });
    const child = spawn(process.execPath, [PROGRAM], { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += text.toString()));
    const { url } = await listeningUrls(child);
    if (keys === "") await vi.waitFor(() => expect(said).toContain("curl"), 10_000);
    const [, key = "none"] = /demo key of this run: (\S+)\n/.exec(said) ?? [];

    const answer = await fetch(`${url}/v1/model-info`, { headers: { authorization: `Bearer ${key}` } });
    child.kill("SIGTERM");
    await once(child, "close");

    expect(answer.status).toBe(status);
    expect(said.includes("demo key")).toBe(keys === "");
  });

  it.skipIf(process.platform !== "linux")(
    "has its engine, its fits and its statistics wait for the answers once it is ready",
    async () => {
      service = await startService();
      const { pid } = service;
      await untilReady(service);

      // The engine says that it is ready, and then steps back.
      await vi.waitFor(() => {
        const threads = readdirSync(`/proc/${String(pid)}/task`).map(Number);
        const nicer = [0, ...Object.values(NICER)].map((by) => Math.min(19, getPriority(0) + by));
        expect(new Set(threads.map((thread) => getPriority(thread)))).toEqual(new Set(nicer));
      }, 10_000);
    },
  );

  it("takes hashed keys from a file, each with its own limit, and counts exactly", async () => {
    const printed = execFileSync(process.execPath, [KEYS, "create", "--id", "desk", "--for-file"], {
      encoding: "utf8",
    });
    const key = /key \(shown once\): (\S+)/.exec(printed)![1]!;
    const entry = JSON.parse(/entry for the keys file: (.*)/.exec(printed)![1]!) as object;
    const file = join(newFolder("keys"), "keys.json");
    writeFileSync(file, JSON.stringify({ keys: [{ ...entry, rate_limit_per_minute: 3 }] }));
    service = await startService({ BREAKWATER_KEYS_FILE: file });
    const headers = { authorization: `Bearer ${key}` };

    const statuses: number[] = [];
    let last: Response | undefined;
    for (let i = 0; i < 5; i += 1) {
      last = await fetch(`${service.url}/v1/model-info`, { headers });
      statuses.push(last.status);
    }
    const body: unknown = await last!.json();

    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(last!.headers.get("retry-after")).toBe(
      String((body as { retry_after_secs: number }).retry_after_secs),
    );
    expect(printed).not.toContain(`"${key}"`);
  });

  it.skipIf(!hasOpenssl).each(["1", "2"])(
    "speaks TLS on each of %s gateways when given a certificate and its key",
    async (gateways) => {
      const { certFile, keyFile } = selfSignedFiles(newFolder("tls"));
      service = await startService({
        BREAKWATER_TLS_CERT_FILE: certFile,
        BREAKWATER_TLS_KEY_FILE: keyFile,
        BREAKWATER_GATEWAYS: gateways,
      });

      const status = await new Promise<number | undefined>((resolve, reject) => {
        request(`${service!.url}/health`, { rejectUnauthorized: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });

      expect(service.url).toMatch(/^https:/);
      expect(status).toBe(503);
    },
  );

  // SIGHUP is what a closed terminal sends, also to a program under nohup: Node takes the signal up again.
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "ends in order on %s, with exit code 0",
    async (signal) => {
      service = await startService();
      await untilReady(service, 60_000);
      const ending = service;
      service = undefined;

      expect(await ending.stop(signal)).toBe(0);
      expect(ending.logLines.join("\n")).toContain("service.stopped");
    },
    90_000,
  );

  it.each([
    ["a thread that never does", CRASH_IN_GATEWAYS, ["gateway.ended", "records.opened", "engine.started"]],
    ["threads that do only then", HELD_GATEWAYS, ["records.opened", "engine.started"]],
  ])(
    "ends in order on SIGTERM also while it starts, with %s",
    async (_, preloaded, awaited) => {
      const folder = newFolder("starting");
      const preload = join(folder, "preload.cjs");
      writeFileSync(preload, preloaded);
      const child = spawn(process.execPath, [PROGRAM], {
        env: serviceEnvironment({
          BREAKWATER_DATA_DIR: folder,
          BREAKWATER_GATEWAYS: "2",
          NODE_OPTIONS: `--require=${preload}`,
        }),
        stdio: ["ignore", "pipe", "pipe"],
      });
      let printed = "";
      child.stderr.on("data", (text: Buffer) => (printed += text.toString()));
      const events: string[] = [];
      createInterface({ input: child.stdout }).on("line", (line) => {
        const { event } = JSON.parse(line) as { readonly event: string };
        events.push(event);
        if (awaited.every((started) => events.includes(started))) child.kill("SIGTERM");
        if (event === "service.stopping") writeFileSync(join(folder, "preload.cjs.go"), "");
      });
      const [code] = (await once(child, "close")) as [number | null];

      expect([code, printed]).toEqual([0, ""]);
      expect(events).not.toContain("service.listening");
      expect(events).toEqual(expect.arrayContaining(["engine.stopped", "service.stopped"]));
      expect(existsSync(join(folder, "breakwater.db-wal"))).toBe(false);
    },
    30_000,
  );

  it.each([
    [{ PORT: "x" }, "PORT must be a whole number"],
    [{ BREAKWATER_EXCHANGE: "replay:/no/such/folder" }, "nothing to replay"],
    [{ BREAKWATER_DATA_DIR: `${PROGRAM}/data` }, "BREAKWATER_DATA_DIR cannot be used: ENOTDIR"],
  ])("refuses to start with %j and says why", (environment, message) => {
    const { status, stdout, stderr } = started({ BREAKWATER_DATA_DIR: newFolder("data"), ...environment });

    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain(message);
  });

  it.each(["--help", "--port=9000"])("refuses the argument %s, and says where settings are", (argument) => {
    const { status, stdout, stderr } = started({ BREAKWATER_DATA_DIR: newFolder("data") }, argument);

    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`takes no arguments, got ${argument}: README.md lists its settings`);
  });

  it("refuses a folder in which another market's history is kept, before it listens", () => {
    const dataDir = newFolder("data");
    writeFileSync(join(dataDir, "market"), "hyperliquid\n");

    const { status, stdout, stderr } = started({ BREAKWATER_DATA_DIR: dataDir });

    expect(status).not.toBe(0);
    expect(stderr).toContain(`${dataDir} keeps "hyperliquid", not "simulated, seed 1"`);
    expect(stdout).not.toContain("service.listening");
  });

  it("refuses a folder that a running service has, and starts on it when that has ended", async () => {
    const dataDir = newFolder("data");
    service = await startService({ BREAKWATER_DATA_DIR: dataDir });

    const { status, stdout, stderr } = started({
      BREAKWATER_LOG_LEVEL: "fatal",
      BREAKWATER_DATA_DIR: dataDir,
    });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^BREAKWATER_DATA_DIR must name a folder of its own for each service: .*\n$/);

    await service.stop();
    expect(existsSync(join(dataDir, "locked-by"))).toBe(false);
    service = await startService({ BREAKWATER_DATA_DIR: dataDir });
    await service.kill();
    service = await startService({ BREAKWATER_DATA_DIR: dataDir });
  }, 90_000);

  it("names no market in a folder that another one takes at the same moment", () => {
    const dataDir = newFolder("data");
    const release = lockDataDirectory(dataDir);

    expect(started({ BREAKWATER_DATA_DIR: dataDir }).status).toBe(2);
    expect(existsSync(join(dataDir, "market"))).toBe(false);
    release();
  });

  it.each([
    [
      "BREAKWATER_SIMULATOR_PORT",
      "BREAKWATER_SIMULATOR_PORT cannot be used: 127.0.0.1:%d is taken or not allowed; 0 takes a free one",
      "fatal",
    ],
    ["PORT", PORT_TAKEN, "fatal"],
    ["PORT", PORT_TAKEN, "info"],
  ])("names %s when another program has it", async (variable, message, level) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const dataDir = newFolder("data");

    const { status, stdout, stderr } = started({
      BREAKWATER_LOG_LEVEL: level,
      [variable]: String(port),
      BREAKWATER_DATA_DIR: dataDir,
    });
    other.close();

    expect(status).toBe(2);
    expect(stdout).toMatch(level === "fatal" ? /^$/ : /"engine\.stopped"/);
    expect(stderr).toBe(`${message.replace("%d", String(port))}\n`);
    expect(existsSync(join(dataDir, "locked-by"))).toBe(false);
  });
});

const CRASH_IN_GATEWAYS = `
const { workerData } = require("node:worker_threads");
if (workerData?.config?.gateways === 2) throw new Error("a crash for the test");
`;

/** They start when a file beside this one is there. */
const HELD_GATEWAYS = `
const { workerData } = require("node:worker_threads");
const { existsSync } = require("node:fs");
const nothing = new Int32Array(new SharedArrayBuffer(4));
while (workerData?.config?.gateways === 2 && !existsSync(__filename + ".go")) Atomics.wait(nothing, 0, 0, 20);
`;

function newFolder(purpose: string): string {
  return mkdtempSync(join(tmpdir(), `breakwater-${purpose}-`));
}

/** A start that is expected to end by itself. */
function started(
  environment: Parameters<typeof serviceEnvironment>[0],
  ...given: readonly string[]
): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [PROGRAM, ...given], {
    env: serviceEnvironment(environment),
    encoding: "utf8",
    timeout: 20_000,
  });
}
