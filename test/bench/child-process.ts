import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { listeningUrls } from "../../src/cli/listening-urls.ts";
import type { HealthResponse } from "../../src/contracts/generated/types.ts";
import { storedKeyOf } from "../../src/http/key-ring.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A server under measurement, in a process of its own so that its cost can be told from everything else's. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
}

export interface BenchService extends ServerProcess {
  readonly simulatorUrl: string;
  readonly dataDir: string;
  health(): Promise<HealthResponse>;
  /** The same, every log line written so far included. */
  readonly logLines: readonly string[];
}

/** Rates of the benchmarks stay below: 100,000 requests a second for a minute. */
const RATE_LIMIT_PER_MINUTE = 6_000_000;
export const BENCH_KEY = randomBytes(24).toString("base64url");
export const BENCH_HEADERS = { authorization: `Bearer ${BENCH_KEY}`, "content-type": "application/json" };

/** Starts the service as `npm start` does: compiled, on a free port, with a key whose limit is out of the way. */
export async function startService(
  name: string,
  environment: Readonly<Record<string, string>> = {},
  dataDir = temporaryFolder(),
): Promise<BenchService> {
  const keysFile = join(dataDir, "bench-keys.json");
  const { salt, hashHex } = storedKeyOf("bench", BENCH_KEY);
  const entry = { id: "bench", salt, hash: hashHex, rate_limit_per_minute: RATE_LIMIT_PER_MINUTE };
  writeFileSync(keysFile, JSON.stringify({ keys: [entry] }));
  const child = startProcess("../../src/main.js", [], {
    PATH: process.env["PATH"],
    PORT: "0",
    BREAKWATER_SIMULATOR_PORT: "0",
    BREAKWATER_KEYS_FILE: keysFile,
    BREAKWATER_DATA_DIR: dataDir,
    ...environment,
  });
  const logLines: string[] = [];
  const { url, simulatorUrl } = await listeningUrls(child, (line) => logLines.push(line));
  return {
    ...serverOf(name, child, url),
    simulatorUrl,
    dataDir,
    logLines,
    health: async () => (await (await fetch(`${url}/health`)).json()) as HealthResponse,
  };
}

export interface SimulatorProcess extends ServerProcess {
  /** What a service must be told to use it in the exchange's place. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Far above the exchange's limit, so that a cold start is not mostly waiting for the budget. */
const SIMULATOR_WEIGHT = "100000000";

/** The simulated exchange outside the service, as the real one is: its time and memory are not the service's. */
export async function startSimulator(assets: number, speed = 1): Promise<SimulatorProcess> {
  const options = { port: 0, assets, speed, "weight-per-minute": SIMULATOR_WEIGHT };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = startProcess("../../src/simulator/simulator-main.js", args);
  const addresses = JSON.parse(await firstLineOf(child)) as { infoUrl: string; wsUrl: string };
  const { infoUrl, wsUrl } = addresses;
  return {
    ...serverOf("simulated exchange", child, infoUrl),
    environment: {
      BREAKWATER_EXCHANGE: "hyperliquid",
      BREAKWATER_EXCHANGE_INFO_URL: infoUrl,
      BREAKWATER_EXCHANGE_WS_URL: wsUrl,
      BREAKWATER_EXCHANGE_WEIGHT: SIMULATOR_WEIGHT,
    },
  };
}

/** Starts one of the servers that the service is compared with; it prints its address. */
export async function startPlainServer(name: string, module: string, args: string[]): Promise<ServerProcess> {
  const child = startProcess(`./${module}.js`, args);
  return serverOf(name, child, await firstLineOf(child));
}

export async function untilHealth(
  service: BenchService,
  isEnough: (health: HealthResponse) => boolean,
  withinMs = 300_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isEnough(await service.health())) {
    if (performance.now() > deadline) throw new Error(`not there within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export const isAllLive = ({ ready, assets }: HealthResponse): boolean =>
  ready && assets.live === assets.listed;

/** CPU time that the main thread, and the whole process, has used so far. Undefined where there is no /proc. */
export function cpuOf({ pid }: ServerProcess): { mainMs: number; processMs: number } | undefined {
  try {
    const usedMs = (thread: string): number =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
    // Threads that have ended are in the process's own account only, which counts hundredths of a second.
    const afterName = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    const processMs = 10 * (Number(afterName[11]) + Number(afterName[12]));
    return { mainMs: usedMs(String(pid)), processMs };
  } catch {
    return undefined;
  }
}

/** Bytes that the process has read from files and streams so far, the exchange's feed above all; NaN where there is no /proc. */
export function bytesReadBy({ pid }: ServerProcess): number {
  try {
    return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** Gives every thread of a process this niceness; whether the system allowed it. */
export function setNiceness({ pid }: { readonly pid: number }, niceness: number): boolean {
  try {
    // On Linux each thread has its own, and those to come inherit it from the one that starts them.
    const threads = process.platform === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
    for (const thread of threads) setPriority(thread, niceness);
    return true;
  } catch {
    return false;
  }
}

/**
 * Has the system run this process's main thread, and the threads that it starts from here on, before all others whenever
 * they can run, or no longer; whether it allowed it. The runtime's helper threads stay as they are: they would take the
 * core from the server for milliseconds at a stretch. Linux with util-linux only.
 */
export function setRealTime(isRealTime: boolean): boolean {
  const policy = isRealTime ? ["--fifo", "--pid", "1"] : ["--other", "--pid", "0"];
  try {
    execFileSync("chrt", [...policy, String(process.pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Resident memory in MB; NaN where there is no /proc. */
export function residentMb({ pid }: { readonly pid: number }): number {
  return statusMb(pid, "VmRSS");
}

/** The most that is resident from now until it is asked for, in MB; NaN where the system does not tell. */
export function peakResidentMbOf({ pid }: { readonly pid: number }): () => number {
  try {
    // Resets the kernel's peak: proc(5), clear_refs.
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
    return () => statusMb(pid, "VmHWM");
  } catch {
    return () => Number.NaN;
  }
}

function statusMb(pid: number, field: "VmRSS" | "VmHWM"): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** Whatever ends the benchmark, an error or a signal, ends what it started. */
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

function startProcess(file: string, args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [moduleFile(file), ...args], {
    ...(env !== undefined && { env }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

function moduleFile(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function serverOf(name: string, child: ChildProcess, url: string): ServerProcess {
  return {
    name,
    url,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null) throw new Error(`${name} has ended by itself with ${child.exitCode}`);
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function firstLineOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the process ended with ${code} before it listened`)));
    createInterface({ input: child.stdout! }).once("line", resolve);
  });
}
