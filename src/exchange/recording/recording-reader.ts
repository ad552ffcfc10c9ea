import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { constants, createGunzip } from "node:zlib";
import { isRecord, jsonValueOf } from "../../domain/json-value.ts";
import type { RecordedLine } from "./record-log.ts";
import { RECORDING_SUFFIX } from "./record-log.ts";

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
    const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    const source = createReadStream(path);
    const lines = createInterface({ input: source.pipe(gunzip), crlfDelay: Number.POSITIVE_INFINITY });
    for (const stream of [source, gunzip]) {
      stream.on("error", () => {
        lines.close();
      });
    }
    try {
      for await (const text of lines) {
        const line = parseLine(text);
        if (line !== null) yield line;
      }
    } catch (cause) {
      // The lines end with their input's error as well.
      if (source.errored === null && gunzip.errored === null) throw cause;
    }
  }
}

function parseLine(text: string): RecordedLine | null {
  const line = jsonValueOf(text);
  return isRecord(line) && typeof line["at"] === "number" ? (line as RecordedLine & typeof line) : null;
}
