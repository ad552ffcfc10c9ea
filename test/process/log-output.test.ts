import { execFileSync } from "node:child_process";
import { constants, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { LogOutput } from "../../src/process/log-output.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FULL_DISK = "/dev/full";
const LINE = `${"x".repeat(99)}\n`;
const PIPE_BYTES = 65_536;
const WAITING_MAX = 2_000;
const folder = temporaryFolder();

describe.runIf(existsSync(FULL_DISK))("LogOutput", () => {
  it("writes lines whole and in order to a reader that stood still, once it goes on", async () => {
    const pipe = openPipe();
    const output = new LogOutput(pipe);
    const lines = Array.from({ length: 1_500 }, (_, index) => `${String(index).padStart(99)}\n`);

    for (const line of lines) output.write(line);
    await untilFull();

    await vi.waitFor(() => expect(readOn(pipe)).toBe(lines.join("")), { timeout: 10_000 });
  });

  it("keeps so many lines and says how many more there were", async () => {
    const pipe = openPipe();
    const output = new LogOutput(pipe);
    for (let i = 0; i < 1_000; i++) output.write(LINE);
    await untilFull();

    for (let i = 0; i < WAITING_MAX; i++) output.write(LINE);

    await vi.waitFor(() => expect(readOn(pipe)).toContain("log.lost"), { timeout: 10_000 });
    const lines = readOn(pipe).trimEnd().split("\n");
    const lost = JSON.parse(lines.at(-1)!) as { readonly lines: number };
    expect(lines.length - 1 + lost.lines).toBe(1_000 + WAITING_MAX);
    expect(lines.length - 1).toBeGreaterThan(WAITING_MAX);
    expect(lines.length - 1).toBeLessThanOrEqual(WAITING_MAX + PIPE_BYTES / LINE.length + 1);
  });

  it("writes at the end what waits behind a line that the kernel has, and that line once", async () => {
    const pipe = openPipe();
    const output = new LogOutput(pipe);
    output.write("with the kernel\n");
    await Promise.resolve();

    output.write("behind\n");
    output.flushSync();
    output.write("after\n");

    // Who is first, the kernel's thread or the flush, is open; a line after them waits for both.
    await vi.waitFor(() => expect(readOn(pipe)).toMatch(/after\n$/), { timeout: 10_000 });
    expect(readOn(pipe).split("\n").toSorted()).toEqual(["", "after", "behind", "with the kernel"]);
  });

  it("does not wait for anybody at the end", async () => {
    const pipe = openPipe();
    const behind = new LogOutput(pipe);
    const full = new LogOutput(openSync(FULL_DISK, "w"));

    for (let i = 0; i < 1_000; i++) behind.write(LINE);
    full.write(LINE);
    await untilFull();
    behind.flushSync();
    full.flushSync();

    expect(readOn(pipe).length).toBeLessThanOrEqual(PIPE_BYTES);
  });
});

/** What was read of each pipe. */
const read = new Map<number, string>();

/** Both ends of a pipe that refuses what it has no room for. */
function openPipe(): number {
  const path = join(folder.path, "pipe");
  execFileSync("mkfifo", [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  read.set(pipe, "");
  return pipe;
}

function readOn(pipe: number): string {
  const buffer = Buffer.alloc(PIPE_BYTES);
  try {
    for (;;) read.set(pipe, read.get(pipe)! + buffer.toString("utf8", 0, readSync(pipe, buffer)));
  } catch {
    return read.get(pipe)!;
  }
}

/** Writes are made on another thread, one after the other. */
async function untilFull(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 300));
}
