import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A folder of each test's own, empty before it and gone after it. */
export function temporaryFolder(): { readonly path: string } {
  const folder = { path: "" };
  beforeEach(() => {
    folder.path = mkdtempSync(join(tmpdir(), "breakwater-"));
  });
  afterEach(() => {
    rmSync(folder.path, { recursive: true });
  });
  return folder;
}
