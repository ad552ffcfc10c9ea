import { WebSocket } from "ws";
import type { ExchangeFailure } from "../../domain/errors.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";
import type { HyperliquidTransport, InfoRequest, SocketHandlers, WireSocket } from "./transport.ts";

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The largest frame seen is the all-assets context of every dex, 117 kB. */
const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** 5000 candles are about 0.7 MB. */
const REPLY_CHARS_MAX = 16 * 1024 * 1024;

export interface NetworkAddress {
  /** "https://api.hyperliquid.xyz/info" */
  readonly infoUrl: string;
  /** "wss://api.hyperliquid.xyz/ws" */
  readonly socketUrl: string;
}

/** Both addresses below one base, "https://api.hyperliquid.xyz". */
export function networkAddressOf(baseUrl: string): NetworkAddress {
  const base = baseUrl.replace(/\/+$/, "");
  return { infoUrl: `${base}/info`, socketUrl: `${base.replace(/^http/, "ws")}/ws` };
}

export class NetworkTransport implements HyperliquidTransport {
  readonly #address: NetworkAddress;
  readonly #sockets = new Set<WebSocket>();

  constructor(address: NetworkAddress) {
    this.#address = address;
  }

  async postInfo(body: InfoRequest, signal: AbortSignal): Promise<Result<unknown, ExchangeFailure>> {
    let status: number;
    let text: string;
    try {
      const response = await fetch(this.#address.infoUrl, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal,
      });
      status = response.status;
      text = await response.text();
    } catch (cause) {
      const detail = `${body.type}: ${causeText(cause)}`;
      return err(signal.aborted ? { code: "timeout", detail } : { code: "unreachable", detail });
    }
    return readReply(body.type, status, text);
  }

  openSocket(handlers: SocketHandlers): WireSocket {
    const socket = new WebSocket(this.#address.socketUrl, {
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
  if (text.length > REPLY_CHARS_MAX) return err({ code: "unparseable", detail: `${type}: reply too long` });
  try {
    return ok(JSON.parse(text) as unknown);
  } catch {
    return err({ code: "unparseable", detail });
  }
}

function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}
