import { once } from "node:events";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";

/** A worker runs the built program: it has no loader of its own. */
const MODULE = new URL("../../dist/domain/thread-priority.js", import.meta.url);
const WORKER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { getPriority } = require("node:os");
  import(workerData).then(({ lowerThreadPriority }) => {
    lowerThreadPriority(7);
    parentPort.postMessage(getPriority(0));
  });`;

describe.runIf(process.platform === "linux")("a thread's priority", () => {
  it("is lowered for the thread that asks and no other", async () => {
    const before = getPriority(0);
    const worker = new Worker(WORKER, { eval: true, workerData: MODULE.href });
    const [priority] = (await once(worker, "message")) as [number];
    await worker.terminate();
    expect(priority).toBe(Math.min(19, before + 7));
    expect(getPriority(0)).toBe(before);
  });
});
