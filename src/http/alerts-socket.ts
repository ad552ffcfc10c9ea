import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t, WebSocket } from "uWebSockets.js";
import { ResponseWriter } from "./response-writer.ts";

export const ALERTS_PATH = "/v1/alerts/ws";

/** What the subscriber behind a socket may do with it. */
export interface AlertClient {
  /** In one write; a client that does not read fast enough is closed and never sent half a message. */
  send(texts: readonly string[]): void;
  /** Closes with 1011: the service, not the client, is at fault. */
  fail(): void;
}

/** The subscriber behind a socket. */
export interface AlertConnection {
  /** A text message came: what to answer. */
  reply(text: string): string;
  closed(): void;
}

export interface AlertSocketLimits {
  readonly socketsMax: number;
  /** A longer message closes the socket. */
  readonly messageBytesMax: number;
  /** Messages of one client between two pings; more close its socket with 1008. */
  readonly messagesPerPingMax: number;
  /** Unread bytes of one client, beyond what the kernel holds; more close its socket with 1013. */
  readonly backlogBytesMax: number;
  /** The same over all clients: whoever makes it more is closed. */
  readonly backlogTotalBytesMax: number;
  /** Source: interface specification, Connection flow: 15 seconds. */
  readonly pingPeriodMs: number;
}

export const ALERT_SOCKET_LIMITS: AlertSocketLimits = {
  socketsMax: 10_000,
  messageBytesMax: 4_096,
  messagesPerPingMax: 100,
  backlogBytesMax: 512 * 1024,
  backlogTotalBytesMax: 64 * 1024 * 1024,
  pingPeriodMs: 15_000,
};

export interface AlertSocketsOptions {
  readonly connect: (client: AlertClient) => AlertConnection;
  readonly limits: AlertSocketLimits;
  /** A client was cut off, to be logged. */
  readonly onCut: (reason: "slow" | "flooding") => void;
  readonly onInternalError: (cause: unknown) => void;
}

/** Sockets now and what they leave unread; the rest since the start. */
export interface AlertSocketCounts {
  readonly open: number;
  readonly unreadBytes: number;
  readonly closedSlow: number;
  readonly closedFlooding: number;
  readonly refused: number;
}

/** Four pings without an answer, and the client is gone. */
const IDLE_SECONDS = 60;
const CODE = { goingAway: 1001, floods: 1008, failed: 1011, tooSlow: 1013 } as const;

interface SocketData {
  socket: AlertSocket | null;
}

/**
 * The WebSocket side of alerts: upgrades without a key, pings on a timer of its own, bounds every client and all of
 * them together. What the messages mean is the connection's business.
 *
 * Holds:   at most socketsMax sockets; at most backlogTotalBytesMax unread bytes but for the last write; nothing is
 *          kept of a socket that closed
 */
export class AlertSockets {
  readonly #options: AlertSocketsOptions;
  readonly #open = new Set<AlertSocket>();
  readonly #backlog = { totalBytes: 0 };
  readonly #cut = { slow: 0, flooding: 0 };
  #refused = 0;
  #isClosing = false;

  constructor(options: AlertSocketsOptions) {
    this.#options = options;
  }

  get counts(): AlertSocketCounts {
    return {
      open: this.#open.size,
      unreadBytes: this.#backlog.totalBytes,
      closedSlow: this.#cut.slow,
      closedFlooding: this.#cut.flooding,
      refused: this.#refused,
    };
  }

  attach(app: TemplatedApp): void {
    app.ws<SocketData>(ALERTS_PATH, {
      // Own pings: the automatic period depends on the idle timeout and cannot be 15 s.
      sendPingsAutomatically: false,
      idleTimeout: IDLE_SECONDS,
      maxPayloadLength: this.#options.limits.messageBytesMax,
      // 0 is no limit: the backlog is watched here, and a close frame must not be dropped for it.
      maxBackpressure: 0,
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (ws) => this.#opened(ws),
      message: (ws, message, isBinary) => {
        const text = isBinary ? "" : Buffer.from(message).toString("utf8");
        ws.getUserData().socket?.received(text);
      },
      drain: (ws) => ws.getUserData().socket?.drained(),
      close: (ws) => ws.getUserData().socket?.closed(),
    });
  }

