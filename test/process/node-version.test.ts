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
  expect(faultOfNode("24.1.0")).toMatch(/Node\.js 20 or 22.*24\.1\.0/);
});

test("runs on the one that npm installs, the same on each architecture", () => {
  const versions = Object.entries(optionalDependencies).flatMap(([name, version]) =>
    name.startsWith("node-linux-") ? [version] : [],
  );

  expect(versions).toHaveLength(2);
  expect(new Set(versions).size).toBe(1);
  expect(faultOfNode(versions[0]!)).toBeUndefined();
});
