import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WalletState } from "../../src/domain/account.ts";
import { STEADY_CLOCK, SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import type { ExchangeFailure } from "../../src/domain/errors.ts";
import type { WalletAddress } from "../../src/domain/ids.ts";
import { err, ok, type Result } from "../../src/domain/result.ts";
import type { WalletSource } from "../../src/domain/wallet-source.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "../../src/snapshot/wallet-store.ts";
import { NOW_MS, WALLET, walletNumber, walletState } from "../support/builders.ts";

// Mutants killed by hand: every caller fetches; a failure is served as fresh; states beyond the hard limit are served;
// an older fetch overwrites the stream; the ranking ignores heat; more wallets streamed than the budget; no timeout; a forgotten
// wallet that stays hot; uses not counted; a fetch forgotten with its wallet, or what it brought; a state of the same
// exchange time ignored; streams left open; ranks by a clock that is set back, or ages by it alone.

const DEFAULTS = { ...WALLET_STORE_DEFAULTS, clock: SYSTEM_CLOCK, steadyClock: STEADY_CLOCK };

let source: ScriptedWallets;
let store: WalletStore;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
  source = new ScriptedWallets();
  store = new WalletStore({
    ...DEFAULTS,
    streamedMax: 2,
    source,
  });
});
afterEach(() => vi.useRealTimers());

