import { once } from "node:events";
import WebSocket from "ws";
import type { Load, LoadResult } from "./load-generator.ts";
import { quantile } from "./report.ts";

/** The same requests pipelined on one WebSocket: so many in flight at a time, each answer sends the next. */
export async function generateOnSocket(load: Load): Promise<LoadResult> {
  const url = `${load.url.replace("http", "ws")}/ws`;
  const socket = new WebSocket(url, { headers: load.headers, perMessageDeflate: false });
  await once(socket, "open");
  const sentAtMs: number[] = [];
  const latenciesUs: number[] = [];
  let errors = 0;
  let isOver = false;
  const send = (): void => {
    const id = sentAtMs.push(performance.now()) - 1;
    socket.send(`{"id":${id},"request":${load.bodies[id % load.bodies.length]}}`);
  };
  socket.on("message", (data: Buffer) => {
    // Not parsed: the client's cost must not bound what is measured.
    const head = data.toString("latin1", 0, 48);
    const id = Number(/"id":(\d+)/.exec(head)?.[1]);
    latenciesUs.push((performance.now() - sentAtMs[id]!) * 1e3);
    if (!head.includes('"status":200')) errors++;
    if (!isOver) send();
  });
  const startMs = performance.now();
  for (let i = 0; i < load.connections; i++) send();
  await new Promise((resolve) => setTimeout(resolve, load.seconds * 1e3));
  const elapsedMs = performance.now() - startMs;
  const requests = latenciesUs.length;
  isOver = true;
  if (socket.readyState !== WebSocket.CLOSED) {
    socket.close();
    await once(socket, "close");
  }
  const [p50Us, p99Us, p999Us] = [0.5, 0.99, 0.999].map((share) => quantile(latenciesUs, share));
  return {
    requests,
    requestsPerSecond: requests / (elapsedMs / 1e3),
    p50Us: p50Us!,
    p99Us: p99Us!,
    p999Us: p999Us!,
    errors,
  };
}
