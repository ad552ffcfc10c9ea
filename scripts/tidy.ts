import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** The style rules that a linter does not know, executed over what git tracks. Exits 1 with a line a finding. */
const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "");
const findings: string[] = [];

const MAX_LINES = 250;
const REFUSED_NAMES = /^(index|types|utils?|helpers?|common|misc)\.ts$/;
const REFUSED_FOLDERS = /\/(lib|helpers|utils|common)\//;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.property\.test|\.bench|\.fuzz\.test)?\.ts$/;
const LEFT_OVERS = /\b(TODO|FIXME|XXX)\b|@ts-ignore|\bas any\s*[;,)\]}>]|\.only\(/;
// A path of one machine, or the host of a package registry, must not reach a commit.
const MACHINE_PATH = new RegExp(`(^|[^a-zA-Z0-9_.])/(${["work", "farm", "root", "tmp"].join("|")})/`);
const REGISTRY = new RegExp(["registry", "npmjs", "org"].join("\\."));

const namesInSource = new Map<string, string>();
for (const path of tracked) {
  const isText = /\.(ts|js|json|md|yaml|yml)$/.test(path) || path === ".ci/run";
  if (!isText || path === "package-lock.json") continue;
  const text = readFileSync(path, "utf8");
  const isGenerated = path.includes("/generated/");
  if (REGISTRY.test(text)) findings.push(`${path}: names a package registry's host`);
  text.split("\n").forEach((line, index) => {
    if (MACHINE_PATH.test(line)) findings.push(`${path}:${index + 1}: absolute path of a machine`);
    if (/\.ts$/.test(path) && !isGenerated && path !== "scripts/tidy.ts" && LEFT_OVERS.test(line)) {
      findings.push(`${path}:${index + 1}: left-over "${line.trim().slice(0, 60)}"`);
    }
  });
  if (!/^(src|scripts)\/.*\.ts$/.test(path) || isGenerated) continue;
  const name = basename(path);
  const lines = text.split("\n").length - 1;
  if (lines > MAX_LINES) findings.push(`${path}: ${lines} lines, at most ${MAX_LINES}`);
  if (REFUSED_NAMES.test(name) || REFUSED_FOLDERS.test(path)) findings.push(`${path}: a name without a noun`);
  if (!KEBAB.test(name)) findings.push(`${path}: not kebab-case`);
  if (path.startsWith("src/")) {
    const twin = namesInSource.get(name);
    if (twin !== undefined) findings.push(`${path}: same file name as ${twin}`);
    namesInSource.set(name, path);
  }
  if (path !== "src/config.ts" && /process\.env\b/.test(text) && path.startsWith("src/")) {
    findings.push(`${path}: reads the environment; only config.ts may`);
  }
}

// A decision that the table by subject leaves out is not found.
const decisions = readFileSync("src/DECISIONS.md", "utf8");
const numbers = [...decisions.matchAll(/^\*\*(\d+)\. /gm)].map(([, number]) => Number(number));
const listed = [...decisions.matchAll(/^\| .* \| ([\d(),by ]+) \|$/gm)]
  .flatMap(([, row]) => row!.replace(/\(by \d+\)/g, "").split(","))
  .map(Number);
numbers.forEach((number, index) => {
  if (number !== index + 1) findings.push(`src/DECISIONS.md: ${number} stands where ${index + 1} is due`);
  const times = listed.filter((other) => other === number).length;
  if (times !== 1) findings.push(`src/DECISIONS.md: ${number} is listed ${times} times by subject`);
});

for (const finding of findings) console.error(finding);
console.log(`${tracked.length} files, ${findings.length} findings`);
process.exit(findings.length === 0 ? 0 : 1);
