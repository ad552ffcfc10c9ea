import type { ExchangeFailure } from "../../domain/errors.ts";
import type { Result } from "../../domain/result.ts";

export interface SocketHandlers {
  onOpen(): void;
  onText(text: string): void;
  /** Exactly once, whatever ended the socket, a failed connection included; nothing follows it. */
  onClose(detail: string): void;
}

/** One WebSocket. Sending on a socket that is not open does nothing: its onClose tells. */
export interface WireSocket {
  send(text: string): void;
  /** Ends the socket at once, without a closing handshake; onClose follows. */
  terminate(): void;
}

/** The bytes below the adapter: the network, a recording of it, or a replay. Never throws. */
export interface HyperliquidTransport {
  /** One info request; the parsed JSON of a 200 answer, else why there is none. Aborting gives "timeout". */
  postInfo(body: InfoRequest, signal: AbortSignal): Promise<Result<unknown, ExchangeFailure>>;
  openSocket(handlers: SocketHandlers): WireSocket;
  close(): Promise<void>;
}

export type InfoRequest = { readonly type: string } & Readonly<Record<string, unknown>>;
