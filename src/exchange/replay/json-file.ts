import { readFileSync } from "node:fs";
import { causeText } from "../../domain/cause-text.ts";

/** What a JSON file holds. Errors: an Error that names the file where it is none or cannot be read. */
export function jsonOfFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`${path} cannot be read: ${causeText(cause)}`, { cause });
  }
}
