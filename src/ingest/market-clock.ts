import type { Clock, ToldClock } from "../domain/clock.ts";

/** More than a clock drifts or an answer is under way. */
const JUMP_MS = 60_000;
/** Two clocks that agree so far are both right. */
const AGREED_MS = 300_000;
/** How long a clock that went away from ours must stay where it went until it is believed against ours. */
const DOUBT_MS = 600_000;

interface Doubt {
  readonly offsetMs: number;
  readonly aheadMs: number;
  readonly sinceMs: number;
}

/**
 * The exchange's time: the hours of bars and settlements are its hours, and those of a replay are past ones. Ages of
 * what arrived are not measured with it but with this machine's clock. Once told, it goes on by a steady one: an hour is not
 * over because this machine's clock was set forward.
 *
 * Holds:  one answer alone does not move it by more than a minute: a jump counts when the next answer confirms it, by
 *         naming the same time or, of an exchange that does not keep real time, a later one. Of one that does, a jump
 *         away from this machine's clock counts when it has lasted ten minutes: hours that are closed and settled by a
 *         wrong clock stay so
 */
export class MarketClock implements ToldClock {
  /** Whether the exchange keeps real time, so that this machine's clock may stand for its. */
  readonly isRealTime: boolean;
  readonly #wall: Clock;
  readonly #steady: Clock;
  /** From the steady clock; null before the first answer, which may be any: it may be this machine's clock that is wrong. */
  #offsetMs: number | null = null;
  /** How far this machine's was ahead of the steady one when the exchange last told its time. */
  #wallAheadMs = 0;
  /** An answer that has to be confirmed. */
  #doubt: Doubt | null = null;

  constructor(wall: Clock, isRealTime = false, steady = wall) {
    this.#wall = wall;
    this.#steady = steady;
    this.isRealTime = isRealTime;
  }

  /** How far ahead of this machine's an answer is that is not believed yet, milliseconds; null without one. */
  get doubtedAheadMs(): number | null {
    return this.#doubt?.aheadMs ?? null;
  }

  /**
   * Whether its time is known: not from when this machine slept, which a steady clock does not see, or had its own set, until
   * the exchange tells its time again.
   */
  get isKnown(): boolean {
    if (!this.isRealTime || this.#offsetMs === null) return true;
    return isNear(this.#wall.nowMs() - this.#steady.nowMs(), this.#wallAheadMs);
  }

  nowMs(): number {
    return this.#offsetMs === null ? this.#wall.nowMs() : this.#steady.nowMs() + this.#offsetMs;
  }

  /**
   * By how much a moment is still to come, milliseconds, where that is more than this clock can be wrong by, and before it
   * was told more than two right clocks differ by; else 0, and of an exchange that does not keep real time, whose clock this
   * one may lag far behind.
   */
  aheadMs(timeMs: number): number {
    const aheadMs = timeMs - this.nowMs();
    return this.isRealTime && aheadMs > (this.#offsetMs === null ? AGREED_MS : JUMP_MS) ? aheadMs : 0;
  }

  /**
   * Whether what an earlier run kept is still to come, of any exchange: the time of one that does not keep real time begins
   * anew with each run. What this clock only lags behind is then fetched again.
   */
  isToCome(timeMs: number): boolean {
    return timeMs - this.nowMs() > AGREED_MS;
  }

  /** Whether it was believed. */
  set(exchangeTimeMs: number): boolean {
    const steadyMs = this.#steady.nowMs();
    const offsetMs = exchangeTimeMs - steadyMs;
    const aheadMs = exchangeTimeMs - this.#wall.nowMs();
    const doubt = this.#doubt ?? { offsetMs: Number.NaN, sinceMs: steadyMs };
    // Between two answers of a time that passes many times as fast as ours hours may lie, where this machine is busy.
    const hasGoneOn = !this.isRealTime && offsetMs > doubt.offsetMs;
    const isConfirmed =
      (isNear(offsetMs, doubt.offsetMs) || hasGoneOn) && this.#mayJumpTo(aheadMs, steadyMs - doubt.sinceMs);
    const isBelieved = isNear(exchangeTimeMs, this.nowMs()) || isConfirmed;
    if (isBelieved) {
      this.#offsetMs = offsetMs;
      this.#wallAheadMs = offsetMs - aheadMs;
      this.#doubt = null;
    } else if (!isNear(offsetMs, doubt.offsetMs)) {
      this.#doubt = { offsetMs, aheadMs, sinceMs: steadyMs };
    }
    return isBelieved;
  }

  #mayJumpTo(aheadMs: number, lastedMs: number): boolean {
    const isSet = this.#offsetMs !== null;
    return !this.isRealTime || !isSet || Math.abs(aheadMs) <= AGREED_MS || lastedMs >= DOUBT_MS;
  }
}

function isNear(timeMs: number, knownMs: number): boolean {
  return Math.abs(timeMs - knownMs) <= JUMP_MS;
}
