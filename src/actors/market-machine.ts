import { setup } from "xstate";
import type { Calibrated } from "../domain/calibrated.ts";

/** Share of the traded volume whose assets must be live for the service to call itself ready. */
export const READY_VOLUME_SHARE: Calibrated = {
  value: 0.5,
  unit: "fraction of the universe's 24 h volume",
  source:
    "chosen: the two largest assets alone are above it; an asset that is not live yet is refused by itself",
  fittedOn: "not fitted",
};
/** The feed carries contexts of every asset each second. */
export const FEED_SILENCE_MAX: Calibrated = {
  value: 15_000,
  unit: "milliseconds without any message",
  source: "chosen: longer than a reconnect with its resubscription",
  fittedOn: "not fitted",
};

/** What the engine counted over all assets. */
export interface MarketTally {
  readonly liveVolumeShare: number;
  /** Null before the first message. */
  readonly silenceMs: number | null;
}

export type MarketMachineEvent = { readonly type: "market.tallied"; readonly tally: MarketTally };

/**
 * Whether the engine as a whole may serve: starting -> ready <-> degraded.
 *
 * Holds:  never back to starting; ready only with enough live volume and a feed that speaks
 */
export const marketMachine = setup({
  types: { events: {} as MarketMachineEvent },
  guards: { isServing: ({ event }) => isServing(event.tally) },
}).createMachine({
  id: "market",
  initial: "starting",
  states: {
    starting: { on: { "market.tallied": { guard: "isServing", target: "ready" } } },
    ready: { on: { "market.tallied": [{ guard: "isServing" }, { target: "degraded" }] } },
    degraded: { on: { "market.tallied": { guard: "isServing", target: "ready" } } },
  },
});

function isServing({ liveVolumeShare, silenceMs }: MarketTally): boolean {
  return (
    liveVolumeShare >= READY_VOLUME_SHARE.value && silenceMs !== null && silenceMs <= FEED_SILENCE_MAX.value
  );
}
