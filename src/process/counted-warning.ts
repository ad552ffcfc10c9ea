/** Between two lines of one warning. */
const PERIOD_MS = 10_000;

/**
 * A warning of what anyone can make happen thousands of times a second: logged at once, and from then on at most every
 * ten seconds, each time with how often it happened since it was last logged.
 */
export class CountedWarning {
  readonly #warn: (count: number) => void;
  #count = 0;
  #resting: NodeJS.Timeout | undefined;

  constructor(warn: (count: number) => void) {
    this.#warn = warn;
  }

  note(count = 1): void {
    this.#count += count;
    if (this.#resting === undefined) this.#log();
  }

  #log(): void {
    this.#warn(this.#count);
    this.#count = 0;
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      if (this.#count > 0) this.#log();
    }, PERIOD_MS).unref();
  }
}
