import type { AlertSocketClient } from "../http/alerts-socket.ts";
import type { SocketConnection } from "../http/client-socket.ts";
import type { AlertSocketCommand, AlertSocketEvent } from "./gateway-messages.ts";

/** The end of the alerts sockets that is on their own thread. */
export class AlertRelay {
  readonly #post: (event: AlertSocketEvent) => void;
  readonly #clients = new Map<number, AlertSocketClient>();
  #lastSocket = 0;

  constructor(post: (event: AlertSocketEvent) => void) {
    this.#post = post;
  }

  connect(client: AlertSocketClient): SocketConnection {
    this.#lastSocket += 1;
    const socket = this.#lastSocket;
    this.#clients.set(socket, client);
    this.#post({ type: "alert.opened", socket });
    return {
      reply: (text) => {
        this.#post({ type: "alert.received", socket, text });
        return null;
      },
      closed: () => {
        this.#clients.delete(socket);
        this.#post({ type: "alert.closed", socket });
      },
    };
  }

  accept(command: AlertSocketCommand): void {
    const client = this.#clients.get(command.socket);
    if (command.type === "alert.send") client?.send(command.texts);
    else client?.fail();
  }
}
