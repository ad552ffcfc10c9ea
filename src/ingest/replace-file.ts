import { rename, rm, writeFile } from "node:fs/promises";
import { namedBy } from "../domain/cause-text.ts";

/**
 * Replaces a whole file in one step: a reader or a crash sees the old file or the new one.
 *
 * Errors:  what the disk says, with the path
 */
export async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  const temporaryPath = `${path}.new`;
  try {
    await writeFile(temporaryPath, content);
    await rename(temporaryPath, path);
  } catch (error) {
    // Half a file would take the room that a full disk lacks.
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    throw namedBy(path, error);
  }
}
