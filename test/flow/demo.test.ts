import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { builtProgram } from "../support/built-program.ts";

const DEMO = builtProgram("cli/demo");
const ROW = /^BTC .*\d %.*(proceed|abort)/;

it("shows risk numbers of a market that falls when Enter is pressed, and leaves nothing behind", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "breakwater-demo-test-"));
  const demo = spawn(process.execPath, [DEMO], {
    env: { PATH: process.env["PATH"], TMPDIR: temporary },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exitCode = new Promise<number | null>((resolve) => demo.once("exit", resolve));

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
