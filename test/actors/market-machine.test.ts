import { describe, expect, it } from "vitest";
import { createActor } from "xstate";
import { marketMachine, type MarketTally } from "../../src/actors/market-machine.ts";

// Mutants killed by hand: share compared with >; silence ignored; null silence taken as 0; degraded back to starting.

const serving: MarketTally = { liveVolumeShare: 0.5, silenceMs: 15_000 };

describe("marketMachine", () => {
  it.each<[readonly MarketTally[], string]>([
    [[], "starting"],
    [[{ liveVolumeShare: 0.49, silenceMs: 0 }], "starting"],
    [[{ liveVolumeShare: 1, silenceMs: null }], "starting"],
    [[serving], "ready"],
    [[serving, serving], "ready"],
    [[serving, { ...serving, silenceMs: 15_001 }], "degraded"],
    [[serving, { ...serving, liveVolumeShare: 0.2 }], "degraded"],
    [[serving, { ...serving, liveVolumeShare: 0 }, { ...serving, liveVolumeShare: 0.1 }], "degraded"],
    [[serving, { ...serving, liveVolumeShare: 0 }, serving], "ready"],
  ])("after %j is %s", (tallies, expected) => {
    const actor = createActor(marketMachine).start();

    for (const tally of tallies) actor.send({ type: "market.tallied", tally });

    expect(actor.getSnapshot().value).toBe(expected);
  });
});
