import { WebSocket } from "ws";
import { causeText } from "../../domain/cause-text.ts";
import type { ExchangeFailure } from "../../domain/errors.ts";
import { jsonValueOf } from "../../domain/json-value.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";
import { InfoPost } from "./info-post.ts";
import type { HyperliquidTransport, InfoRequest, SocketHandlers, WireSocket } from "./transport.ts";

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The largest frame seen is the all-assets context of every dex, 117 kB. */
const FRAME_BYTES_MAX = 4 * 1024 * 1024;

export interface NetworkAddress {
  /** "https://api.hyperliquid.xyz/info" */
  readonly infoUrl: string;
  /** "wss://api.hyperliquid.xyz/ws" */
  readonly wsUrl: string;
}

/** Both addresses below one base, "https://api.hyperliquid.xyz". */
export function networkAddressOf(baseUrl: string): NetworkAddress {
  const base = baseUrl.replace(/\/+$/, "");
  return { infoUrl: `${base}/info`, wsUrl: `${base.replace(/^http/, "ws")}/ws` };
}

export class NetworkTransport implements HyperliquidTransport {
  readonly #wsUrl: string;
  readonly #info: InfoPost;
  readonly #sockets = new Set<WebSocket>();

  constructor({ infoUrl, wsUrl }: NetworkAddress) {
    this.#info = new InfoPost(infoUrl);
    this.#wsUrl = wsUrl;
  }

  async postInfo(body: InfoRequest, signal: AbortSignal): Promise<Result<unknown, ExchangeFailure>> {
    try {
      const { status, text } = await this.#info.post(JSON.stringify(body), signal);
      return readReply(body.type, status, text);
    } catch (cause) {
      const detail = `${body.type}: ${causeText(cause)}`;
      if (signal.aborted) return err({ code: "timeout", detail });
      return err({ code: cause instanceof RangeError ? "unparseable" : "unreachable", detail });
    }
  }

  openSocket(handlers: SocketHandlers): WireSocket {
    const socket = new WebSocket(this.#wsUrl, {
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: FRAME_BYTES_MAX,
    });
    let lastError = "";
    this.#sockets.add(socket);
    socket.on("open", () => {
      handlers.onOpen();
    });
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (!isBinary) handlers.onText(data.toString("utf8"));
    });
    socket.on("error", (error) => {
      lastError = error.message;
    });
    socket.on("close", (code) => {
      this.#sockets.delete(socket);
      handlers.onClose(lastError === "" ? `closed ${String(code)}` : `closed ${String(code)}: ${lastError}`);
    });
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      terminate: () => {
        socket.terminate();
      },
    };
  }

  close(): Promise<void> {
    this.#info.close();
    for (const socket of this.#sockets) socket.terminate();
    return Promise.resolve();
  }
}

/** The exchange says a permanent no with 4xx, and with 500 and the body null; any other 5xx may pass. */
function readReply(type: string, status: number, text: string): Result<unknown, ExchangeFailure> {
  const detail = `${type}: HTTP ${String(status)} ${text.slice(0, 120)}`;
  if (status === 429) return err({ code: "rate_limited", detail });
  if (status >= 500 && text.trim() !== "null") return err({ code: "unreachable", detail });
  if (status !== 200) return err({ code: "refused", detail });
  const value = jsonValueOf(text);
  return value === undefined ? err({ code: "unparseable", detail }) : ok(value);
}
