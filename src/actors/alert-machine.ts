import { assign, setup } from "xstate";
import type { WalletAddress } from "../domain/ids.ts";
import {
  type AlertBreach,
  type AlertRequest,
  type AlertThresholds,
  breachesOf,
  DEFAULT_ALERT_THRESHOLDS,
  type MonitoredAccount,
  regimesSeenAfter,
  type SeenRegimes,
} from "../risk/alerts.ts";

/** Where a subscriber's breaches go; called only with at least one. */
export type DeliverBreaches = (breaches: readonly AlertBreach[], monitored: MonitoredAccount) => void;

export type AlertMachineEvent =
  | { readonly type: "config.accepted"; readonly request: AlertRequest }
  | { readonly type: "monitor.evaluated"; readonly monitored: MonitoredAccount }
  | { readonly type: "socket.closed" };

interface AlertMachineContext {
  readonly deliver: DeliverBreaches;
  readonly wallet: WalletAddress | null;
  readonly thresholds: AlertThresholds;
  readonly seen: SeenRegimes;
}

/**
 * One alert subscriber: awaiting config -> subscribed -> closed. A later config replaces the first; on the same wallet
 * the regimes seen are kept, because they are what this subscriber was told.
 *
 * Holds:  delivers only while subscribed, only of its wallet, only when a monitor call found a breach
 */
export const alertMachine = setup({
  types: {
    context: {} as AlertMachineContext,
    events: {} as AlertMachineEvent,
    input: {} as { readonly deliver: DeliverBreaches },
  },
  guards: {
    isOwnWallet: ({ context, event }) =>
      event.type === "monitor.evaluated" && event.monitored.wallet === context.wallet,
  },
  actions: {
    acceptConfig: assign(({ context, event }) => {
      if (event.type !== "config.accepted") return {};
      const { wallet, thresholds } = event.request;
      return { wallet, thresholds, seen: wallet === context.wallet ? context.seen : new Map() };
    }),
    deliverBreaches: ({ context, event }) => {
      if (event.type !== "monitor.evaluated") return;
      const breaches = breachesOf(event.monitored.assessment, context.thresholds, context.seen);
      if (breaches.length > 0) context.deliver(breaches, event.monitored);
    },
    noteRegimes: assign(({ context, event }) =>
      event.type === "monitor.evaluated"
        ? { seen: regimesSeenAfter(event.monitored.assessment, context.seen) }
        : {},
    ),
  },
}).createMachine({
  id: "alert",
  context: ({ input }) => ({
    deliver: input.deliver,
    wallet: null,
    thresholds: DEFAULT_ALERT_THRESHOLDS,
    seen: new Map(),
  }),
  initial: "awaitingConfig",
  on: { "socket.closed": ".closed" },
  states: {
    awaitingConfig: { on: { "config.accepted": { actions: "acceptConfig", target: "subscribed" } } },
    subscribed: {
      on: {
        "config.accepted": { actions: "acceptConfig" },
        "monitor.evaluated": { guard: "isOwnWallet", actions: ["deliverBreaches", "noteRegimes"] },
      },
    },
    closed: { type: "final" },
  },
});
