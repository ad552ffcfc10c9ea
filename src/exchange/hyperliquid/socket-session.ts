import { jsonValueOf } from "../../domain/json-value.ts";
import { parseErrorText } from "./field-reader.ts";
import { parseFrame } from "./parse-frame.ts";
import { RetryPace } from "./retry-pace.ts";
import type { SessionDeps, SessionEvents, SessionState } from "./session-deps.ts";
import { PING_EVERY_MS, SignsOfLife } from "./signs-of-life.ts";
import { SubscriptionLedger } from "./subscription-ledger.ts";
import { firstNames, type PlannedSubscription, subscriptionKey } from "./subscriptions.ts";
import type { WireSocket } from "./transport.ts";
import type { WireClientFrame } from "./wire-feed.ts";

const WATCH_PERIOD_MS = 1_000;
const BACK_OFF_CEILING_MS = 30_000;

/** One managed connection: connects, subscribes at the exchange's pace, watches for silence, reconnects for ever. */
export class SocketSession {
  readonly #deps: SessionDeps;
  readonly #events: SessionEvents;
  readonly #signs: SignsOfLife;
  readonly #pace = new RetryPace();
  readonly #ledger = new SubscriptionLedger();
  #state: SessionState = "idle";
  #socket: WireSocket | null = null;
  /** Counts connections, so that what belongs to an earlier one is recognised. */
  #generation = 0;
  /** Of this connection. */
  #hasOpened = false;
  /** A loss is told of once until anything comes, also of a socket that never gets through; it is over when all came. */
  #loss: "none" | "told" | "partly_over" = "none";
  #isSending = false;
  #cancelWatch: (() => void) | null = null;
  #cancelPing: (() => void) | null = null;
  #cancelRetry: (() => void) | null = null;

