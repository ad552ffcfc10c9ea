import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord, jsonValueOf } from "../../domain/json-value.ts";
import { gzipLines } from "./gzip-lines.ts";
import type { RecordedLine } from "./record-log.ts";
import { RECORDING_SUFFIX } from "./record-log.ts";

/** The last moment that a Date can name. */
const DATE_MS_MAX = 8.64e15;

/** The files of a recording in the order they were written; empty when the directory holds none. */
export function recordingFiles(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => name.startsWith("hyperliquid-") && name.endsWith(RECORDING_SUFFIX))
    .sort()
    .map((name) => join(directory, name));
}

/** Every line of a recording, oldest first. A damaged file ends where the damage begins; the next one is still read. */
export async function* readRecording(directory: string): AsyncGenerator<RecordedLine> {
  for (const path of recordingFiles(directory)) {
    for await (const text of gzipLines(path)) {
      const line = parseLine(text);
      if (line !== null) yield line;
    }
  }
}

/** Null for what no recorder writes. */
function parseLine(text: string): RecordedLine | null {
  const line = jsonValueOf(text);
  if (!isRecord(line) || typeof line["at"] !== "number") return null;
  return line["at"] >= 0 && line["at"] <= DATE_MS_MAX ? (line as RecordedLine & typeof line) : null;
}
