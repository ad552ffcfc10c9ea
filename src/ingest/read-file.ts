import { readFile, stat } from "node:fs/promises";
import { hasCode } from "../domain/cause-code.ts";
import { namedBy } from "../domain/cause-text.ts";

/**
 * The content of a data file; null where there is none. A pipe or a device is refused: it would be read without end, and
 * the process would wait for that at its own.
 *
 * Errors:  what the disk says, with the path
 */
export async function readDataFile(path: string): Promise<Buffer | null> {
  try {
    const facts = await stat(path);
    // Of a directory the reading itself says so.
    if (!facts.isFile() && !facts.isDirectory()) throw new Error("is no regular file");
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw namedBy(path, error);
  }
}