describe("WalletStore", () => {
  it("fetches once for everyone who waits", async () => {
    const readings = await Promise.all([store.load(WALLET), store.load(WALLET), store.load(WALLET)]);

    expect(source.fetches).toEqual([WALLET]);
    expect(readings.map((r) => r.ok && r.value.isStale)).toEqual([false, false, false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("answers at once with a young state and fetches again when it has aged", async () => {
    expect(store.peek(WALLET, Date.now())).toBeUndefined();
    await store.load(WALLET);

    vi.setSystemTime(NOW_MS + 5_000);
    expect(store.peek(WALLET, Date.now())).toMatchObject({ ageMs: 5_000, isStale: false });
    vi.setSystemTime(NOW_MS + 5_001);
    expect(store.peek(WALLET, Date.now())).toBeUndefined();
    await store.load(WALLET);
    expect(source.fetches).toHaveLength(2);
  });

  it("keeps the last state, marked stale, while a newer one cannot be had, and no longer than the hard limit", async () => {
    await store.load(WALLET);
    source.failure = { code: "unreachable", detail: "down" };

    vi.setSystemTime(NOW_MS + 120_000);
    expect(await store.load(WALLET)).toMatchObject({ ok: true, value: { isStale: true, ageMs: 120_000 } });
    vi.setSystemTime(NOW_MS + 120_001);
    expect(await store.load(WALLET)).toEqual(err(source.failure));
  });

  it("can answer an order by what it knows, if the exchange does not, up to the hard limit since it was last heard of", async () => {
    expect(store.isAnswerable(WALLET)).toBe(false);
    await store.load(WALLET);
    vi.setSystemTime(NOW_MS + 120_000);
    expect(store.isAnswerable(WALLET)).toBe(true);
    vi.setSystemTime(NOW_MS + 120_001);
    expect(store.isAnswerable(WALLET)).toBe(false);

    // Its state is as old, but the stream that would have told of another has been heard since.
    for (let i = 0; i < 3; i++) store.noteUse(WALLET, NOW_MS - 10_000);
    store.noteUse(WALLET, NOW_MS);
    source.heardAtMs = NOW_MS + 1;
    expect(store.isAnswerable(WALLET)).toBe(true);
  });

  it("remembers for an exit what it last knew, however old", async () => {
    expect(store.lastKnown(WALLET)).toBeNull();
    await store.load(WALLET);
    source.failure = { code: "unreachable", detail: "down" };

    vi.setSystemTime(NOW_MS + 86_400_000);
    expect(await store.load(WALLET)).toEqual(err(source.failure));
    expect(store.lastKnown(WALLET)).toMatchObject({ ageMs: 86_400_000, isStale: true });
    expect(store.lastKnown(WALLET)?.state.wallet).toBe(WALLET);
  });

  it("waits no longer than its timeout, however long its caller would, and takes the state in when it comes after all", async () => {
    source.isSilent = true;
    const late = [store.load(WALLET), store.load(WALLET, 60_000)];
    await vi.advanceTimersByTimeAsync(WALLET_STORE_DEFAULTS.timeoutMs);

    for (const loaded of await Promise.all(late)) {
      expect(loaded).toMatchObject({ ok: false, error: { code: "timeout" } });
    }
    source.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.peek(WALLET, Date.now())).toBeDefined();
  });

  it("waits no longer than its caller: for the last state, where there is one, or for none", async () => {
    await store.load(WALLET);
    source.isSilent = true;
    for (const [ageMs, expected] of [
      [6_000, { ok: true, value: { isStale: true } }],
      [600_000, { ok: false, error: { code: "timeout", detail: "no wallet state within 250 ms" } }],
    ] as const) {
      vi.setSystemTime(NOW_MS + ageMs);
      const loaded = store.load(WALLET, 250);
      await vi.advanceTimersByTimeAsync(250);
      expect(await loaded).toMatchObject(expected);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes a source that rejects for one that cannot be reached, and tells what it threw", async () => {
    const thrown: unknown[] = [];
    const cause = new Error("socket hang up");
    source.fetchWallet = () => Promise.reject(cause);
    const onThrown = (what: unknown): void => void thrown.push(what);
    const telling = new WalletStore({
      ...DEFAULTS,
      source,
      onThrown,
    });

    expect(await telling.load(WALLET)).toMatchObject({ ok: false, error: { code: "unreachable" } });
    expect(thrown).toEqual([cause]);
  });

  it("streams the hottest wallets within the budget, and lets them cool", () => {
    const [a, b, c] = [walletNumber(1), walletNumber(2), walletNumber(3)];
    for (const [wallet, uses] of [
      [b, 9],
      [c, 5],
      [a, 3],
    ] as const) {
      for (let i = 0; i < uses; i++) store.peek(wallet, Date.now());
    }
    vi.setSystemTime(NOW_MS + 5_000);
    store.peek(b, Date.now());
    expect(source.watched).toEqual([b, c]);

    vi.setSystemTime(NOW_MS + 3_600_000);
    for (let i = 0; i < 3; i++) store.peek(a, Date.now());
    vi.setSystemTime(NOW_MS + 3_605_000);
    store.peek(a, Date.now());
    expect(source.watched).toEqual([a]);
  });

  it("streams those that are hot now after the clock was set back, by however much", () => {
    for (const setBackMs of [3_600_000, 86_400_000]) {
      vi.setSystemTime(NOW_MS);
      const scripted = new ScriptedWallets();
      const options = {
        ...DEFAULTS,
        streamedMax: 2,
        source: scripted,
      };
      const small = new WalletStore(options);
      const [a, b, c] = [walletNumber(1), walletNumber(2), walletNumber(3)];
      const useOften = (wallet: WalletAddress): void => {
        for (let i = 0; i < 5; i++) small.peek(wallet, Date.now());
      };
      for (const wallet of [a, b]) useOften(wallet);
      expect(scripted.watched).toEqual([a, b]);

      vi.setSystemTime(NOW_MS - setBackMs);
      for (const wallet of [a, b]) useOften(wallet);
      vi.setSystemTime(NOW_MS - setBackMs + 600_000);
      useOften(c);
      expect(scripted.watched).toEqual([c]);
    }
  });

  it("serves what the stream brings, and does not let a slower fetch undo it", async () => {
    for (let i = 0; i < 3; i++) store.peek(WALLET, NOW_MS - 10_000);
    store.peek(WALLET, NOW_MS);
    expect(source.watched).toEqual([WALLET]);

    source.isSilent = true;
    const fetching = store.load(WALLET);
    source.push({ ...stateOf(WALLET), crossCashUsd: 777, exchangeTimeMs: NOW_MS + 1 });
    source.answer();
    await fetching;

    expect(store.peek(WALLET, Date.now())?.state.crossCashUsd).toBe(777);
  });

  it("does not let a state with a time to come stand against what comes after any fetch", () => {
    for (let i = 0; i < 3; i++) store.peek(WALLET, NOW_MS - 10_000);
    store.peek(WALLET, NOW_MS);
    source.push({ ...stateOf(WALLET), crossCashUsd: 1, exchangeTimeMs: NOW_MS + 3_600_000 });
    const push = (crossCashUsd: number): number | undefined => {
      source.push({ ...stateOf(WALLET), crossCashUsd });
      return store.peek(WALLET, Date.now())?.state.crossCashUsd;
    };

    source.heardAtMs = NOW_MS + 10_001;
    vi.setSystemTime(NOW_MS + 10_000);
    expect(push(2)).toBe(1);
    vi.setSystemTime(NOW_MS + 10_001);
    expect(push(3)).toBe(3);
  });

  it("is fresh again after a fetch whose state has the exchange time of the last one", async () => {
    await store.load(WALLET);
    source.fetchWallet = (wallet) => Promise.resolve(ok({ ...stateOf(wallet), exchangeTimeMs: NOW_MS }));

    vi.setSystemTime(NOW_MS + 6_000);

    expect(await store.load(WALLET)).toMatchObject({ value: { ageMs: 0, isStale: false } });
  });

  it("reads a wallet again that was read before the clock was set back", async () => {
    await store.load(WALLET);
    vi.setSystemTime(NOW_MS - 60_000);

    expect(store.peek(WALLET, Date.now())).toBeUndefined();
    expect(store.lastKnown(WALLET)).toMatchObject({ ageMs: 60_000, isStale: true });
    await store.load(WALLET);
    expect(source.fetches).toHaveLength(2);
    expect(store.peek(WALLET, Date.now())).toMatchObject({ ageMs: 0, isStale: false });
  });

  it("does not take a state for young again when the clock that was set back comes by its time", async () => {
    await store.load(WALLET);
    await vi.advanceTimersByTimeAsync(3_600_000);
    vi.setSystemTime(NOW_MS);

    expect(store.peek(WALLET, Date.now())).toBeUndefined();
    expect(store.isAnswerable(WALLET)).toBe(false);
    await store.load(WALLET);
    expect(store.peek(WALLET, Date.now())).toMatchObject({ ageMs: 0, isStale: false });
  });

  it("reads a streamed wallet on that was read before the clock was set back", async () => {
    await store.load(WALLET);
    vi.setSystemTime(NOW_MS - 3_600_000);
    source.heardAtMs = Date.now();
    for (let i = 0; i < 3; i++) store.peek(WALLET, Date.now());

    expect(store.peek(WALLET, Date.now())).toMatchObject({ ageMs: 0, isStale: false });
  });

  it("does not fetch a streamed wallet again while its stream is heard, and does when it falls silent", async () => {
    await store.load(WALLET);
    for (let i = 0; i < 3; i++) store.peek(WALLET, NOW_MS - 10_000);
    store.peek(WALLET, NOW_MS);
    source.heardAtMs = NOW_MS + 60_000;

    vi.setSystemTime(NOW_MS + 63_000);
    expect(store.peek(WALLET, Date.now())).toMatchObject({ ageMs: 3_000, isStale: false });
    await store.load(WALLET);
    expect(source.fetches).toHaveLength(1);

    vi.setSystemTime(NOW_MS + 65_001);
    expect(store.peek(WALLET, Date.now())).toBeUndefined();
    await store.load(WALLET);
    expect(source.fetches).toHaveLength(2);
  });

  it("says how old a state is whose stream was lost, by what was heard last", async () => {
    await store.load(WALLET);
    for (let i = 0; i < 3; i++) store.peek(WALLET, NOW_MS - 10_000);
    store.peek(WALLET, NOW_MS);
    source.heardAtMs = null;
    source.failure = { code: "unreachable", detail: "down" };

    vi.setSystemTime(NOW_MS + 6_000);

    expect(await store.load(WALLET)).toMatchObject({ value: { isStale: true, ageMs: 6_000 } });
  });

  it("forgets the wallets that were asked for least recently, and fetches them anew", async () => {
    const small = new WalletStore({
      ...DEFAULTS,
      walletsMax: 3,
      source,
    });
    for (let n = 1; n <= 4; n++) await small.load(walletNumber(n));

    expect(small.peek(walletNumber(4), Date.now())).toBeDefined();
    expect(small.peek(walletNumber(1), Date.now())).toBeUndefined();
  });

  it("fetches a wallet once that it forgets while it is fetched and is asked for again", async () => {
    const small = new WalletStore({
      ...DEFAULTS,
      walletsMax: 3,
      source,
    });
    source.isSilent = true;
    const readings = [small.load(WALLET)];
    for (let n = 1; n <= 3; n++) small.peek(walletNumber(n), Date.now());
    readings.push(small.load(WALLET));
    expect(source.fetches).toEqual([WALLET]);

    source.answer();

    for (const reading of await Promise.all(readings)) expect(reading).toMatchObject({ ok: true });
    expect(small.peek(WALLET, Date.now())).toBeDefined();
  });

  it("answers with what it fetched though others have pushed it out meanwhile", async () => {
    const small = new WalletStore({
      ...DEFAULTS,
      walletsMax: 1,
      source,
    });

    const readings = await Promise.all([1, 2].map((n) => small.load(walletNumber(n))));

    for (const [i, reading] of readings.entries()) {
      expect(reading).toMatchObject({ value: { state: { wallet: walletNumber(i + 1) }, isStale: false } });
    }
  });

  it("ends its streams when it is closed", async () => {
    store.noteUse(WALLET, NOW_MS, 3);
    expect(source.watched).toEqual([WALLET]);

    await store.close();

    expect(source.watched).toEqual([]);
  });

  it("ends the stream of a wallet that it forgets", () => {
    const small = new WalletStore({
      ...DEFAULTS,
      walletsMax: 3,
      source,
    });
    small.noteUse(walletNumber(1), NOW_MS, 100);
    expect(source.watched).toEqual([walletNumber(1)]);

    for (let n = 2; n <= 4; n++) small.noteUse(walletNumber(n), NOW_MS + 1_000);
    small.noteUse(walletNumber(4), NOW_MS + 5_000, 2);

    expect(source.watched).toEqual([walletNumber(4)]);
  });
});

class ScriptedWallets implements WalletSource {
  readonly fetches: WalletAddress[] = [];
  watched: readonly WalletAddress[] = [];
  failure: ExchangeFailure | undefined;
  isSilent = false;
  /** Last sign of life of the stream; null while nothing is streamed. */
  heardAtMs: number | null = null;
  push: (state: WalletState) => void = () => undefined;
  answer: () => void = () => undefined;

  fetchWallet(wallet: WalletAddress): Promise<Result<WalletState, ExchangeFailure>> {
    this.fetches.push(wallet);
    if (this.failure !== undefined) return Promise.resolve(err(this.failure));
    if (!this.isSilent) return Promise.resolve(ok(stateOf(wallet)));
    return new Promise((resolve) => {
      this.answer = () => resolve(ok(stateOf(wallet)));
    });
  }

  watchWallets(wallets: readonly WalletAddress[], onState: (state: WalletState) => void): void {
    this.watched = wallets;
    this.push = onState;
  }

  confirmedAtMs(wallet: WalletAddress): number | null {
    return this.watched.includes(wallet) ? this.heardAtMs : null;
  }

  close(): Promise<void> {
    this.watched = [];
    return Promise.resolve();
  }
}

function stateOf(wallet: WalletAddress): WalletState {
  return { ...walletState(), wallet, exchangeTimeMs: Date.now(), arrivedAtMs: Date.now() };
}
