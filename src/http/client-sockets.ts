import { isUtf8 } from "node:buffer";
import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t, WebSocket } from "uWebSockets.js";
import type { RequestError } from "../domain/errors.ts";
import type { Result } from "../domain/result.ts";
import type { AnswerTurn } from "./answer-turn.ts";
import {
  type Backlog,
  ClientSocket,
  CLOSE_CODE,
  type CutReason,
  type SocketClient,
  type SocketConnection,
  type SocketData,
  type SocketLimits,
} from "./client-socket.ts";
import { HttpRefusal } from "./http-refusal.ts";
import type { ApiKey } from "./key-ring.ts";
import type { SlidingWindow } from "./rate-limit.ts";
import { readHead } from "./request-head.ts";
import { type AnsweringServer, ResponseWriter, windowState, writeRateLimit } from "./response-writer.ts";

export type SocketConnect = (client: SocketClient) => SocketConnection;

export interface SocketRefusal {
  readonly error: RequestError;
  /** Of the key that asked, where there is one. */
  readonly window?: SlidingWindow;
}

/** What is behind a socket that may connect. */
export interface SocketAdmission {
  readonly connect: SocketConnect;
  /** The key that asked, where there is one. */
  readonly key?: Pick<ApiKey, "id" | "window">;
}

interface UpgradeData extends SocketData {
  readonly connect: SocketConnect;
  readonly keyId: string | undefined;
}

export interface ClientSocketsOptions {
  readonly path: string;
  /** Who may connect, by the head of the upgrade: what is behind the socket then, or why not. */
  readonly admit: (request: HttpRequest) => Result<SocketAdmission, SocketRefusal>;
  readonly limits: SocketLimits;
  /** A client was cut off or not let in, to be logged. */
  readonly onCut: (reason: CutReason) => void;
  readonly onInternalError: (cause: unknown) => void;
}

/** Sockets now and what they leave unread. */
export interface SocketCounts {
  readonly open: number;
  readonly unreadBytes: number;
}

/** Of a path's sockets: one client that leaks them leaves room for others. */
const KEY_SHARE_MAX = 0.5;

/** Four pings without an answer, and the client is gone. */
const IDLE_SECONDS = 60;

/**
 * The sockets of one path: upgrades whom it may, pings on a timer of its own, bounds every client and all of them
 * together. What the messages mean is the connection's business.
 *
 * Holds:   at most socketsMax sockets, of one key at most half of them; at most backlogTotalBytesMax unread bytes but for
 *          the last write, and as many but for the last socket's of those that were ended; nothing is kept of one that closed
 */
export class ClientSockets {
  readonly #options: ClientSocketsOptions;
  /** With the id of the key that each was opened with. */
  readonly #open = new Map<ClientSocket, string | undefined>();
  readonly #backlog: Backlog = { totalBytes: 0, endedBytes: 0 };
  readonly #waiting = new Set<Promise<void>>();
  #isClosing = false;

  constructor(options: ClientSocketsOptions) {
    this.#options = options;
  }

  get path(): string {
    return this.#options.path;
  }

