import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { BENCH_HEADERS, type ServerProcess } from "./child-process.ts";
import type { TickerData } from "./ticker-thread.ts";

export interface OpenLoopOptions {
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
  /** Taken in turns. */
  readonly bodies: readonly string[];
  readonly onAnswer?: (answer: string) => void;
}

export interface OpenLoopResult {
  /** From the moment the request was due until its last byte was read: what waits because another is late, counts. */
  readonly latenciesUs: readonly number[];
  /** How late the generator itself was; part of the latencies. */
  readonly lagsUs: readonly number[];
  readonly failed: number;
  /** What came instead of an answer. */
  readonly refusals: ReadonlySet<string>;
}

const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * Requests at times fixed beforehand, answers awaited by nobody: a stall of the server is felt by every request that
 * was due meanwhile, as clients would feel it. A request takes a free connection or waits for one.
 */
export async function openLoop({ url }: ServerProcess, options: OpenLoopOptions): Promise<OpenLoopResult> {
  const { perSecond, seconds, connections, bodies, onAnswer } = options;
  const latenciesUs: number[] = [];
  const lagsUs: number[] = [];
  const refusals = new Set<string>();
  let failed = 0;
  const { hostname, port } = new URL(url);
  const requests = bodies.map((body) => requestBytes(hostname, body));
  let asks = 0;
  const waiting: number[] = [];
  const free: Socket[] = [];
  const asked = new Map<Socket, number>();
  const ask = (client: Socket, dueMs: number): void => {
    asked.set(client, dueMs);
    client.write(requests[asks++ % requests.length]!);
  };
  const clients = await Promise.all(
    Array.from({ length: connections }, () =>
      openClient(Number(port), hostname, (client, answer) => {
        latenciesUs.push((nowMs() - asked.get(client)!) * 1e3);
        asked.delete(client);
        onAnswer?.(answer);
        if (!answer.startsWith("HTTP/1.1 200")) {
          failed++;
          refusals.add(answer.slice(answer.indexOf("{")));
        }
        const next = waiting.shift();
        if (next === undefined) free.push(client);
        else ask(client, next);
      }),
    ),
  );
  free.push(...clients);
  const workerData: TickerData = { periodMs: 1e3 / perSecond, count: perSecond * seconds };
  const ticker = new Worker(new URL("./ticker-thread.js", import.meta.url), { workerData });
  let sent = 0;
  ticker.on("message", (dueMs: number) => {
    lagsUs.push((nowMs() - dueMs) * 1e3);
    sent++;
    // The one that waited longest: the server closes connections that are idle for ten seconds.
    const client = free.shift();
    if (client === undefined) waiting.push(dueMs);
    else ask(client, dueMs);
  });
  await once(ticker, "exit");
  const deadline = nowMs() + 10_000;
  while (latenciesUs.length < sent && nowMs() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10));
  for (const dueMs of [...asked.values(), ...waiting]) {
    failed++;
    // At least as late as this.
    latenciesUs.push((nowMs() - dueMs) * 1e3);
  }
  for (const client of clients) client.destroy();
  return { latenciesUs, lagsUs, failed, refusals };
}

function requestBytes(host: string, body: string): Buffer {
  const headers = Object.entries({
    host,
    ...BENCH_HEADERS,
    "content-length": String(Buffer.byteLength(body)),
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`POST /v1/validate HTTP/1.1\r\n${head}\r\n${body}`);
}

async function openClient(
  port: number,
  host: string,
  answered: (client: Socket, answer: string) => void,
): Promise<Socket> {
  const client = connect({ port, host, noDelay: true });
  await once(client, "connect");
  let unread = "";
  client.on("data", (chunk) => {
    unread += chunk.toString("latin1");
    const end = answerEnd(unread);
    if (end === undefined || unread.length < end) return;
    const answer = unread.slice(0, end);
    unread = unread.slice(end);
    answered(client, answer);
  });
  return client;
}

/** Where the answer ends; undefined while its head is not whole. */
function answerEnd(text: string): number | undefined {
  const bodyAt = text.indexOf("\r\n\r\n");
  if (bodyAt < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(text.slice(0, bodyAt))?.[1];
  return bodyAt + 4 + Number(length ?? 0);
}