  constructor(deps: SessionDeps, silenceMsMax: number | null, events: SessionEvents) {
    this.#deps = deps;
    this.#events = events;
    this.#signs = new SignsOfLife(silenceMsMax);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Replaces what is subscribed. Where that is nothing there is no connection, and none that is missed. */
  want(planned: readonly PlannedSubscription[]): void {
    this.#ledger.want(planned);
    if (this.#ledger.isEmpty && this.#state !== "closed") this.#rest();
    else if (this.#state === "idle") this.#connect();
    else if (this.#isOpen()) this.#reconcile();
  }

  close(): void {
    this.#end("closed");
  }

  #rest(): void {
    this.#end("idle");
    this.#ledger.forgetSocket();
    if (this.#loss !== "none") this.#events.onRestored();
    this.#loss = "none";
  }

  #end(state: "idle" | "closed"): void {
    this.#state = state;
    this.#generation++;
    this.#deps.probe.leave(this);
    this.#stopTimers();
    this.#socket?.terminate();
    this.#socket = null;
  }

  #isOpen(): boolean {
    return this.#state === "subscribing" || this.#state === "live";
  }

  #connect(): void {
    this.#state = "connecting";
    this.#hasOpened = false;
    const generation = ++this.#generation;
    const isCurrent = (): boolean => this.#generation === generation;
    void this.#deps.connects.take(1).then(() => {
      if (!isCurrent()) return;
      this.#signs.begin(this.#deps.timers.nowMs());
      this.#watch();
      this.#socket = this.#deps.transport.openSocket({
        onOpen: () => {
          if (isCurrent()) this.#opened();
        },
        onText: (text) => {
          if (isCurrent() && this.#isOpen()) this.#received(text);
        },
        onClose: (detail) => {
          if (isCurrent()) this.#dropped(detail);
        },
      });
    });
  }

  #opened(): void {
    this.#state = "subscribing";
    this.#hasOpened = true;
    this.#deps.probe.opened();
    this.#signs.noteProgress(this.#deps.timers.nowMs());
    this.#ping();
    this.#reconcile();
  }

  #received(text: string): void {
    const nowMs = this.#deps.timers.nowMs();
    // After a sleep of the machine what had come before it is read before the watch looks, and is no news.
    if (this.#deadAtMs() <= nowMs) {
      this.#cut(nowMs);
      return;
    }
    this.#signs.noteFrame(nowMs);
    const parsed = parseFrame(text, nowMs);
    if (!parsed.ok) {
      this.#events.onRejected(parseErrorText(parsed.error));
      return;
    }
    const frame = parsed.value;
    switch (frame.type) {
      case "acknowledged":
        this.#acknowledge(frame.subscription);
        return;
      case "complaint":
        this.#complained(frame.text);
        return;
      case "pong":
      case "unsubscribed":
        return;
      case "unknown":
        this.#events.onRejected(`unknown frame: ${frame.channel}`);
        return;
      default:
        this.#signs.noteData(nowMs);
        if (this.#loss === "told") this.#loss = "partly_over";
        this.#events.onFrame(frame);
    }
  }

  /** "Already subscribed: {…}" means that it is, and quotes it. */
  #complained(text: string): void {
    const [, subject] = /^Already subscribed: (.*)$/s.exec(text) ?? [];
    if (subject === undefined) this.#events.onRejected(`the exchange says: ${text}`);
    else this.#acknowledge(jsonValueOf(subject));
  }

  #acknowledge(subscription: unknown): void {
    this.#ledger.acknowledge(subscriptionKey(subscription));
    this.#reconcile();
  }

  #reconcile(): void {
    for (const { wire } of this.#ledger.takeUnwanted())
      this.#send({ method: "unsubscribe", subscription: wire });
    const next = this.#ledger.next(this.#deps.timers.nowMs());
    if (next === "complete") {
      if (this.#state === "subscribing" && this.#ledger.isAcknowledged) this.#restored();
    } else if (next !== "wait" && !this.#isSending) {
      void this.#subscribe(next);
    }
  }

  async #subscribe(subscription: PlannedSubscription): Promise<void> {
    const generation = this.#generation;
    this.#isSending = true;
    await this.#deps.messages.take(1);
    this.#isSending = false;
    if (!this.#isOpen()) return;
    if (this.#generation === generation && this.#ledger.isWanted(subscription.key)) {
      this.#ledger.send(subscription, this.#deps.timers.nowMs());
      this.#send({ method: "subscribe", subscription: subscription.wire });
    }
    this.#reconcile();
  }

  #restored(): void {
    this.#state = "live";
    this.#signs.noteLive(this.#deps.timers.nowMs());
    this.#loss = "none";
    this.#pace.noteLive();
    this.#events.onRestored();
  }

  #dropped(detail: string): void {
    this.#stopTimers();
    this.#generation++;
    this.#socket = null;
    const { timers, uniform, probe, retryMsMax } = this.#deps;
    const { unacknowledged, isQuarantined } = this.#ledger.drop(timers.nowMs());
    const names = firstNames(unacknowledged);
    if (isQuarantined) this.#events.onRejected(`left out, it drops the socket: ${names.join(" ")}`);
    this.#lose([detail, ...names].join(" unacknowledged "));
    this.#state = "backing_off";
    // Whoever ends the waiting cancels the timer and leaves the probe.
    const retry = (): void => this.#connect();
    if (!this.#hasOpened && !probe.take(this, retry)) return;
    const ceilingMs = this.#hasOpened ? BACK_OFF_CEILING_MS : retryMsMax;
    this.#cancelRetry = timers.after(this.#pace.nextMs(this.#signs, ceilingMs, uniform), retry);
  }

  #lose(detail: string): void {
    if (this.#loss !== "told") this.#events.onLost(detail);
    this.#loss = "told";
  }

  /** Gives up what is not answered, and cuts the socket where a limit is reached; looks again a second later at most. */
  #watch(): void {
    const nowMs = this.#deps.timers.nowMs();
    if (this.#isOpen()) this.#giveUp(nowMs);
    if (this.#isSending) this.#signs.noteWaiting(nowMs);
    const leftMs = this.#deadAtMs() - nowMs;
    if (leftMs <= 0) this.#cut(nowMs);
    else this.#cancelWatch = this.#deps.timers.after(Math.min(leftMs, WATCH_PERIOD_MS), () => this.#watch());
  }

  #deadAtMs(): number {
    if (this.#state === "live") return this.#signs.deadAtMs("live");
    return this.#signs.deadAtMs(this.#ledger.isAcknowledged ? "subscribing" : "begun");
  }

  #cut(nowMs: number): void {
    this.#cancelWatch?.();
    this.#state = "silent";
    this.#signs.noteSilence();
    this.#lose(`silent for ${String(nowMs - this.#signs.lastDataAtMs)} ms`);
    this.#socket?.terminate();
  }

  #giveUp(nowMs: number): void {
    const names = firstNames(this.#ledger.giveUp(nowMs));
    if (names.length > 0) this.#events.onRejected(`not answered, left out for a while: ${names.join(" ")}`);
    this.#reconcile();
  }

  #ping(): void {
    this.#send({ method: "ping" });
    this.#cancelPing = this.#deps.timers.after(PING_EVERY_MS, () => this.#ping());
  }

  #send(frame: WireClientFrame): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  #stopTimers(): void {
    for (const cancel of [this.#cancelWatch, this.#cancelPing, this.#cancelRetry]) cancel?.();
  }
}
