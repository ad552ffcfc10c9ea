import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { receiveMessageOnPort } from "node:worker_threads";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { STEADY_CLOCK, SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import type { RequestError } from "../../src/domain/errors.ts";
import { err, ok, type Result } from "../../src/domain/result.ts";
import type { ServiceAnswers } from "../../src/gateway/gateway-endpoints.ts";
import { GatewayHost, type GatewayHostDeps } from "../../src/gateway/gateway-host.ts";
import type { GatewayReport } from "../../src/gateway/gateway-messages.ts";
import type { GatewayThreadData } from "../../src/gateway/gateway-thread.ts";
import type { ApiAnswer } from "../../src/http/endpoint.ts";
import type { HttpServer } from "../../src/http/http-server.ts";
import { KeyRing, storedKeyOf } from "../../src/http/key-ring.ts";
import type { SnapshotMessage } from "../../src/snapshot/snapshot-channel.ts";
import { SnapshotFanOut } from "../../src/snapshot/snapshot-fan-out.ts";
import { SnapshotStore } from "../../src/snapshot/snapshot-store.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "../../src/snapshot/wallet-store.ts";
import { WALLET, walletState } from "../support/builders.ts";
import { ScriptedThread } from "../support/scripted-thread.ts";

vi.mock("../../src/process/restarting-thread.ts", async () => ({
  RestartingThread: (await import("../support/scripted-thread.ts")).ScriptedThread,
}));

// Mutants killed by hand: a thread that failed let go while connections are handed to it, or not at all; one that ended
// or stops still handed some; one that hangs handed some, ended, or never handed any again, told of snapshots, or of none any more; its alert subscribers or its
// port left open; an answer to a thread that did not ask; no answer where one was thrown, at once or later; a status lost;
// uses on other threads not counted.

const DATA = {
  config: {
    tls: undefined,
    gateways: 2,
    busyPollUs: 0,
    keepWarmMs: 0,
    logLevel: "info",
    rateLimitPerMinute: 60,
  },
  busyThreads: { memory: new SharedArrayBuffer(8), place: 0 },
} as const satisfies GatewayHostDeps["data"];
const MODELS = {
  type: "models.published",
  models: {
    assetsByModel: {},
    assetsWithoutModel: 0,
    oldestFitAtMs: null,
    newestFitAtMs: null,
    sheet: null,
    recalibration: { assets: 0, marketMultiplier: 1, smallestMultiplier: 1, largestMultiplier: 1 },
  },
} as const satisfies SnapshotMessage;
const KEYS = new KeyRing([storedKeyOf("desk", "a-key-of-the-tests")], 60, SYSTEM_CLOCK);

let log: unknown[];
let logged: { readonly event: string; readonly requestId?: string; readonly path?: string }[];
let closedSockets: number;
let answers: Partial<ServiceAnswers>;
let snapshots: SnapshotFanOut;
let wallets: WalletStore;
let host: GatewayHost;
let thread: ScriptedThread;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  [log, logged, closedSockets, answers] = [[], [], 0, {}];
  ScriptedThread.made.length = 0;
  snapshots = new SnapshotFanOut(new SnapshotStore());
  wallets = new WalletStore({
    ...WALLET_STORE_DEFAULTS,
    clock: SYSTEM_CLOCK,
    steadyClock: STEADY_CLOCK,
    source: {
      fetchWallet: () => Promise.resolve(ok({ ...walletState(), wallet: WALLET, arrivedAtMs: Date.now() })),
      watchWallets: () => undefined,
      confirmedAtMs: () => null,
      close: () => Promise.resolve(),
    },
  });
  const acceptor: Pick<HttpServer, "addChild" | "removeChild"> = {
    addChild: (descriptor) => log.push(["add", descriptor]),
    removeChild: (descriptor) => log.push(["remove", descriptor]),
  };
  host = new GatewayHost({
    data: DATA,
    acceptor: acceptor as HttpServer,
    answers: new Proxy({} as ServiceAnswers, { get: (_, route: keyof ServiceAnswers) => answers[route] }),
    connectAlerts: () => ({ reply: () => null, closed: () => closedSockets++ }),
    keys: KEYS,
    snapshots,
    wallets,
    logger: pino({ level: "error" }, { write: (line) => logged.push(JSON.parse(line) as never) }),
  });
  thread = ScriptedThread.made[0]!;
  thread.told.push = (order) => log.push(order);
});

