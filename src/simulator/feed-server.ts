import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Clock } from "../domain/clock.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import { FeedSocket } from "./feed-socket.ts";
import type { InfoWorld } from "./info-answers.ts";
import { clientAddress } from "./http-request.ts";
import type { Scenarios } from "./scenarios.ts";

const FRAME_BYTES_MAX = 65_536;

/** GET /ws: upgrades within the connection limits, pushes due frames, closes sockets it has been silent to. */
export class FeedServer {
  readonly #world: InfoWorld;
  readonly #limits: ConnectionLimits;
  readonly #scenarios: Scenarios;
  readonly #wall: Clock;
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
  });
  readonly #sockets = new Set<FeedSocket>();

  constructor(world: InfoWorld, limits: ConnectionLimits, scenarios: Scenarios, wall: Clock) {
    this.#world = world;
    this.#limits = limits;
    this.#scenarios = scenarios;
    this.#wall = wall;
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    stream.on("error", () => stream.destroy());
    const wallMs = this.#wall.nowMs();
    const { limits } = this.#limits;
    const usage = this.#limits.clientOf(clientAddress(request), wallMs);
    const isAway = this.#scenarios.inForce("feed_disconnect", this.#world.market.nowMs) !== undefined;
    const isOverLimit =
      usage.connectionCount >= limits.connections || usage.opened.used(wallMs) >= limits.connectionsPerMinute;
    if (isAway || isOverLimit) {
      stream.end(
        `HTTP/1.1 ${isAway ? "503 Service Unavailable" : "429 Too Many Requests"}\r\ncontent-length: 0\r\n\r\n`,
      );
      return;
    }
    usage.opened.add(wallMs, 1);
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      usage.connectionCount++;
      const feed = new FeedSocket(socket, this.#world, usage, limits, this.#wall);
      this.#sockets.add(feed);
      socket.on("close", () => {
        this.#sockets.delete(feed);
        feed.release();
      });
    });
  }

  /** Sends what is due on every socket; called after the market has moved. */
  pump(): void {
    const nowMs = this.#world.market.nowMs;
    const isSilent = this.#scenarios.inForce("feed_silence", nowMs) !== undefined;
    for (const socket of this.#sockets) {
      if (!isSilent) socket.pushDue();
      socket.closeIfSilent();
    }
  }

  /** Drops every socket without a close frame, as a lost connection looks. */
  dropAll(): void {
    for (const socket of this.#sockets) socket.drop();
  }

  stop(): void {
    this.dropAll();
    this.#server.close();
  }
}
