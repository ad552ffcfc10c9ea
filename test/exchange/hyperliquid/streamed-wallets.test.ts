import { describe, expect, it, vi } from "vitest";
import type { WalletState } from "../../../src/domain/account.ts";
import type { WalletAddress } from "../../../src/domain/ids.ts";
import { err } from "../../../src/domain/result.ts";
import { WALLET_CONNECTS } from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { settle } from "../../support/manual-timers.ts";
import { WALLET_STORE_DEFAULTS, WalletStore } from "../../../src/snapshot/wallet-store.ts";
import { answered } from "../support/scripted-transport.ts";
import {
  addressOf,
  ethPosition,
  opened,
  PERP,
  perpFrame,
  separateSpotOf,
  spotFrame,
  spotOf,
  walletBench,
} from "../support/wallet-bench.ts";

// Mutants tried: a streamed account published without its spot side; more users streamed than allowed; an account kept
// when it is followed no more, or forgotten while it is; only one of its streams minded; one vouched for without its mode, which is never asked for again; a mode or a fee that a
// fetch waits for asked for again; one that failed never asked for again, or a fee that failed, for the mode's sake or as if
// refused; what a request read kept from the streams; its transport left open. Each fails below.

const WALLET = addressOf(1);

const PERP_WITH_POSITION = { ...PERP, assetPositions: [ethPosition()] };

