import { describe, expect, it } from "vitest";
import type { Ticker } from "../../src/domain/ids.ts";
import type { KeptRegime } from "../../src/domain/kept-regime.ts";
import { RegimeMemory } from "../../src/engine/regime-memory.ts";
import type { RegimeStore } from "../../src/ingest/regime-store.ts";
import { assetListing, BTC, ETH, NOW_MS } from "../support/builders.ts";

const STRESSED: KeptRegime = { timeMs: NOW_MS, state: "stressed", posterior: [0, 0.9, 0.1] };
const NORMAL: KeptRegime = { timeMs: NOW_MS + 1, state: "normal", posterior: [0.9, 0.09, 0.01] };

describe("RegimeMemory", () => {
  it("knows what was kept, then what was seen, and keeps both", async () => {
    const { memory, files } = open({
      load: () =>
        Promise.resolve(
          new Map([
            [BTC, STRESSED],
            [ETH, STRESSED],
          ]),
        ),
    });
    expect(await memory.leftBy(BTC)).toEqual(STRESSED);

    memory.observe([stateOf(BTC, NORMAL), stateOf(ETH, null)]);
    await memory.keep();

    expect(await memory.leftBy(BTC)).toEqual(NORMAL);
    expect(files).toEqual([
      new Map([
        [BTC, NORMAL],
        [ETH, STRESSED],
      ]),
    ]);
  });

  it("writes nothing over a file that it has not read", async () => {
    const { memory, files } = open({});
    await memory.keep();
    expect(files).toEqual([]);
  });

  it("says what it cannot keep, and goes on with what it saw", async () => {
    const { memory, problems } = open({ keep: () => Promise.reject(new Error("away")) });

    await memory.leftBy(BTC);
    memory.observe([stateOf(BTC, NORMAL)]);
    await memory.keep();

    expect(await memory.leftBy(BTC)).toEqual(NORMAL);
    expect(problems).toEqual(["keep the regimes Error: away"]);
  });

  it("writes over a file that could not be read only when it could, and keeps what that has besides", async () => {
    let isAway = true;
    const kept = new Map([
      [BTC, STRESSED],
      [ETH, STRESSED],
    ]);
    const { memory, files, problems } = open({
      load: () => (isAway ? Promise.reject(new Error("away")) : Promise.resolve(kept)),
    });

    expect(await memory.leftBy(BTC)).toBeNull();
    memory.observe([stateOf(BTC, NORMAL)]);
    await memory.keep();
    expect(files).toEqual([]);
    isAway = false;
    await memory.keep();

    expect(files).toEqual([
      new Map([
        [BTC, NORMAL],
        [ETH, STRESSED],
      ]),
    ]);
    expect(problems).toEqual(["read the regimes Error: away", "read the regimes Error: away"]);
  });
});

function open(changes: Partial<RegimeStore>) {
  const files: ReadonlyMap<Ticker, KeptRegime>[] = [];
  const problems: string[] = [];
  const store: RegimeStore = {
    load: () => Promise.resolve(new Map()),
    keep(regimes) {
      files.push(new Map(regimes));
      return Promise.resolve();
    },
    ...changes,
  };
  const memory = new RegimeMemory(store, (step, detail) => problems.push(`${step} ${detail}`));
  return { memory, files, problems };
}

function stateOf(ticker: Ticker, keptRegime: KeptRegime | null) {
  return { listing: assetListing({ ticker }), keptRegime };
}
