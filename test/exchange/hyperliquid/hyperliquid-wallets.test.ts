import { describe, expect, it } from "vitest";
import type { WalletState } from "../../../src/domain/account.ts";
import type { WalletAddress } from "../../../src/domain/ids.ts";
import { walletAddressOf } from "../../../src/domain/ids.ts";
import { err } from "../../../src/domain/result.ts";
import { HyperliquidWallets } from "../../../src/exchange/hyperliquid/hyperliquid-wallets.ts";
import type { Outage } from "../../../src/exchange/hyperliquid/outage-watch.ts";
import { ManualTimers, settle } from "../../support/manual-timers.ts";
import { bring } from "../support/live-session.ts";
import { answered, ScriptedTransport } from "../support/scripted-transport.ts";

// Mutants tried: the fee awaited; the mode cached when it failed; a streamed account published without its spot side;
// more users streamed than allowed. Each fails below.

const WALLET = addressOf(1);
const PERP = {
  crossMarginSummary: { accountValue: "100.0", totalRawUsd: "100.0" },
  crossMaintenanceMarginUsed: "0.0",
  assetPositions: [],
  time: 3,
};
const SPOT = { balances: [{ coin: "USDC", token: 0, total: "400.0", hold: "0.0", entryNtl: "0.0" }] };

describe("fetchWallet", () => {
  it("reads both accounts and the mode; the fee follows when it is known", async () => {
    const { wallets, transport } = bench();

    const first = await wallets.fetchWallet(WALLET);
    await settle();
    const second = await wallets.fetchWallet(WALLET);

    expect(first).toMatchObject({
      ok: true,
      value: { mode: "unified", crossCashUsd: 400, isCollateralKnown: true },
    });
    expect(second).toMatchObject({ ok: true, value: { takerFeeFraction: 0.00035 } });
    const types = transport.requests.map(({ type }) => type);
    expect(types.filter((type) => type === "userFees")).toHaveLength(1);
    expect(types.filter((type) => type === "userAbstraction")).toHaveLength(1);
    expect(types.filter((type) => type === "clearinghouseState")).toHaveLength(2);
  });

  it("does not pay for the mode of an account without spot collateral", async () => {
    const { wallets, transport } = bench();
    const answers = transport.answers;
    const dust = { coin: "USDC", token: 0, total: "0.0", hold: "0.0", entryNtl: "0.0" };
    transport.answers = (body) =>
      body.type === "spotClearinghouseState" ? answered({ balances: [dust] }) : answers(body);

    expect(await wallets.fetchWallet(WALLET)).toMatchObject({
      ok: true,
      value: { mode: "standard", crossCashUsd: 100, isCollateralKnown: true },
    });
    expect(transport.requests.map(({ type }) => type)).not.toContain("userAbstraction");

    // Any other token may be collateral, and then the mode decides.
    const hype = { coin: "HYPE", token: 150, total: "3.0", hold: "0.0", entryNtl: "0.0" };
    transport.answers = (body) =>
      body.type === "spotClearinghouseState" ? answered({ balances: [dust, hype] }) : answers(body);
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({ value: { mode: "unified" } });
  });

  it("does not wait for the fee", async () => {
    const { wallets, transport } = bench();
    const answers = transport.answers;
    transport.answers = (body) => (body.type === "userFees" ? "hang" : answers(body));
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({ ok: true, value: { takerFeeFraction: null } });
  });

  it("says that the collateral is not known when the spot account is refused, and asks for the mode again", async () => {
    const { wallets, transport } = bench();
    const answers = transport.answers;
    let isModeDown = true;
    transport.answers = (body) => {
      if (body.type === "spotClearinghouseState") return err({ code: "refused", detail: "x" });
      if (body.type === "userAbstraction" && isModeDown) return err({ code: "refused", detail: "x" });
      return answers(body);
    };

    expect(await wallets.fetchWallet(WALLET)).toMatchObject({
      ok: true,
      value: { mode: "unknown", isCollateralKnown: false },
    });
    isModeDown = false;
    expect(await wallets.fetchWallet(WALLET)).toMatchObject({
      ok: true,
      value: { mode: "unified", isCollateralKnown: false },
    });
  });

  it("fails, in bounded time, when the perpetual account cannot be read", async () => {
    const { wallets, transport, timers } = bench();
    const answers = transport.answers;
    transport.answers = (body) => (body.type === "clearinghouseState" ? "hang" : answers(body));
    const read = wallets.fetchWallet(WALLET);
    await timers.advance(8_000);
    expect(await read).toMatchObject({ ok: false, error: { code: "timeout" } });
  });
});

