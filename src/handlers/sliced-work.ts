/** Does as much as fits in one turn of the event loop; true when nothing is left. */
export type Slice = () => boolean;

interface WaitingWork {
  readonly slice: Slice;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Work of one thread that is too long for a single turn: the first slice is done at once, the others one at a turn, so
 * that short answers are given between them. What began first is done first: taking turns, all would be done last.
 */
export class SlicedWork {
  readonly #waiting: WaitingWork[] = [];

  /** Undefined if the first slice was all. What a slice throws is thrown, or rejects. */
  run(slice: Slice): Promise<void> | undefined {
    if (slice()) return undefined;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ slice, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(this.#turn);
    });
  }

  readonly #turn = (): void => {
    const work = this.#waiting[0]!;
    let isOver = true;
    try {
      isOver = work.slice();
      if (isOver) work.resolve();
    } catch (error) {
      work.reject(error);
    }
    if (isOver) this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#turn);
  };
}
