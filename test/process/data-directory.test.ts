import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config.ts";
import { prepareDataDirectory } from "../../src/process/data-directory.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const temporary = temporaryFolder();

describe("prepareDataDirectory", () => {
  it("makes the folder and those above it, and takes one that is there", () => {
    const path = join(temporary.path, "a", "b");

    for (let i = 0; i < 2; i++) prepareDataDirectory(path);

    expect(existsSync(path)).toBe(true);
  });

  it.each(["file", "file/below", "/proc/none/below"])("names the setting where %s cannot be one", (name) => {
    writeFileSync(join(temporary.path, "file"), "");
    const path = name.startsWith("/") ? name : join(temporary.path, name);

    expect(() => prepareDataDirectory(path, "THE_SETTING")).toThrow(ConfigError);
    expect(() => prepareDataDirectory(path, "THE_SETTING")).toThrow(/^THE_SETTING cannot be used: /);
  });
});