describe("an outage of reads", () => {
  it("is told once, however many fail, and once when they succeed again", async () => {
    const { wallets, transport, timers, outages } = bench();
    const answers = transport.answers;
    const read = async (count: number): Promise<void> => {
      for (let i = 1; i <= count; i++) {
        void wallets.fetchWallet(addressOf(i));
        await timers.advance(5_000);
      }
    };
    await read(2);
    transport.answers = () => err({ code: "unreachable", detail: "HTTP 502" });
    await read(5);
    expect(outages).toEqual([{ type: "outage.began", detail: "unreachable: HTTP 502" }]);

    transport.answers = answers;
    await read(10);
    expect(outages.slice(1)).toMatchObject([{ type: "outage.ended" }]);
    transport.answers = (body) => (body.type === "spotClearinghouseState" ? answered("odd") : answers(body));
    await read(1);
    expect(outages[2]).toMatchObject({ type: "outage.began" });
  });
});

describe("watchWallets", () => {
  it("streams whole accounts: nothing before both sides are there, nothing of a lost socket", async () => {
    const { wallets, transport, timers } = bench();
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
    const { wallets, transport, timers } = bench();
    const states: WalletState[] = [];
    wallets.watchWallets([WALLET], (state) => states.push(state));
    const socket = await opened(transport, timers);
    socket.receive(spotFrame(WALLET));

    socket.receive(perpFrame(WALLET, "xyz"));
    socket.receive(perpFrame(addressOf(2)));
    expect(states).toHaveLength(0);
  });

  it("vouches for whole accounts as of the last frame of any, and for none once the socket is lost", async () => {
    const { wallets, transport, timers } = bench();
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

  it("streams ten users and no more", async () => {
    const { wallets, transport, timers } = bench();
    wallets.watchWallets(
      Array.from({ length: 14 }, (_, i) => addressOf(i + 1)),
      () => undefined,
    );
    const socket = await opened(transport, timers);
    const users = new Set(socket.subscriptions.map((subscription) => subscription["user"]));
    expect(users.size).toBe(10);
    expect(socket.subscriptions).toHaveLength(20);
  });
});

function bench(): {
  wallets: HyperliquidWallets;
  transport: ScriptedTransport;
  timers: ManualTimers;
  outages: Outage[];
} {
  const outages: Outage[] = [];
  const timers = new ManualTimers();
  const transport = new ScriptedTransport();
  const replies: Record<string, unknown> = {
    clearinghouseState: PERP,
    spotClearinghouseState: SPOT,
    userAbstraction: "unifiedAccount",
    userFees: { userCrossRate: "0.00035" },
  };
  transport.answers = (body) => answered(replies[body.type]);
  const wallets = new HyperliquidWallets({
    transport,
    timers,
    uniform: () => 0.5,
    weightPerMinute: 1_000,
    onOutage: (outage) => outages.push(outage),
  });
  return { wallets, transport, timers, outages };
}

async function opened(
  transport: ScriptedTransport,
  timers: ManualTimers,
): Promise<ScriptedTransport["sockets"][number]> {
  await timers.advance(0);
  const [socket] = transport.sockets;
  if (socket === undefined) throw new Error("no socket was opened");
  await bring(socket, timers, 1_000);
  return socket;
}

function perpFrame(user: WalletAddress, dex = ""): unknown {
  return { channel: "clearinghouseState", data: { dex, user, clearinghouseState: PERP } };
}

function spotFrame(user: WalletAddress): unknown {
  return { channel: "spotState", data: { user, spotState: SPOT } };
}

function addressOf(n: number): WalletAddress {
  const address = walletAddressOf(`0x${n.toString(16).padStart(40, "0")}`);
  if (address === undefined) throw new Error("no address");
  return address;
}
