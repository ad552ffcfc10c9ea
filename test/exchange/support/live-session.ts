import { ConnectProbe } from "../../../src/exchange/hyperliquid/connect-probe.ts";
import type { SessionDeps } from "../../../src/exchange/hyperliquid/session-deps.ts";
import type { HyperliquidTransport } from "../../../src/exchange/hyperliquid/transport.ts";
import {
  MARKET_CONNECTS,
  MARKET_MESSAGES,
  SUBSCRIBE_PACE,
  WeightBudget,
} from "../../../src/exchange/hyperliquid/weight-budget.ts";
import type { ManualTimers } from "../../support/manual-timers.ts";
import type { ScriptedSocket } from "./scripted-transport.ts";

/** What sessions of a market's feed share, on a scripted exchange. */
export function sessionDepsOf(
  transport: HyperliquidTransport,
  timers: ManualTimers,
  retryMsMax: number,
): SessionDeps {
  return {
    transport,
    timers,
    uniform: () => 0.5,
    connects: new WeightBudget([MARKET_CONNECTS], timers),
    retryMsMax,
    probe: new ConnectProbe(),
    messages: new WeightBudget([MARKET_MESSAGES, SUBSCRIBE_PACE], timers),
  };
}

/** Opens a socket, lets it subscribe for as long as its pace takes, and acknowledges all that it asked for. */
export async function bring(
  socket: ScriptedSocket | undefined,
  timers: ManualTimers,
  subscribingMs = 0,
): Promise<void> {
  socket?.open();
  await timers.advance(subscribingMs);
  socket?.acknowledgeAll();
}
