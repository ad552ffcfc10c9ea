import { setup } from "xstate";

/**
 * Share of the traded volume whose assets must be live for the service to call itself ready: the two largest assets alone
 * are above it, and an asset that is not live yet is refused by itself.
 */
const READY_VOLUME_SHARE = 0.5;
/** The feed carries contexts of every asset each second; longer than a reconnect with its resubscription. */
const FEED_SILENCE_MS_MAX = 15_000;

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
  return liveVolumeShare >= READY_VOLUME_SHARE && silenceMs !== null && silenceMs <= FEED_SILENCE_MS_MAX;
}
