import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FULL_DISK = "/dev/full";
const folder = temporaryFolder();

describe.runIf(existsSync(FULL_DISK))("the log", () => {
  it("stops neither answers nor an orderly end where the disk that it goes to is full", async () => {
    const child = spawn(process.execPath, [builtProgram("main")], {
      env: {
        PATH: process.env["PATH"],
        PORT: "0",
        BREAKWATER_SIMULATOR_PORT: "0",
        BREAKWATER_SIMULATOR_ASSETS: "12",
        BREAKWATER_DATA_DIR: folder.path,
        BREAKWATER_GATEWAYS: process.env["TEST_GATEWAYS"] ?? "1",
      },
      stdio: ["ignore", openSync(FULL_DISK, "w"), "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exited = once(child, "exit");
    const url = await demoUrl(child.stderr!);

    const { status } = await fetch(`${url}/health`);
    child.kill("SIGTERM");
    const [code] = (await exited) as [number | null];

    expect([200, 503]).toContain(status);
    expect(code).toBe(0);
  }, 30_000);
});

/** Where the service listens, from what it prints for the person at the terminal. */
async function demoUrl(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const url = /http:\/\/[\d.:]+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error("the service did not say where it listens");
}
