import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const temporary = temporaryFolder();

describe("npm ci", () => {
  it("has everything compiled next, whatever times another version's files were unpacked with", () => {
    const { type, scripts } = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, unknown>;
    const name = "without-dependencies";
    writeFileSync(join(temporary.path, "package.json"), JSON.stringify({ name, type, scripts }));
    const lock = { name, lockfileVersion: 3, packages: { "": { name } } };
    writeFileSync(join(temporary.path, "package-lock.json"), JSON.stringify(lock));
    // What the compiler goes by: without it, it compiles; with it, only files that are newer.
    const compiled = join(temporary.path, "dist", ".tsbuildinfo");
    mkdirSync(join(temporary.path, "dist"));
    writeFileSync(compiled, "");

    execFileSync("npm", ["ci", "--offline", "--no-audit"], { cwd: temporary.path, stdio: "ignore" });

    expect(existsSync(compiled)).toBe(false);
  });
});
