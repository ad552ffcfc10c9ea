import type { WalletAddress } from "../../../src/domain/ids.ts";
import { walletAddressOf } from "../../../src/domain/ids.ts";
import { HyperliquidWallets } from "../../../src/exchange/hyperliquid/hyperliquid-wallets.ts";
import type { Outage } from "../../../src/exchange/hyperliquid/outage-watch.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { bring } from "./live-session.ts";
import { answered, ScriptedTransport } from "./scripted-transport.ts";

export const PERP = {
  crossMarginSummary: { accountValue: "100.0", totalRawUsd: "100.0" },
  crossMaintenanceMarginUsed: "0.0",
  assetPositions: [],
  time: 3,
};
/** A long of ETH, 1 unless told otherwise, at 100 USD on ten times leverage. */
export function ethPosition(leverage: object = { type: "cross", value: 10 }, szi = "1.0"): object {
  return {
    type: "oneWay",
    position: {
      coin: "ETH",
      szi,
      entryPx: "100.0",
      positionValue: "100.0",
      unrealizedPnl: "0.0",
      liquidationPx: null,
      leverage,
      marginUsed: "10.0",
    },
  };
}

/** Spot USDC of an account apart from its perpetual one. */
export function separateSpotOf(total: string): object {
  return { balances: [{ coin: "USDC", token: 0, total, hold: "0.0", entryNtl: "0.0" }] };
}

/** Spot USDC that backs the perpetuals; all of it is available, as where no position is open. */
export function spotOf(total: string): object {
  return { ...separateSpotOf(total), tokenToAvailableAfterMaintenance: [[0, total]] };
}

export interface WalletBench {
  readonly wallets: HyperliquidWallets;
  readonly transport: ScriptedTransport;
  readonly timers: ManualTimers;
  readonly outages: Outage[];
}

/** Wallets of a scripted exchange on which every account is a unified one with 400 USDC. */
export function walletBench(weightPerMinute = 1_000): WalletBench {
  const outages: Outage[] = [];
  const timers = new ManualTimers();
  const transport = new ScriptedTransport();
  const replies: Record<string, unknown> = {
    clearinghouseState: PERP,
    spotClearinghouseState: spotOf("400.0"),
    userAbstraction: "unifiedAccount",
    userFees: { userCrossRate: "0.00035" },
  };
  transport.answers = (body) => answered(replies[body.type]);
  const wallets = new HyperliquidWallets({
    transport,
    timers,
    uniform: () => 0.5,
    weightPerMinute,
    onOutage: (outage) => outages.push(outage),
  });
  return { wallets, transport, timers, outages };
}

export async function opened(
  transport: ScriptedTransport,
  timers: ManualTimers,
): Promise<ScriptedTransport["sockets"][number]> {
  await timers.advance(0);
  const [socket] = transport.sockets;
  if (socket === undefined) throw new Error("no socket was opened");
  await bring(socket, timers, 1_000);
  return socket;
}

export function perpFrame(user: WalletAddress, dex = "", clearinghouseState: object = PERP): unknown {
  return { channel: "clearinghouseState", data: { dex, user, clearinghouseState } };
}

export function spotFrame(user: WalletAddress, total = "400.0"): unknown {
  return { channel: "spotState", data: { user, spotState: spotOf(total) } };
}

export function addressOf(n: number): WalletAddress {
  const address = walletAddressOf(`0x${n.toString(16).padStart(40, "0")}`);
  if (address === undefined) throw new Error("no address");
  return address;
}
