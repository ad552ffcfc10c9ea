import { describe, expect, it, vi } from "vitest";
import type { WalletState } from "../../../src/domain/account.ts";
import { err } from "../../../src/domain/result.ts";
import { settle } from "../../support/manual-timers.ts";
import { answered } from "../support/scripted-transport.ts";
import {
  addressOf,
  ethPosition,
  opened,
  PERP,
  perpFrame,
  spotFrame,
  walletBench,
} from "../support/wallet-bench.ts";

// Mutants killed: the role of an account that holds something asked for, or believed; a position, cash or tokens not looked
// at; weight waited for, or taken from states; asked for with each state, or never again; a refusal that undoes what was
// known; an address of which nothing is known taken for an account's; a fee or a role that costs a unit more or less; a
// role asked for by each read; tokens that cannot be read taken for some.

const WALLET = addressOf(1);
const NOTHING = { ...PERP, crossMarginSummary: { accountValue: "0.0", totalRawUsd: "0.0" } };
const NO_TOKENS = { balances: [] };
/** What is read of an address that holds nothing and may be an agent's. */
const UNKNOWN = { value: { mode: "unknown", isCollateralKnown: false } };
const AGENT = { role: "agent", data: { user: addressOf(9) } };
/** All that the account has is behind it. */
const ISOLATED_POSITION = ethPosition({ type: "isolated", value: 10, rawUsd: "-90.0" });

/** Every account holds nothing and is an agent's, unless a reply says otherwise. */
function emptyBench(replies: Readonly<Record<string, unknown>> = {}, weightPerMinute?: number) {
  const bench = walletBench(weightPerMinute);
  const answers = bench.transport.answers;
  const said: Record<string, unknown> = {
    clearinghouseState: NOTHING,
    spotClearinghouseState: NO_TOKENS,
    userRole: AGENT,
    ...replies,
  };
  bench.transport.answers = (body) => (body.type in said ? answered(said[body.type]) : answers(body));
  const rolesAsked = (): number => bench.transport.requests.filter(({ type }) => type === "userRole").length;
  /** With faked timers: the cache remembers the time for a millisecond of its own. */
  const readAfter = async (waitMs: number) => {
    vi.advanceTimersByTime(10);
    await bench.timers.advance(waitMs);
    return bench.wallets.fetchWallet(WALLET);
  };
  return { ...bench, said, rolesAsked, readAfter };
}

describe("a wallet that holds nothing", () => {
  it("is asked for its role, and then no more for an hour", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { readAfter, rolesAsked } = emptyBench();

    for (const waitMs of [0, 5_000, 3_500_000]) {
      expect(await readAfter(waitMs)).toMatchObject({ value: { mode: "agent", isCollateralKnown: false } });
    }
    expect(rolesAsked()).toBe(1);
    await readAfter(200_000);
    expect(rolesAsked()).toBe(2);
    vi.useRealTimers();
  });

  it("is asked for its role once, however many read it at a time", async () => {
    const { wallets, rolesAsked } = emptyBench();
    await Promise.all([wallets.fetchWallet(WALLET), wallets.fetchWallet(WALLET)]);
    expect(rolesAsked()).toBe(1);
  });

  it("is an ordinary one where it is not an agent's", async () => {
    const others = [
      { role: "user" },
      { role: "missing" },
      { role: "vault" },
      { role: "subAccount", data: { master: addressOf(9) } },
    ];
    for (const userRole of others) {
      const { wallets, rolesAsked } = emptyBench({ userRole });
      expect(await wallets.fetchWallet(WALLET)).toMatchObject({
        value: { mode: "standard", isCollateralKnown: true },
      });
      expect(rolesAsked()).toBe(1);
    }
  });

  it("may be an agent's where the exchange does not say", async () => {
    const { wallets, rolesAsked } = emptyBench({ userRole: { role: 7 } });
    for (let read = 0; read < 2; read++) expect(await wallets.fetchWallet(WALLET)).toMatchObject(UNKNOWN);
    expect(rolesAsked()).toBe(1);
  });

  it("may be an agent's where its tokens cannot be read, whatever mode the exchange says", async () => {
    const { wallets, transport } = emptyBench({ userAbstraction: "disabled" });
    const answers = transport.answers;
    transport.answers = (body) =>
      ["spotClearinghouseState", "userRole"].includes(body.type)
        ? err({ code: "refused", detail: "x" })
        : answers(body);
    expect(await wallets.fetchWallet(WALLET)).toMatchObject(UNKNOWN);
  });

  it("is not held up for longer than a second", async () => {
    const { wallets, transport, timers } = emptyBench();
    const answers = transport.answers;
    transport.answers = (body) => (body.type === "userRole" ? "hang" : answers(body));
    const read = wallets.fetchWallet(WALLET);
    await timers.advance(1_000);
    expect(await read).toMatchObject(UNKNOWN);
  });

  it("is asked again ten minutes after a refusal, which does not undo what was known", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { transport, readAfter, rolesAsked } = emptyBench();
    const answers = transport.answers;
    await readAfter(0);
    transport.answers = (body) =>
      body.type === "userRole" ? err({ code: "refused", detail: "x" }) : answers(body);

    for (const waitMs of [3_700_000, 500_000]) {
      expect(await readAfter(waitMs)).toMatchObject({ value: { mode: "agent" } });
    }
    expect(rolesAsked()).toBe(2);
    await readAfter(200_000);
    expect(rolesAsked()).toBe(3);
    vi.useRealTimers();
  });

  it("is asked again a minute after an answer that did not come, for it may have been an accident", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { transport, readAfter, rolesAsked } = emptyBench();
    const answers = transport.answers;
    transport.answers = (body) =>
      body.type === "userRole" ? err({ code: "unreachable", detail: "HTTP 502" }) : answers(body);
    for (const waitMs of [0, 50_000]) expect(await readAfter(waitMs)).toMatchObject(UNKNOWN);
    expect(rolesAsked()).toBe(1);

    transport.answers = answers;
    expect(await readAfter(11_000)).toMatchObject({ value: { mode: "agent" } });
    vi.useRealTimers();
  });

  it("is not asked for its role at the expense of others' states, and is later", async () => {
    // The state takes 4 units, the fee 20 and the role 60: of 119 a minute 83 may go to what can wait, one too few.
    const { wallets, timers, rolesAsked, outages } = emptyBench({}, 119);
    const read = wallets.fetchWallet(WALLET);
    await timers.advance(0);
    expect(await read).toMatchObject(UNKNOWN);
    expect(rolesAsked()).toBe(0);

    await timers.advance(61_000);
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({ value: { mode: "agent" } });
    expect(outages).toEqual([]);
  });

  it("is asked for its role where there is just the weight for it", async () => {
    const { wallets, rolesAsked } = emptyBench({}, 120);
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({ value: { mode: "agent" } });
    expect(rolesAsked()).toBe(1);
  });
});