describe("watchWallets", () => {
  it("streams whole accounts: nothing before both sides are there, nothing of a lost socket", async () => {
    const { wallets, transport, timers } = walletBench();
    const states: WalletState[] = [];
    wallets.watchWallets([WALLET], (state) => states.push(state));
    const socket = await opened(transport, timers);

    socket.receive(perpFrame(WALLET));
    expect(states).toHaveLength(0);
    socket.receive(spotFrame(WALLET));
    expect(states).toMatchObject([{ wallet: WALLET, crossCashUsd: 400, takerFeeFraction: 0.00035 }]);

    socket.drop();
    await timers.advance(1_000);
    const next = transport.sockets[1];
    next?.open();
    await timers.advance(100);
    next?.receive(perpFrame(WALLET));
    expect(states).toHaveLength(1);
  });

  it("ignores the account's other exchanges and wallets that are not watched", async () => {
    const { wallets, transport, timers } = walletBench();
    const states: WalletState[] = [];
    wallets.watchWallets([WALLET], (state) => states.push(state));
    const socket = await opened(transport, timers);
    socket.receive(spotFrame(WALLET));

    socket.receive(perpFrame(WALLET, "xyz"));
    socket.receive(perpFrame(addressOf(2)));
    expect(states).toHaveLength(0);
  });

  it("vouches for whole accounts as of the last frame of any, and for none once the socket is lost", async () => {
    const { wallets, transport, timers } = walletBench();
    const other = addressOf(2);
    wallets.watchWallets([WALLET, other], () => undefined);
    const socket = await opened(transport, timers);
    expect(wallets.confirmedAtMs(WALLET)).toBeNull();

    socket.receive(perpFrame(WALLET));
    expect(wallets.confirmedAtMs(WALLET)).toBeNull();
    socket.receive(spotFrame(WALLET));
    const wholeAtMs = timers.nowMs();
    expect(wallets.confirmedAtMs(WALLET)).toBe(wholeAtMs);

    await timers.advance(7_000);
    socket.receive(perpFrame(other));
    expect(wallets.confirmedAtMs(WALLET)).toBe(wholeAtMs + 7_000);
    expect([wallets.confirmedAtMs(other), wallets.confirmedAtMs(addressOf(3))]).toEqual([null, null]);

    socket.drop();
    expect(wallets.confirmedAtMs(WALLET)).toBeNull();
  });

  describe("one of which its own streams tell nothing", () => {
    const other = addressOf(2);
    const STATE_READS = ["clearinghouseState", "spotClearinghouseState"];

    /** WALLET whole and quiet from then on, while frames of another keep coming. */
    const quietBench = async () => {
      const bench = walletBench();
      const states: WalletState[] = [];
      bench.wallets.watchWallets([WALLET, other], (state) => states.push(state));
      const socket = await opened(bench.transport, bench.timers);
      for (const frame of [perpFrame(WALLET), spotFrame(WALLET), perpFrame(other), spotFrame(other)])
        socket.receive(frame);
      await settle();
      const wholeAtMs = bench.timers.nowMs();
      const othersFor = async (seconds: number, side?: (wallet: WalletAddress) => unknown): Promise<void> => {
        for (let i = 0; i < seconds; i++) {
          await bench.timers.advance(1_000);
          for (const frame of [perpFrame(other), spotFrame(other)]) socket.receive(frame);
          if (side !== undefined) socket.receive(side(WALLET));
          await settle();
        }
      };
      const reads = (): number =>
        bench.transport.requests.filter(({ type, user }) => STATE_READS.includes(type) && user === WALLET)
          .length;
      return { ...bench, states, socket, wholeAtMs, othersFor, reads };
    };

    it("is read once a minute, and vouched for on where it holds what was streamed", async () => {
      const { wallets, timers, othersFor, reads } = await quietBench();
      await othersFor(44);
      expect(reads()).toBe(0);
      await othersFor(1);
      expect(reads()).toBe(2);
      await othersFor(155);
      expect(reads()).toBe(8);
      expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
    });

    it.each([
      ["perpetual", spotFrame, "clearinghouseState", { ...PERP, time: 77 }, { exchangeTimeMs: 77 }],
      ["spot", perpFrame, "spotClearinghouseState", spotOf("500.0"), { crossCashUsd: 500 }],
    ] as const)(
      "is read where its %s stream tells nothing of it and the other does",
      async (_side, told, read, state, known) => {
        const { transport, states, othersFor, reads } = await quietBench();
        const answers = transport.answers;
        transport.answers = (body) => (body.type === read ? answered(state) : answers(body));
        await othersFor(50, (wallet) => told(wallet));
        expect(reads()).toBe(2);
        expect(states.filter(({ wallet }) => wallet === WALLET).at(-1)).toMatchObject(known);
      },
    );

    it("is vouched for no more where it holds something else, until its stream brings it", async () => {
      const { wallets, transport, timers, socket, othersFor } = await quietBench();
      const answers = transport.answers;
      transport.answers = (body) =>
        body.type === "clearinghouseState" ? answered(PERP_WITH_POSITION) : answers(body);
      await othersFor(46);
      expect(wallets.confirmedAtMs(WALLET)).toBeNull();
      expect(wallets.confirmedAtMs(other)).toBe(timers.nowMs());
      socket.receive(perpFrame(WALLET));
      expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
    });

    it("is vouched for on where it holds the same positions, and no more where one has another size", async () => {
      const { wallets, transport, timers, socket, othersFor } = await quietBench();
      const answers = transport.answers;
      const readAs = (state: unknown): void => {
        transport.answers = (body) => (body.type === "clearinghouseState" ? answered(state) : answers(body));
      };
      socket.receive(perpFrame(WALLET, "", PERP_WITH_POSITION));
      readAs(PERP_WITH_POSITION);
      await othersFor(70);
      expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());

      readAs({ ...PERP, assetPositions: [ethPosition(undefined, "2.0")] });
      await othersFor(70);
      expect(wallets.confirmedAtMs(WALLET)).toBeNull();
    });

    it("is vouched for a minute at most where it cannot be read", async () => {
      const { wallets, transport, wholeAtMs, othersFor, reads } = await quietBench();
      const answers = transport.answers;
      transport.answers = (body) =>
        STATE_READS.includes(body.type) ? err({ code: "refused", detail: "x" }) : answers(body);
      await othersFor(100);
      expect(wallets.confirmedAtMs(WALLET)).toBe(wholeAtMs + 60_000);
      expect(reads()).toBe(2 * 12);
    });

    it("is read, and vouched for, as before when the machine's clock is set back", async () => {
      const { wallets, timers, othersFor, reads } = await quietBench();
      await othersFor(20);
      timers.setBack(7_200_000);
      expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
      await othersFor(24);
      expect(reads()).toBe(0);
      await othersFor(1);
      expect(reads()).toBe(2);
      expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
    });

    it("is vouched for no longer where it cannot be read after the clock was set back", async () => {
      const { wallets, transport, timers, othersFor } = await quietBench();
      const answers = transport.answers;
      transport.answers = (body) =>
        STATE_READS.includes(body.type) ? err({ code: "refused", detail: "x" }) : answers(body);
      timers.setBack(7_200_000);
      const setBackAtMs = timers.nowMs();
      await othersFor(100);
      const aSecondUnseen = 1_000;
      expect(wallets.confirmedAtMs(WALLET)).toBe(setBackAtMs + 60_000 + aSecondUnseen);
    });

    it("keeps what its stream brings while it is read", async () => {
      const { wallets, transport, timers, socket, othersFor } = await quietBench();
      let answer: () => void = () => undefined;
      const waited = new Promise<void>((resolve) => (answer = resolve));
      const post = transport.postInfo.bind(transport);
      transport.postInfo = async (body, signal) => {
        const reply = post({ ...body }, signal);
        if (STATE_READS.includes(body.type)) await waited;
        return body.type === "clearinghouseState" ? answered(PERP_WITH_POSITION) : reply;
      };
      await othersFor(45);
      await timers.advance(100);
      socket.receive(perpFrame(WALLET));
      answer();
      await settle();
      expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
    });
  });

  it("counts what one side's stream brings after both sides were read", async () => {
    const { wallets, transport, timers } = walletBench();
    const store = new WalletStore({
      ...WALLET_STORE_DEFAULTS,
      source: wallets,
      clock: timers,
      steadyClock: timers,
    });
    for (let uses = 0; uses < 3; uses++) store.peek(WALLET, timers.nowMs());
    const socket = await opened(transport, timers);
    for (const frame of [perpFrame(WALLET), spotFrame(WALLET)]) socket.receive(frame);
    await settle();
    const answers = transport.answers;
    transport.answers = (body) =>
      body.type === "clearinghouseState" ? answered({ ...PERP, time: PERP.time + 1 }) : answers(body);
    await timers.advance(WALLET_STORE_DEFAULTS.freshMs + 1);
    await store.load(WALLET);

    socket.receive(spotFrame(WALLET, "900.0"));

    expect(store.peek(WALLET, timers.nowMs())).toMatchObject({ state: { crossCashUsd: 900 }, ageMs: 0 });
    await store.close();
  });

  it.each(["before", "after"])(
    "counts what one side's stream brings where the other side's first frame, older than what is read meanwhile, comes %s that",
    async (when) => {
      const { wallets, transport, timers } = walletBench();
      const options = { ...WALLET_STORE_DEFAULTS, clock: timers, steadyClock: timers };
      const store = new WalletStore({ ...options, source: wallets });
      for (let uses = 0; uses < 3; uses++) store.peek(WALLET, timers.nowMs());
      const socket = await opened(transport, timers);
      const stream = (spotUsd: string): void => {
        for (const frame of [perpFrame(WALLET), spotFrame(WALLET, spotUsd)]) socket.receive(frame);
      };
      let spotUsd = "400.0";
      let answer: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => (answer = resolve));
      const answers = transport.answers;
      const later = { ...PERP, time: PERP.time + 1 };
      transport.answers = (body) =>
        body.type === "clearinghouseState"
          ? answered(later)
          : body.type === "spotClearinghouseState"
            ? answered((spotFrame(WALLET, spotUsd) as { data: { spotState: unknown } }).data.spotState)
            : answers(body);
      const post = transport.postInfo.bind(transport);
      transport.postInfo = async (body, signal) => {
        const reply = await post(body, signal);
        await asked;
        return reply;
      };
      const loaded = store.load(WALLET);
      await timers.advance(1);

      if (when === "before") stream(spotUsd);
      answer();
      await loaded;
      if (when === "after") stream(spotUsd);
      spotUsd = "900.0";
      socket.receive(spotFrame(WALLET, spotUsd));
      await settle();

      expect(store.peek(WALLET, timers.nowMs())).toMatchObject({ state: { crossCashUsd: 900 } });
      await store.close();
    },
  );

  it("streams ten users and no more", async () => {
    const { wallets, transport, timers } = walletBench();
    wallets.watchWallets(
      Array.from({ length: 14 }, (_, i) => addressOf(i + 1)),
      () => undefined,
    );
    const socket = await opened(transport, timers);
    const users = new Set(socket.subscriptions.map((subscription) => subscription["user"]));
    expect(users.size).toBe(10);
    expect(socket.subscriptions).toHaveLength(20);
  });

  it("vouches for no account that it stopped following, nor for what it knew when it follows it again", async () => {
    const { wallets, transport, timers } = walletBench();
    const other = addressOf(2);
    wallets.watchWallets([WALLET], () => undefined);
    const socket = await opened(transport, timers);
    socket.receive(perpFrame(WALLET));
    socket.receive(spotFrame(WALLET));
    expect(wallets.confirmedAtMs(WALLET)).not.toBeNull();

    wallets.watchWallets([other], () => undefined);
    await timers.advance(1_000);
    socket.receive(perpFrame(other));
    expect(wallets.confirmedAtMs(WALLET)).toBeNull();

    wallets.watchWallets([WALLET, other], () => undefined);
    await timers.advance(1_000);
    socket.receive(perpFrame(other));
    expect(wallets.confirmedAtMs(WALLET)).toBeNull();
    socket.receive(perpFrame(WALLET));
    socket.receive(spotFrame(WALLET));
    expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
  });

  it("goes on vouching for an account that it still follows when the others change", async () => {
    const { wallets, transport, timers } = walletBench();
    wallets.watchWallets([WALLET, addressOf(2)], () => undefined);
    const socket = await opened(transport, timers);
    for (const frame of [perpFrame(WALLET), spotFrame(WALLET)]) socket.receive(frame);

    wallets.watchWallets([addressOf(3), WALLET], () => undefined);

    expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
  });

  it("vouches for no account of which a frame cannot be read, until one can, and for the others", async () => {
    const { wallets, transport, timers } = walletBench();
    const other = addressOf(2);
    wallets.watchWallets([WALLET, other], () => undefined);
    const socket = await opened(transport, timers);
    for (const wallet of [WALLET, other]) {
      socket.receive(perpFrame(wallet));
      socket.receive(spotFrame(wallet));
    }

    socket.receive({
      channel: "clearinghouseState",
      data: { user: WALLET, clearinghouseState: { time: "?" } },
    });
    await timers.advance(1_000);
    socket.receive(spotFrame(other));
    expect(wallets.confirmedAtMs(WALLET)).toBeNull();
    expect(wallets.confirmedAtMs(other)).toBe(timers.nowMs());

    socket.receive(perpFrame(WALLET));
    expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
  });

  it("goes on with the fee that it knows while it asks for it again", async () => {
    // The cache remembers the time for a millisecond of its own.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { wallets, transport, timers } = walletBench();
    const states: WalletState[] = [];
    wallets.watchWallets([WALLET], (state) => states.push(state));
    const socket = await opened(transport, timers);
    const feesAsked = (): number => transport.requests.filter(({ type }) => type === "userFees").length;
    const receiveAfter = async (waitMs: number): Promise<void> => {
      vi.advanceTimersByTime(10);
      for (let leftMs = waitMs; leftMs > 0; leftMs -= 20_000) {
        socket.receive({ channel: "pong" });
        await timers.advance(Math.min(leftMs, 20_000));
      }
      socket.receive(perpFrame(WALLET));
      socket.receive(spotFrame(WALLET));
      await settle();
    };
    await receiveAfter(0);
    expect(feesAsked()).toBe(1);
    const answers = transport.answers;
    transport.answers = (body) => (body.type === "userFees" ? "hang" : answers(body));

    await receiveAfter(3_700_000);
    await receiveAfter(1_000);

    expect(feesAsked()).toBe(2);
    expect(states.length).toBeGreaterThan(1);
    expect(new Set(states.map(({ takerFeeFraction }) => takerFeeFraction))).toEqual(new Set([0.00035]));
    vi.useRealTimers();
  });

  it("asks again for a fee that could not be had, though it knows the mode", async () => {
    const { wallets, transport, timers } = walletBench();
    const answers = transport.answers;
    let isFeeDown = true;
    transport.answers = (body) =>
      body.type === "userFees" && isFeeDown ? err({ code: "unreachable", detail: "x" }) : answers(body);
    const states: WalletState[] = [];
    wallets.watchWallets([WALLET], (state) => states.push(state));
    const socket = await opened(transport, timers);
    await timers.advance(10_000);
    socket.receive(perpFrame(WALLET));
    socket.receive(spotFrame(WALLET));
    await timers.advance(1_000);
    expect(states.at(-1)).toMatchObject({ mode: "unified", takerFeeFraction: null });

    isFeeDown = false;
    await timers.advance(10_000);
    socket.receive(perpFrame(WALLET));
    await settle();

    expect(states.at(-1)).toMatchObject({ mode: "unified", takerFeeFraction: 0.00035 });
  });

  it("tells of no account and vouches for none while it does not know the mode, and asks for it again", async () => {
    const { wallets, transport, timers } = walletBench();
    const answers = transport.answers;
    let isModeDown = true;
    transport.answers = (body) =>
      body.type === "userAbstraction" && isModeDown ? err({ code: "refused", detail: "x" }) : answers(body);
    const states: WalletState[] = [];
    wallets.watchWallets([WALLET], (state) => states.push(state));
    const socket = await opened(transport, timers);
    socket.receive(perpFrame(WALLET));
    socket.receive(spotFrame(WALLET));
    await settle();
    expect([states.length, wallets.confirmedAtMs(WALLET)]).toEqual([0, null]);

    const modesAsked = (): number =>
      transport.requests.filter(({ type }) => type === "userAbstraction").length;
    const askedBefore = modesAsked();
    for (let i = 0; i < 5; i++) socket.receive(perpFrame(WALLET));
    await settle();
    expect(modesAsked()).toBe(askedBefore);

    isModeDown = false;
    await timers.advance(10_000);
    socket.receive(perpFrame(WALLET));
    await settle();

    expect(states).toMatchObject([{ wallet: WALLET, mode: "unified" }]);
    expect(wallets.confirmedAtMs(WALLET)).toBe(timers.nowMs());
  });

  it("asks again for a mode that the spot side speaks against, and does not know the collateral meanwhile", async () => {
    // The cache remembers the time for a millisecond of its own.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { wallets, transport, timers } = walletBench();
    const answers = transport.answers;
    let isChanged = false;
    const changed: Record<string, unknown> = {
      userAbstraction: "disabled",
      spotClearinghouseState: separateSpotOf("400.0"),
    };
    transport.answers = (body) =>
      isChanged && body.type in changed ? answered(changed[body.type]) : answers(body);
    const states: WalletState[] = [];
    wallets.watchWallets([WALLET], (state) => states.push(state));
    const socket = await opened(transport, timers);
    socket.receive(perpFrame(WALLET));
    socket.receive(spotFrame(WALLET));
    await settle();
    expect(states.at(-1)).toMatchObject({ mode: "unified", crossCashUsd: 400, isCollateralKnown: true });

    isChanged = true;
    const apart = { channel: "spotState", data: { user: WALLET, spotState: separateSpotOf("400.0") } };
    socket.receive(apart);
    await settle();
    expect(states.at(-1)).toMatchObject({ mode: "unified", isCollateralKnown: false });

    for (let minute = 0; minute < 10; minute++) {
      await timers.advance(59_000);
      vi.advanceTimersByTime(10);
      socket.receive(perpFrame(WALLET));
      socket.receive(apart);
      expect(states.at(-1)).toMatchObject({ mode: "unified", isCollateralKnown: false });
    }
    await timers.advance(59_000);
    vi.advanceTimersByTime(10);
    socket.receive(apart);
    await settle();
    expect(states.at(-1)).toMatchObject({ mode: "standard", crossCashUsd: 100, isCollateralKnown: true });
    vi.useRealTimers();
  });

  it.each(["read", "followed"])(
    "asks once for mode and fee of a wallet that is first %s, then both",
    async (first) => {
      const { wallets, transport } = walletBench();
      let answer: () => void = () => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      const post = transport.postInfo.bind(transport);
      transport.postInfo = async (body, signal) => {
        const reply = post(body, signal);
        if (body.type.startsWith("user")) await answered;
        return reply;
      };

      if (first === "followed") wallets.watchWallets([WALLET], () => undefined);
      const reads = [wallets.fetchWallet(WALLET), wallets.fetchWallet(WALLET)];
      await settle();
      if (first === "read") wallets.watchWallets([WALLET], () => undefined);
      await settle();
      answer();

      for (const read of await Promise.all(reads)) expect(read).toMatchObject({ value: { mode: "unified" } });
      const asked = transport.requests.map(({ type }) => type).filter((type) => type.startsWith("user"));
      expect(asked.toSorted()).toEqual(["userAbstraction", "userFees"]);
    },
  );

  it("ends its socket and its connections when it is closed, and opens no other", async () => {
    const { wallets, transport, timers } = walletBench();
    const closeTransport = vi.spyOn(transport, "close");
    wallets.watchWallets([WALLET], () => undefined);
    const socket = await opened(transport, timers);

    await wallets.close();
    expect(socket.isOpen).toBe(false);
    expect(closeTransport).toHaveBeenCalledOnce();
    await timers.advance(120_000);

    expect(transport.sockets).toHaveLength(1);
  });

  it("waits for none of a minute's connects once it is closed", async () => {
    const { wallets, transport, timers } = walletBench();
    wallets.watchWallets([WALLET], () => undefined);
    await timers.advance(0);
    for (let connects = 1; connects <= WALLET_CONNECTS.capacity; connects++) {
      transport.sockets.at(-1)!.open();
      transport.sockets.at(-1)!.drop();
      while (transport.sockets.length === connects && connects < WALLET_CONNECTS.capacity) {
        await timers.advance(100);
      }
    }
    await timers.advance(24_000);
    expect(timers.waitingCount).toBe(1);

    await wallets.close();

    expect(timers.waitingCount).toBe(0);
  });
});
