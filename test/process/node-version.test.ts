import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faultOfNode } from "../../src/process/node-version.ts";

const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
const MAJORS = ["18", "19", "20", "21", "22", "23", "24", "25", "26"];

test("runs on the majors that package.json names, and says of others which to take", () => {
  const named = [...engines.node.matchAll(/>=(\d+)/g)].map(([, major]) => major);
  const accepted = MAJORS.filter((major) => faultOfNode(`${major}.19.0`) === undefined);
  expect(accepted).toEqual(named);
  expect(faultOfNode("24.1.0")).toMatch(/Node\.js 20 or 22.*24\.1\.0/);
});
