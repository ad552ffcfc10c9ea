/** Questions that wait at a time; more are answered with null at once. */
export const PENDING_MAX = 10_000;

interface Pending<T> {
  readonly resolve: (reply: T | null) => void;
  readonly timer: NodeJS.Timeout;
}

/** Questions to another thread that wait for their answers: a bounded number, each a bounded time. */
export class PendingReplies<T> {
  readonly #timeoutMs: number;
  readonly #pending = new Map<number, Pending<T>>();
  #lastId = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Asks by `send` and resolves with the answer to the id, or with null when none comes or none can be asked. */
  ask(send: (id: number) => boolean): Promise<T | null> {
    if (this.#pending.size >= PENDING_MAX) return Promise.resolve(null);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(id, null), this.#timeoutMs);
      this.#pending.set(id, { resolve, timer });
      if (!send(id)) this.settle(id, null);
    });
  }

  settle(id: number, reply: T | null): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    pending.resolve(reply);
  }

  abandon(): void {
    for (const id of [...this.#pending.keys()]) this.settle(id, null);
  }
}
