import type { SocketClient, SocketConnection } from "../http/client-socket.ts";
import type { SocketConnect } from "../http/client-sockets.ts";
import { type AnswerText, copiedText } from "../http/endpoint.ts";
import type { AlertSocketCommand, AlertSocketEvent } from "./gateway-messages.ts";

export interface AlertRelayDeskOptions {
  readonly connect: SocketConnect;
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
      this.#failed(socket, cause);
    }
  }

  #clientOf(socket: number): SocketClient {
    return {
      send: (texts) => this.#send(socket, texts),
      sendLater: (answer) => {
        answer
          .then((text) => this.#send(socket, [text()]))
          .catch((cause: unknown) => this.#failed(socket, cause));
      },
      fail: () => this.#options.post({ type: "alert.fail", socket }),
      refuse: (reason) => this.#options.post({ type: "alert.refuse", socket, reason }),
    };
  }

  #send(socket: number, texts: readonly AnswerText[]): void {
    this.#options.post({ type: "alert.send", socket, texts: texts.map(copiedText) });
  }

  #failed(socket: number, cause: unknown): void {
    this.#options.onInternalError(cause);
    this.#options.post({ type: "alert.fail", socket });
  }
}
