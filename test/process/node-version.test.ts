import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faultOfNode } from "../../src/process/node-version.ts";

const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
  optionalDependencies: Record<string, string>;
};

test("runs on the majors that its HTTP library has binaries for, and says of others what to do", () => {
  const majors = ["18", "19", "20", "21", "22", "23", "24", "25", "26"];

  const accepted = majors.filter((major) => faultOfNode(`${major}.19.0`) === undefined);

  expect(accepted).toEqual(["20", "22"]);
  expect(faultOfNode("24.1.0")).toMatch(/Node\.js 20 .*or 22 .*24\.1\.0/);
});

test("runs on no release of theirs that lacks what the code imports", () => {
  // node:crypto of 20.11 has no hash; node:zlib of 20.14 and of 22.1 has no crc32.
  const versions = [
    "20.11.0",
    "20.14.0",
    "20.18.3",
    "20.19.0",
    "20.20.2",
    "22.1.0",
    "22.12.0",
    "22.13.0",
    "22.23.5",
  ];

  const accepted = versions.filter((version) => faultOfNode(version) === undefined);

  expect(accepted).toEqual(["20.19.0", "20.20.2", "22.13.0", "22.23.5"]);
  expect(faultOfNode("20.11.0")).toMatch(/from 20\.19 on.*from 22\.13 on.*this is 20\.11\.0/);
});

test("runs on the one that npm installs, the same on each architecture", () => {
  const versions = Object.entries(optionalDependencies).flatMap(([name, version]) =>
    name.startsWith("node-linux-") ? [version] : [],
  );

  expect(versions).toHaveLength(2);
  expect(new Set(versions).size).toBe(1);
  expect(faultOfNode(versions[0]!)).toBeUndefined();
});