afterEach(() => vi.useRealTimers());

describe("GatewayHost", () => {
  it("hands no connections to a thread that hangs until it speaks again, and ends it not", () => {
    const speak = (): void =>
      thread.say({ type: "used", keysLastUsedAtMs: new Map(), walletUses: new Map() });
    thread.say({ type: "started", descriptor: 7 });
    vi.advanceTimersByTime(9_000);
    speak();
    vi.advanceTimersByTime(9_000);
    expect(log).toEqual([["add", 7]]);

    vi.advanceTimersByTime(30_000);
    expect(log).toEqual([
      ["add", 7],
      ["remove", 7],
    ]);
    speak();
    speak();

    expect(log.slice(2)).toEqual([["add", 7]]);
    expect(logged.map(({ event }) => event)).toEqual(["gateway.silent"]);
  });

  it("tells a thread that hangs of no snapshots, which would wait in memory, and of all when it speaks again", () => {
    const { snapshotPort } = thread.run.workerData as GatewayThreadData;
    const told = (): readonly string[] => {
      const types: string[] = [];
      for (let next = receiveMessageOnPort(snapshotPort); next !== undefined;) {
        types.push((next as { readonly message: { readonly type: string } }).message.type);
        next = receiveMessageOnPort(snapshotPort);
      }
      return types;
    };
    snapshots.accept(MODELS);
    expect(told()).toEqual(["run.began", "models.published"]);
    thread.say({ type: "started", descriptor: 7 });
    vi.advanceTimersByTime(10_000);

    snapshots.accept(MODELS);
    expect(told()).toEqual([]);
    thread.say({ type: "used", keysLastUsedAtMs: new Map(), walletUses: new Map() });
    snapshots.accept(MODELS);
    expect(told()).toEqual(["run.began", "models.published", "models.published"]);
  });

  it("watches a thread from its start, which may hang before it is handed any connection", () => {
    thread.end();
    thread.start();
    const { snapshotPort } = thread.run.workerData as GatewayThreadData;
    const isTold = (): boolean => receiveMessageOnPort(snapshotPort) !== undefined;
    expect(isTold()).toBe(true);
    vi.advanceTimersByTime(10_000);
    expect(logged.map(({ event }) => event)).toEqual(["gateway.silent"]);
    snapshots.accept(MODELS);
    expect(isTold()).toBe(false);

    thread.say({ type: "started", descriptor: 8 });
    expect(isTold()).toBe(true);
    expect(log).toEqual([["add", 8]]);
  });

  it("watches no thread that it let go", async () => {
    thread.say({ type: "started", descriptor: 7 });
    vi.advanceTimersByTime(30_000);
    thread.end();
    await host.stop();

    expect(log).toEqual([["add", 7], ["remove", 7], "stop"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("hands connections to a thread that has started, and none to one that failed before it lets that end", async () => {
    expect(log).toEqual([]);
    say({ type: "started", descriptor: 7 });
    await host.started;
    say({ type: "failed", detail: "thrown" });
    thread.end();
    thread.start();
    say({ type: "started", descriptor: 8 });
    thread.end();

    expect(log).toEqual([["add", 7], ["remove", 7], { type: "released" }, ["add", 8], ["remove", 8]]);
    expect(logged.map(({ event }) => event)).toEqual(["gateway.failed"]);
  });

  it("hands none to a thread that is about to stop", async () => {
    say({ type: "started", descriptor: 7 });
    await host.stop();

    expect(log).toEqual([["add", 7], ["remove", 7], "stop"]);
    // What is in flight is finished, and an answer may take ten seconds.
    expect(thread.options.ending?.timeoutMs).toBeGreaterThan(10_000);
    // The process would be aborted before the engine and the record have ended.
    expect(thread.options.ending?.isLeft).toBe(true);
  });

  it("drops what a thread had when that ends: its alert subscribers, and the port of its snapshots", async () => {
    const { keys, snapshotPort, ...data } = thread.run.workerData as GatewayThreadData;
    expect([data, keys]).toEqual([DATA, KEYS.shared]);
    expect(thread.run.transferList).toEqual([snapshotPort]);
    for (const socket of [1, 2]) say({ type: "alert.opened", socket });
    const closed = once(
      snapshotPort.on("message", () => undefined),
      "close",
    );

    thread.end();

    await closed;
    expect(closedSockets).toBe(2);
    thread.start();
    expect((thread.run.workerData as GatewayThreadData).snapshotPort).not.toBe(snapshotPort);
  });

  it("answers what the thread was asked, with the status that it has", async () => {
    const refusal = { code: "not_found", detail: "no such asset" } as const;
    answers = {
      health: () => ok({ json: () => "{}", statusLine: "503 Service Unavailable" }),
      assets: () => Promise.resolve(ok({ json: () => "[]" })),
      backtest: () => err(refusal),
    };

    for (const [i, route] of (["health", "assets", "backtest"] as const).entries()) ask(i, route);
    await turn();

    expect(log).toEqual([
      { type: "answer", id: 0, answer: ok({ text: "{}", statusLine: "503 Service Unavailable" }) },
      { type: "answer", id: 2, answer: err(refusal) },
      { type: "answer", id: 1, answer: ok({ text: "[]" }) },
    ]);
  });

  it("answers a request that failed, at once or later, with its id, and logs it", async () => {
    answers = {
      health: () => {
        throw new Error("at once");
      },
      assets: () => Promise.reject(new Error("later")),
      accuracy: () =>
        Promise.resolve(
          ok({
            json: () => {
              throw new Error("in its text");
            },
          }),
        ),
    };

    for (const [i, route] of (["health", "assets", "accuracy"] as const).entries()) ask(i, route);
    await turn();

    const answerTo = (id: number) => ({
      type: "answer",
      id,
      answer: err({ code: "internal_error", requestId: `r-${id}` }),
    });
    expect(log).toEqual(expect.arrayContaining([0, 1, 2].map(answerTo)));
    expect(log).toHaveLength(3);
    const paths = logged.map(({ event, requestId, path }) => [event, requestId, path]).toSorted();
    expect(paths).toEqual([
      ["request.failed", "r-0", "/health"],
      ["request.failed", "r-1", "/v1/assets"],
      ["request.failed", "r-2", "/v1/accuracy"],
    ]);
  });

  it("gives no answer to a thread in the place of the one that asked: that one numbers its requests anew", async () => {
    let answer: (result: Result<ApiAnswer, RequestError>) => void = () => undefined;
    answers = { monitor: () => new Promise((resolve) => (answer = resolve)) };
    ask(1, "monitor");
    say({ type: "wallet.asked", id: 1, wallet: WALLET });

    thread.end();
    thread.start();
    answer(ok({ json: () => "another client's account" }));
    await turn();
    expect(log).toEqual([]);

    ask(1, "monitor");
    answer(ok({ json: () => "mine" }));
    await turn();
    expect(log).toEqual([{ type: "answer", id: 1, answer: ok({ text: "mine" }) }]);
  });

  it("reads a wallet for the thread, and counts what was used there", async () => {
    const noteUse = vi.spyOn(wallets, "noteUse");
    const noteUses = vi.spyOn(KEYS, "noteUses");
    const keysLastUsedAtMs = new Map([["desk", 5]]);

    say({ type: "wallet.asked", id: 3, wallet: WALLET });
    say({ type: "used", keysLastUsedAtMs, walletUses: new Map([[WALLET, 9]]) });
    await turn();

    const newest = { state: expect.objectContaining({ wallet: WALLET }) as unknown };
    expect(log).toEqual([
      {
        type: "wallet.answer",
        id: 3,
        answer: { newest: expect.objectContaining(newest) as unknown, failure: null },
      },
    ]);
    expect(noteUse).toHaveBeenCalledWith(WALLET, expect.any(Number), 9);
    expect(noteUses).toHaveBeenCalledWith(keysLastUsedAtMs);
  });
});

function say(report: GatewayReport): void {
  thread.say(report);
}

function ask(id: number, route: keyof ServiceAnswers): void {
  say({
    type: "request",
    id,
    route,
    request: { body: undefined, isHead: false, parameter: "", requestId: `r-${id}`, keyId: null },
  });
}
