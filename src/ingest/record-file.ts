import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { hasCode } from "../domain/cause-code.ts";
import { namedBy } from "../domain/cause-text.ts";
import { type RowCheck, rowsWhere } from "../domain/row-table.ts";
import { readDataFile } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * A file of equal records of doubles, each followed by the CRC-32 of its bytes. A torn or damaged tail is dropped at
 * the first record whose sum does not fit, so a crash while appending costs one record, never the file.
 *
 * Shapes:  header of 8 bytes (magic of the format, columns, version of the columns' meaning), then records of columns × 8 + 4
 *          bytes, little-endian; values[record × columns + column]
 */
const MAGIC = 0x42574b31;
const HEADER_BYTES = 8;
const DOUBLE_BYTES = 8;
const CHECKSUM_BYTES = 4;

const NO_VALUES = new Float64Array(0);

/** Not made anew where it was removed: records behind no header cannot be read. */
const APPEND_TO_EXISTING = constants.O_WRONLY | constants.O_APPEND;

export interface RecordFile {
  /**
   * The doubles of the intact records that say what can be, one after another, oldest first; none when the file is absent or
   * of another format.
   */
  readonly values: Float64Array;
  /** False when there is no usable file or it holds anything else: what is appended behind damage would be lost. */
  readonly isAppendable: boolean;
  readonly bytes: Buffer;
  /**
   * Records that say what cannot be, and what is behind the intact ones, beyond the torn one that a crash may leave: damage,
   * or another format.
   */
  readonly unreadableBytes: number;
}

/** Told of a file that could not be read to its end, once it was set aside. */
export type ReportUnreadable = (detail: string) => void;

/**
 * A sum that fits says that a record is as it was written, not that it makes sense: what no market does would be computed
 * with like what was seen.
 *
 * Errors:  what the disk says, with the path
 */
export async function readRecords(
  path: string,
  columns: number,
  version: number,
  isPossible: RowCheck,
): Promise<RecordFile> {
  const bytes = (await readDataFile(path)) ?? Buffer.alloc(0);
  const intact = decodeRecords(bytes, columns, version);
  const intactBytes = HEADER_BYTES + (intact.length / columns) * recordBytes(columns);
  const restBytes = Math.max(0, bytes.length - intactBytes);
  const values = rowsWhere(intact, columns, isPossible);
  const refusedBytes = ((intact.length - values.length) / columns) * recordBytes(columns);
  return {
    values,
    isAppendable: bytes.length === intactBytes && refusedBytes === 0,
    bytes,
    unreadableBytes: refusedBytes + (restBytes < recordBytes(columns) ? 0 : restBytes),
  };
}

/**
 * Copies a file that is about to be replaced although not all of it could be read, and says so. The copy is named by a
 * digest of its content: what was set aside before stays, and the same file set aside again is one copy. (Files that end
 * in a CRC-32 of their content have few CRC-32 of their own.)
 */
export async function setAside(
  path: string,
  { bytes, unreadableBytes }: Pick<RecordFile, "bytes" | "unreadableBytes">,
  report: ReportUnreadable,
): Promise<void> {
  if (unreadableBytes === 0) return;
  const copyPath = `${path}.${createHash("sha256").update(bytes).digest("hex").slice(0, 8)}.unreadable`;
  await writeFile(copyPath, bytes);
  report(
    `${path}: ${unreadableBytes} bytes are damaged, impossible or of another version; kept as ${copyPath}`,
  );
}

/**
 * Adds records at the end of a file that is appendable and of these columns; false where there is none any more.
 *
 * Errors:  what the disk says, with the path
 */
export async function appendRecords(path: string, columns: number, values: Float64Array): Promise<boolean> {
  try {
    await appendFile(path, encodeRecords(values, columns), { flag: APPEND_TO_EXISTING });
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw namedBy(path, error);
  }
}

/**
 * Replaces the whole file in one step, and makes the folder that it is in: a reader or a crash sees the old file or the
 * new one.
 *
 * Errors:  what the disk says, with the path, also where the folder around that folder is gone: a data folder that was
 *          removed is not made anew, because without its name of a market the next start takes what is in it for its own
 */
export async function replaceRecords(
  path: string,
  columns: number,
  values: Float64Array,
  version = 0,
): Promise<void> {
  await mkdir(dirname(path)).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw namedBy(path, error);
  });
  await replaceFile(path, Buffer.concat([header(columns, version), encodeRecords(values, columns)]));
}

function header(columns: number, version: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt16LE(columns, 4);
  bytes.writeUInt16LE(version, 6);
  return bytes;
}

function recordBytes(columns: number): number {
  return columns * DOUBLE_BYTES + CHECKSUM_BYTES;
}

function encodeRecords(values: Float64Array, columns: number): Buffer {
  const size = recordBytes(columns);
  const bytes = Buffer.alloc((values.length / columns) * size);
  for (let at = 0, offset = 0; at < values.length; at += columns, offset += size) {
    const payloadEnd = offset + columns * DOUBLE_BYTES;
    for (let i = 0; i < columns; i++) bytes.writeDoubleLE(values[at + i]!, offset + i * DOUBLE_BYTES);
    bytes.writeUInt32LE(crc32(bytes.subarray(offset, payloadEnd)), payloadEnd);
  }
  return bytes;
}

function decodeRecords(bytes: Buffer, columns: number, version: number): Float64Array {
  if (bytes.length < HEADER_BYTES) return NO_VALUES;
  if (bytes.readUInt32LE(0) !== MAGIC) return NO_VALUES;
  if (bytes.readUInt16LE(4) !== columns || bytes.readUInt16LE(6) !== version) return NO_VALUES;
  const count = intactRecords(bytes, columns);
  const values = new Float64Array(count * columns);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = HEADER_BYTES;
  for (let i = 0; i < values.length; i++) {
    values[i] = view.getFloat64(offset, true);
    offset += (i + 1) % columns === 0 ? DOUBLE_BYTES + CHECKSUM_BYTES : DOUBLE_BYTES;
  }
  return values;
}

/** How many come before the first whose sum does not fit. */
function intactRecords(bytes: Buffer, columns: number): number {
  const size = recordBytes(columns);
  const payloadBytes = size - CHECKSUM_BYTES;
  let count = 0;
  for (let offset = HEADER_BYTES; offset + size <= bytes.length; offset += size, count++) {
    const payloadEnd = offset + payloadBytes;
    if (crc32(bytes.subarray(offset, payloadEnd)) !== bytes.readUInt32LE(payloadEnd)) break;
  }
  return count;
}
