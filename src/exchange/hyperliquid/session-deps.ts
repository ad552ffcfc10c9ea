import type { ConnectProbe } from "./connect-probe.ts";
import type { FeedFrame } from "./parse-frame.ts";
import type { Timers, Uniform } from "./timers.ts";
import type { HyperliquidTransport } from "./transport.ts";
import type { WeightBudget } from "./weight-budget.ts";

/**
 * idle: nothing wanted. connecting: waiting for the connect limiter or the handshake. subscribing: open, not all
 * acknowledged. live: all acknowledged but those left out. silent: nothing came for too long, being cut. backing_off:
 * waiting to connect.
 */
export type SessionState =
  "idle" | "connecting" | "subscribing" | "live" | "silent" | "backing_off" | "closed";

export interface SessionEvents {
  onFrame(frame: FeedFrame): void;
  onRejected(detail: string): void;
  /** All subscriptions are acknowledged (again), or what was lost is wanted no more. */
  onRestored(): void;
  /** Everything the socket carried is stale from now on. */
  onLost(detail: string): void;
}

export interface SessionDeps {
  readonly transport: HyperliquidTransport;
  readonly timers: Timers;
  readonly uniform: Uniform;
  /** Shared by all sockets: connects a minute. */
  readonly connects: WeightBudget;
  /** The longest wait of a socket that does not get through: what the connects of a minute allow one socket. */
  readonly retryMsMax: number;
  /** Shared by all sockets: which of them tries while none gets through. */
  readonly probe: ConnectProbe;
  /** Shared by all sockets: subscribe messages. */
  readonly messages: WeightBudget;
}
