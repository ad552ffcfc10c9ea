import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** The recorded market data beside the checkout; absent in a user's clone. */
export const SHARED_DATA_DIR = fileURLToPath(new URL("../../../shared/data", import.meta.url));
export const SHARED_REFERENCE_DIR = fileURLToPath(new URL("../../../shared/reference", import.meta.url));
/** Oracle vectors: BREAKWATER_VECTORS, else the folder beside the checkout. */
export const VECTORS_DIR =
  process.env["BREAKWATER_VECTORS"] ?? fileURLToPath(new URL("../../../shared/vectors", import.meta.url));

export const hasSharedData = existsSync(SHARED_DATA_DIR);
export const hasSharedReference = existsSync(SHARED_REFERENCE_DIR);
export const hasVectors = existsSync(VECTORS_DIR);

if (!hasSharedData)
  console.info("shared/data is not beside this checkout: tests on recorded data are skipped");
if (!hasVectors) console.info("shared/vectors is not beside this checkout: oracle vectors are skipped");

export function sharedText(relativePath: string): string {
  const bytes = readFileSync(`${SHARED_DATA_DIR}/${relativePath}`);
  return (relativePath.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

export function sharedJson(relativePath: string): unknown {
  return JSON.parse(sharedText(relativePath));
}
