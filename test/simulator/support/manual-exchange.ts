import { once } from "node:events";
import WebSocket from "ws";
import type { WireServerFrame } from "../../../src/exchange/hyperliquid/wire-feed.ts";
import { ManualClock } from "../../../src/simulator/simulator-clock.ts";
import {
  type RunningSimulator,
  type SimulatorOptions,
  startSimulator,
} from "../../../src/simulator/simulator.ts";

/** A Friday afternoon, 7 minutes into an hour and 2 into a price block. */
export const START_MS = Date.UTC(2026, 10, 20, 16, 7, 12);

/** An exchange whose time only moves by `advance`; three weeks of history unless told otherwise. */
export function startManualExchange(options: Partial<SimulatorOptions> = {}): Promise<RunningSimulator> {
  return startSimulator({
    port: 0,
    host: "127.0.0.1",
    seed: 7,
    speedFactor: 1,
    historyHours: 450,
    control: true,
    clock: new ManualClock(START_MS),
    ...options,
  });
}

export interface InfoReply {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

export async function postInfo(
  exchange: RunningSimulator,
  body: unknown,
  headers?: Record<string, string>,
): Promise<InfoReply> {
  const response = await fetch(exchange.infoUrl, {
    method: "POST",
    headers: headers ?? { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    text: await response.text(),
  };
}

/** The answer of a request that must succeed. */
export async function readInfo<T>(exchange: RunningSimulator, body: unknown): Promise<T> {
  const { status, text } = await postInfo(exchange, body);
  if (status !== 200) throw new Error(`status ${status} for ${JSON.stringify(body)}: ${text}`);
  return JSON.parse(text) as T;
}

/** A plain socket that keeps what it receives; `fence` waits until everything sent so far has arrived. */
export class FrameClient {
  readonly frames: WireServerFrame[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  #wakeUp: (() => void)[] = [];

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on("message", (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString()) as WireServerFrame);
      for (const wake of this.#wakeUp.splice(0)) wake();
    });
    this.closed = new Promise((resolve) => this.socket.on("close", (code) => resolve(code)));
  }

  static async open(url: string): Promise<FrameClient> {
    const client = new FrameClient(url);
    await once(client.socket, "open");
    return client;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  subscribe(subscription: unknown): void {
    this.send({ method: "subscribe", subscription });
  }

  async next(isWanted: (frame: WireServerFrame) => boolean): Promise<WireServerFrame> {
    for (let read = 0; ;) {
      for (; read < this.frames.length; read++) if (isWanted(this.frames[read]!)) return this.frames[read]!;
      await new Promise<void>((resolve) => this.#wakeUp.push(resolve));
    }
  }

  /** Frames arrive in order, so a pong proves that all earlier ones are here. */
  async fence(): Promise<void> {
    const pongs = this.frames.filter(({ channel }) => channel === "pong").length;
    this.send({ method: "ping" });
    while (this.frames.filter(({ channel }) => channel === "pong").length <= pongs) {
      await new Promise<void>((resolve) => this.#wakeUp.push(resolve));
    }
  }

  of<C extends WireServerFrame["channel"]>(channel: C): Extract<WireServerFrame, { channel: C }>[] {
    return this.frames.filter((frame) => frame.channel === channel) as Extract<
      WireServerFrame,
      { channel: C }
    >[];
  }
}
