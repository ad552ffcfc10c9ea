/** So many lines of one kind are logged in a minute that begins with the first of them. */
const LINES_MAX = 10;
const PERIOD_MS = 60_000;

/**
 * Lines of one kind whose number is not ours: an exchange that sends nonsense causes thousands a second, a full disk as
 * many as there are assets. The first of each minute are logged, the others counted and told of in one line at its end.
 */
export class LimitedLines {
  readonly #logLeftOut: (count: number) => void;
  #logged = 0;
  #leftOut = 0;
  #period: NodeJS.Timeout | undefined;

  constructor(logLeftOut: (count: number) => void) {
    this.#logLeftOut = logLeftOut;
  }

  log(line: () => void): void {
    this.#period ??= setTimeout(() => this.#endPeriod(), PERIOD_MS).unref();
    if (this.#logged === LINES_MAX) {
      this.#leftOut++;
      return;
    }
    this.#logged++;
    line();
  }

  /** Tells of those that were left out since the last line about them. */
  end(): void {
    clearTimeout(this.#period);
    this.#endPeriod();
  }

  #endPeriod(): void {
    this.#period = undefined;
    this.#logged = 0;
    if (this.#leftOut > 0) this.#logLeftOut(this.#leftOut);
    this.#leftOut = 0;
  }
}
