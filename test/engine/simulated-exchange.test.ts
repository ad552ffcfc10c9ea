import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BroadcastChannel } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { startSimulatedExchange } from "../../src/engine/simulated-exchange.ts";
import { threadUrl } from "../../src/process/thread-url.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

vi.mock("../../src/process/thread-url.ts", { spy: true });

// Mutants killed by hand: a thread that crashes or ends told to nobody; one that is stopped called lost; other limits there
// than the connection keeps; one left running; an error before it listens hidden.

const temporary = temporaryFolder();
const GO_ON = "simulated exchange of the test, go on";
const OPTIONS = { port: 0, seed: 7, speedFactor: 3, assetCount: 5 };

describe("startSimulatedExchange", () => {
  it("has the thread keep the limits that its clients are told of, on this machine only", async () => {
    const exchange = await started("listen");
    const { address, connection } = exchange;

    expect(JSON.parse(address.infoUrl)).toEqual({
      ...OPTIONS,
      host: "127.0.0.1",
      control: true,
      limits: { weightPerMinute: 60_000 },
    });
    const { infoUrl, wsUrl } = address;
    expect(connection).toEqual({
      kind: "network",
      infoUrl,
      wsUrl,
      weightPerMinute: 60_000,
      isRealTime: false,
    });
    await exchange.stop();
  });

  it("says so when the thread is lost, and why", async () => {
    // A thread that ends by itself may be known to have ended before its address has come.
    const goOn = new BroadcastChannel(GO_ON);
    for (const [behaviour, message] of [
      ["crash", "a crash for the test"],
      ["end", "the simulated exchange's thread ended with 3"],
    ] as const) {
      const lost = new Promise((resolve, reject) => {
        started(behaviour, resolve).then(() => goOn.postMessage(null), reject);
      });

      expect(await lost).toMatchObject({ message });
    }
    goOn.close();
  });

  it("has ended when it is stopped, and is not lost", async () => {
    const onLost = vi.fn();
    const exchange = await started("listen", onLost);

    await exchange.stop();

    expect(existsSync(join(temporary.path, "listen.mjs.stopped"))).toBe(true);
    expect(onLost).not.toHaveBeenCalled();
  });

  it("does not start when the thread fails or ends before it listens, and is not lost besides", async () => {
    const onLost = vi.fn();

    await expect(started("fail", onLost)).rejects.toThrow("a defect for the test");
    await expect(started("end at once", onLost)).rejects.toThrow("thread ended with 3");

    expect(onLost).not.toHaveBeenCalled();
  });
});

/** With a thread that gives what it was told for its address, and then behaves so. */
function started(
  behaviour: "listen" | "crash" | "end" | "fail" | "end at once",
  onLost: (cause: unknown) => void = () => undefined,
): ReturnType<typeof startSimulatedExchange> {
  const path = join(temporary.path, `${behaviour}.mjs`);
  writeFileSync(path, `const behaviour = "${behaviour}";${THREAD}`);
  vi.mocked(threadUrl).mockReturnValue(pathToFileURL(path));
  return startSimulatedExchange(OPTIONS, onLost);
}

const THREAD = `
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
if (behaviour === "fail") throw new Error("a defect for the test");
if (behaviour === "end at once") process.exit(3);
if (behaviour === "crash" || behaviour === "end") {
  new BroadcastChannel("${GO_ON}").onmessage = () => setImmediate(() => {
    if (behaviour === "end") process.exit(3);
    throw new Error("a crash for the test");
  });
}
parentPort.postMessage({ infoUrl: JSON.stringify(workerData), wsUrl: "ws" });
parentPort.once("message", () => {
  writeFileSync(fileURLToPath(import.meta.url) + ".stopped", "");
  parentPort.close();
});
`;
