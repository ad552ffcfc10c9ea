import type { ExchangeFailure } from "../../../src/domain/errors.ts";
import type { Result } from "../../../src/domain/result.ts";
import { err, ok } from "../../../src/domain/result.ts";
import type {
  HyperliquidTransport,
  InfoRequest,
  SocketHandlers,
  WireSocket,
} from "../../../src/exchange/hyperliquid/transport.ts";

/** One socket of a scripted exchange: the test is the server. */
export class ScriptedSocket {
  readonly sent: Record<string, unknown>[] = [];
  isOpen = false;
  readonly #handlers: SocketHandlers;

  constructor(handlers: SocketHandlers) {
    this.#handlers = handlers;
  }

  open(): void {
    this.isOpen = true;
    this.#handlers.onOpen();
  }

  receive(frame: unknown): void {
    this.#handlers.onText(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  drop(detail = "closed 1006"): void {
    this.isOpen = false;
    this.#handlers.onClose(detail);
  }

  /** What was asked to subscribe and has not been acknowledged by the test. */
  get subscriptions(): readonly Record<string, unknown>[] {
    return this.sent
      .filter((frame) => frame["method"] === "subscribe")
      .map((frame) => frame["subscription"] as Record<string, unknown>);
  }

  /** Acknowledges as the exchange does, defaults filled in. */
  acknowledgeAll(): void {
    for (const subscription of this.subscriptions) this.acknowledge(subscription);
  }

  acknowledge(subscription: Record<string, unknown>): void {
    const defaults = subscription["type"] === "l2Book" ? { nSigFigs: null, mantissa: null, fast: false } : {};
    this.receive({
      channel: "subscriptionResponse",
      data: { method: "subscribe", subscription: { ...defaults, ...subscription } },
    });
  }
}

export class ScriptedTransport implements HyperliquidTransport {
  /** Whether a socket that is cut says so at once; the network may take its time, and bring what was under way. */
  endsAtOnce = true;
  readonly sockets: ScriptedSocket[] = [];
  readonly requests: InfoRequest[] = [];
  answers: (body: InfoRequest) => Result<unknown, ExchangeFailure> | "hang" = () =>
    err({ code: "refused", detail: "not scripted" });

  postInfo(body: InfoRequest, signal: AbortSignal): Promise<Result<unknown, ExchangeFailure>> {
    this.requests.push(body);
    const answer = this.answers(body);
    if (answer !== "hang") return Promise.resolve(answer);
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        resolve(err({ code: "timeout", detail: body.type }));
      });
    });
  }

  openSocket(handlers: SocketHandlers): WireSocket {
    const socket = new ScriptedSocket(handlers);
    this.sockets.push(socket);
    return {
      send: (text) => {
        socket.sent.push(JSON.parse(text) as Record<string, unknown>);
      },
      terminate: () => {
        if (this.endsAtOnce) socket.drop("terminated");
      },
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export const answered = (value: unknown): Result<unknown, ExchangeFailure> => ok(value);
