import { write, writeSync } from "node:fs";

/** A disk without room and a reader that is behind are tried again after so long. */
const RETRY_MS = 500;
/** A minute's lines of a bad day, half a megabyte. */
const LINES_MAX = 2_000;

/**
 * Where the log's lines go. None keeps anybody waiting, and what cannot be written ends nothing: lines wait for a full
 * disk to have room and for a reader that stands still to go on, as many as LINES_MAX, and those beyond are counted in
 * a line of their own. One that is gone is tried again as well, in vain.
 */
export class LogOutput {
  readonly #fd: number;
  readonly #lines: string[] = [];
  /** What is left of the line that is written now. */
  #rest: Buffer | undefined;
  /** Writing, or waiting to try again. */
  #isBusy = false;
  #isWithKernel = false;
  #lost = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    if (this.#lines.length === LINES_MAX) {
      this.#lost++;
      return;
    }
    this.#lines.push(line);
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Not at once: a line that is flushed in the same breath, the last one of a program, is not left to another thread.
    queueMicrotask(() => this.#writeNext());
  }

  /** For the end of a thread: what can be written at once is, and the end waits for nobody. */
  flushSync(): void {
    if (this.#isWithKernel) this.#rest = undefined;
    try {
      while (this.#takeNext()) this.#keepRest(writeSync(this.#fd, this.#rest!));
    } catch {
      // Nobody is left to be told.
    }
  }

  #writeNext(): void {
    this.#isBusy = this.#takeNext();
    if (!this.#isBusy) return;
    const text = this.#rest!;
    this.#isWithKernel = true;
    write(this.#fd, text, (cause, writtenBytes) => {
      this.#isWithKernel = false;
      if (cause !== null) {
        setTimeout(() => this.#writeNext(), RETRY_MS).unref();
        return;
      }
      // Unless a flush has gone on behind it.
      if (this.#rest === text) this.#keepRest(writtenBytes);
      this.#writeNext();
    });
  }

  /** False when everything is written. */
  #takeNext(): boolean {
    if (this.#rest !== undefined) return true;
    const line = this.#lines.shift() ?? this.#takeLostLine();
    if (line !== undefined) this.#rest = Buffer.from(line);
    return line !== undefined;
  }

  #keepRest(writtenBytes: number): void {
    const rest = this.#rest?.subarray(writtenBytes);
    this.#rest = rest?.length === 0 ? undefined : rest;
  }

  #takeLostLine(): string | undefined {
    if (this.#lost === 0) return undefined;
    const msg = "lines of the log were lost: what reads or keeps them took none for a while";
    const line = { level: 40, time: new Date().toISOString(), event: "log.lost", lines: this.#lost, msg };
    this.#lost = 0;
    return `${JSON.stringify(line)}\n`;
  }
}
