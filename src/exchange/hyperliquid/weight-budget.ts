import { invariant } from "../../math/invariant.ts";
import type { Timers } from "./timers.ts";

/** At most this much in any window of this length. */
export interface BudgetLimit {
  readonly capacity: number;
  readonly windowMs: number;
}

/** "live" goes first and may use everything; "backfill" leaves a reserve, so that it can never make a poll wait. */
export type BudgetPriority = "live" | "backfill";

/** The exchange's limits for one address. Source: Hyperliquid docs, Rate limits and user limits. */
export const WEIGHT_PER_MINUTE = 1200;
/** 30 connects a minute, divided between the market's six sockets and the wallets' one: they live in two threads. */
export const MARKET_CONNECTS: BudgetLimit = { capacity: 24, windowMs: 60_000 };
export const WALLET_CONNECTS: BudgetLimit = { capacity: 6, windowMs: 60_000 };
/** One of the market's sockets tries while none gets through: 13 connects a minute, and six to restore them all. */
export const MARKET_RETRY_MS_MAX = 6_000;
export const WALLET_RETRY_MS_MAX = 30_000;
/** 2000 messages a minute, divided alike; the rest is left for pings. */
export const MARKET_MESSAGES: BudgetLimit = { capacity: 1_800, windowMs: 60_000 };
export const WALLET_MESSAGES: BudgetLimit = { capacity: 100, windowMs: 60_000 };
export const SUBSCRIBE_PACE: BudgetLimit = { capacity: 20, windowMs: 100 };

/** The part of a budget that back-fill may hold at any time. */
const BACKFILL_FRACTION = 0.7;

interface Grant {
  atMs: number;
  readonly weight: number;
}

/** The grants of the last windowMs: those from `first` on, which hold `heldWeight` together. */
interface Window extends BudgetLimit {
  first: number;
  heldWeight: number;
}

interface Waiter {
  readonly weight: number;
  readonly settle: (isGranted: boolean) => void;
}

/**
 * Hands out a budget over sliding windows; makes its users wait.
 *
 * Holds:   the weight granted in any window of a limit's length is at most its capacity; first come first served
 *          within a priority; live before backfill
 */
export class WeightBudget {
  readonly #windows: readonly Window[];
  readonly #timers: Timers;
  readonly #waiting: Record<BudgetPriority, Waiter[]> = { live: [], backfill: [] };
  /** In the order of time. */
  readonly #grants: Grant[] = [];
  #cancelWake: (() => void) | null = null;
  #isClosed = false;

  constructor(limits: readonly BudgetLimit[], timers: Timers) {
    invariant(limits.length > 0, "a budget has a limit");
    this.#windows = limits.map((limit) => ({ ...limit, first: 0, heldWeight: 0 }));
    this.#timers = timers;
  }

  /**
   * Resolves to true when the weight may be spent, to false when that takes longer than waitMsMax, or is closed before.
   * More than a window can ever hold is granted as one full window.
   */
  take(
    weight: number,
    priority: BudgetPriority = "live",
    waitMsMax = Number.POSITIVE_INFINITY,
  ): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    const most = Math.min(...this.#windows.map((window) => usableBy(priority, window)));
    const queue = this.#waiting[priority];
    return new Promise((resolve) => {
      let cancelWait: (() => void) | null = null;
      const waiter = {
        weight: Math.min(weight, most),
        settle: (isGranted: boolean) => {
          cancelWait?.();
          resolve(isGranted);
        },
      };
      queue.push(waiter);
      this.#serve();
      if (!Number.isFinite(waitMsMax) || !queue.includes(waiter)) return;
      cancelWait = this.#timers.after(waitMsMax, () => {
        queue.splice(queue.indexOf(waiter), 1);
        resolve(false);
        // What it held up may have room already.
        this.#serve();
      });
    });
  }

  /** Grants nothing more: who waits is told so, and no timer is left. */
  close(): void {
    this.#isClosed = true;
    this.#cancelWake?.();
    for (const queue of Object.values(this.#waiting)) {
      for (const { settle } of queue.splice(0)) settle(false);
    }
  }

  #serve(): void {
    this.#cancelWake?.();
    this.#cancelWake = null;
    this.#forget();
    for (const priority of ["live", "backfill"] as const) {
      const queue = this.#waiting[priority];
      for (let next = queue[0]; next !== undefined; next = queue[0]) {
        const waitMs = this.#waitMs(next.weight, priority);
        if (waitMs > 0) {
          this.#cancelWake = this.#timers.after(waitMs, () => {
            this.#serve();
          });
          return;
        }
        queue.shift();
        this.#note({ atMs: this.#timers.nowMs(), weight: next.weight });
        next.settle(true);
      }
    }
  }

  /** Until enough grants have left every window. */
  #waitMs(weight: number, priority: BudgetPriority): number {
    this.#forget();
    const nowMs = this.#timers.nowMs();
    let waitMs = 0;
    for (const window of this.#windows) {
      let held = window.heldWeight;
      for (let i = window.first; held + weight > usableBy(priority, window); i++) {
        const grant = this.#grants[i]!;
        held -= grant.weight;
        waitMs = Math.max(waitMs, grant.atMs + window.windowMs - nowMs);
      }
    }
    return waitMs;
  }

  #note(grant: Grant): void {
    this.#grants.push(grant);
    for (const window of this.#windows) window.heldWeight += grant.weight;
  }

  /** After the clock was set back: what was granted was granted by now at the latest. */
  #bringBack(nowMs: number): void {
    for (let i = this.#grants.length - 1; i >= 0 && this.#grants[i]!.atMs > nowMs; i--) {
      this.#grants[i]!.atMs = nowMs;
    }
  }

  /** Lets grants leave the windows that they are too old for: work per grant, however many a window holds. */
  #forget(): void {
    const nowMs = this.#timers.nowMs();
    this.#bringBack(nowMs);
    for (const window of this.#windows) {
      for (let grant = this.#grants[window.first]; grant !== undefined; grant = this.#grants[window.first]) {
        if (grant.atMs > nowMs - window.windowMs) break;
        window.heldWeight -= grant.weight;
        window.first++;
      }
    }
    const gone = Math.min(...this.#windows.map(({ first }) => first));
    if (gone <= this.#grants.length / 2) return;
    this.#grants.splice(0, gone);
    for (const window of this.#windows) window.first -= gone;
  }
}

function usableBy(priority: BudgetPriority, limit: BudgetLimit): number {
  return priority === "live" ? limit.capacity : Math.floor(limit.capacity * BACKFILL_FRACTION);
}

/** Weight of an answer: a base and one more for every so many rows. Source: as above. */
export function rowWeight(rows: number, rowsPerWeight: number): number {
  return 20 + Math.ceil(rows / rowsPerWeight);
}
