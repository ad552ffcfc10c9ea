import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HealthResponse } from "../../src/contracts/generated/types.ts";
import { builtProgram } from "../support/built-program.ts";
import {
  eventsOf,
  type RunningService,
  serviceEnvironment,
  startService,
  untilReady,
} from "../support/running-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Mutants killed by hand: a failure of the main thread that is not logged, or ends with 0; an engine that is given up and
// stays; a full disk called a wrong setting; HOST not listened on, or not in brackets; a demo key for a real exchange; a
// lack of keys not said; the name of another exchange; called degraded before it was ever ready; a processor without vector
// instructions not looked for, or after the kernel; what an old Node.js lacks imported by its name.

const HOST = Object.values(networkInterfaces()).some((found) =>
  found?.some(({ address }) => address === "::1"),
)
  ? "::1"
  : "127.0.0.1";

describe("a service that fails", () => {
  const folder = temporaryFolder();
  let service: RunningService | undefined;

  afterEach(async () => {
    await service?.kill();
    service = undefined;
  });

  const until = (isSo: () => void): Promise<void> => vi.waitFor(isSo, { timeout: 60_000, interval: 20 });

  it("has another engine begin for one that gives up, and ends with 1 when the main thread cannot go on", async () => {
    const [clock, main] = [join(folder.path, "clock"), join(folder.path, "main")];
    const preload = join(folder.path, "preload.cjs");
    writeFileSync(preload, failing(clock, main));
    service = await startService({ NODE_OPTIONS: `--require=${preload}` });
    await untilReady(service);

    writeFileSync(clock, "");
    await until(() =>
      expect(eventsOf(service!).filter((event) => event === "engine.started")).toHaveLength(2),
    );
    expect(eventsOf(service)).toEqual(expect.arrayContaining(["engine.failed", "engine.ended"]));
    expect(eventsOf(service)).not.toContain("engine.silent");
    await untilReady(service);
    writeFileSync(main, "");

    expect(await service.exited).toBe(1);
    const last = JSON.parse(service.logLines.at(-1)!) as object;
    expect(last).toMatchObject({ level: 60, event: "service.failed", err: { message: "of the test" } });
  }, 120_000);

  it("ends with 1, to be started again, where the disk is full, and says so in a line", () => {
    const preload = join(folder.path, "full.cjs");
    writeFileSync(preload, FULL_DISK);

    const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram("main")], {
      env: serviceEnvironment({
        BREAKWATER_LOG_LEVEL: "fatal",
        BREAKWATER_DATA_DIR: join(folder.path, "data"),
        NODE_OPTIONS: `--require=${preload}`,
      }),
      encoding: "utf8",
    });

    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^BREAKWATER_DATA_DIR cannot be used: .*ENOSPC: no space left on device.*\n$/);
  });

  it.runIf(process.arch === "x64").each(["main", "cli/backtest"])(
    "says in a line that the processor has no vector instructions: %s",
    (program) => {
      // What V8 does by itself on a processor without SSE4.1.
      const argv = ["--no-enable-sse4-1", builtProgram(program)];

      const { status, stdout, stderr } = spawnSync(process.execPath, argv, { env: {}, encoding: "utf8" });

      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^Breakwater needs a processor with .*SSE4\.1.*\n$/);
    },
  );

  it("says in a line that Node.js is too old, also where that lacks what it imports", () => {
    const preload = join(folder.path, "old.mjs");
    writeFileSync(preload, OLD_NODE);

    const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram("main")], {
      env: { NODE_OPTIONS: `--import=${preload}` },
      encoding: "utf8",
    });

    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Breakwater runs on Node\.js 20 .*18\.20\.4.*\n$/);
  });

  it("listens while its exchange cannot be reached, lets nobody in without a key, and ends in order", async () => {
    service = await startService({
      HOST,
      BREAKWATER_API_KEYS: "",
      BREAKWATER_DATA_DIR: folder.path,
      BREAKWATER_EXCHANGE: "hyperliquid",
      BREAKWATER_EXCHANGE_INFO_URL: "http://127.0.0.1:1/info",
      BREAKWATER_EXCHANGE_WS_URL: "ws://127.0.0.1:1/ws",
    });
    expect(service.url).toMatch(HOST === "::1" ? /^http:\/\/\[::1\]:\d+$/ : /^http:\/\/127\.0\.0\.1:\d+$/);

    await until(() =>
      expect(eventsOf(service!)).toEqual(expect.arrayContaining(["keys.none", "engine.started"])),
    );
    const health = await service.get("/health");

    expect(health.status).toBe(503);
    expect((await health.json()) as HealthResponse).toMatchObject({
      status: "starting",
      exchange: { name: "hyperliquid", connected: false },
    });
    expect((await service.get("/v1/assets")).status).toBe(401);
    expect(await service.stop()).toBe(0);
    expect(eventsOf(service)).toContain("engine.stopped");
    expect(eventsOf(service).at(-1)).toBe("service.stopped");
  }, 60_000);
});

/** Sets the engine's clock back by two hours when the one file is there, and throws in the main thread when the other is. */
function failing(clock: string, main: string): string {
  return `
const { isMainThread, workerData } = require("node:worker_threads");
const { existsSync, unlinkSync } = require("node:fs");
const now = Date.now;
setInterval(() => {
  if (workerData?.helperThreads !== undefined && existsSync(${JSON.stringify(clock)})) {
    unlinkSync(${JSON.stringify(clock)});
    Date.now = () => now() - 7_200_000;
  }
  if (isMainThread && existsSync(${JSON.stringify(main)})) throw new Error("of the test");
}, 20).unref();
`;
}

/** As Node.js 18 is: of node:crypto nothing can be imported by the name hash. */
const OLD_NODE = `
import * as crypto from "node:crypto";
import { register } from "node:module";
const names = Object.keys(crypto).filter((name) => name !== "hash");
const url = "data:text/javascript," + encodeURIComponent("export {" + names + "} from 'node:crypto'");
const hooks = \`export const resolve = (name, context, next) =>
  name === "node:crypto" && context.parentURL !== "\${url}" ? { url: "\${url}", shortCircuit: true } : next(name, context);\`;
register("data:text/javascript," + encodeURIComponent(hooks));
Object.defineProperty(process.versions, "node", { value: "18.20.4" });
`;

const FULL_DISK = `
const fs = require("node:fs");
const write = fs.writeFileSync;
fs.writeFileSync = (path, ...given) => {
  if (!String(path).endsWith("/market")) return write(path, ...given);
  throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
};
require("node:module").syncBuiltinESMExports();
`;
