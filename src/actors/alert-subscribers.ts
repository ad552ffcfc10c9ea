import { type ActorRefFrom, createActor } from "xstate";
import type { WalletAddress } from "../domain/ids.ts";
import type { AlertRequest, MonitoredAccount } from "../risk/alerts.ts";
import { alertMachine, type AlertMachineEvent, type DeliverBreaches } from "./alert-machine.ts";

/** A subscriber's end of its actor. */
export interface AlertSubscriber {
  /** Takes the place of what was asked for before. */
  configure(request: AlertRequest): void;
  close(): void;
}

export interface AlertSubscribersOptions {
  /** Runs a task soon, after what is already waiting: a slice of work must not hold up requests. */
  readonly defer: (task: () => void) => void;
  /** Subscribers that may wait to be told; beyond it the oldest monitor call's are dropped. */
  readonly waitingMax: number;
  /** So many were not told of a call, to be logged. */
  readonly onDropped: (subscribers: number) => void;
}

export const ALERT_WAITING_MAX = 50_000;
/** Subscribers told in one go: about a millisecond. */
const SLICE_SUBSCRIBERS = 200;

type AlertActor = ActorRefFrom<typeof alertMachine>;

interface FanOut {
  readonly monitored: MonitoredAccount;
  /** Null for one that was told before its turn. */
  readonly actors: (AlertActor | null)[];
  next: number;
}

/**
 * Everyone who waits for alerts, by wallet. A monitor call reaches the subscribers of its wallet and no other, in slices
 * between which requests are answered.
 *
 * Holds:   one actor per subscriber; nothing is kept of one that closed; a subscriber hears of calls in their order, of
 *          none that was made before it subscribed, and of each by what it had asked for when that was made
 */
export class AlertSubscribers {
  readonly #options: AlertSubscribersOptions;
  readonly #byWallet = new Map<WalletAddress, Set<AlertActor>>();
  readonly #pending: FanOut[] = [];
  #waitingCount = 0;
  #isDraining = false;
  #onSettled: (() => void)[] = [];

  constructor(options: AlertSubscribersOptions) {
    this.#options = options;
  }

  get walletCount(): number {
    return this.#byWallet.size;
  }

  /** onError is called when the subscriber's actor fails; it hears nothing more. */
  open(deliver: DeliverBreaches, onError: (error: unknown) => void): AlertSubscriber {
    const actor = createActor(alertMachine, { input: { deliver } });
    let wallet: WalletAddress | null = null;
    const leave = (): void => {
      if (wallet !== null) this.#leave(wallet, actor);
    };
    actor.subscribe({
      error: (error) => {
        leave();
        onError(error);
      },
    });
    actor.start();
    return {
      configure: (request) => {
        if (wallet !== null) this.#tellWaiting(wallet, actor);
        if (actor.getSnapshot().status !== "active") return;
        leave();
        wallet = request.wallet;
        actor.send({ type: "config.accepted", request });
        this.#join(wallet, actor);
      },
      close: () => {
        leave();
        tell(actor, { type: "socket.closed" });
      },
    };
  }

  /** Tells the wallet's subscribers what a monitor call found: soon, not now. */
  publish(monitored: MonitoredAccount): void {
    const subscribers = this.#byWallet.get(monitored.wallet);
    if (subscribers === undefined) return;
    this.#pending.push({ monitored, actors: [...subscribers], next: 0 });
    this.#waitingCount += subscribers.size;
    while (this.#waitingCount > this.#options.waitingMax && this.#pending.length > 1) this.#dropOldest();
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#options.defer(() => this.#drain());
  }

  /** Resolves when all were told of every call so far. */
  settled(): Promise<void> {
    if (!this.#isDraining) return Promise.resolve();
    return new Promise((resolve) => this.#onSettled.push(resolve));
  }

  #dropOldest(): void {
    const { actors, next } = this.#pending.shift()!;
    this.#waitingCount -= actors.length - next;
    this.#options.onDropped(actors.slice(next).filter((actor) => actor !== null).length);
  }

  /** Tells one subscriber what the others still wait for: it is about to ask for something else. */
  #tellWaiting(wallet: WalletAddress, actor: AlertActor): void {
    for (const { monitored, actors, next } of this.#pending) {
      const at = monitored.wallet === wallet ? actors.indexOf(actor, next) : -1;
      if (at === -1) continue;
      actors[at] = null;
      tell(actor, { type: "monitor.evaluated", monitored });
    }
  }

  #drain(): void {
    let left = SLICE_SUBSCRIBERS;
    for (let fanOut = this.#pending[0]; fanOut !== undefined && left > 0; fanOut = this.#pending[0]) {
      const end = Math.min(fanOut.actors.length, fanOut.next + left);
      left -= end - fanOut.next;
      this.#waitingCount -= end - fanOut.next;
      for (; fanOut.next < end; fanOut.next++) {
        const actor = fanOut.actors[fanOut.next] ?? null;
        if (actor !== null) tell(actor, { type: "monitor.evaluated", monitored: fanOut.monitored });
      }
      if (fanOut.next === fanOut.actors.length) this.#pending.shift();
    }
    this.#isDraining = this.#pending.length > 0;
    if (this.#isDraining) this.#options.defer(() => this.#drain());
    else for (const resolve of this.#onSettled.splice(0)) resolve();
  }

  #join(wallet: WalletAddress, actor: AlertActor): void {
    const subscribers = this.#byWallet.get(wallet);
    if (subscribers === undefined) this.#byWallet.set(wallet, new Set([actor]));
    else subscribers.add(actor);
  }

  #leave(wallet: WalletAddress, actor: AlertActor): void {
    const subscribers = this.#byWallet.get(wallet);
    subscribers?.delete(actor);
    if (subscribers?.size === 0) this.#byWallet.delete(wallet);
  }
}

/** One that ended meanwhile hears nothing: XState's development build would print the whole event. */
function tell(actor: AlertActor, event: AlertMachineEvent): void {
  if (actor.getSnapshot().status === "active") actor.send(event);
}
