import autocannon from "autocannon";
import { App, us_listen_socket_close, us_socket_local_port, type us_listen_socket } from "uWebSockets.js";
import { startService, TEST_KEY, untilReady } from "../support/running-service.ts";

export interface LoadRow {
  readonly name: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

const SECONDS = 8;

/** Whole requests over loopback: the service, and a bare server that answers the same bytes, alternating. */
export async function loopbackRows(): Promise<LoadRow[]> {
  const service = await startService();
  await untilReady(service, 120_000);
  const body = JSON.stringify({
    asset: "ETH",
    action: "long",
    size: 25_000,
    leverage: 10,
    wallet: "0x5eed000000000000000000000000000000000001",
  });
  const bytes = await (await service.post("/v1/validate", JSON.parse(body))).text();
  const bare = await startBareServer(bytes);
  const rows: LoadRow[] = [];
  for (const connections of [1, 16]) {
    for (const [name, url] of [
      ["bare uWebSockets.js, same bytes", bare.url],
      ["breakwater", `${service.url}/v1/validate`],
    ] as const) {
      rows.push(await loaded(name, url, body, connections));
    }
  }
  bare.stop();
  await service.stop();
  return rows;
}

async function loaded(name: string, url: string, body: string, connections: number): Promise<LoadRow> {
  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  const options = { url, method: "POST" as const, headers, body, connections };
  await autocannon({ ...options, duration: 2 });
  const result = await autocannon({ ...options, duration: SECONDS });
  return {
    name,
    connections,
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.non2xx,
  };
}

function startBareServer(bytes: string): Promise<{ url: string; stop: () => void }> {
  return new Promise((resolve) => {
    const app = App();
    app.post("/*", (response) => {
      response.onAborted(() => undefined);
      response.onData((_chunk, isLast) => {
        if (isLast) response.cork(() => response.writeHeader("Content-Type", "application/json").end(bytes));
      });
    });
    app.listen(0, (socket: us_listen_socket | false) => {
      if (socket === false) throw new Error("no free port");
      const url = `http://127.0.0.1:${us_socket_local_port(socket)}/`;
      resolve({ url, stop: () => us_listen_socket_close(socket) });
    });
  });
}

export function loadTable(rows: readonly LoadRow[]): string {
  const lines = rows.map((row) => {
    const base = rows.find((other) => other.connections === row.connections)!;
    const ratio = (row.requestsPerSecond / base.requestsPerSecond).toFixed(2);
    return `| ${row.name} | ${row.connections} | ${Math.round(row.requestsPerSecond)} | ${ratio} | ${row.p50Ms} | ${row.p99Ms} | ${row.errors} |`;
  });
  return [
    "| server | connections | requests/s | ratio to bare | p50 ms | p99 ms | errors |",
    "|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}
