import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Gzip } from "node:zlib";
import { constants, createGzip } from "node:zlib";
import { HOUR_MS } from "../../domain/bar.ts";
import type { Timers } from "../hyperliquid/timers.ts";

/** One line of a recording. Times are this machine's at arrival. */
export type RecordedLine =
  | { readonly at: number; readonly socket: number; readonly text: string }
  | { readonly at: number; readonly socket: number; readonly opened: true }
  | { readonly at: number; readonly socket: number; readonly closed: string }
  | { readonly at: number; readonly request: unknown; readonly reply: unknown }
  | { readonly at: number; readonly request: unknown; readonly failure: unknown };

export interface RecordLogOptions {
  readonly directory: string;
  readonly timers: Timers;
  /** A file is closed and the next begun at this many uncompressed bytes, and at every full hour. */
  readonly fileBytesMax?: number;
  /** At most this much is lost when the process ends without warning. */
  readonly flushEveryMs?: number;
  /** Told once when nothing can be written any more. */
  readonly onFailure?: () => void;
}

export const RECORDING_SUFFIX = ".jsonl.gz";
const FILE_BYTES_MAX = 256 * 1024 * 1024;
const FLUSH_EVERY_MS = 1_000;
/** A disk slower than the feed loses lines, counted, rather than the process its memory. */
const PENDING_BYTES_MAX = 64 * 1024 * 1024;

interface OpenFile {
  readonly gzip: Gzip;
  readonly hour: number;
  readonly done: Promise<void>;
  bytes: number;
}

/** Appends lines to compressed files, readable up to the last flush whatever happens to the process. */
export class RecordLog {
  readonly #options: RecordLogOptions;
  readonly #finishing = new Set<Promise<void>>();
  #file: OpenFile | null = null;
  #fileCount = 0;
  /** The latest that a file was named by. */
  #namedAtMs = 0;
  #cancelFlush: (() => void) | null = null;
  #isClosed = false;
  #lostLines = 0;
  #failure: string | null = null;

  constructor(options: RecordLogOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true });
  }

  get lostLines(): number {
    return this.#lostLines;
  }

  /** Why writing failed, null while it works. */
  get failure(): string | null {
    return this.#failure;
  }

  /** What comes after close, the ends of the sockets that close with it, is not written. */
  append(line: RecordedLine): void {
    if (this.#isClosed) return;
    if (this.#failure !== null) {
      this.#lostLines++;
      return;
    }
    const file = this.#fileAt(line.at);
    if (file.gzip.writableLength > PENDING_BYTES_MAX) {
      this.#lostLines++;
      return;
    }
    const text = `${JSON.stringify(line)}\n`;
    file.bytes += text.length;
    file.gzip.write(text);
    this.#cancelFlush ??= this.#options.timers.after(this.#options.flushEveryMs ?? FLUSH_EVERY_MS, () => {
      this.#cancelFlush = null;
      this.#file?.gzip.flush(constants.Z_SYNC_FLUSH);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    this.#finish();
    await Promise.all(this.#finishing);
  }

  #fileAt(atMs: number): OpenFile {
    const hour = Math.floor(atMs / HOUR_MS);
    const isFull = (this.#file?.bytes ?? 0) >= (this.#options.fileBytesMax ?? FILE_BYTES_MAX);
    if (this.#file !== null && (isFull || this.#file.hour !== hour)) this.#finish();
    this.#file ??= this.#open(atMs, hour);
    return this.#file;
  }

  #open(atMs: number, hour: number): OpenFile {
    // Files are read in the order of their names, also where the clock was set back between two.
    this.#namedAtMs = Math.max(this.#namedAtMs, atMs);
    const stamp = new Date(this.#namedAtMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const name = `hyperliquid-${stamp}-${String(this.#fileCount++).padStart(4, "0")}${RECORDING_SUFFIX}`;
    const gzip = createGzip();
    const out = createWriteStream(join(this.#options.directory, name));
    const done = new Promise<void>((resolve) => {
      out.on("close", resolve);
      for (const stream of [gzip, out]) {
        stream.on("error", (error: Error) => {
          gzip.destroy();
          out.destroy();
          if (this.#failure !== null) return;
          this.#failure = error.message;
          this.#options.onFailure?.();
        });
      }
    });
    gzip.pipe(out);
    return { gzip, hour, done, bytes: 0 };
  }

  #finish(): void {
    const file = this.#file;
    if (file === null) return;
    this.#file = null;
    this.#finishing.add(file.done);
    void file.done.then(() => this.#finishing.delete(file.done));
    file.gzip.end();
  }
}
