import type { ExchangeFailure } from "../../domain/errors.ts";
import type { Result } from "../../domain/result.ts";
import type { Timers } from "../hyperliquid/timers.ts";
import type {
  HyperliquidTransport,
  InfoRequest,
  SocketHandlers,
  WireSocket,
} from "../hyperliquid/transport.ts";
import type { RecordLog } from "./record-log.ts";

/** Passes everything through and writes down what arrived and when, before anyone has parsed it. */
export class RecordingTransport implements HyperliquidTransport {
  readonly #inner: HyperliquidTransport;
  readonly #log: RecordLog;
  readonly #timers: Timers;
  #socketCount = 0;

  constructor(inner: HyperliquidTransport, log: RecordLog, timers: Timers) {
    this.#inner = inner;
    this.#log = log;
    this.#timers = timers;
  }

  async postInfo(body: InfoRequest, signal: AbortSignal): Promise<Result<unknown, ExchangeFailure>> {
    const result = await this.#inner.postInfo(body, signal);
    const at = this.#timers.nowMs();
    this.#log.append(
      result.ok ? { at, request: body, reply: result.value } : { at, request: body, failure: result.error },
    );
    return result;
  }

  openSocket(handlers: SocketHandlers): WireSocket {
    const socket = this.#socketCount++;
    return this.#inner.openSocket({
      onOpen: () => {
        this.#log.append({ at: this.#timers.nowMs(), socket, opened: true });
        handlers.onOpen();
      },
      onText: (text) => {
        this.#log.append({ at: this.#timers.nowMs(), socket, text });
        handlers.onText(text);
      },
      onClose: (detail) => {
        this.#log.append({ at: this.#timers.nowMs(), socket, closed: detail });
        handlers.onClose(detail);
      },
    });
  }

  async close(): Promise<void> {
    await this.#inner.close();
    await this.#log.close();
  }
}
