import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * `npm run bench -- [FILE]`: every benchmark one after another, tables to the file, some twenty minutes on a quiet
 * machine. One that fails leaves a line, and what it had measured, and the next begins.
 */
const file = process.argv[2] ?? "bench-results.md";
const BENCHES = ["core", "http", "interference", "sparse", "scale", "start", "risk"] as const;
const TIMEOUT_MS = 900_000;

writeFileSync(file, `## ${new Date().toISOString().slice(0, 10)}, revision ${revision()}\n\n`);
for (const bench of BENCHES) {
  const script = fileURLToPath(new URL(`./${bench}.js`, import.meta.url));
  const startMs = performance.now();
  const { stdout, status } = spawnSync(process.execPath, ["--expose-gc", script], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: TIMEOUT_MS,
  });
  const seconds = ((performance.now() - startMs) / 1e3).toFixed(0);
  appendFileSync(file, status === 0 ? stdout : `### bench:${bench}\n\nDid not finish.\n\n${stdout}`);
  if (status !== 0) process.exitCode = 1;
  console.log(`bench:${bench}: ${status === 0 ? "done" : "failed"} in ${seconds} s`);
}
console.log(`tables: ${file}`);

function revision(): string {
  try {
    const said = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8", stdio: "pipe" });
    return said.trim();
  } catch {
    return "unknown";
  }
}
