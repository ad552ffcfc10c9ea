import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listeningUrls } from "../../src/cli/listening-urls.ts";
import type { HealthResponse } from "../../src/contracts/generated/types.ts";
import { causeText } from "../../src/domain/cause-text.ts";
import { builtProgram } from "./built-program.ts";

const PROGRAM = builtProgram("main");
export const TEST_KEY = "key-of-the-tests";
/** Every asset that the embedded exchange has by default, the odd ones among them. */
export const WHOLE_MARKET = { BREAKWATER_SIMULATOR_ASSETS: "" };

export interface RunningService {
  readonly pid: number;
  readonly url: string;
  /** Where the embedded simulator listens; "" for another exchange. */
  readonly simulatorUrl: string;
  readonly logLines: readonly string[];
  /** The exit code, when it has ended; null by a signal. */
  readonly exited: Promise<number | null>;
  /** A signal, SIGTERM unless another is given, then the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** SIGKILL, as a power cut. What is in the data folder stays when the test named the folder. */
  kill(): Promise<void>;
  get(path: string): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
}

/** What a started service is told unless a test says otherwise: free ports, the key, and no more assets than needed. */
export function serviceEnvironment(
  told: Readonly<Record<string, string>> & { readonly BREAKWATER_DATA_DIR: string },
): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    PORT: "0",
    BREAKWATER_SIMULATOR_PORT: "0",
    BREAKWATER_API_KEYS: TEST_KEY,
    BREAKWATER_RATE_LIMIT: "1000000",
    // The first of them: the whole market takes seconds longer to become live.
    BREAKWATER_SIMULATOR_ASSETS: "12",
    // So that every flow test can be run by hand on several gateways too.
    BREAKWATER_GATEWAYS: process.env["TEST_GATEWAYS"] ?? "1",
    ...told,
  };
}

/** Starts the built program as `npm start` does, on a free port and a data folder of its own. */
export async function startService(
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const dataDir = mkdtempSync(join(tmpdir(), "breakwater-data-"));
  const child = spawn(process.execPath, [PROGRAM], {
    env: serviceEnvironment({ BREAKWATER_DATA_DIR: dataDir, ...environment }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const logLines: string[] = [];
  const { url, simulatorUrl } = await listeningUrls(child, (line) => logLines.push(line)).catch(
    (cause: unknown) => {
      throw new Error(`${causeText(cause)}:\n${logLines.join("\n")}`, { cause });
    },
  );
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  return {
    pid: child.pid!,
    url,
    simulatorUrl,
    logLines,
    exited,
    get: (path) => fetch(`${url}${path}`, { headers }),
    post: (path, body) => fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    async kill() {
      child.kill("SIGKILL");
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const code = await exited;
      rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
  };
}

/** Of the lines logged so far. */
export function eventsOf({ logLines }: RunningService): readonly string[] {
  return logLines.map((line) => (JSON.parse(line) as { readonly event: string }).event);
}

/** Asks /health until every listed asset is live. */
export async function untilAllLive(service: RunningService, withinMs = 120_000): Promise<void> {
  await untilHealthy(
    service,
    withinMs,
    (health) => health.ready && health.assets.live === health.assets.listed,
  );
}

/** Asks /health until it is ready. */
export async function untilReady(service: RunningService, withinMs = 120_000): Promise<void> {
  await untilHealthy(service, withinMs, (health) => health.ready);
}

async function untilHealthy(
  service: RunningService,
  withinMs: number,
  isEnough: (health: HealthResponse) => boolean,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  let last = "";
  while (Date.now() < deadline) {
    last = await (await fetch(`${service.url}/health`)).text();
    if (isEnough(JSON.parse(last) as HealthResponse)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not ready within ${withinMs} ms: ${last}\n${service.logLines.slice(-20).join("\n")}`);
}
