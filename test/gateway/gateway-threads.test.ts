import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import type { GatewayThreadData } from "../../src/gateway/gateway-thread.ts";
import {
  GatewayStartError,
  GatewayThreads,
  type GatewayThreadsDeps,
} from "../../src/gateway/gateway-threads.ts";
import { KeyRing } from "../../src/http/key-ring.ts";
import { SnapshotFanOut } from "../../src/snapshot/snapshot-fan-out.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import type { WalletFanOut, WalletNews } from "../../src/snapshot/wallet-fan-out.ts";
import { NOW_MS, WALLET, walletState } from "../support/builders.ts";
import { ScriptedThread } from "../support/scripted-thread.ts";

vi.mock("../../src/process/restarting-thread.ts", async () => ({
  RestartingThread: (await import("../support/scripted-thread.ts")).ScriptedThread,
}));

// Mutants killed by hand: started before every thread is; wallets told to nobody; streams confirmed never, or after the
// end; threads left running, or the end before theirs; one place for all of them, or the main thread's; a thread that
// never starts waited for for ever, or after the end.

const BUSY_MEMORY = new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT);

describe("GatewayThreads", () => {
  const threads = ScriptedThread.made;
  let confirmations: number;
  let gateways: GatewayThreads;
  let keys: KeyRing;
  let started: Promise<void>;
  let hasStarted: boolean;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
    [threads.length, confirmations, hasStarted] = [0, 0, false];
    keys = new KeyRing([], 60, SYSTEM_CLOCK);
    gateways = new GatewayThreads();
    const source: Pick<WalletFanOut, "tellConfirmed"> = { tellConfirmed: () => confirmations++ };
    const deps: Partial<GatewayThreadsDeps> = {
      acceptor: { addChild: () => undefined, removeChild: () => undefined } as never,
      keys,
      busyMemory: BUSY_MEMORY,
      snapshots: new SnapshotFanOut(new SnapshotStore()),
      logger: pino({ level: "silent" }),
    };
    started = gateways.start(2, source as WalletFanOut, deps as GatewayThreadsDeps);
    started.then(
      () => (hasStarted = true),
      () => undefined,
    );
    await turn();
  });
  afterEach(() => vi.useRealTimers());

  it("have started when connections are handed to every one of them", async () => {
    threads[1]!.say({ type: "started", descriptor: 2 });
    await turn();
    expect(hasStarted).toBe(false);

    threads[0]!.say({ type: "started", descriptor: 1 });
    await started;
    expect(threads).toHaveLength(2);
    // That by which they are told that streams are heard, and one for each by which it is watched.
    expect(vi.getTimerCount()).toBe(3);
  });

  it("are given up when one of them has not started within a minute, however often it was tried again", async () => {
    threads[0]!.say({ type: "started", descriptor: 1 });
    for (let second = 1; second < 60; second++) {
      vi.advanceTimersByTime(1_000);
      threads[1]!.end();
      threads[1]!.start();
    }
    await turn();
    expect(hasStarted).toBe(false);

    vi.advanceTimersByTime(1_000);

    const error = new GatewayStartError("1 of 2 gateway threads have not started within 60 s");
    await expect(started).rejects.toEqual(error);
  });

  it("know one another by memory that they share, a place each behind the main thread's", () => {
    const known = threads.map(({ run }) => (run.workerData as GatewayThreadData).busyThreads);
    expect(known.map(({ place }) => place)).toEqual([1, 2]);
    for (const { memory } of known) expect(memory).toBe(BUSY_MEMORY);
  });

  it("are all told which keys there are now and which wallets came, and twice a second that those are still so", () => {
    const news: WalletNews = {
      type: "wallet.read",
      state: { ...walletState(), wallet: WALLET },
      knownAtMs: NOW_MS,
    };

    keys.replaceIssued([]);
    gateways.tellWallet(news);

    for (const { told } of threads) {
      expect(told).toEqual([
        { type: "keys", issued: [] },
        { type: "wallet.news", news },
      ]);
    }
    vi.advanceTimersByTime(1_000);
    expect(confirmations).toBe(2);
  });

  it("have stopped when each of them has, and nothing is told to them any more", async () => {
    let hasStopped = false;
    let last = (): void => undefined;
    vi.spyOn(threads[1]!, "stop").mockReturnValue(new Promise((resolve) => (last = resolve)));
    const stopped = gateways.stop(() => Promise.resolve()).then(() => (hasStopped = true));
    await turn();
    expect([threads[0]!.told, hasStopped]).toEqual([["stop"], false]);

    last();
    await stopped;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keep their alert subscribers until all have answered or ended, and until these were told what that found", async () => {
    const ends: (() => void)[] = [];
    for (const thread of threads) {
      vi.spyOn(thread, "stop").mockReturnValue(new Promise((resolve) => ends.push(resolve)));
    }
    let tell: (() => void) | undefined;
    const stopped = gateways.stop(() => new Promise((resolve) => (tell = resolve)));

    threads[0]!.say({ type: "drained" });
    await turn();
    expect(tell).toBeUndefined();
    ends[1]!();
    await turn();
    expect(threads[0]!.told).toEqual([]);
    tell!();
    await turn();

    expect(threads[0]!.told).toEqual([{ type: "alerts.told" }]);
    ends[0]!();
    await stopped;
  });
});
