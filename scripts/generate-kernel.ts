/**
 * Writes src/risk/portfolio/tail/generated/tail-kernel-code.ts, the machine-independent code of tail-kernel.wat. With --check it
 * writes nothing and exits 1 if the file is stale.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import loadWabt from "wabt";

const FOLDER = fileURLToPath(new URL("../src/risk/portfolio/tail", import.meta.url));
const SOURCE = `${FOLDER}/tail-kernel.wat`;
const TARGET = `${FOLDER}/generated/tail-kernel-code.ts`;
const FEATURES = { simd: true, threads: true };

const wabt = await loadWabt();
const module = wabt.parseWat("tail-kernel.wat", readFileSync(SOURCE, "utf8"), FEATURES);
const code = Buffer.from(module.toBinary({}).buffer).toString("base64");
const text = `// Generated from tail-kernel.wat by scripts/generate-kernel.ts. Do not edit: run \`npm run generate\`.
export const TAIL_KERNEL_CODE_BASE64 =
  "${code}";
`;

if (!process.argv.includes("--check")) {
  mkdirSync(dirname(TARGET), { recursive: true });
  writeFileSync(TARGET, text);
} else if (!existsSync(TARGET) || readFileSync(TARGET, "utf8") !== text) {
  console.error("stale: src/risk/portfolio/tail/generated/tail-kernel-code.ts; run npm run generate");
  process.exit(1);
}
