import type { Clock } from "../domain/clock.ts";
import type { EngineStatus } from "../snapshot/engine-status.ts";

/** An asset that cannot become live must not keep the threads in a hurry for ever. */
const HURRY_MS_MAX = 300_000;

/**
 * Says once when the market is caught up with: no asset is warming up any more. Until then answers wait for the engine and
 * the fits, afterwards nobody does.
 */
export class CatchUp {
  readonly #clock: Clock;
  readonly #onCaughtUp: () => void;
  readonly #startedAtMs: number;
  #isOver = false;

  /** Shapes: a clock that nobody sets */
  constructor(clock: Clock, onCaughtUp: () => void) {
    this.#clock = clock;
    this.#onCaughtUp = onCaughtUp;
    this.#startedAtMs = clock.nowMs();
  }

  note({ readiness, assets }: Pick<EngineStatus, "readiness" | "assets">): void {
    if (this.#isOver) return;
    const isCaughtUp = readiness !== "starting" && assets.warming === 0;
    if (!isCaughtUp && this.#clock.nowMs() - this.#startedAtMs < HURRY_MS_MAX) return;
    this.#isOver = true;
    this.#onCaughtUp();
  }
}
