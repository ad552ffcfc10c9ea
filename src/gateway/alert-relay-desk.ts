import type { AlertSocketClient, AlertConnect } from "../http/alerts-socket.ts";
import type { SocketConnection } from "../http/client-socket.ts";
import { type AnswerText, copiedText } from "../http/endpoint.ts";
import type { AlertSocketCommand, AlertSocketEvent } from "./gateway-messages.ts";

export interface AlertRelayDeskOptions {
  readonly connect: AlertConnect;
  readonly post: (command: AlertSocketCommand) => void;
  readonly onInternalError: (cause: unknown) => void;
}

/** The end of one thread's alerts sockets that is on the thread of the desk. */
export class AlertRelayDesk {
  readonly #options: AlertRelayDeskOptions;
  readonly #connections = new Map<number, SocketConnection>();

  constructor(options: AlertRelayDeskOptions) {
    this.#options = options;
  }

  accept(event: AlertSocketEvent): void {
    const { socket } = event;
    if (event.type === "alert.opened") {
      this.#connections.set(socket, this.#options.connect(this.#clientOf(socket)));
    } else if (event.type === "alert.received") this.#received(socket, event.text);
    else {
      this.#connections.get(socket)?.closed();
      this.#connections.delete(socket);
    }
  }

  /** The thread has ended, and its sockets with it. */
  closeAll(): void {
    for (const connection of this.#connections.values()) connection.closed();
    this.#connections.clear();
  }

  #received(socket: number, text: string | null): void {
    try {
      const answer = this.#connections.get(socket)?.reply(text, performance.now()) ?? null;
      if (answer !== null) this.#send(socket, [answer]);
    } catch (cause) {
      this.#options.onInternalError(cause);
      this.#options.post({ type: "alert.fail", socket });
    }
  }

  #clientOf(socket: number): AlertSocketClient {
    return {
      send: (texts) => this.#send(socket, texts),
      fail: () => this.#options.post({ type: "alert.fail", socket }),
    };
  }

  #send(socket: number, texts: readonly AnswerText[]): void {
    this.#options.post({ type: "alert.send", socket, texts: texts.map(copiedText) });
  }
}
