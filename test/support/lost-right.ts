import { chmodSync } from "node:fs";
import { dirname } from "node:path";

/** Any user but root, for whom no file's mode is an obstacle. */
const NOBODY = 65_534;

/** Runs something while this process may read a file and may not write it. The file's folder may be written. */
export async function withoutRightToWrite<T>(path: string, body: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  chmodSync(path, 0o444);
  if (isRoot) {
    chmodSync(dirname(path), 0o777);
    chmodSync(dirname(dirname(path)), 0o711);
    process.seteuid!(NOBODY);
  }
  try {
    return await body();
  } finally {
    if (isRoot) process.seteuid!(0);
    chmodSync(path, 0o644);
  }
}