describe("a wallet that holds something", () => {
  it("is an account whatever its role: a position, cash or any token", async () => {
    const hype = { coin: "HYPE", token: 150, total: "3.0", hold: "0.0", entryNtl: "0.0" };
    for (const held of [
      { clearinghouseState: PERP },
      { clearinghouseState: { ...NOTHING, assetPositions: [ISOLATED_POSITION] } },
      { spotClearinghouseState: { balances: [hype] } },
    ]) {
      const { wallets, rolesAsked } = emptyBench(held);
      expect(await wallets.fetchWallet(WALLET)).not.toMatchObject({ value: { mode: "agent" } });
      expect(rolesAsked()).toBe(0);
    }
  });

  it("is an account from the moment it does", async () => {
    const { wallets, said } = emptyBench();
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({ value: { mode: "agent" } });
    said["clearinghouseState"] = PERP;
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({
      value: { mode: "standard", crossCashUsd: 100 },
    });
  });
});

describe("a streamed wallet that holds nothing", () => {
  const NOTHING_FRAME = {
    channel: "clearinghouseState",
    data: { dex: "", user: WALLET, clearinghouseState: NOTHING },
  };
  const NO_TOKENS_FRAME = { channel: "spotState", data: { user: WALLET, spotState: NO_TOKENS } };

  it("is asked for its role when its streams have shown it empty", async () => {
    const { wallets, transport, timers, rolesAsked } = emptyBench();
    const states: WalletState[] = [];
    wallets.watchWallets([WALLET], (state) => states.push(state));
    const socket = await opened(transport, timers);
    await timers.advance(10_000);
    socket.receive(NOTHING_FRAME);
    socket.receive(NO_TOKENS_FRAME);
    const shown = states.length;
    await settle();

    expect(states.slice(0, shown).map(({ mode }) => mode)).not.toContain("standard");
    expect(states.at(-1)).toMatchObject({ mode: "agent" });
    for (let frame = 0; frame < 3; frame++) socket.receive(NOTHING_FRAME);
    await settle();
    expect(rolesAsked()).toBe(1);
  });

  it("is not asked while it holds something", async () => {
    const { wallets, transport, timers, rolesAsked } = emptyBench();
    wallets.watchWallets([WALLET], () => undefined);
    const socket = await opened(transport, timers);
    await timers.advance(10_000);
    socket.receive(perpFrame(WALLET));
    socket.receive(spotFrame(WALLET));
    await settle();
    expect(rolesAsked()).toBe(0);
  });
});
