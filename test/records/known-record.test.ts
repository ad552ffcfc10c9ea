import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { RecordsHost } from "../../src/records/records-host.ts";
import type { RecordsThreadData } from "../../src/records/records-thread.ts";
import { ScriptedThread } from "../support/scripted-thread.ts";

vi.mock("../../src/process/restarting-thread.ts", async () => ({
  RestartingThread: (await import("../support/scripted-thread.ts")).ScriptedThread,
}));

it("makes a record only for threads that begin before any was read: in place of a lost one it would be empty", async () => {
  const host = new RecordsHost(
    {
      location: { kind: "sqlite", path: "breakwater.db" },
      ...{ dataDir: ".", marketSinceMs: null, retentionDays: null, logLevel: "silent" },
      logger: pino({ level: "silent" }),
    },
    () => undefined,
  );
  const threads = ScriptedThread.made;
  const areToldKnown = (): readonly unknown[] =>
    threads.map(({ run }) => (run.workerData as RecordsThreadData).location);
  const located = (isKnown: boolean): unknown => ({ kind: "sqlite", path: "breakwater.db", isKnown });
  const beginAnew = (): void => threads.forEach((thread) => thread.start());

  beginAnew();
  expect(areToldKnown()).toEqual([located(false), located(false)]);
  threads[0]!.say({ type: "keys", keys: [] });
  beginAnew();
  expect(areToldKnown()).toEqual([located(true), located(true)]);
  await host.stop();
});
