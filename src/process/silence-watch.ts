const LOOK_EVERY_MS = 1_000;

/**
 * Tells, once, that a thread which speaks once a second has been silent for so many looks, one a second, and that the same
 * thread speaks again. Looks, not time: while the thread that listens stands still it hears nobody, either.
 */
export class SilenceWatch {
  readonly #looksMax: number;
  readonly #onSilent: (forMs: number) => void;
  readonly #onHeard: () => void;
  /** Since the thread was heard; null while its silence says nothing. */
  #silentLooks: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(looksMax: number, onSilent: (forMs: number) => void, onHeard: () => void = () => undefined) {
    this.#looksMax = looksMax;
    this.#onSilent = onSilent;
    this.#onHeard = onHeard;
  }

  get isSilent(): boolean {
    return this.#silentLooks === this.#looksMax;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  heard(): void {
    const wasSilent = this.isSilent;
    this.#silentLooks = 0;
    if (wasSilent) this.#onHeard();
  }

  /** Another thread takes the place: its silence says nothing before it first speaks. */
  forget(): void {
    this.#silentLooks = null;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#silentLooks === null || this.#silentLooks === this.#looksMax) return;
    this.#silentLooks += 1;
    if (this.#silentLooks === this.#looksMax) this.#onSilent(this.#looksMax * LOOK_EVERY_MS);
  }
}
