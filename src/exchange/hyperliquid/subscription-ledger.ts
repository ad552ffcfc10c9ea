import type { PlannedSubscription } from "./subscriptions.ts";

/** A name that dropped the socket twice may have been caught by an accident; it is tried again after this. */
const QUARANTINE_MS = 10 * 60_000;
/** Acknowledgements come within a second; the exchange's limit errors name no subscription, so nothing else tells. */
const ANSWER_MS_MAX = 5_000;
/** One that was not answered is tried again after this: the exchange counts messages by the minute. */
const RETRY_MS = 60_000;

interface SentSubscription {
  readonly subscription: PlannedSubscription;
  readonly sentAtMs: number;
}

interface UnansweredSubscription {
  readonly subscription: PlannedSubscription;
  readonly untilMs: number;
}

/**
 * Which subscriptions of one socket are wanted, sent and acknowledged, and which to send next.
 *
 * An unknown coin drops the whole socket without a word, so whatever was sent but not acknowledged at a drop is a
 * suspect: suspects are sent last and one at a time, and one that drops the socket alone is quarantined. One that is
 * never answered is left out for a while, so that it keeps neither the others nor the socket's state waiting.
 */
export class SubscriptionLedger {
  #wanted: ReadonlyMap<string, PlannedSubscription> = new Map();
  readonly #acknowledged = new Map<string, PlannedSubscription>();
  readonly #sent = new Map<string, SentSubscription>();
  readonly #suspects = new Set<string>();
  readonly #quarantinedUntilMs = new Map<string, number>();
  /** Left out, or were: an answer to them may still come on this socket. */
  readonly #unanswered = new Map<string, UnansweredSubscription>();

  get isEmpty(): boolean {
    return this.#wanted.size === 0;
  }

  get isAcknowledged(): boolean {
    return this.#acknowledged.size > 0;
  }

  want(planned: readonly PlannedSubscription[]): void {
    this.#wanted = new Map(planned.map((subscription) => [subscription.key, subscription]));
    // What is wanted again after that has been listed again.
    for (const key of this.#quarantinedUntilMs.keys()) {
      if (!this.#wanted.has(key)) this.#quarantinedUntilMs.delete(key);
    }
  }

  isWanted(key: string): boolean {
    return this.#wanted.has(key);
  }

  /** Takes what is no longer wanted off the acknowledged ones. */
  takeUnwanted(): readonly PlannedSubscription[] {
    const unwanted = [...this.#acknowledged.values()].filter(({ key }) => !this.#wanted.has(key));
    for (const { key } of unwanted) this.#acknowledged.delete(key);
    return unwanted;
  }

  /**
   * The next subscription to send; "wait" while a suspect is out or all are sent; "complete" when none is missing but
   * those left out.
   */
  next(nowMs: number): PlannedSubscription | "wait" | "complete" {
    const missing = [...this.#wanted.values()].filter(
      ({ key }) =>
        !this.#acknowledged.has(key) &&
        (this.#quarantinedUntilMs.get(key) ?? 0) <= nowMs &&
        (this.#unanswered.get(key)?.untilMs ?? 0) <= nowMs,
    );
    if (missing.length === 0) return "complete";
    const unsent = missing.filter(({ key }) => !this.#sent.has(key));
    const trusted = unsent.find(({ key }) => !this.#suspects.has(key));
    return trusted ?? (this.#sent.size === 0 ? unsent[0] : undefined) ?? "wait";
  }

  send(subscription: PlannedSubscription, sentAtMs: number): void {
    this.#sent.set(subscription.key, { subscription, sentAtMs });
  }

  /** Leaves out, and gives, what was sent too long ago to be answered still. */
  giveUp(nowMs: number): readonly PlannedSubscription[] {
    const overdue = [...this.#sent.values()].filter(({ sentAtMs }) => nowMs - sentAtMs >= ANSWER_MS_MAX);
    for (const { subscription } of overdue) {
      this.#sent.delete(subscription.key);
      this.#unanswered.set(subscription.key, { subscription, untilMs: nowMs + RETRY_MS });
    }
    return overdue.map(({ subscription }) => subscription);
  }

  /** Also of one that was given up, and of one that is wanted no more: it is then to be ended. */
  acknowledge(key: string): void {
    const subscription = (this.#sent.get(key) ?? this.#unanswered.get(key))?.subscription;
    if (subscription === undefined) return;
    this.#sent.delete(key);
    this.#suspects.delete(key);
    this.#acknowledged.set(key, subscription);
  }

  /** Forgets a socket that was lost; the subscriptions that were out, and whether they are one that is now quarantined. */
  drop(nowMs: number): {
    readonly unacknowledged: readonly PlannedSubscription[];
    readonly isQuarantined: boolean;
  } {
    const unacknowledged = [...this.#sent.values()].map(({ subscription }) => subscription);
    const [only] = unacknowledged;
    const isQuarantined = unacknowledged.length === 1 && only !== undefined && this.#suspects.has(only.key);
    for (const { key } of unacknowledged) this.#suspects.add(key);
    // It stays a suspect, so that what still drops the socket when it is tried again does so once.
    if (isQuarantined) this.#quarantinedUntilMs.set(only.key, nowMs + QUARANTINE_MS);
    this.forgetSocket();
    return { unacknowledged, isQuarantined };
  }

  /** Of a socket that we have ended ourselves nothing that was out is suspect. */
  forgetSocket(): void {
    this.#sent.clear();
    this.#unanswered.clear();
    this.#acknowledged.clear();
  }
}
