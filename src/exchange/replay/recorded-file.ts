import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { causeText } from "../../domain/cause-text.ts";

/** What a JSON file holds. Errors: an Error that names the file where it is none or cannot be read. */
export function jsonOfFile(path: string): unknown {
  return named(path, () => JSON.parse(readFileSync(path, "utf8")) as unknown);
}

/** The text of a gzip file. Errors: an Error that names the file where it is damaged or cannot be read. */
export function gunzippedFile(path: string): string {
  return named(path, () => gunzipSync(readFileSync(path)).toString("utf8"));
}

function named<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${causeText(cause)}`, { cause });
  }
}
