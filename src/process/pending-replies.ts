interface Pending<T> {
  readonly resolve: (reply: T | null) => void;
  readonly timer: NodeJS.Timeout;
}

/** Questions to another thread that wait for their answers: a bounded number, each a bounded time. */
export class PendingReplies<T> {
  readonly #timeoutMs: number;
  readonly #pendingMax: number;
  readonly #pending = new Map<number, Pending<T>>();
  #lastId = 0;

  constructor(timeoutMs: number, pendingMax: number) {
    this.#timeoutMs = timeoutMs;
    this.#pendingMax = pendingMax;
  }

  /** Asks by `send` and resolves with the answer to the id, or with null when none comes or none can be asked. */
  ask(send: (id: number) => boolean): Promise<T | null> {
    if (this.#pending.size >= this.#pendingMax) return Promise.resolve(null);
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
