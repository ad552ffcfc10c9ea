import { and, assign, setup } from "xstate";
import type { MarketEvent } from "../domain/market-event.ts";

/** What an asset's lifecycle hears: the market's facts, and those of the engine about it. */
export type AssetMachineEvent =
  | MarketEvent
  /** Models were built from the history, or there is too little of it for any. */
  | { readonly type: "models.built" }
  /** The book or the mark passed its soft age limit. */
  | { readonly type: "market.aged" };

interface AssetMachineContext {
  readonly hasModels: boolean;
  /** A book with two sides has arrived since the feed was last lost. */
  readonly hasFrame: boolean;
}

const COLD: AssetMachineContext = { hasModels: false, hasFrame: false };

/**
 * When an asset may be trusted: listed -> warming -> live <-> stale, and delisted. The numbers live outside; whether
 * they are young enough is the guard `isFresh`, given by their owner.
 *
 * Holds:  live only with history, models, a frame newer than the last feed loss, and fresh numbers
 */
export const assetMachine = setup({
  types: { events: {} as AssetMachineEvent, context: {} as AssetMachineContext },
  actions: {
    noteModels: assign({ hasModels: true }),
    noteFrame: assign({ hasFrame: true }),
    forgetFrame: assign({ hasFrame: false }),
    forgetAll: assign(COLD),
  },
  guards: {
    isFresh: () => true,
    isWarm: ({ context }) => context.hasModels && context.hasFrame,
    reachesNow: ({ event }) => event.type === "history.loaded" && event.reachesNow,
    hasTwoSides: ({ event }) => event.type === "book.updated" && event.book !== null,
    isDelistedListing: ({ event }) => event.type === "asset.listed" && event.listing.isDelisted,
  },
}).createMachine({
  id: "asset",
  context: COLD,
  initial: "listed",
  on: {
    "asset.delisted": ".delisted",
    "asset.listed": [
      { guard: "isDelistedListing", target: ".delisted" },
      { target: ".listed", actions: "forgetAll" },
    ],
    "models.built": { actions: "noteModels" },
    "book.updated": { guard: "hasTwoSides", actions: "noteFrame" },
    "feed.lost": { actions: "forgetFrame" },
  },
  states: {
    listed: {
      on: { "history.loaded": { guard: "reachesNow", target: "warming" } },
    },
    warming: { always: { guard: and(["isWarm", "isFresh"]), target: "live" } },
    live: {
      on: {
        "feed.lost": { actions: "forgetFrame", target: "stale" },
        "market.aged": "stale",
      },
    },
    stale: { always: { guard: and(["isWarm", "isFresh"]), target: "live" } },
    delisted: {},
  },
});
