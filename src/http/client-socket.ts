import type { WebSocket } from "uWebSockets.js";
import type { AnswerTurn, ReadRequest } from "./answer-turn.ts";
import type { AnswerText } from "./endpoint.ts";

/** What the connection behind a socket may do with it. */
export interface SocketClient {
  /** In one write; a client that does not read fast enough is closed and never sent half a message. */
  send(texts: readonly AnswerText[]): void;
  /** Sends a text when it can be made; it is asked for right before. */
  sendLater(answer: Promise<() => AnswerText>): void;
  /** Closes with 1011: the service, not the client, is at fault. */
  fail(): void;
  /** Closes with 1008: the client may not go on. */
  refuse(reason: string): void;
}

/** What a socket's messages mean. */
export interface SocketConnection {
  /**
   * A message came, at an instant of performance.now(), null one that is not UTF-8: what to answer; null for nothing.
   * Bytes are read out before the next is asked for.
   */
  reply(text: string | null, receivedAtMs: number): AnswerText | null;
  /** With every ping, and when told to by checkAll: a chance to end what may not go on. */
  check?(): void;
  closed(): void;
}

export interface SocketLimits {
  readonly socketsMax: number;
  /** A longer message resets the connection unread: long enough that what a person sends by mistake is told why. */
  readonly messageBytesMax: number;
  /** Messages of one client between two pings; more close its socket with 1008. */
  readonly messagesPerPingMax: number;
  /** Unread bytes of one client, beyond what the kernel holds; more close its socket with 1013. */
  readonly backlogBytesMax: number;
  /**
   * The same over all clients: whoever makes it more is closed. As much again may be left of sockets that were ended; while
   * it is more, others that leave something are reset.
   */
  readonly backlogTotalBytesMax: number;
  /** Source: interface specification, Connection flow: 15 seconds. */
  readonly pingPeriodMs: number;
}

/** Pings of one client between two of the service's: what it sends to be kept connected is one or two. */
const CLIENT_PINGS_MAX = 100;

/** Bytes of a character: so many times as long as a text may be is what every allowed one fits into. */
export const UTF8_BYTES_MAX = 4;

/** The library keeps what an ended socket has to send for 16 to 20 s, until its client has read it. */
const ENDED_KEPT_MS = 20_000;

/** What all clients of a path leave unread: those that are open, and those that were ended lately. */
export interface Backlog {
  totalBytes: number;
  endedBytes: number;
}

export const CLOSE_CODE = { goingAway: 1001, refused: 1008, failed: 1011, tooSlow: 1013 } as const;

/** Why a client was sent away: it left too much unread, or sent too much, or there was no room for one more. */
export type CutReason = "slow" | "flooding" | "no_room";

/** What uWebSockets.js keeps with a socket. */
export interface SocketData {
  socket: ClientSocket | null;
}

interface SocketEvents {
  readonly onInternalError: (cause: unknown) => void;
  readonly onClosed: () => void;
  readonly onCut: (reason: CutReason) => void;
  /** An answer is waited for that is sent when this resolves. */
  readonly onWaiting: (sent: Promise<void>) => void;
}

/** One client. Every call of a closed socket does nothing: uWebSockets.js throws on the use of one. */
export class ClientSocket implements SocketClient {
  readonly #turn: AnswerTurn;
  readonly #limits: SocketLimits;
  readonly #backlog: Backlog;
  readonly #events: SocketEvents;
  readonly #pinging: NodeJS.Timeout;
  #ws: WebSocket<SocketData> | null;
  #connection: SocketConnection | undefined;
  #unreadBytes = 0;
  #messagesSincePing = 0;
  #pingsSincePing = 0;

  constructor(
    ws: WebSocket<SocketData>,
    turn: AnswerTurn,
    limits: SocketLimits,
    backlog: Backlog,
    events: SocketEvents,
  ) {
    this.#ws = ws;
    this.#turn = turn;
    this.#limits = limits;
    this.#backlog = backlog;
    this.#events = events;
    this.#pinging = setInterval(() => this.#ping(), limits.pingPeriodMs);
  }

