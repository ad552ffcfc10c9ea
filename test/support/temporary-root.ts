import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What tests leave in the system's folder for temporary files lies in one, which goes with the run. */
export default function temporaryRoot(): () => void {
  const root = mkdtempSync(join(tmpdir(), "breakwater-tests-"));
  process.env["TMPDIR"] = root;
  return () => rmSync(root, { recursive: true, force: true });
}
