import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CommandFailure } from "../../src/cli/command-failure.ts";
import { requireWritable, writeFound } from "../../src/cli/data-file.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "breakwater-data-file-"));
const KEPT = join(FOLDER, "kept");
writeFileSync(KEPT, "content");

describe("requireWritable", () => {
  it("leaves a file as it was, and none where none was", () => {
    const unmade = join(FOLDER, "unmade");

    requireWritable(KEPT, "--out");
    requireWritable(unmade, "--out");

    expect(readFileSync(KEPT, "utf8")).toBe("content");
    expect(existsSync(unmade)).toBe(false);
  });

  it.each([
    ["a directory", FOLDER, "--out cannot be used: EISDIR"],
    ["what would be one", `${join(FOLDER, "unmade")}/`, "--out cannot be used: EISDIR"],
    ["a file's child", join(KEPT, "x"), "--out cannot be used: ENOTDIR"],
    ["a place that is not there", join(FOLDER, "none", "x"), `--out: ${join(FOLDER, "none")} does not exist`],
  ])("refuses %s", (_name, file, said) => {
    expect(() => requireWritable(file, "--out")).toThrow(CommandFailure);
    expect(() => requireWritable(file, "--out")).toThrow(said);
  });
});

describe("writeFound", () => {
  it("writes over what was there", () => {
    const file = join(FOLDER, "found");

    writeFound(file, "longer", "--out");
    writeFound(file, "new", "--out");

    expect(readFileSync(file, "utf8")).toBe("new");
  });

  it.runIf(existsSync("/dev/full"))("names the option and the file where the disk is full", () => {
    const said = "--json: /dev/full is incomplete: ENOSPC";

    expect(() => writeFound("/dev/full", "text", "--json")).toThrow(CommandFailure);
    expect(() => writeFound("/dev/full", "text", "--json")).toThrow(said);
  });
});