  connect(connection: (client: SocketClient) => SocketConnection): void {
    this.#connection = connection(this);
  }

  send(texts: readonly AnswerText[]): void {
    this.#turn.sendMade();
    const ws = this.#ws;
    if (ws === null) return;
    ws.cork(() => {
      for (const text of texts) ws.send(text);
    });
    this.#bound();
  }

  /** Ends a client that leaves too much unread. */
  #bound(): void {
    this.#measure();
    const { backlogBytesMax, backlogTotalBytesMax } = this.#limits;
    const isOver = this.#unreadBytes > backlogBytesMax || this.#backlog.totalBytes > backlogTotalBytesMax;
    if (isOver) {
      this.#events.onCut("slow");
      this.end(CLOSE_CODE.tooSlow, "reads too slowly");
    }
  }

  sendLater(answer: Promise<() => AnswerText>): void {
    const sent = answer.then((text) => this.send([text()])).catch((cause: unknown) => this.#failed(cause));
    this.#events.onWaiting(sent);
  }

  fail(): void {
    this.end(CLOSE_CODE.failed, "internal error");
  }

  refuse(reason: string): void {
    this.end(CLOSE_CODE.refused, reason);
  }

  end(code: number, reason: string): void {
    this.#turn.sendMade();
    this.#measure();
    if (this.#unreadBytes > 0) {
      if (this.#backlog.endedBytes > this.#limits.backlogTotalBytesMax) {
        this.#ws?.close();
        return;
      }
      keepEnded(this.#backlog, this.#unreadBytes);
    }
    this.#ws?.end(code, reason);
  }

  received(text: string | null): void {
    this.#turn.add(new SocketMessage(this, text));
  }

  /** What the connection replies; what it throws ends the socket, and a socket that is closed asks no more. */
  replyTo(text: string | null, receivedAtMs: number): AnswerText | null {
    if (this.#ws === null) return null;
    this.#messagesSincePing++;
    if (this.#messagesSincePing > this.#limits.messagesPerPingMax) {
      this.#flooded("too many messages");
      return null;
    }
    try {
      return this.#connection?.reply(text, receivedAtMs) ?? null;
    } catch (cause) {
      this.#failed(cause);
      return null;
    }
  }

  /** A ping came and was answered. */
  pinged(): void {
    this.#pingsSincePing++;
    if (this.#pingsSincePing > CLIENT_PINGS_MAX) this.#flooded("too many pings");
    else this.#bound();
  }

  drained(): void {
    this.#measure();
  }

  closed(): void {
    this.#ws = null;
    this.#measure();
    clearInterval(this.#pinging);
    this.#events.onClosed();
    this.#connection?.closed();
  }

  check(): void {
    this.#connection?.check?.();
  }

  #ping(): void {
    this.#messagesSincePing = 0;
    this.#pingsSincePing = 0;
    this.check();
    this.#ws?.ping();
  }

  #flooded(reason: string): void {
    this.#events.onCut("flooding");
    this.end(CLOSE_CODE.refused, reason);
  }

  #failed(cause: unknown): void {
    this.#events.onInternalError(cause);
    this.fail();
  }

  #measure(): void {
    const unreadBytes = this.#ws?.getBufferedAmount() ?? 0;
    this.#backlog.totalBytes += unreadBytes - this.#unreadBytes;
    this.#unreadBytes = unreadBytes;
  }
}

function keepEnded(backlog: Backlog, bytes: number): void {
  backlog.endedBytes += bytes;
  setTimeout(() => (backlog.endedBytes -= bytes), ENDED_KEPT_MS).unref();
}

/** What a message takes beside its text. */
const MESSAGE_BYTES = 256;

class SocketMessage implements ReadRequest {
  readonly sink: ClientSocket;
  readonly keptBytes: number;
  readonly #text: string | null;
  readonly #receivedAtMs = performance.now();

  constructor(socket: ClientSocket, text: string | null) {
    this.sink = socket;
    this.keptBytes = MESSAGE_BYTES + (text?.length ?? 0);
    this.#text = text;
  }

  answer(): AnswerText | null {
    return this.sink.replyTo(this.#text, this.#receivedAtMs);
  }
}