  get counts(): SocketCounts {
    return { open: this.#open.size, unreadBytes: this.#backlog.totalBytes };
  }

  attach(app: TemplatedApp, turn: AnswerTurn): void {
    app.ws<UpgradeData>(this.path, {
      // Own pings: the automatic period depends on the idle timeout and cannot be 15 s.
      sendPingsAutomatically: false,
      idleTimeout: IDLE_SECONDS,
      maxPayloadLength: this.#options.limits.messageBytesMax,
      // 0 is no limit: the backlog is watched here, and a close frame must not be dropped for it.
      maxBackpressure: 0,
      upgrade: (response, request, context) => this.#upgrade(response, request, context, turn),
      open: (ws) => this.#opened(ws, turn),
      message: (ws, message, isBinary) => ws.getUserData().socket?.received(textOf(message, isBinary)),
      // Answered by the library already, and its answers wait for the client to read like any other.
      ping: (ws) => ws.getUserData().socket?.pinged(),
      drain: (ws) => ws.getUserData().socket?.drained(),
      close: (ws) => ws.getUserData().socket?.closed(),
    });
  }

  /** Has every connection look whether it may go on. */
  checkAll(): void {
    for (const socket of [...this.#open.keys()]) socket.check();
  }

  /** Resolves when no answer is waited for of those that are now. */
  async settled(): Promise<void> {
    await Promise.all(this.#waiting);
  }

  /** Says goodbye to every client; true when there was one. */
  closeAll(): boolean {
    this.#isClosing = true;
    const sockets = [...this.#open.keys()];
    for (const socket of sockets) socket.end(CLOSE_CODE.goingAway, "the service is stopping");
    return sockets.length > 0;
  }

  #upgrade(
    response: HttpResponse,
    request: HttpRequest,
    context: us_socket_context_t,
    turn: AnswerTurn,
  ): void {
    const admitted = this.#options.admit(request);
    if (!admitted.ok) {
      refuse(response, request, admitted.error, turn);
      return;
    }
    const { connect, key } = admitted.value;
    const detail = this.#noRoomFor(key);
    if (detail !== null) {
      if (!this.#isClosing) this.#options.onCut("no_room");
      const refusal: SocketRefusal = { error: { code: "unavailable", detail } };
      refuse(response, request, key === undefined ? refusal : { ...refusal, window: key.window }, turn);
      return;
    }
    if (key !== undefined) {
      // Before a header the library would write the status of an answer.
      response.writeStatus("101 Switching Protocols");
      writeRateLimit(response, windowState(key.window, performance.now()));
    }
    response.upgrade<UpgradeData>(
      { connect, keyId: key?.id, socket: null },
      request.getHeader("sec-websocket-key"),
      request.getHeader("sec-websocket-protocol"),
      request.getHeader("sec-websocket-extensions"),
      context,
    );
  }

  #noRoomFor(key: SocketAdmission["key"]): string | null {
    if (this.#isClosing) return "the service is stopping";
    const { socketsMax } = this.#options.limits;
    if (this.#open.size >= socketsMax) return "no more sockets";
    const ofKeyMax = Math.ceil(socketsMax * KEY_SHARE_MAX);
    if (key === undefined || this.#openOf(key.id) < ofKeyMax) return null;
    return `this key has ${ofKeyMax} sockets, as many as one key may have`;
  }

  #opened(ws: WebSocket<UpgradeData>, turn: AnswerTurn): void {
    const { limits, onInternalError, onCut } = this.#options;
    const socket = new ClientSocket(ws, turn, limits, this.#backlog, {
      onInternalError,
      onClosed: () => this.#open.delete(socket),
      onCut,
      onWaiting: (sent) => this.#wait(sent),
    });
    ws.getUserData().socket = socket;
    this.#open.set(socket, ws.getUserData().keyId);
    socket.connect(ws.getUserData().connect);
  }

  #openOf(keyId: string): number {
    return [...this.#open.values()].filter((id) => id === keyId).length;
  }

  #wait(sent: Promise<void>): void {
    this.#waiting.add(sent);
    void sent.finally(() => this.#waiting.delete(sent));
  }
}

/** Many clients send their text as bytes. Only of text frames the library sees to it that they are UTF-8. */
function textOf(message: ArrayBuffer, isBinary: boolean): string | null {
  const bytes = Buffer.from(message);
  return isBinary && !isUtf8(bytes) ? null : bytes.toString("utf8");
}

const NO_SERVER: AnsweringServer = { isClosing: false, onDone: () => undefined };

function refuse(
  response: HttpResponse,
  request: HttpRequest,
  { error, window }: SocketRefusal,
  turn: AnswerTurn,
): void {
  const writer = new ResponseWriter(response, false, NO_SERVER);
  writer.closeAfter(readHead(request, false));
  if (window !== undefined) writer.countAgainst(window, performance.now());
  turn.add(new HttpRefusal(writer, error));
}
