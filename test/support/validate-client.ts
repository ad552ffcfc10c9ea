import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { WebSocket } from "ws";
import type { ValidateReply } from "../../src/contracts/generated/types.ts";

/** A real client of the validate socket: its replies in the order they came, and how it ended. */
export class ValidateClient {
  readonly socket: WebSocket;
  readonly replies: ValidateReply[] = [];
  /** Whether all of them came in text frames. */
  isText = true;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) =>
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    socket.on("error", () => undefined);
    socket.on("message", (data: Buffer, isBinary) => {
      this.isText &&= !isBinary;
      this.replies.push(JSON.parse(data.toString("utf8")) as ValidateReply);
      const settled = this.#waiting.filter(({ count }) => this.replies.length >= count);
      this.#waiting = this.#waiting.filter((waiter) => !settled.includes(waiter));
      for (const { resolve } of settled) resolve();
    });
  }

  /** Takes the service's http address; undefined sends no key. */
  static async open(url: string, key: string | undefined): Promise<ValidateClient> {
    const client = new ValidateClient(socketTo(url, key));
    await once(client.socket, "open");
    return client;
  }

  send(...messages: unknown[]): void {
    for (const message of messages) {
      this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
    }
  }

  async ask(message: unknown): Promise<ValidateReply> {
    const before = this.replies.length;
    this.send(message);
    await this.until(before + 1);
    return this.replies[before]!;
  }

  until(count: number): Promise<void> {
    if (this.replies.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

/** The status and body of an upgrade that is refused. */
export async function refusedUpgrade(
  url: string,
  key: string | undefined,
): Promise<{ readonly status: number; readonly body: unknown; readonly headers: IncomingHttpHeaders }> {
  const socket = socketTo(url, key);
  socket.on("error", () => undefined);
  const [, response] = (await once(socket, "unexpected-response")) as [
    unknown,
    AsyncIterable<Buffer> & { readonly statusCode: number; readonly headers: IncomingHttpHeaders },
  ];
  let body = "";
  for await (const chunk of response) body += chunk.toString("utf8");
  return { status: response.statusCode, body: JSON.parse(body), headers: response.headers };
}

function socketTo(url: string, key: string | undefined): WebSocket {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return new WebSocket(`${url.replace(/^http/, "ws")}/v1/validate/ws`, { headers });
}
