import type { SignsOfLife } from "./signs-of-life.ts";
import { backOffMs, type Uniform } from "./timers.ts";

const BACK_OFF_BASE_MS = 500;

/** How long one session waits before it connects again: ever longer, until a connection goes on. */
export class RetryPace {
  /** Attempts in a row that did not come to be live. */
  #failures = 0;
  /** Live connections in a row that were lost, from the last that went on: taken for successes they would use up what all may connect. */
  #losses = 0;

  noteLive(): void {
    this.#failures = 0;
  }

  /** Milliseconds from the loss of a connection, or of an attempt at one, to the next attempt; counts it. */
  nextMs(lost: Pick<SignsOfLife, "wasLive" | "wasSteady">, ceilingMs: number, uniform: Uniform): number {
    if (lost.wasSteady) this.#losses = 0;
    const attempt = this.#failures + this.#losses;
    if (lost.wasLive) this.#losses++;
    else this.#failures++;
    return backOffMs(attempt, BACK_OFF_BASE_MS, ceilingMs, uniform);
  }
}
