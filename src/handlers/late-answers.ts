/** Of a turn of the event loop; it goes on to the end of the answer that passes it. */
const SLICE_MS = 2;

/**
 * Answers of one thread that had to wait for the exchange. What they waited for can come for many at once, a wallet's state
 * for all who asked about it: made then and there they would hold the thread until the last is made. Each turn makes them
 * for a slice of time, exits first, others in the order in which they became ready.
 */
export class LateAnswers {
  readonly #exits = new FirstInFirstOut<() => void>();
  readonly #others = new FirstInFirstOut<() => void>();
  readonly #nowMs: () => number;
  #isTurning = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** What making it throws rejects. */
  make<Answer>(answer: () => Answer | Promise<Answer>, isExit: boolean): Promise<Answer> {
    return new Promise((resolve) => {
      const made = (): Promise<Answer> => new Promise((settle) => settle(answer()));
      (isExit ? this.#exits : this.#others).add(() => resolve(made()));
      this.#turnAgain();
    });
  }

  #turnAgain(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isTurning = false;
    const untilMs = this.#nowMs() + SLICE_MS;
    do {
      const make = this.#exits.take() ?? this.#others.take();
      if (make === undefined) return;
      make();
    } while (this.#nowMs() < untilMs);
    this.#turnAgain();
  };
}

/** A queue whose cost does not grow with its length. */
class FirstInFirstOut<Item> {
  #added: Item[] = [];
  /** Last first. */
  #due: Item[] = [];

  add(item: Item): void {
    this.#added.push(item);
  }

  take(): Item | undefined {
    if (this.#due.length === 0) {
      this.#due = this.#added.reverse();
      this.#added = [];
    }
    return this.#due.pop();
  }
}
