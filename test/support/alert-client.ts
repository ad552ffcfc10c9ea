import { once } from "node:events";
import { WebSocket } from "ws";
import type { RiskAlert } from "../../src/contracts/generated/types.ts";

/** A real client of the alerts socket: what it was sent, in order, and how it ended. */
export class AlertClient {
  readonly socket: WebSocket;
  readonly received: unknown[] = [];
  readonly closed: Promise<number>;
  #waiting: { readonly isEnough: () => boolean; readonly resolve: () => void }[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", (code) => resolve(code)));
    socket.on("message", (data: Buffer) => {
      this.received.push(JSON.parse(data.toString("utf8")));
      const settled = this.#waiting.filter(({ isEnough }) => isEnough());
      this.#waiting = this.#waiting.filter((waiter) => !settled.includes(waiter));
      for (const { resolve } of settled) resolve();
    });
  }

  /** Takes the service's http address. */
  static async open(url: string): Promise<AlertClient> {
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/alerts/ws`);
    const client = new AlertClient(socket);
    await once(socket, "open");
    return client;
  }

  get alerts(): RiskAlert[] {
    return this.received.filter(
      (message): message is RiskAlert =>
        typeof message === "object" && message !== null && "alert_type" in message,
    );
  }

  /** Sends a message, bytes in a binary frame, and waits for one more to come. */
  async ask(message: unknown): Promise<unknown> {
    const before = this.received.length;
    const isSentAsItIs = typeof message === "string" || message instanceof Buffer;
    this.socket.send(isSentAsItIs ? message : JSON.stringify(message));
    await this.until(() => this.received.length > before);
    return this.received[before];
  }

  async subscribe(wallet: string, thresholds?: Readonly<Record<string, number>>): Promise<unknown> {
    return this.ask(thresholds === undefined ? { wallet } : { wallet, thresholds });
  }

  until(isEnough: () => boolean): Promise<void> {
    if (isEnough()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isEnough, resolve }));
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}
