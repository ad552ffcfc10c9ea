import { once } from "node:events";
import { pino } from "pino";
import { afterEach, expect, it, vi } from "vitest";
import { EngineHost } from "../../src/engine/engine-host.ts";
import type { EngineThreadData } from "../../src/engine/engine-thread.ts";
import { ScriptedThread } from "../support/scripted-thread.ts";

vi.mock("../../src/process/restarting-thread.ts", async () => ({
  RestartingThread: (await import("../support/scripted-thread.ts")).ScriptedThread,
}));

afterEach(() => vi.useRealTimers());

it("calls no engine silent that has ended, however long the next one waits to begin", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const events: string[] = [];
  const bell = new EventTarget();
  const host = new EngineHost(
    {
      connection: { kind: "replay", directory: ".", speedFactor: 1 },
      ...{ dataDir: ".", logLevel: "silent", helperThreads: [] },
    },
    () => bell.dispatchEvent(new Event("heard")),
    pino(
      { level: "warn" },
      { write: (line) => void events.push((JSON.parse(line) as { readonly event: string }).event) },
    ),
  );
  host.start();
  const [thread] = ScriptedThread.made;
  const { snapshotPort } = thread!.run.workerData as EngineThreadData;

  const heard = once(bell, "heard");
  snapshotPort.postMessage({ type: "run.began", hasBeenReady: false });
  await heard;
  thread!.end();
  vi.advanceTimersByTime(60_000);

  expect(events).toEqual([]);
  await host.stop();
});
