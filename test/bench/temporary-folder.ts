import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gone when the process ends, however it ends but by SIGKILL. Servers that still write to it have been killed by then. */
const root = mkdtempSync(join(tmpdir(), "breakwater-bench-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

/** A new empty folder for what a benchmark writes. */
export function temporaryFolder(): string {
  return mkdtempSync(join(root, "part-"));
}
