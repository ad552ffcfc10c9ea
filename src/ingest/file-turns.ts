/** Reads and writes of one file follow one another; different files do not wait. Holds: nothing of what a task returned is kept. */
export class FileTurns {
  readonly #ends = new Map<string, Promise<void>>();

  run<R>(file: string, task: () => Promise<R>): Promise<R> {
    const turn = (this.#ends.get(file) ?? Promise.resolve()).then(task);
    // The end of a turn, not the turn: a promise keeps what it was fulfilled with, here a whole history.
    const ended = (): void => {
      if (this.#ends.get(file) === end) this.#ends.delete(file);
    };
    const end = turn.then(ended, ended);
    this.#ends.set(file, end);
    return turn;
  }
}
