import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { ok } from "../../src/domain/result.ts";
import type { ApiRequest, Endpoint } from "../../src/http/endpoint.ts";
import { HttpServer } from "../../src/http/http-server.ts";
import { KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";

export const KEY = "a-key-for-tests";
export const JSON_HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
/** Without the lines on the body, to be written to a socket. */
export const POST_HEAD = `POST /echo/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`;

export function requestText(path: string, method = "GET"): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
}

/** A server on loopback with an endpoint of every kind; /late answers when it is told to. */
export class HttpBench {
  readonly internalErrors: string[] = [];
  /** Resolves when /late is asked. */
  lateAsked: Promise<void> = Promise.resolve();
  lateReply: ApiRequest["reply"] = null;
  answerLate: () => void = () => undefined;
  #server: HttpServer | undefined;
  #late: Promise<void> = Promise.resolve();
  #markAsked: () => void = () => undefined;

  /** Its address. */
  async start(rateLimitPerMinute = 3): Promise<string> {
    this.internalErrors.length = 0;
    this.expectLate();
    this.#server = new HttpServer(this.options(this.#endpoints(), rateLimitPerMinute));
    return `http://127.0.0.1:${await this.#server.listen("127.0.0.1", 0)}`;
  }

  /** Once; nothing where there is no server any more. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.close();
  }

  /** From here on /late waits for the next answerLate. */
  expectLate(): void {
    this.lateAsked = new Promise((resolve) => (this.#markAsked = resolve));
    this.#late = new Promise((resolve) => (this.answerLate = resolve));
  }

  options(
    endpoints: readonly Endpoint[],
    rateLimitPerMinute = 3,
  ): ConstructorParameters<typeof HttpServer>[0] {
    return {
      endpoints,
      keys: new KeyRing([storedKeyOf("test", KEY)], rateLimitPerMinute),
      bodyBytesMax: 4096,
      polling: null,
      tls: undefined,
      onInternalError: (_id, path, cause) =>
        this.internalErrors.push(`${path}: ${cause instanceof Error ? cause.message : "?"}`),
    };
  }

  #endpoints(): readonly Endpoint[] {
    return [
      { method: "GET", path: "/health", isPublic: true, answer: () => ok({ json: () => "{}" }) },
      {
        method: "GET",
        path: "/starting",
        isPublic: true,
        answer: () => ok({ statusLine: "503 Service Unavailable", json: () => '{"état":"starting"}' }),
      },
      {
        method: "POST",
        path: "/echo/:text",
        isPublic: false,
        answer: ({ body, parameter, requestId, keyId }) =>
          ok({ json: () => JSON.stringify({ body, requestId, parameter, keyId }) }),
      },
      {
        method: "GET",
        path: "/throws",
        isPublic: false,
        answer: () => {
          throw new Error("inside");
        },
      },
      { method: "GET", path: "/rejects", isPublic: false, answer: () => Promise.reject(new Error("inside")) },
      {
        method: "GET",
        path: "/late",
        isPublic: false,
        answer: async ({ reply }) => {
          this.lateReply = reply;
          this.#markAsked();
          await this.#late;
          return ok({ json: () => "{}" });
        },
      },
    ];
  }
}

export async function openedSocket(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** What comes until the connection ends. */
export function textOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("utf8")));
  return new Promise((resolve) => socket.once("close", () => resolve(text)));
}
