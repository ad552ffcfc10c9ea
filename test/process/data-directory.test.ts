import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config.ts";
import { prepareDataDirectory } from "../../src/process/data-directory.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "data-directory-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe("prepareDataDirectory", () => {
  it("makes the folder and those above it, and takes one that is there", () => {
    const path = join(directory, "a", "b");

    for (let i = 0; i < 2; i++) prepareDataDirectory(path);

    expect(existsSync(path)).toBe(true);
  });

  it.each(["file", "file/below", "/proc/none/below"])("names the setting where %s cannot be one", (name) => {
    writeFileSync(join(directory, "file"), "");
    const path = name.startsWith("/") ? name : join(directory, name);

    expect(() => prepareDataDirectory(path, "THE_SETTING")).toThrow(ConfigError);
    expect(() => prepareDataDirectory(path, "THE_SETTING")).toThrow(/^THE_SETTING cannot be used: /);
  });
});
