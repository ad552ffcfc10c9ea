import { tickerOf } from "../../../src/domain/ids.ts";
import { SocketSession } from "../../../src/exchange/hyperliquid/socket-session.ts";
import type { PlannedSubscription } from "../../../src/exchange/hyperliquid/subscriptions.ts";
import { planFeed } from "../../../src/exchange/hyperliquid/subscriptions.ts";
import {
  type BudgetLimit,
  WALLET_RETRY_MS_MAX,
  WeightBudget,
} from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { ManualTimers } from "../../support/manual-timers.ts";
import { bring, sessionDepsOf } from "./live-session.ts";
import type { ScriptedSocket } from "./scripted-transport.ts";
import { ScriptedTransport } from "./scripted-transport.ts";

export const SILENCE_MS = 12_000;

/** A session of a scripted exchange, and what it said. */
export interface SessionBench {
  readonly session: SocketSession;
  readonly timers: ManualTimers;
  readonly transport: ScriptedTransport;
  readonly log: string[];
  readonly frames: () => number;
}

export interface SessionBenchOptions {
  readonly silenceMsMax?: number | null;
  /** What the sockets that share a budget have left of it; plenty unless said. */
  readonly messages?: BudgetLimit;
}

export function started(...args: readonly (string | SessionBenchOptions)[]): SessionBench {
  const options = args.find((arg) => typeof arg === "object");
  const tickers = args.filter((arg) => typeof arg === "string");
  const timers = new ManualTimers();
  const transport = new ScriptedTransport();
  const log: string[] = [];
  let frameCount = 0;
  const deps = sessionDepsOf(transport, timers, WALLET_RETRY_MS_MAX);
  const messages = options?.messages;
  const session = new SocketSession(
    messages === undefined ? deps : { ...deps, messages: new WeightBudget([messages], timers) },
    options?.silenceMsMax === undefined ? SILENCE_MS : options.silenceMsMax,
    {
      onFrame: () => frameCount++,
      onRejected: (detail) => log.push(`rejected: ${detail}`),
      onRestored: () => log.push("restored"),
      onLost: (detail) => log.push(`lost: ${detail}`),
    },
  );
  session.want(plan(tickers));
  return { session, timers, transport, log, frames: () => frameCount };
}

export async function live(...args: readonly (string | SessionBenchOptions)[]): Promise<SessionBench> {
  const bench = started(...args);
  await bench.timers.advance(0);
  await bring(only(bench.transport), bench.timers);
  return bench;
}

export function plan(tickers: readonly string[]): readonly PlannedSubscription[] {
  return planFeed(tickers.map((name, i) => ({ ticker: tickerOf(name), volume24hUsd: -i }))).slow;
}

export function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `A${String(i)}`);
}

export function only(transport: ScriptedTransport): ScriptedSocket {
  const [socket] = transport.sockets;
  if (socket === undefined) throw new Error("no socket was opened");
  return socket;
}

export function coins(socket: ScriptedSocket | undefined): unknown[] {
  return (socket?.subscriptions ?? []).map((subscription) => subscription["coin"]);
}

export function book(coin: string): unknown {
  return { channel: "l2Book", data: { coin, time: 1, levels: [[{ px: "1.0", sz: "1.0", n: 1 }], []] } };
}
