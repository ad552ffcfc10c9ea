import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text as streamText } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import type { SimulatorAddress } from "../../src/simulator/simulator-thread.ts";
import type { SimulatorOptions } from "../../src/simulator/simulator.ts";
import { builtProgram } from "../support/built-program.ts";

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
    const worker = new Worker(builtProgram("simulator/simulator-thread"), { workerData });
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
    spawn(process.execPath, [builtProgram("simulator/simulator-main"), ...args]);

  it("prints its addresses as one line of JSON and stops cleanly on SIGTERM", async () => {
    const program = run("--port", "0", "--assets", "3", "--no-control");
    const [line] = (await once(createInterface(program.stdout), "line")) as [string];
    const address = JSON.parse(line) as SimulatorAddress;
    expect(address.controlUrl).toBeUndefined();
    expect((await statusAt(address.infoUrl)).time).toBeGreaterThan(0);
    program.kill("SIGTERM");
    expect(await once(program, "exit")).toEqual([0, null]);
  });

  it.each([
    ["a number that is none", ["--port", "many"], '--port must be a number from 0 to 65535, got "many"'],
    ["part of a port", ["--port", "1.5"], '--port must be a whole number, got "1.5"'],
    ["an option that there is not", ["--frob"], "Unknown option '--frob'"],
    ["an address that it cannot have", ["--host", "192.0.2.1"], "--host and --port cannot be used: listen"],
  ])("refuses %s in a line, without a stack", async (_, args, message) => {
    const program = run(...args);
    const [text, [code]] = await Promise.all([
      streamText(program.stderr),
      once(program, "exit") as Promise<[number]>,
    ]);
    expect(text).toContain(message);
    expect(text).not.toContain("    at ");
    expect(code).toBe(2);
  });
});
