import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { listeningUrls } from "../../src/cli/listening-urls.ts";
import { builtProgram } from "../support/built-program.ts";
import { serviceEnvironment } from "../support/running-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FULL_DISK = "/dev/full";
const folder = temporaryFolder();

describe("the log", () => {
  it.runIf(existsSync(FULL_DISK))(
    "stops neither answers nor an orderly end where the disk that it goes to is full",
    async () => {
      const fullDisk = openSync(FULL_DISK, "w");
      const child = demo(["ignore", fullDisk, "pipe"]);
      closeSync(fullDisk);

      await expectAnswers(child, await demoUrl(child.stderr!));
    },
    30_000,
  );

  it("stops neither where who reads it and what is printed beside it has gone", async () => {
    const child = demo(["ignore", "pipe", "pipe"]);
    child.stderr!.destroy();
    const { url } = await listeningUrls(child);
    child.stdout!.destroy();

    await expectAnswers(child, url);
  }, 30_000);
});

/** A service without a key of its own, which prints one. */
function demo(stdio: StdioOptions): ChildProcess {
  const env = serviceEnvironment({ BREAKWATER_DATA_DIR: folder.path, BREAKWATER_API_KEYS: "" });
  const child = spawn(process.execPath, [builtProgram("main")], { env, stdio });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function expectAnswers(child: ChildProcess, url: string): Promise<void> {
  const exited = once(child, "exit");

  const { status } = await fetch(`${url}/health`);
  child.kill("SIGTERM");
  const [code] = (await exited) as [number | null];

  expect([200, 503]).toContain(status);
  expect(code).toBe(0);
}

/** Where the service listens, from what it prints for the person at the terminal. */
async function demoUrl(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const url = /http:\/\/[\d.:]+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error("the service did not say where it listens");
}
