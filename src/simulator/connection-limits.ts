import { MINUTE_MS } from "../domain/bar.ts";

/** Limits of the public API for one client address, in wall time. Source: exchange docs, "Rate limits", 2026-09. */
export interface ExchangeLimits {
  readonly weightPerMinute: number;
  readonly connections: number;
  readonly connectionsPerMinute: number;
  readonly subscriptions: number;
  readonly users: number;
  readonly messagesPerMinute: number;
  readonly pendingPosts: number;
  /** A socket to which the server has sent nothing for this long is closed. */
  readonly silenceMs: number;
  /** A socket whose client has this much still to read is told nothing new meanwhile. Chosen: the exchange names none. */
  readonly unreadBytes: number;
}

const EXCHANGE_LIMITS: ExchangeLimits = {
  weightPerMinute: 1200,
  connections: 10,
  connectionsPerMinute: 30,
  subscriptions: 1000,
  users: 10,
  messagesPerMinute: 2000,
  pendingPosts: 100,
  silenceMs: 60_000,
  unreadBytes: 4_000_000,
};

/** Counts over the last minute in one-second bins. */
class MinuteMeter {
  readonly #bins = new Float64Array(60);
  #lastSecond = Number.NEGATIVE_INFINITY;
  #total = 0;

  used(nowMs: number): number {
    const second = Math.floor(nowMs / 1000);
    if (second - this.#lastSecond >= 60) {
      this.#bins.fill(0);
      this.#total = 0;
    } else {
      for (let stale = this.#lastSecond + 1; stale <= second; stale++) {
        this.#total -= this.#bins[stale % 60]!;
        this.#bins[stale % 60] = 0;
      }
    }
    this.#lastSecond = Math.max(this.#lastSecond, second);
    return this.#total;
  }

  add(nowMs: number, amount: number): void {
    this.used(nowMs);
    this.#bins[this.#lastSecond % 60]! += amount;
    this.#total += amount;
  }
}

/** What one client address has in use. */
export class ClientUsage {
  readonly weight = new MinuteMeter();
  readonly messages = new MinuteMeter();
  readonly opened = new MinuteMeter();
  readonly #userCounts = new Map<string, number>();
  connectionCount = 0;
  subscriptionCount = 0;
  pendingPostCount = 0;

  get userCount(): number {
    return this.#userCounts.size;
  }

  tracks(user: string): boolean {
    return this.#userCounts.has(user);
  }

  trackUser(user: string): void {
    this.#userCounts.set(user, (this.#userCounts.get(user) ?? 0) + 1);
  }

  releaseUser(user: string): void {
    const left = (this.#userCounts.get(user) ?? 0) - 1;
    if (left > 0) this.#userCounts.set(user, left);
    else this.#userCounts.delete(user);
  }

  get isIdle(): boolean {
    return this.connectionCount === 0 && this.subscriptionCount === 0 && this.#userCounts.size === 0;
  }
}

/** Usage by client address; addresses that have been idle for a minute are forgotten. */
export class ConnectionLimits {
  readonly limits: ExchangeLimits;
  readonly #clients = new Map<string, ClientUsage>();
  #sweptMs = 0;

  constructor(limits: Partial<ExchangeLimits>) {
    this.limits = { ...EXCHANGE_LIMITS, ...limits };
  }

  clientOf(address: string, nowMs: number): ClientUsage {
    this.#sweep(nowMs);
    let usage = this.#clients.get(address);
    if (usage === undefined) this.#clients.set(address, (usage = new ClientUsage()));
    return usage;
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs < MINUTE_MS) return;
    this.#sweptMs = nowMs;
    for (const [address, usage] of this.#clients) {
      const isQuiet = usage.weight.used(nowMs) + usage.messages.used(nowMs) + usage.opened.used(nowMs) === 0;
      if (usage.isIdle && isQuiet) this.#clients.delete(address);
    }
  }
}
