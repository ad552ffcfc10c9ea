import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { WalletState } from "../../src/domain/account.ts";
import type { ExchangeFailure } from "../../src/domain/errors.ts";
import { type WalletAddress, walletAddressOf } from "../../src/domain/ids.ts";
import { err, ok, type Result } from "../../src/domain/result.ts";
import type { WalletSource } from "../../src/domain/wallet-source.ts";
import { WalletFanOut } from "../../src/snapshot/wallet-fan-out.ts";
import { type WalletAnswer, WalletMirror, walletAnswerOf } from "../../src/snapshot/wallet-mirror.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "../../src/snapshot/wallet-store.ts";
import { NOW_MS, WALLET, walletState } from "../support/builders.ts";

const CLOCK = { nowMs: () => NOW_MS };
const DOWN: ExchangeFailure = { code: "unreachable", detail: "down" };

// Mutants killed by hand: an older state takes the place of a newer one; confirmations ignored; no hard limit; stale read
// as fresh; fetched states, or streamed ones, not told; a failure answered without the last state; an aged state answered
// as known now; a question for everyone who waits; uses that were taken counted again,
// those of a forgotten wallet lost; a question forgotten with its wallet; ages by the clock that is set alone, and of what
// was confirmed by when its state came.

describe("WalletMirror", () => {
  it("reads what the store that it mirrors reads, fresh, stale or not at all, whatever happened before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25, size: "max" }), async (steps) => {
        const { world, store, mirrors } = mirroredStore(2);
        for (const { action, mirror, gapMs } of steps) {
          world.nowMs += gapMs;
          if (action === "fail") world.isDown = true;
          else if (action === "recover") world.isDown = false;
          else if (action === "stream") world.push();
          else if (action === "confirm") world.confirm();
          else {
            const fetchesBefore = world.fetches;
            const there = await mirrors[mirror]!.load(WALLET);
            const here = await store.load(WALLET);
            expect(there).toEqual(here);
            // What could not be had is asked for again, and so is what is stale; all else is asked for once.
            if (here.ok && !here.value.isStale) expect(world.fetches - fetchesBefore).toBeLessThanOrEqual(1);
          }
          for (const each of mirrors) {
            expect(each.peek(WALLET, world.nowMs)).toEqual(store.peek(WALLET, world.nowMs));
            expect(each.lastKnown(WALLET)).toEqual(store.lastKnown(WALLET));
            expect(each.isAnswerable(WALLET)).toBe(store.isAnswerable(WALLET));
          }
        }
      }),
    );
  });

  it("asks once for everyone who waits, and counts every use", async () => {
    const { world, store, mirrors } = mirroredStore(2);
    const [mirror, other] = mirrors as [WalletMirror, WalletMirror];
    for (let i = 0; i < 3; i++) mirror.peek(WALLET, NOW_MS);

    const readings = await Promise.all([mirror.load(WALLET), other.load(WALLET), mirror.load(WALLET)]);

    expect([world.fetches, world.asks]).toEqual([1, 2]);
    expect(readings.every(({ ok: isThere }) => isThere)).toBe(true);
    expect([...mirror.takeUses()]).toEqual([[WALLET, 3]]);
    expect([...mirror.takeUses()]).toEqual([]);
    for (const each of [mirror, other]) expect(each.peek(WALLET, NOW_MS)).toMatchObject({ isStale: false });
    for (const nowMs of [NOW_MS, NOW_MS + 5_000]) store.noteUse(WALLET, nowMs, 3);
    expect(world.watched).toEqual([WALLET]);
  });

  it("counts the uses of wallets that it forgets", () => {
    const ask = (): Promise<never> => Promise.reject(new Error("not asked"));
    const mirror = new WalletMirror({
      ...WALLET_STORE_DEFAULTS,
      walletsMax: 1,
      clock: CLOCK,
      steadyClock: CLOCK,
      ask,
    });
    const [one, other] = ["1", "2"].map((digit) => walletAddressOf(`0x${digit.repeat(40)}`)!);
    for (const wallet of [one!, other!, one!]) mirror.peek(wallet, NOW_MS);

    expect(mirror.takeUses()).toEqual(
      new Map([
        [one, 2],
        [other, 1],
      ]),
    );
    mirror.peek(one!, NOW_MS);
    expect(mirror.takeUses()).toEqual(new Map([[one, 1]]));
  });

  it("asks once for a wallet that it forgets while it asks and is asked for again", async () => {
    let asks = 0;
    let answer: (answer: WalletAnswer) => void = () => undefined;
    const mirror = new WalletMirror({
      ...WALLET_STORE_DEFAULTS,
      walletsMax: 1,
      clock: CLOCK,
      steadyClock: CLOCK,
      ask: () => {
        asks++;
        return new Promise((resolve) => (answer = resolve));
      },
    });
    const loads = [mirror.load(WALLET)];
    mirror.peek(walletAddressOf(`0x${"f".repeat(40)}`)!, NOW_MS);
    loads.push(mirror.load(WALLET));
    expect(asks).toBe(1);

    answer({ newest: null, failure: DOWN });

    expect(await Promise.all(loads)).toEqual([err(DOWN), err(DOWN)]);
  });

  it("waits for the mirrored store no longer than its caller, and keeps what that says later", async () => {
    vi.useFakeTimers();
    let resolve: (answer: WalletAnswer) => void = () => undefined;
    const promise = new Promise<WalletAnswer>((resolved) => (resolve = resolved));
    const mirror = new WalletMirror({
      ...WALLET_STORE_DEFAULTS,
      clock: CLOCK,
      steadyClock: CLOCK,
      ask: () => promise,
    });
    const loaded = mirror.load(WALLET, 250);
    await vi.advanceTimersByTimeAsync(250);
    expect(await loaded).toEqual(err({ code: "timeout", detail: "no wallet state within 250 ms" }));
    vi.useRealTimers();

    const state = { ...walletState(1_500), wallet: WALLET, exchangeTimeMs: NOW_MS, arrivedAtMs: NOW_MS };
    resolve({ newest: { state, knownAtMs: NOW_MS - 60_000 }, failure: null });
    expect(await mirror.load(WALLET)).toMatchObject({ ok: true, value: { isStale: true, ageMs: 60_000 } });
  });

  it("waits for an answer as long as the mirrored store takes where its caller sets no end", async () => {
    vi.useFakeTimers();
    let resolve: (answer: WalletAnswer) => void = () => undefined;
    const promise = new Promise<WalletAnswer>((resolved) => (resolve = resolved));
    const ask = (): Promise<WalletAnswer> => promise;
    const mirror = new WalletMirror({ ...WALLET_STORE_DEFAULTS, clock: CLOCK, steadyClock: CLOCK, ask });
    const loaded = mirror.load(WALLET);
    await vi.advanceTimersByTimeAsync(WALLET_STORE_DEFAULTS.timeoutMs);
    vi.useRealTimers();

    const state = { ...walletState(1_500), wallet: WALLET, exchangeTimeMs: NOW_MS, arrivedAtMs: NOW_MS };
    resolve({ newest: { state, knownAtMs: NOW_MS }, failure: null });
    expect(await loaded).toMatchObject({ ok: true, value: { isStale: false } });
  });

  it("does not let an older state undo a newer one", () => {
    const { mirrors } = mirroredStore(1);
    const mirror = mirrors[0]!;
    for (const [equityUsd, exchangeTimeMs] of [
      [2, NOW_MS],
      [1, NOW_MS - 1],
    ] as const) {
      const state = { ...walletState(equityUsd), wallet: WALLET, exchangeTimeMs, arrivedAtMs: NOW_MS };
      mirror.accept({ type: "wallet.read", state, knownAtMs: NOW_MS });
    }

    expect(mirror.lastKnown(WALLET)?.state.exchangeTimeMs).toBe(NOW_MS);
  });

  it("reads on after the clock was set back", () => {
    const { mirrors } = mirroredStore(1);
    const mirror = mirrors[0]!;
    for (const knownAtMs of [NOW_MS + 7_200_000, NOW_MS - 1]) {
      const state = { ...walletState(), wallet: WALLET, exchangeTimeMs: NOW_MS, arrivedAtMs: knownAtMs };
      mirror.accept({ type: "wallet.read", state, knownAtMs });
    }

    expect(mirror.peek(WALLET, NOW_MS)).toMatchObject({ ageMs: 1, isStale: false });
  });

  it("does not take a state for young again when the clock that was set back comes by its time", () => {
    let steadyMs = 0;
    const mirror = new WalletMirror({
      ...WALLET_STORE_DEFAULTS,
      clock: CLOCK,
      steadyClock: { nowMs: () => steadyMs },
      ask: () => Promise.reject(new Error("not asked")),
    });
    const state = { ...walletState(), wallet: WALLET, exchangeTimeMs: NOW_MS, arrivedAtMs: NOW_MS };
    mirror.accept({ type: "wallet.read", state, knownAtMs: NOW_MS });
    expect(mirror.isAnswerable(WALLET)).toBe(true);

    steadyMs += 3_600_000;
    expect(mirror.isAnswerable(WALLET)).toBe(false);
    mirror.accept({ type: "wallets.confirmed", knownAtMs: new Map([[WALLET, NOW_MS]]) });
    expect(mirror.peek(WALLET, NOW_MS)).toMatchObject({ ageMs: 0, isStale: false });
  });

  it("is no older for news that come late, and forgets no sooner or later for what is confirmed", () => {
    const ask = (): Promise<never> => Promise.reject(new Error("not asked"));
    const mirror = new WalletMirror({
      ...WALLET_STORE_DEFAULTS,
      walletsMax: 2,
      clock: CLOCK,
      steadyClock: CLOCK,
      ask,
    });
    const [one, other, third] = ["1", "2", "3"].map((digit) => walletAddressOf(`0x${digit.repeat(40)}`)!);
    const read = (wallet: WalletAddress, knownAtMs: number): void => {
      const state = { ...walletState(1), wallet, exchangeTimeMs: NOW_MS, arrivedAtMs: NOW_MS };
      mirror.accept({ type: "wallet.read", state, knownAtMs });
    };
    const confirm = (knownAtMs: number): void =>
      mirror.accept({ type: "wallets.confirmed", knownAtMs: new Map([[one!, knownAtMs]]) });

    read(one!, NOW_MS - 20);
    confirm(NOW_MS - 10);
    read(one!, NOW_MS - 30);
    expect(mirror.peek(one!, NOW_MS)).toMatchObject({ ageMs: 10 });
    confirm(NOW_MS - 30);
    expect(mirror.peek(one!, NOW_MS)).toMatchObject({ ageMs: 10 });
    confirm(NOW_MS);
    confirm(NOW_MS - 30);
    expect(mirror.peek(one!, NOW_MS)).toMatchObject({ ageMs: 0 });

    read(other!, NOW_MS);
    confirm(NOW_MS);
    read(third!, NOW_MS);

    expect(mirror.lastKnown(one!)).toBeNull();
    expect(mirror.lastKnown(other!)).not.toBeNull();
  });

  it("that came late reads a wallet as young as its stream has confirmed it", async () => {
    const { world, store, late } = mirroredStore(1);
    store.noteUse(WALLET, world.nowMs, 3);
    world.confirm();
    world.nowMs += 2_000;

    expect(await late().load(WALLET)).toMatchObject({ value: { ageMs: 2_000, isStale: false } });
    expect(world.fetches).toBe(0);
  });

  it("that came late knows for an exit what the store last knew, however old", async () => {
    const { world, store, late } = mirroredStore(1);
    await store.load(WALLET);
    world.nowMs += 86_400_000;
    world.isDown = true;
    const mirror = late();

    expect(await mirror.load(WALLET)).toEqual(err(DOWN));
    expect(mirror.lastKnown(WALLET)).toMatchObject({ ageMs: 86_400_000, isStale: true });
  });
});

