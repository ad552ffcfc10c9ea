import type { Clock } from "../../domain/clock.ts";
import type { ExchangeFailure } from "../../domain/errors.ts";
import type { Result } from "../../domain/result.ts";

/** A success sooner after a failure may be another account's: the outage is not over yet. */
const OVER_AFTER_MS = 30_000;

/** Reads began to fail, or succeed again. */
export type Outage =
  | { readonly type: "outage.began"; readonly detail: string }
  /** From the first failure to the last; who asks again, and when, is no part of it. */
  | { readonly type: "outage.ended"; readonly failures: number; readonly durationMs: number };

/** Tells where an outage of many reads begins and ends, however many fail. */
export class OutageWatch {
  readonly #clock: Clock;
  readonly #onOutage: (outage: Outage) => void;
  #failures = 0;
  #beganAtMs = 0;
  #lastFailureAtMs = 0;

  constructor(clock: Clock, onOutage: (outage: Outage) => void) {
    this.#clock = clock;
    this.#onOutage = onOutage;
  }

  note(read: Result<unknown, ExchangeFailure>): void {
    const nowMs = this.#clock.nowMs();
    if (read.ok) {
      if (this.#failures === 0 || nowMs - this.#lastFailureAtMs < OVER_AFTER_MS) return;
      const failures = this.#failures;
      this.#failures = 0;
      this.#onOutage({ type: "outage.ended", failures, durationMs: this.#lastFailureAtMs - this.#beganAtMs });
      return;
    }
    this.#lastFailureAtMs = nowMs;
    if (++this.#failures > 1) return;
    this.#beganAtMs = nowMs;
    this.#onOutage({ type: "outage.began", detail: `${read.error.code}: ${read.error.detail}` });
  }
}
