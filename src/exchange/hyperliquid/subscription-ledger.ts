import type { PlannedSubscription } from "./subscriptions.ts";
import { diffSubscriptions, subscriptionsByKey } from "./subscriptions.ts";

/** A name that dropped the socket twice may have been caught by an accident; it is tried again after this. */
const QUARANTINE_MS = 10 * 60_000;

/**
 * Which subscriptions of one socket are wanted, sent and acknowledged, and which to send next.
 *
 * An unknown coin drops the whole socket without a word, so whatever was sent but not acknowledged at a drop is a
 * suspect: suspects are sent last and one at a time, and one that drops the socket alone is quarantined.
 */
export class SubscriptionLedger {
  #wanted: ReadonlyMap<string, PlannedSubscription> = new Map();
  readonly #acknowledged = new Map<string, PlannedSubscription>();
  readonly #sent = new Map<string, PlannedSubscription>();
  readonly #suspects = new Set<string>();
  readonly #quarantinedUntilMs = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#wanted.size === 0;
  }

  want(planned: readonly PlannedSubscription[]): void {
    this.#wanted = subscriptionsByKey(planned);
  }

  isWanted(key: string): boolean {
    return this.#wanted.has(key);
  }

  /** Takes what is no longer wanted off the acknowledged ones. */
  takeUnwanted(): readonly PlannedSubscription[] {
    const { toRemove } = diffSubscriptions(this.#acknowledged, this.#wanted);
    for (const { key } of toRemove) this.#acknowledged.delete(key);
    return toRemove;
  }

  /** The next subscription to send; "wait" while a suspect is out or all are sent; "complete" when none is missing. */
  next(nowMs: number): PlannedSubscription | "wait" | "complete" {
    const { toAdd } = diffSubscriptions(this.#acknowledged, this.#wanted);
    const missing = toAdd.filter(({ key }) => (this.#quarantinedUntilMs.get(key) ?? 0) <= nowMs);
    if (missing.length === 0) return "complete";
    const unsent = missing.filter(({ key }) => !this.#sent.has(key));
    const trusted = unsent.find(({ key }) => !this.#suspects.has(key));
    return trusted ?? (this.#sent.size === 0 ? unsent[0] : undefined) ?? "wait";
  }

  send(subscription: PlannedSubscription): void {
    this.#sent.set(subscription.key, subscription);
  }

  acknowledge(key: string): void {
    const subscription = this.#sent.get(key);
    if (subscription === undefined) return;
    this.#sent.delete(key);
    this.#suspects.delete(key);
    this.#acknowledged.set(key, subscription);
  }

  /** Forgets the lost socket; the subscriptions that were out, and whether they are one that is now quarantined. */
  drop(nowMs: number): {
    readonly unacknowledged: readonly PlannedSubscription[];
    readonly isQuarantined: boolean;
  } {
    const unacknowledged = [...this.#sent.values()];
    const [only] = unacknowledged;
    const isQuarantined = unacknowledged.length === 1 && only !== undefined && this.#suspects.has(only.key);
    for (const { key } of unacknowledged) this.#suspects.add(key);
    if (isQuarantined) {
      this.#suspects.delete(only.key);
      this.#quarantinedUntilMs.set(only.key, nowMs + QUARANTINE_MS);
    }
    this.#sent.clear();
    this.#acknowledged.clear();
    return { unacknowledged, isQuarantined };
  }
}
