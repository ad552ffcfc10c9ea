import { STEADY_CLOCK } from "../../domain/clock.ts";
import type { ExchangeFailure } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json-value.ts";
import type { Result } from "../../domain/result.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { OpenWaits } from "../hyperliquid/open-waits.ts";
import { subscriptionKey } from "../hyperliquid/subscriptions.ts";
import type { Timers } from "../hyperliquid/timers.ts";
import { SYSTEM_TIMERS, TIMER_MS_MAX } from "../hyperliquid/timers.ts";
import type {
  HyperliquidTransport,
  InfoRequest,
  SocketHandlers,
  WireSocket,
} from "../hyperliquid/transport.ts";
import type { ReplaySource } from "./replay-source.ts";
import { frameSubscriptionKey } from "./replay-source.ts";

export interface ReplayOptions {
  /** 1 is the recorded pace. */
  readonly speed?: number;
  readonly timers?: Timers;
}

/** Playing begins when no subscription has come for this long, so that nobody misses the beginning. */
export const START_AFTER_MS = 250;
/** How often the last frames are repeated once a recording has ended, so that its last state stays usable. */
const REPEAT_EVERY_MS = 1_000;

/** A recording goes on at its pace whatever the machine's clock is set to. */
const STEADY_TIMERS: Timers = { ...SYSTEM_TIMERS, nowMs: () => STEADY_CLOCK.nowMs() };

/** Plays recorded frames and answers through the port of the network. Its exchange's clock is the recording's. */
export class ReplayTransport implements HyperliquidTransport {
  readonly #source: ReplaySource;
  readonly #timers: Timers;
  readonly #waits: OpenWaits;
  readonly #speed: number;
  readonly #sockets = new Map<SocketHandlers, Set<string>>();
  readonly #last = new Map<string, WireRecord>();
  #cancelStart: (() => void) | null = null;
  #isPlaying = false;
  #isClosed = false;
  #anchor: { readonly wallMs: number; readonly replayMs: number };
  /** When the frame is due that comes next, or came last while none is read: time does not pass what was not said yet. */
  #dueMs: number;

  constructor(source: ReplaySource, options: ReplayOptions = {}) {
    this.#source = source;
    this.#timers = options.timers ?? STEADY_TIMERS;
    this.#waits = new OpenWaits(this.#timers);
    this.#speed = options.speed ?? 1;
    this.#anchor = { wallMs: this.#timers.nowMs(), replayMs: source.startMs };
    this.#dueMs = source.startMs;
  }

  /** The recording's clock; it stands still until playing begins, and is late where the machine is too slow for the speed. */
  exchangeTimeMs(): number {
    return this.#isPlaying ? Math.min(this.#pacedMs(), this.#dueMs) : this.#anchor.replayMs;
  }

  #pacedMs(): number {
    return this.#anchor.replayMs + (this.#timers.nowMs() - this.#anchor.wallMs) * this.#speed;
  }

  postInfo(body: InfoRequest): Promise<Result<unknown, ExchangeFailure>> {
    return Promise.resolve(this.#source.answer(body, this.exchangeTimeMs()));
  }

  openSocket(handlers: SocketHandlers): WireSocket {
    const keys = new Set<string>();
    this.#sockets.set(handlers, keys);
    queueMicrotask(() => {
      if (this.#sockets.has(handlers)) handlers.onOpen();
    });
    return {
      send: (text) => {
        if (this.#sockets.has(handlers)) this.#receive(text, handlers, keys);
      },
      terminate: () => {
        if (this.#sockets.delete(handlers)) handlers.onClose("terminated");
      },
    };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#sockets.clear();
    this.#cancelStart?.();
    this.#waits.endAll();
    return Promise.resolve();
  }

  #receive(text: string, handlers: SocketHandlers, keys: Set<string>): void {
    const message = JSON.parse(text) as unknown;
    if (!isRecord(message)) return;
    const reply = (frame: WireRecord): void => {
      queueMicrotask(() => {
        if (this.#sockets.has(handlers)) handlers.onText(JSON.stringify(frame));
      });
    };
    const { method, subscription } = message;
    if (method === "ping") reply({ channel: "pong" });
    if (method !== "subscribe" && method !== "unsubscribe") return;
    const key = subscriptionKey(subscription);
    reply({ channel: "subscriptionResponse", data: { method, subscription } });
    if (method === "unsubscribe") {
      keys.delete(key);
      return;
    }
    keys.add(key);
    const last = this.#last.get(key);
    if (last !== undefined) reply(last);
    // Of accounts no frame is recorded: who asks for them alone, the thread that answers, need not read all the others.
    const isAccount = isRecord(subscription) && subscription["user"] !== undefined;
    if (!this.#isPlaying && !isAccount) {
      this.#cancelStart?.();
      this.#cancelStart = this.#timers.after(START_AFTER_MS, () => this.#start());
    }
  }

  #start(): void {
    this.#isPlaying = true;
    this.#anchor = { wallMs: this.#timers.nowMs(), replayMs: this.#source.startMs };
    void this.#play();
  }

  async #play(): Promise<void> {
    for await (const { atMs, frame } of this.#source.frames()) {
      this.#dueMs = Math.max(this.#dueMs, atMs);
      await this.#until(atMs);
      if (this.#isClosed) return;
      const key = frameSubscriptionKey(frame);
      if (key !== undefined) this.#send(key, frame);
    }
    this.#anchor = { wallMs: this.#timers.nowMs(), replayMs: this.exchangeTimeMs() };
    this.#dueMs = Number.POSITIVE_INFINITY;
    await this.#repeat();
  }

  async #until(replayMs: number): Promise<void> {
    const waitMs = (replayMs - this.#pacedMs()) / this.#speed;
    if (waitMs > 0) await this.#waits.add(Math.min(waitMs, TIMER_MS_MAX));
  }

  async #repeat(): Promise<void> {
    while (!this.#isClosed) {
      for (const [key, frame] of this.#last) this.#send(key, withTime(frame, this.exchangeTimeMs()));
      await this.#waits.add(REPEAT_EVERY_MS);
    }
  }

  #send(key: string, frame: WireRecord): void {
    this.#last.set(key, frame);
    const listeners = [...this.#sockets].filter(([, keys]) => keys.has(key));
    if (listeners.length === 0) return;
    const text = JSON.stringify(frame);
    for (const [handlers] of listeners) handlers.onText(text);
  }
}

/** The frame as it would read at another time; frames without a time stay as they are. */
function withTime(frame: WireRecord, timeMs: number): WireRecord {
  const data = frame["data"];
  if (!isRecord(data) || typeof data["time"] !== "number") return frame;
  return { ...frame, data: { ...data, time: Math.floor(timeMs) } };
}
