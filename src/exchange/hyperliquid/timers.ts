import type { Clock } from "../../domain/clock.ts";
import { SYSTEM_CLOCK } from "../../domain/clock.ts";

/** Time and waiting, passed in so that tests decide both. */
export interface Timers extends Clock {
  /** Calls back once after the delay; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** A longer timer ends at once, milliseconds. Source: Node.js, setTimeout. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

export const SYSTEM_TIMERS: Timers = {
  nowMs: () => SYSTEM_CLOCK.nowMs(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

/** A number in [0, 1). */
export type Uniform = () => number;

/**
 * The wait before the next attempt: doubling from base to ceiling, jittered.
 *
 *   min(ceiling, base x 2^attempt) x (0.5 + uniform / 2)
 */
export function backOffMs(attempt: number, baseMs: number, ceilingMs: number, uniform: Uniform): number {
  return Math.min(ceilingMs, baseMs * 2 ** attempt) * (0.5 + uniform() / 2);
}
