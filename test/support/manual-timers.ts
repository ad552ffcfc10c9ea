import type { Timers } from "../../src/exchange/hyperliquid/timers.ts";

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Time that moves only when told to; callbacks run in order of their time, promises settle in between. */
export class ManualTimers implements Timers {
  #nowMs: number;
  #order = 0;
  #due: Due[] = [];

  constructor(startMs = 1_800_000_000_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** How many callbacks are still to come. */
  get waitingCount(): number {
    return this.#due.length;
  }

  after(delayMs: number, callback: () => void): () => void {
    const due = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, callback };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((other) => other !== due);
    };
  }

  /** As when the machine's clock is set right: what waits goes on waiting as long as before. */
  setBack(byMs: number): void {
    this.#nowMs -= byMs;
    this.#due = this.#due.map((due) => ({ ...due, atMs: due.atMs - byMs }));
  }

  /** Runs everything that falls due within the span, then stands at its end. */
  async advance(spanMs: number): Promise<void> {
    const untilMs = this.#nowMs + spanMs;
    await settle();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      const due = next;
      this.#due = this.#due.filter((other) => other !== due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  #next(untilMs: number): Due | undefined {
    return this.#due
      .filter((due) => due.atMs <= untilMs)
      .sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
  }
}

/** Lets every pending promise continue. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
