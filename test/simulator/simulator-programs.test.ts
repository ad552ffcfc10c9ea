import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import type { SimulatorAddress } from "../../src/simulator/simulator-thread.ts";
import type { SimulatorOptions } from "../../src/simulator/simulator.ts";

/** The built entries: the worker that the service starts by default, and the program that runs on its own. */
const built = (name: string): string =>
  fileURLToPath(new URL(`../../dist/simulator/${name}.js`, import.meta.url));

async function statusAt(infoUrl: string): Promise<{ time: number }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(infoUrl, { method: "POST", headers, body: '{"type":"exchangeStatus"}' });
  return (await response.json()) as { time: number };
}

describe("the worker", () => {
  it("posts its addresses when it listens and ends when told to", async () => {
    const workerData: SimulatorOptions = {
      port: 0,
      host: "127.0.0.1",
      seed: 7,
      speedFactor: 60,
      assetCount: 4,
      historyHours: 24,
      control: true,
    };
    const worker = new Worker(built("simulator-thread"), { workerData });
    const [address] = (await once(worker, "message")) as [SimulatorAddress];
    const before = await statusAt(address.infoUrl);
    expect(before.time).toBeGreaterThan(1_700_000_000_000);
    expect((await fetch(`${address.controlUrl}/wallets`)).status).toBe(200);
    worker.postMessage("stop");
    expect(await once(worker, "exit")).toEqual([0]);
  });
});

describe("the program", () => {
  const run = (...args: string[]): ChildProcessWithoutNullStreams =>
    spawn(process.execPath, [built("simulator-main"), ...args]);

  it("prints its addresses as one line of JSON and stops cleanly on SIGTERM", async () => {
    const program = run("--port", "0", "--assets", "3", "--no-control");
    const [line] = (await once(createInterface(program.stdout), "line")) as [string];
    const address = JSON.parse(line) as SimulatorAddress;
    expect(address.controlUrl).toBeUndefined();
    expect((await statusAt(address.infoUrl)).time).toBeGreaterThan(0);
    program.kill("SIGTERM");
    expect(await once(program, "exit")).toEqual([0, null]);
  });

  it("refuses an argument it cannot read, naming it", async () => {
    const program = run("--port", "many");
    const [[text], [code]] = (await Promise.all([once(program.stderr, "data"), once(program, "exit")])) as [
      [Buffer],
      [number],
    ];
    expect(text.toString()).toContain('--port must be a number from 0 to 65535, got "many"');
    expect(code).toBe(2);
  });
});
