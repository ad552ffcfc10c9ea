import { execFile } from "node:child_process";
import { once } from "node:events";
import { getPriority } from "node:os";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";

/** A worker runs the built program: it has no loader of its own. */
const MODULE = new URL("../../dist/domain/thread-priority.js", import.meta.url);
const WORKER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { getPriority } = require("node:os");
  import(workerData).then(({ lowerPriority }) => {
    lowerPriority(5);
    lowerPriority(7);
    parentPort.postMessage(getPriority(0));
  });`;

/** A program that lowers the priority of what runs beside it, then starts a thread. */
const RUNTIME = `
  import { once } from "node:events";
  import { getPriority } from "node:os";
  import { Worker } from "node:worker_threads";
  const { lowerPriority, runtimeThreads } = await import(process.argv[1]);
  const threads = runtimeThreads();
  const noThread = 2 ** 31 - 1;
  lowerPriority(7, [noThread, ...threads]);
  const runtime = threads.map((thread) => getPriority(thread));
  const source = "require('node:worker_threads').parentPort.postMessage(require('node:os').getPriority(0))";
  const [started] = await once(new Worker(source, { eval: true, execArgv: [] }), "message");
  console.log(JSON.stringify({ own: getPriority(0), runtime, started }));`;

/** A program in a sandbox that refuses what it asks of priorities. */
const SANDBOXED = `
  import { syncBuiltinESMExports } from "node:module";
  import os from "node:os";
  os.getPriority = os.setPriority = () => {
    throw new Error("EPERM");
  };
  syncBuiltinESMExports();
  const { lowerPriority } = await import(process.argv[1]);
  lowerPriority(7);
  console.log("lives");`;

describe.runIf(process.platform === "linux")("a thread's priority", () => {
  it("is lowered for the thread that asks and no other, from what the program has", async () => {
    const before = getPriority(0);
    const worker = new Worker(WORKER, { eval: true, workerData: MODULE.href });
    const [priority] = (await once(worker, "message")) as [number];
    await worker.terminate();
    expect(priority).toBe(Math.min(19, before + 7));
    expect(getPriority(0)).toBe(before);
  });

  it("is lowered for the runtime's own threads, and those that the program starts afterwards keep its own", async () => {
    const { own, runtime, started } = JSON.parse(await outputOf(RUNTIME)) as Record<
      string,
      number | number[]
    >;
    const before = getPriority(0);
    expect(own).toBe(before);
    expect((runtime as number[]).length).toBeGreaterThan(0);
    expect(new Set(runtime as number[])).toEqual(new Set([Math.min(19, before + 7)]));
    expect(started).toBe(before);
  });

  it("stays what it is where the system refuses to say or to change it", async () => {
    expect(await outputOf(SANDBOXED)).toBe("lives\n");
  });
});

async function outputOf(program: string): Promise<string> {
  const argv = ["--input-type=module", "--eval", program, MODULE.href];
  return (await promisify(execFile)(process.execPath, argv)).stdout;
}