const step = fc.record({
  action: fc.constantFrom("load", "load", "load", "fail", "recover", "stream", "confirm"),
  mirror: fc.integer({ min: 0, max: 1 }),
  gapMs: fc.constantFrom(0, 1, 2_500, 5_000, 5_001, 60_000, 120_001),
});

class World implements WalletSource {
  nowMs = NOW_MS;
  isDown = false;
  fetches = 0;
  /** Questions of mirrors. */
  asks = 0;
  watched: readonly WalletAddress[] = [];
  #confirmedAtMs: number | null = null;
  #sequence = 0;
  #onState: (state: WalletState) => void = () => undefined;
  /** Set by whoever tells the mirrors. */
  tellConfirmed: () => void = () => undefined;

  fetchWallet(): Promise<Result<WalletState, ExchangeFailure>> {
    this.fetches++;
    return Promise.resolve(this.isDown ? err(DOWN) : ok(this.#state()));
  }

  watchWallets(wallets: readonly WalletAddress[], onState: (state: WalletState) => void): void {
    this.watched = wallets;
    this.#onState = onState;
  }

  confirmedAtMs(): number | null {
    return this.#confirmedAtMs;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  push(): void {
    this.#onState(this.#state());
  }

  /** Only a stream that has brought the wallet confirms it. */
  confirm(): void {
    if (this.watched.length === 0) return;
    this.push();
    this.nowMs += 1_000;
    this.#confirmedAtMs = this.nowMs;
    this.tellConfirmed();
  }

  #state(): WalletState {
    this.#sequence++;
    const state = walletState(this.#sequence);
    return { ...state, wallet: WALLET, arrivedAtMs: this.nowMs, exchangeTimeMs: this.nowMs };
  }
}

function mirroredStore(count: number): {
  readonly world: World;
  readonly store: WalletStore;
  readonly mirrors: readonly WalletMirror[];
  readonly late: () => WalletMirror;
} {
  const world = new World();
  const clock = { nowMs: () => world.nowMs };
  const mirrors: WalletMirror[] = [];
  const source = new WalletFanOut(world, (news) => {
    for (const mirror of mirrors) mirror.accept(structuredClone(news));
  });
  world.tellConfirmed = () => source.tellConfirmed();
  const store = new WalletStore({ ...WALLET_STORE_DEFAULTS, source, clock, steadyClock: clock });
  const late = (): WalletMirror =>
    new WalletMirror({
      ...WALLET_STORE_DEFAULTS,
      clock,
      steadyClock: clock,
      ask: (wallet) => {
        world.asks++;
        return walletAnswerOf(store, wallet, clock);
      },
    });
  for (let i = 0; i < count; i++) mirrors.push(late());
  return { world, store, mirrors, late };
}
