import { once } from "node:events";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EngineHost } from "../../src/engine/engine-host.ts";
import type { SnapshotMessage } from "../../src/snapshot/snapshot-channel.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const temporary = temporaryFolder();

// The engine is the built one, with no exchange to reach; only the host's time is moved by hand.
describe("EngineHost", () => {
  beforeEach(() =>
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    }),
  );
  afterEach(() => vi.useRealTimers());

  it("says that a run began, then passes on what the engine says, and watches it until it is stopped", async () => {
    const { host, messages, until } = hosted();

    host.start();
    expect(messages).toEqual([{ type: "run.began", hasBeenReady: false }]);
    await until(() => messages.length > 1);
    await host.stop();

    const count = messages.length;
    expect(messages.slice(1).map(({ type }) => type)).not.toContain("run.began");
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(messages).toHaveLength(count);
  });

  it("gives the engine longer to stop than other threads have: it has what was learned to write", async () => {
    const { host, messages, events, until } = hosted();
    host.start();
    await until(() => messages.length > 1);

    const stopped = host.stop();
    vi.advanceTimersByTime(14_999);
    await stopped;

    expect(events()).toEqual([]);
  });

  it("puts another engine in the place of one that was silent for twenty seconds", async () => {
    const { host, messages, events, until } = hosted();
    host.start();
    await until(() => messages.length > 1);

    // Nothing is heard while time is moved: the engine speaks to a thread that does not listen.
    vi.advanceTimersByTime(19_999);
    expect(events()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(events()).toEqual(["engine.silent"]);
    vi.advanceTimersByTime(10_000);
    expect(events()).toEqual(["engine.silent"]);
    await until(() => events().includes("engine.ended"));

    const heard = messages.length;
    vi.advanceTimersByTime(1_000);
    expect(messages.slice(heard)).toEqual([{ type: "run.began", hasBeenReady: false }]);
    await until(() => messages.length > heard + 1);
    expect(events()).toEqual(["engine.silent", "engine.ended"]);
    await host.stop();
  });

  it("leaves an engine alone that was silent because the whole process stood still", async () => {
    const { host, messages, events, until } = hosted();
    host.start();
    await until(() => messages.length > 1);

    // A stopped process or a paused machine: time has gone by, and the watch looks before it can have heard anything.
    const resumedMs = performance.now() + 3_600_000;
    const now = vi.spyOn(performance, "now").mockImplementation(() => resumedMs);
    vi.advanceTimersByTime(5_000);
    now.mockRestore();

    expect(events()).toEqual([]);
    await host.stop();
  });

  it("waits for the first word of an engine as long as it takes: it may have a long recording to open", async () => {
    const { host, messages, events, until } = hosted();
    host.start();

    vi.advanceTimersByTime(120_000);
    expect(events()).toEqual([]);
    await until(() => messages.length > 1);

    vi.advanceTimersByTime(20_000);
    expect(events()).toEqual(["engine.silent"]);
    await host.stop();
  });

  it("takes every word of the engine for a sign of life", async () => {
    const { host, messages, events, until } = hosted();
    host.start();
    await until(() => messages.length > 1);

    for (let i = 0; i < 2; i++) {
      vi.advanceTimersByTime(15_000);
      const heard = messages.length;
      await until(() => messages.length > heard);
    }

    expect(events()).toEqual([]);
    await host.stop();
  });
});

interface Hosted {
  readonly host: EngineHost;
  readonly messages: readonly SnapshotMessage[];
  readonly events: () => readonly string[];
  /** Asked again with every message and every line of the log. */
  readonly until: (isSo: () => boolean) => Promise<void>;
}

function hosted(): Hosted {
  const messages: SnapshotMessage[] = [];
  const logged: string[] = [];
  const bell = new EventTarget();
  const host = new EngineHost(
    {
      connection: {
        kind: "network",
        infoUrl: "http://127.0.0.1:1/info",
        wsUrl: "ws://127.0.0.1:1/ws",
        weightPerMinute: 1_200,
        isRealTime: true,
      },
      dataDir: temporary.path,
      logLevel: "fatal",
      helperThreads: [],
    },
    (message) => {
      messages.push(message);
      bell.dispatchEvent(new Event("heard"));
    },
    pino(
      { level: "warn" },
      {
        write: (line) => {
          logged.push((JSON.parse(line) as { readonly event: string }).event);
          bell.dispatchEvent(new Event("heard"));
        },
      },
    ),
  );
  return {
    host,
    messages,
    events: () => logged,
    until: async (isSo) => {
      while (!isSo()) await once(bell, "heard");
    },
  };
}
