import type { RawData, WebSocket } from "ws";
import type { Clock } from "../domain/clock.ts";
import { isRecord, jsonValueOf } from "../domain/json-value.ts";
import type { WireServerFrame, WireSubscription } from "../exchange/hyperliquid/wire-feed.ts";
import type { ClientUsage, ExchangeLimits } from "./connection-limits.ts";
import { FeedSubscription } from "./feed-frames.ts";
import { readSubscription, subscribedUser } from "./feed-subscriptions.ts";
import type { InfoWorld } from "./info-answers.ts";
import { answerInfo } from "./info-desk.ts";

const POST_REFUSALS = {
  unreadable: "422 Unprocessable Entity",
  unknown_name: "500 Internal Server Error",
  over_budget: "429 Too Many Requests",
} as const;

/** One client socket: reads its requests, answers as the exchange does, and knows what it is subscribed to. */
export class FeedSocket {
  readonly #socket: WebSocket;
  readonly #world: InfoWorld;
  readonly #usage: ClientUsage;
  readonly #limits: ExchangeLimits;
  readonly #wall: Clock;
  readonly #subscriptions = new Map<string, FeedSubscription>();
  #lastSentMs: number;

  constructor(socket: WebSocket, world: InfoWorld, usage: ClientUsage, limits: ExchangeLimits, wall: Clock) {
    this.#socket = socket;
    this.#world = world;
    this.#usage = usage;
    this.#limits = limits;
    this.#wall = wall;
    this.#lastSentMs = wall.nowMs();
    socket.on("message", (data) => this.#receive(data));
    socket.on("error", () => socket.terminate());
  }

  /** A client that does not keep up is told later, and then how things are by then. */
  pushDue(): void {
    if (this.#socket.bufferedAmount > this.#limits.unreadBytes) return;
    for (const subscription of this.#subscriptions.values()) {
      for (const text of subscription.framesDue(this.#world)) this.#sendText(text);
    }
  }

  closeIfSilent(): void {
    if (this.#wall.nowMs() - this.#lastSentMs >= this.#limits.silenceMs) this.drop();
  }

  drop(): void {
    this.#socket.terminate();
  }

  release(): void {
    this.#usage.connectionCount--;
    for (const { subscription } of this.#subscriptions.values()) this.#forget(subscription);
    this.#subscriptions.clear();
  }

  #sendText(text: string): void {
    this.#lastSentMs = this.#wall.nowMs();
    this.#socket.send(text);
  }

  #send(frame: WireServerFrame): void {
    this.#sendText(JSON.stringify(frame));
  }

  #refuse(reason: string): void {
    this.#send({ channel: "error", data: reason });
  }

  #receive(data: RawData): void {
    const text = (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)).toString();
    const wallMs = this.#wall.nowMs();
    if (this.#usage.messages.used(wallMs) >= this.#limits.messagesPerMinute) {
      this.#refuse(`Cannot send more than ${this.#limits.messagesPerMinute} messages per minute.`);
      return;
    }
    this.#usage.messages.add(wallMs, 1);
    const value = jsonValueOf(text);
    const frame = isRecord(value) ? value : {};
    switch (frame["method"]) {
      case "ping": {
        this.#send({ channel: "pong" });
        return;
      }
      case "subscribe": {
        this.#change("subscribe", frame["subscription"], text);
        return;
      }
      case "unsubscribe": {
        this.#change("unsubscribe", frame["subscription"], text);
        return;
      }
      case "post": {
        this.#post(frame, text);
        return;
      }
      default: {
        this.#refuseUnreadable(text);
        return;
      }
    }
  }

  #refuseUnreadable(text: string): void {
    this.#refuse(`Error parsing JSON into valid websocket request: ${text}`);
  }

  #change(method: "subscribe" | "unsubscribe", body: unknown, text: string): void {
    const reading = readSubscription(body, this.#world.market);
    if (reading.kind === "drop") {
      this.drop();
      return;
    }
    if (reading.kind === "unreadable") {
      this.#refuseUnreadable(text);
      return;
    }
    if (reading.kind === "invalid") {
      this.#refuse(`Invalid subscription ${JSON.stringify(reading.subscription)}`);
      return;
    }
    if (method === "subscribe") this.#subscribe(reading.subscription);
    else this.#unsubscribe(reading.subscription);
  }

  #subscribe(subscription: WireSubscription): void {
    const key = JSON.stringify(subscription);
    const user = subscribedUser(subscription);
    const { subscriptions, users } = this.#limits;
    if (this.#subscriptions.has(key)) {
      this.#refuse(`Already subscribed: ${key}`);
      return;
    }
    if (user !== undefined && !this.#usage.tracks(user) && this.#usage.userCount >= users) {
      this.#refuse(`Cannot track more than ${users} total users.`);
      return;
    }
    if (this.#usage.subscriptionCount >= subscriptions) {
      this.#refuse(`Cannot subscribe to more than ${subscriptions} channels.`);
      return;
    }
    this.#usage.subscriptionCount++;
    if (user !== undefined) this.#usage.trackUser(user);
    const feed = new FeedSubscription(subscription);
    this.#subscriptions.set(key, feed);
    this.#send({ channel: "subscriptionResponse", data: { method: "subscribe", subscription } });
    for (const text of feed.framesDue(this.#world)) this.#sendText(text);
  }

  #unsubscribe(subscription: WireSubscription): void {
    const key = JSON.stringify(subscription);
    if (!this.#subscriptions.delete(key)) {
      this.#refuse(`Already unsubscribed: ${key}`);
      return;
    }
    this.#forget(subscription);
    this.#send({ channel: "subscriptionResponse", data: { method: "unsubscribe", subscription } });
  }

  #forget(subscription: WireSubscription): void {
    this.#usage.subscriptionCount--;
    const user = subscribedUser(subscription);
    if (user !== undefined) this.#usage.releaseUser(user);
  }

  #post(frame: Readonly<Record<string, unknown>>, text: string): void {
    const { id, request } = frame;
    const { type, payload } = isRecord(request) ? request : {};
    if (typeof id !== "number" || type !== "info" || typeof payload !== "object" || payload === null) {
      this.#refuseUnreadable(text);
      return;
    }
    if (this.#usage.pendingPostCount >= this.#limits.pendingPosts) {
      this.#refuse(`too many pending post requests id=${id}`);
      return;
    }
    this.#usage.pendingPostCount++;
    // Answered on the next turn, so that a burst of posts can be too many at once, as it can on the exchange.
    setImmediate(() => {
      this.#usage.pendingPostCount--;
      const answer = answerInfo(payload, this.#world, this.#usage, this.#limits, this.#wall.nowMs());
      const infoType = (payload as { type?: unknown }).type;
      this.#send({
        channel: "post",
        data: {
          id,
          response: answer.ok
            ? { type: "info", payload: { type: String(infoType), data: answer.value } }
            : { type: "error", payload: POST_REFUSALS[answer.error] },
        },
      });
    });
  }
}
