import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord, jsonValueOf } from "../../domain/json-value.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { gzipLines } from "../recording/gzip-lines.ts";

const BOOK_FILE = /^hl_l2book_(.+)_\d{8}\.jsonl\.gz$/;

/** The recorded books of one coin's day. */
export interface BookFile {
  readonly coin: string;
  readonly path: string;
}

/** The book files of a folder, by coin and day. */
export function bookFiles(folder: string): readonly BookFile[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const coin = BOOK_FILE.exec(name)?.[1];
      return coin === undefined ? [] : [{ coin, path: join(folder, name) }];
    });
}

/** The books of all files by time; each file is in order already. A line that is none, torn perhaps, is passed over. */
export async function* booksInOrder(
  files: readonly BookFile[],
): AsyncGenerator<{ readonly book: WireRecord; readonly coin: string; readonly atMs: number }> {
  const cursors = await Promise.all(files.map(cursorOf));
  try {
    for (;;) {
      const next = earliestOf(cursors);
      if (next?.line === undefined) return;
      const { text, atMs } = next.line;
      const book = jsonValueOf(text);
      if (isRecord(book)) yield { book, coin: next.coin, atMs };
      next.line = await nextOf(next.lines);
    }
  } finally {
    // A replay that is closed before its end leaves no file open.
    for (const { lines } of cursors) await lines.return(undefined);
  }
}

interface TimedLine {
  readonly text: string;
  readonly atMs: number;
}

/** The lines of a file that name a time. */
async function* timedLines(path: string): AsyncGenerator<TimedLine> {
  for await (const text of gzipLines(path)) {
    const time = /"time":(\d+)/.exec(text)?.[1];
    if (time !== undefined) yield { text, atMs: Number(time) };
  }
}

/** A file that is being played, and its next line; undefined at its end. */
interface Cursor {
  readonly coin: string;
  readonly lines: AsyncGenerator<TimedLine>;
  line: TimedLine | undefined;
}

async function cursorOf({ coin, path }: BookFile): Promise<Cursor> {
  const lines = timedLines(path);
  return { coin, lines, line: await nextOf(lines) };
}

function earliestOf(cursors: readonly Cursor[]): Cursor | undefined {
  let earliest: Cursor | undefined;
  for (const cursor of cursors) {
    if (cursor.line === undefined) continue;
    if (earliest?.line === undefined || cursor.line.atMs < earliest.line.atMs) earliest = cursor;
  }
  return earliest;
}

async function nextOf(lines: AsyncGenerator<TimedLine>): Promise<TimedLine | undefined> {
  const result = await lines.next();
  return result.done === true ? undefined : result.value;
}

/** When a file begins; never, without a line that names a time. */
export async function firstMsOf({ path }: BookFile): Promise<number> {
  for await (const { atMs } of timedLines(path)) return atMs;
  return Infinity;
}
