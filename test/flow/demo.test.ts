import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { expect, it } from "vitest";
import { builtProgram } from "../support/built-program.ts";

const DEMO = builtProgram("cli/demo");
const ROW = /^BTC .*\d %.*(proceed|abort)/;

it("shows risk numbers of a market that falls when Enter is pressed, and leaves nothing behind", async () => {
  const { demo, exitCode, temporary } = startDemo();

  let isFalling = false;
  for await (const line of createInterface({ input: demo.stdout })) {
    if (!ROW.test(line)) continue;
    if (!isFalling) demo.stdin.write("\n");
    isFalling = true;
    // Without a crash the market moves by some hundredths of a percent a second.
    if (/ -[1-9]\.\d\d %/.test(line)) break;
  }
  demo.kill("SIGINT");

  expect(await exitCode).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
}, 120_000);

it("ends its service and leaves nothing behind when it is stopped while it starts, impatiently too", async () => {
  const { demo, exitCode, temporary } = startDemo();

  for await (const line of createInterface({ input: demo.stdout })) {
    if (line.startsWith("starting")) break;
  }
  demo.kill("SIGINT");
  demo.kill("SIGTERM");

  expect(await exitCode).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
}, 120_000);

it("says in a line that there is no folder for what it writes", () => {
  const env = { TMPDIR: "/of/nobody" };

  const { status, stderr } = spawnSync(process.execPath, [DEMO], { env, encoding: "utf8" });

  expect(status).toBe(2);
  expect(stderr).toMatch(/^TMPDIR cannot be used: .*ENOENT.*\/of\/nobody.*\n$/);
});

function startDemo(): {
  readonly demo: ChildProcessByStdio<Writable, Readable, null>;
  readonly exitCode: Promise<number | null>;
  readonly temporary: string;
} {
  const temporary = mkdtempSync(join(tmpdir(), "breakwater-demo-test-"));
  const demo = spawn(process.execPath, [DEMO], {
    env: { PATH: process.env["PATH"], TMPDIR: temporary },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exitCode = new Promise<number | null>((resolve) => demo.once("exit", resolve));
  return { demo, exitCode, temporary };
}
