import type { Timers } from "../../src/exchange/hyperliquid/timers.ts";

interface Due {
  atMs: number;
  readonly callback: () => void;
}

/** Time that moves only when told to; callbacks run in order of their time, promises settle in between. */
export class ManualTimers implements Timers {
  #nowMs: number;
  /** In the order in which they were asked for. */
  readonly #due = new Set<Due>();

  constructor(startMs = 1_800_000_000_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** How many callbacks are still to come. */
  get waitingCount(): number {
    return this.#due.size;
  }

  after(delayMs: number, callback: () => void): () => void {
    const due = { atMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#due.add(due);
    return () => {
      this.#due.delete(due);
    };
  }

  /** As when the machine's clock is set right: what waits goes on waiting as long as before. */
  setBack(byMs: number): void {
    this.#nowMs -= byMs;
    for (const due of this.#due) due.atMs -= byMs;
  }

  /** Runs everything that falls due within the span, then stands at its end. */
  async advance(spanMs: number): Promise<void> {
    const untilMs = this.#nowMs + spanMs;
    await settle();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#due.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  /** Of several due at once the one that was asked for first. */
  #next(untilMs: number): Due | undefined {
    let next: Due | undefined;
    for (const due of this.#due) {
      if (due.atMs <= untilMs && (next === undefined || due.atMs < next.atMs)) next = due;
    }
    return next;
  }
}

/** Lets every pending promise continue. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
