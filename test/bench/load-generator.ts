import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import autocannon from "autocannon";
import { temporaryFolder } from "./temporary-folder.ts";

export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Taken in turns. */
  readonly bodies: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  /** Connections lost, timeouts and answers that are not 2xx. */
  readonly errors: number;
}

/** A generator that is not ours: wrk where it is installed, else autocannon, which costs more than what it measures. */
export const generator: "wrk" | "autocannon" = hasWrk() ? "wrk" : "autocannon";

export function generate(load: Load): Promise<LoadResult> {
  return generator === "wrk" ? withWrk(load) : withAutocannon(load);
}

async function withWrk({ url, headers, bodies, connections, seconds }: Load): Promise<LoadResult> {
  const script = join(temporaryFolder(), "post.lua");
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`);
  writeFileSync(
    script,
    `wrk.method = "POST"
${lines.join("\n")}
${bodies.length === 1 ? `wrk.body = [[${bodies[0]}]]` : takenInTurns(bodies)}
function done(summary, latency)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format("RESULT %d %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), failed))
end
`,
  );
  const args = ["-t", "1", "-c", String(connections), "-d", `${seconds}s`, "-s", script, url];
  const { stdout } = await promisify(execFile)("wrk", args);
  const found = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(stdout);
  if (found === null) throw new Error(`wrk said: ${stdout}`);
  const [requests, durationUs, p50Us, p99Us, p999Us, errors] = found.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { requests, requestsPerSecond: requests / (durationUs / 1e6), p50Us, p99Us, p999Us, errors };
}

/** One body alone is sent without a call into Lua, which costs the generator. */
function takenInTurns(bodies: readonly string[]): string {
  const texts = bodies.map((body) => `[[${body}]]`).join(",\n");
  return `local bodies = {${texts}}
local requests = {}
local at = 0
function init()
  for i, body in ipairs(bodies) do requests[i] = wrk.format(nil, nil, nil, body) end
end
function request()
  at = at % #requests + 1
  return requests[at]
end`;
}

/** Its latencies are whole milliseconds. */
async function withAutocannon({ url, headers, bodies, connections, seconds }: Load): Promise<LoadResult> {
  const requests = bodies.map((body) => ({ method: "POST" as const, headers, body }));
  const result = await autocannon({ url, requests, connections, duration: seconds });
  return {
    requests: result.requests.total,
    requestsPerSecond: result.requests.average,
    p50Us: result.latency.p50 * 1000,
    p99Us: result.latency.p99 * 1000,
    p999Us: result.latency.p99_9 * 1000,
    errors: result.errors + result.non2xx,
  };
}

function hasWrk(): boolean {
  try {
    execFileSync("wrk", ["--version"], { stdio: "ignore" });
    return true;
  } catch (error) {
    // It answers --version with exit code 1.
    return (error as { status?: number | null }).status === 1;
  }
}
