import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RestartingThread, type RestartingThreadOptions } from "../../src/process/restarting-thread.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Order = "echo" | "crash" | "hang" | "ignore stop";

const temporary = temporaryFolder();

// Threads are real, the second before another one starts is not.
describe("RestartingThread", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => vi.useRealTimers());

  it("has what was asked answered, by a thread that is told what it needs at its start", async () => {
    const { thread, next } = started();

    expect([thread.ask("echo"), thread.ask("echo")]).toEqual([true, true]);

    expect([await next("reply"), await next("reply")]).toEqual(["echo of run 1", "echo of run 1"]);
    await thread.stop();
  });

  it("starts another thread a second after one crashed, told anew; until then nobody can be asked", async () => {
    const { thread, events, next, runs } = started();

    thread.ask("crash");
    await next("end");

    expect(events.logged.map(({ event, code }) => [event, code])).toEqual([
      ["part.crashed", undefined],
      ["part.ended", 1],
    ]);
    expect(events.logged[0]!.err!.message).toBe("a crash for the test");
    expect(thread.ask("echo")).toBe(false);
    vi.advanceTimersByTime(999);
    expect(runs()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(runs()).toBe(2);
    expect(thread.ask("echo")).toBe(true);
    expect(await next("reply")).toBe("echo of run 2");
    await thread.stop();
  });

  it("waits twice as long each time that one dies soon, a minute at most, and a second after one that lived", async () => {
    const { thread, events, next } = started();
    const now = vi.spyOn(performance, "now").mockReturnValue(0);
    const dieAfter = async (livedMs: number): Promise<number> => {
      const nowMs = performance.now() + livedMs;
      now.mockReturnValue(nowMs);
      thread.ask("crash");
      await next("end");
      const { restartInMs } = events.logged.at(-1)!;
      vi.advanceTimersByTime(restartInMs!);
      return restartInMs!;
    };

    const delaysMs: number[] = [];
    for (const livedMs of [0, 59_999, 0, 0, 0, 0, 0, 0, 60_000, 0]) delaysMs.push(await dieAfter(livedMs));

    expect(delaysMs).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 1, 2].map((seconds) => seconds * 1_000));
    now.mockRestore();
    await thread.stop();
  });

  it("replaces a thread that hangs", async () => {
    const { thread, next, runs } = started();
    thread.ask("echo");
    await next("reply");

    thread.ask("hang");
    thread.replace();
    await next("end");
    vi.advanceTimersByTime(1_000);

    expect(runs()).toBe(2);
    thread.ask("echo");
    expect(await next("reply")).toBe("echo of run 2");
    await thread.stop();
  });

  it("lets a thread end by itself when it is stopped, and starts no other", async () => {
    const { thread, events, next, runs } = started();

    await thread.stop();

    expect(await next("reply")).toBe("stopped by itself");
    await next("end");
    expect(events.logged).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    expect(runs()).toBe(1);
  });

  it("ends a thread that does not stop within its time, and says so", async () => {
    for (const stopTimeoutMs of [undefined, 12_000]) {
      const { thread, events, next } = started({ ending: { timeoutMs: stopTimeoutMs } });
      thread.ask("ignore stop");
      expect(await next("reply")).toBe("ignoring");

      const stopped = thread.stop();
      vi.advanceTimersByTime((stopTimeoutMs ?? 5_000) - 1);
      thread.ask("echo");
      expect(await next("reply")).toBe("echo of run 1");
      vi.advanceTimersByTime(1);
      await stopped;

      await next("end");
      expect(events.logged.map(({ level, event }) => [level, event])).toEqual([[40, "part.stop_timeout"]]);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("leaves one alone, where so told, that does not stop within its time, and says so", async () => {
    const { thread, events, next } = started({ ending: { isLeft: true } });
    thread.ask("ignore stop");
    expect(await next("reply")).toBe("ignoring");

    const stopped = thread.stop();
    vi.advanceTimersByTime(5_000);
    await stopped;

    expect(events.logged.map(({ event }) => event)).toEqual(["part.stop_timeout"]);
    thread.ask("echo");
    expect(await next("reply")).toBe("echo of run 1");
    thread.replace();
    await next("end");
  });

  it("is stopped at once between two threads, and starts no other", async () => {
    const { thread, next, runs } = started();
    thread.ask("crash");
    await next("end");

    await thread.stop();
    vi.advanceTimersByTime(60_000);

    expect([runs(), vi.getTimerCount()]).toEqual([1, 0]);
  });
});

interface Logged {
  readonly level: number;
  readonly event: string;
  readonly code?: number;
  readonly restartInMs?: number;
  readonly err?: { readonly message: string };
}

interface Started {
  readonly thread: RestartingThread<Order, string>;
  readonly events: { readonly logged: readonly Logged[] };
  /** The next reply, or an end, that was not asked for yet. */
  readonly next: (kind: "reply" | "end") => Promise<string>;
  readonly runs: () => number;
}

function started(options: Partial<RestartingThreadOptions<string>> = {}): Started {
  const path = join(temporary.path, "part.mjs");
  writeFileSync(path, PART);
  const logged: Logged[] = [];
  const heard = { reply: [] as string[], end: [] as string[] };
  const bell = new EventTarget();
  const note = (kind: "reply" | "end", text: string): void => {
    heard[kind].push(text);
    bell.dispatchEvent(new Event("heard"));
  };
  let runs = 0;
  const thread = new RestartingThread<Order, string>({
    name: "part",
    url: pathToFileURL(path),
    workerOptions: () => ({ workerData: ++runs }),
    logger: pino({ level: "warn" }, { write: (line) => logged.push(JSON.parse(line) as Logged) }),
    onReply: (reply) => note("reply", reply),
    onEnd: () => note("end", ""),
    ...options,
  });
  return {
    thread,
    events: { logged },
    runs: () => runs,
    next: async (kind) => {
      while (heard[kind].length === 0) await once(bell, "heard");
      return heard[kind].shift()!;
    },
  };
}

const PART = `
import { parentPort, workerData } from "node:worker_threads";
let ignoresStop = false;
parentPort.on("message", (order) => {
  if (order === "echo") parentPort.postMessage("echo of run " + workerData);
  if (order === "crash") throw new Error("a crash for the test");
  if (order === "hang") for (;;);
  if (order === "ignore stop") {
    ignoresStop = true;
    parentPort.postMessage("ignoring");
  }
  if (order.type !== "stop" || ignoresStop) return;
  parentPort.postMessage("stopped by itself");
  parentPort.close();
});
`;
