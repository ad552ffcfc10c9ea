import type {
  HyperliquidTransport,
  SocketHandlers,
  WireSocket,
} from "../../../src/exchange/hyperliquid/transport.ts";
import type { WireClientFrame } from "../../../src/exchange/hyperliquid/wire-feed.ts";
import type { ManualTimers } from "../../support/manual-timers.ts";
import { book } from "./session-bench.ts";

const HANDSHAKE_MS = 30;
const BOOK_PERIOD_MS = 1_000;
const USUAL_LAG_MS = 40;

/** What can be wrong with the exchange. */
interface Trouble {
  /** Until a frame is read. */
  lagMs: number;
  /** Nothing is read or sent: what comes meanwhile waits. */
  isStuck: boolean;
  /** No connection gets through. */
  isRefusing: boolean;
  /** Coins whose subscriptions are passed over without a word. */
  muted: Set<string>;
  /** Coins that end the socket. */
  unknown: Set<string>;
}

const noTrouble = (): Trouble => ({
  lagMs: USUAL_LAG_MS,
  isStuck: false,
  isRefusing: false,
  muted: new Set(),
  unknown: new Set(),
});

/** The feed of an exchange with its own account of who is subscribed to what: reads in order, answers and sends books. */
export class LaggingExchange implements HyperliquidTransport {
  readonly #timers: ManualTimers;
  readonly #sockets = new Set<ServedSocket>();
  trouble = noTrouble();

  constructor(timers: ManualTimers) {
    this.#timers = timers;
    this.#sendBooks();
  }

  /** Of each open socket, the coins that it is subscribed to. */
  get subscribed(): readonly (readonly string[])[] {
    return [...this.#sockets].map(({ coins }) => [...coins].sort());
  }

  mend(): void {
    this.trouble = noTrouble();
  }

  drop(): void {
    for (const socket of this.#sockets) socket.end("closed 1006");
  }

  openSocket(handlers: SocketHandlers): WireSocket {
    const socket = new ServedSocket(handlers, () => this.#sockets.delete(socket));
    let readAtMs = 0;
    const later = (delayMs: number, act: () => void): void => {
      // What is sent when the lag is over does not overtake what was sent before.
      const nowMs = this.#timers.nowMs();
      readAtMs = Math.max(readAtMs, nowMs + delayMs);
      this.#timers.after(readAtMs - nowMs, () => {
        socket.waiting.push(act);
        this.#read(socket);
      });
    };
    const { isRefusing } = this.trouble;
    later(HANDSHAKE_MS, () => {
      if (isRefusing) {
        socket.end("refused");
        return;
      }
      this.#sockets.add(socket);
      handlers.onOpen();
    });
    return {
      send: (text) =>
        later(this.trouble.lagMs, () => this.#answer(socket, JSON.parse(text) as WireClientFrame)),
      terminate: () => void this.#timers.after(0, () => socket.end("cut")),
    };
  }

  postInfo(): Promise<never> {
    return Promise.reject(new Error("a session posts nothing"));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #read(socket: ServedSocket): void {
    while (socket.isOpen && !this.trouble.isStuck && socket.waiting.length > 0) socket.waiting.shift()!();
  }

  #answer(socket: ServedSocket, frame: WireClientFrame): void {
    if (frame.method !== "subscribe" && frame.method !== "unsubscribe") {
      socket.send({ channel: "pong" });
      return;
    }
    const { coin } = frame.subscription as { readonly coin: string };
    if (frame.method === "subscribe") {
      if (this.trouble.unknown.has(coin)) {
        socket.end("closed 1006");
        return;
      }
      if (this.trouble.muted.has(coin)) return;
      if (socket.coins.has(coin)) {
        socket.send({ channel: "error", data: `Already subscribed: ${JSON.stringify(frame.subscription)}` });
        return;
      }
      socket.coins.add(coin);
    } else socket.coins.delete(coin);
    socket.send({ channel: "subscriptionResponse", data: frame });
  }

  #sendBooks(): void {
    for (const socket of this.#sockets) {
      this.#read(socket);
      if (this.trouble.isStuck) continue;
      for (const coin of socket.coins) socket.send(book(coin));
    }
    this.#timers.after(BOOK_PERIOD_MS, () => this.#sendBooks());
  }
}

class ServedSocket {
  readonly coins = new Set<string>();
  readonly waiting: (() => void)[] = [];
  readonly #handlers: SocketHandlers;
  readonly #onEnd: () => void;
  isOpen = true;

  constructor(handlers: SocketHandlers, onEnd: () => void) {
    this.#handlers = handlers;
    this.#onEnd = onEnd;
  }

  send(frame: unknown): void {
    this.#handlers.onText(JSON.stringify(frame));
  }

  end(detail: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#onEnd();
    this.#handlers.onClose(detail);
  }
}
