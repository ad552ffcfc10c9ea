import { createHash } from "node:crypto";

/** Where a file of this content is kept that was not readable to its end. */
export function unreadableCopy(path: string, content: Buffer | string): string {
  return `${path}.${createHash("sha256").update(content).digest("hex").slice(0, 8)}.unreadable`;
}
