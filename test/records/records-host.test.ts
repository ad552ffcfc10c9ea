import { dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RecordsHost } from "../../src/records/records-host.ts";
import { newSqlitePath } from "../support/record-backends.ts";

// The threads are the built ones; only the host's time is moved by hand.
beforeEach(() =>
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }),
);
afterEach(() => vi.useRealTimers());

it("calls a record whose thread stands still not writable, and says so, until it goes on", async () => {
  const events: string[] = [];
  const write = (line: string): void =>
    void events.push((JSON.parse(line) as { readonly event: string }).event);
  const path = newSqlitePath();
  const host = new RecordsHost(
    {
      location: { kind: "sqlite", path },
      ...{ dataDir: dirname(path), marketSinceMs: null, retentionDays: null, logLevel: "silent" },
      logger: pino({ level: "info" }, { write }),
    },
    () => undefined,
  );
  const untilWritable = async (): Promise<void> => {
    while (!host.isWritable) await turn();
  };
  await untilWritable();

  // Nothing is heard while time is moved.
  vi.advanceTimersByTime(9_999);
  expect([host.isWritable, events]).toEqual([true, []]);
  vi.advanceTimersByTime(1);
  expect([host.isWritable, events]).toEqual([false, ["records.silent"]]);
  vi.advanceTimersByTime(60_000);
  expect(events).toEqual(["records.silent"]);
  await untilWritable();
  expect(events).toEqual(["records.silent", "records.heard"]);

  await host.stop();
  expect(vi.getTimerCount()).toBe(0);
});
