const FREE = 0;
const HELD = 1;
/** Held, and at least one thread sleeps until it is free. */
const AWAITED = 2;

/** Looks at the lock before a thread goes to sleep: what it guards takes well under a microsecond. */
const SPINS = 200;

/**
 * A lock between the threads of a process, one Int32 in shared memory that starts as 0. Hold it for arithmetic only:
 * nothing that is done under it may throw or wait.
 *
 * Source: U. Drepper, Futexes are tricky, 2011, section 6, mutex 3
 */
export class SharedLock {
  readonly #state: Int32Array;
  readonly #index: number;

  constructor(state: Int32Array, index: number) {
    this.#state = state;
    this.#index = index;
  }

  acquire(): void {
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.compareExchange(this.#state, this.#index, FREE, HELD) === FREE) return;
    }
    while (Atomics.exchange(this.#state, this.#index, AWAITED) !== FREE) {
      Atomics.wait(this.#state, this.#index, AWAITED);
    }
  }

  release(): void {
    if (Atomics.exchange(this.#state, this.#index, FREE) === AWAITED) {
      Atomics.notify(this.#state, this.#index, 1);
    }
  }
}
