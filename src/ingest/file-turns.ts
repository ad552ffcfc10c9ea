/** Reads and writes of one file follow one another; different files do not wait. */
export class FileTurns {
  readonly #turns = new Map<string, Promise<unknown>>();

  run<R>(file: string, task: () => Promise<R>): Promise<R> {
    const previous = this.#turns.get(file) ?? Promise.resolve();
    const turn = previous.then(task, task);
    this.#turns.set(
      file,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