  /** Says goodbye to every client; true when there was one. */
  closeAll(): boolean {
    this.#isClosing = true;
    const sockets = [...this.#open];
    for (const socket of sockets) socket.end(CODE.goingAway, "the service is stopping");
    return sockets.length > 0;
  }

  #upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    if (this.#isClosing || this.#open.size >= this.#options.limits.socketsMax) {
      this.#refused++;
      const detail = this.#isClosing ? "the service is stopping" : "no more alert sockets";
      new ResponseWriter(response, false, () => undefined).sendError({ code: "unavailable", detail });
      return;
    }
    response.upgrade<SocketData>(
      { socket: null },
      request.getHeader("sec-websocket-key"),
      request.getHeader("sec-websocket-protocol"),
      request.getHeader("sec-websocket-extensions"),
      context,
    );
  }

  #opened(ws: WebSocket<SocketData>): void {
    const socket = new AlertSocket(ws, this.#options, this.#backlog, {
      onClosed: () => this.#open.delete(socket),
      onCut: (reason) => {
        this.#cut[reason]++;
        this.#options.onCut(reason);
      },
    });
    ws.getUserData().socket = socket;
    this.#open.add(socket);
  }
}

interface SocketEvents {
  readonly onClosed: () => void;
  readonly onCut: (reason: "slow" | "flooding") => void;
}

/** One client. Every call of a closed socket does nothing: uWebSockets.js throws on the use of one. */
class AlertSocket implements AlertClient {
  readonly #options: AlertSocketsOptions;
  readonly #backlog: { totalBytes: number };
  readonly #events: SocketEvents;
  readonly #connection: AlertConnection;
  readonly #pinging: NodeJS.Timeout;
  #ws: WebSocket<SocketData> | null;
  #unreadBytes = 0;
  #messagesSincePing = 0;

  constructor(
    ws: WebSocket<SocketData>,
    options: AlertSocketsOptions,
    backlog: { totalBytes: number },
    events: SocketEvents,
  ) {
    this.#ws = ws;
    this.#options = options;
    this.#backlog = backlog;
    this.#events = events;
    this.#connection = options.connect(this);
    this.#pinging = setInterval(() => this.#ping(), options.limits.pingPeriodMs);
  }

  send(texts: readonly string[]): void {
    const ws = this.#ws;
    if (ws === null) return;
    ws.cork(() => {
      for (const text of texts) ws.send(text);
    });
    this.#measure();
    const { backlogBytesMax, backlogTotalBytesMax } = this.#options.limits;
    const isOver = this.#unreadBytes > backlogBytesMax || this.#backlog.totalBytes > backlogTotalBytesMax;
    if (isOver && this.#unreadBytes > 0) {
      this.#events.onCut("slow");
      this.end(CODE.tooSlow, "reads too slowly");
    }
  }

  fail(): void {
    this.end(CODE.failed, "internal error");
  }

  end(code: number, reason: string): void {
    this.#ws?.end(code, reason);
  }

  received(text: string): void {
    this.#messagesSincePing++;
    if (this.#messagesSincePing > this.#options.limits.messagesPerPingMax) {
      this.#events.onCut("flooding");
      this.end(CODE.floods, "too many messages");
      return;
    }
    try {
      this.send([this.#connection.reply(text)]);
    } catch (cause) {
      this.#options.onInternalError(cause);
      this.fail();
    }
  }

  drained(): void {
    this.#measure();
  }

  closed(): void {
    this.#ws = null;
    this.#backlog.totalBytes -= this.#unreadBytes;
    this.#unreadBytes = 0;
    clearInterval(this.#pinging);
    this.#events.onClosed();
    this.#connection.closed();
  }

  #ping(): void {
    this.#messagesSincePing = 0;
    this.#ws?.ping();
  }

  #measure(): void {
    const unreadBytes = this.#ws?.getBufferedAmount() ?? 0;
    this.#backlog.totalBytes += unreadBytes - this.#unreadBytes;
    this.#unreadBytes = unreadBytes;
  }
}
