import type { Timers } from "./timers.ts";

/** Waits of one owner, which are over when their time has come or when the owner ends: no thread stays for them. */
export class OpenWaits {
  readonly #timers: Timers;
  readonly #ends = new Set<() => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Resolves after the delay, or when all are ended. */
  add(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#ends.delete(end);
        resolve();
      };
      const cancel = this.#timers.after(delayMs, end);
      this.#ends.add(end);
    });
  }

  endAll(): void {
    for (const end of this.#ends) end();
  }
}
