import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AssetRegistry } from "../../src/actors/asset-registry.ts";
import { AssetState } from "../../src/actors/asset-state.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import type { KeptRegime } from "../../src/domain/kept-regime.ts";
import type { LearnedHour } from "../../src/domain/learned-hour.ts";
import { mergeByTime } from "../../src/domain/time-series.ts";
import { EngineMemory } from "../../src/engine/engine-memory.ts";
import { type LearnedStore, openLearnedStore } from "../../src/ingest/learned-store.ts";
import { assetContext, assetListing, BTC, ETH, NOW_MS } from "../support/builders.ts";
import { settle } from "../support/manual-timers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bookOf, contextOf, learnedHour, listed, registryAt, warmUp } from "../support/registry-bench.ts";

const FIVE_MINUTES_MS = 5 * 60_000;
const temporary = temporaryFolder();

describe("EngineMemory", () => {
  it("gives a listed asset what earlier runs learned of it", async () => {
    const { memory, restored } = open();

    memory.note(listed(BTC));
    await settle();

    expect(restored).toEqual([[BTC, [HOUR], LEFT]]);
  });

  it("writes every five minutes the hours that are over, and those under way at the end", async () => {
    const { memory, clock, kept } = open();

    for (const afterMs of [FIVE_MINUTES_MS - 1, 1, FIVE_MINUTES_MS - 1, 1]) {
      clock.now += afterMs;
      memory.tick();
      await settle();
    }
    expect(kept).toEqual(["BTC over", "ETH over", "BTC over", "ETH over"]);
    await memory.stop();

    expect(kept.slice(4)).toEqual(["BTC under way", "ETH under way"]);
  });

  it("keeps every minute, and at the end, the regimes as they are then", async () => {
    const { memory, clock, keptRegimes } = open();
    memory.note(listed(BTC));
    await settle();

    for (const afterMs of [59_999, 1, 1_000]) {
      clock.now += afterMs;
      memory.tick();
    }
    clock.now += 4_000;
    await memory.stop();

    const left = [BTC, LEFT];
    expect(keptRegimes).toMatchObject([
      [left, [ETH, { timeMs: NOW_MS + 60_000, state: "normal" }]],
      [left, [ETH, { timeMs: NOW_MS + 65_000, state: "normal" }]],
    ]);
  });

  it("says what could not be read or kept, and keeps the rest", async () => {
    const { memory, kept, problems } = open(BTC);

    memory.note(listed(BTC));
    await memory.stop();

    expect(problems).toEqual(["read what BTC taught Error: away", "keep what BTC taught Error: away"]);
    expect(kept).toEqual(["ETH under way"]);
  });

  it("keeps what a failed asset had learned before it reads all of it again", async () => {
    const { memory, kept, restored, files } = open();

    memory.noteRestart(BTC, [UNDER_WAY]);
    await settle();

    expect(kept).toEqual(["BTC under way"]);
    expect(files.get(BTC)).toEqual([HOUR, UNDER_WAY]);
    expect(restored).toEqual([[BTC, [HOUR, UNDER_WAY], LEFT]]);
  });

  it("gives a failed asset what it had learned also when that can be neither kept nor read", async () => {
    const { memory, restored, problems } = open(BTC);

    memory.noteRestart(BTC, [UNDER_WAY]);
    await settle();

    expect(restored).toEqual([[BTC, [UNDER_WAY], LEFT]]);
    expect(problems).toEqual(["keep what BTC taught Error: away", "read what BTC taught Error: away"]);
  });

  it("gives a failed asset its hour under way as it was last, not as the disk had it before it was full", async () => {
    const { memory, restored } = open(undefined, undefined, {
      load: () => Promise.resolve([HOUR, UNDER_WAY]),
      keep: () => Promise.reject(new Error("full")),
    });

    memory.noteRestart(BTC, [{ ...UNDER_WAY, samples: 2 }]);
    await settle();

    expect(restored).toEqual([[BTC, [HOUR, { ...UNDER_WAY, samples: 2 }], LEFT]]);
  });

  it("restores once an asset that fails again meanwhile, and has done so before it stops", async () => {
    const { memory, restored, kept } = open();

    memory.noteRestart(BTC, [UNDER_WAY]);
    memory.noteRestart(BTC, [{ ...UNDER_WAY, samples: 2 }]);
    await memory.stop();

    expect(restored).toEqual([[BTC, [HOUR, UNDER_WAY], LEFT]]);
    expect(kept).toEqual(["BTC under way", "BTC under way", "ETH under way"]);
    memory.noteRestart(BTC, []);
    await settle();
    expect(restored).toHaveLength(2);
  });

  it("has a failed asset go on with the hour that it watched", async () => {
    const setup = registryAt();
    const { registry, rescued, clock } = setup;
    const { memory } = open(undefined, registry);
    warmUp(setup);
    registry.restore(BTC, [], null);
    for (let i = 0; i < 3; i++, clock.nowMs += 10_000) registry.sweep();

    registry.handle({ ...bookOf(NOW_MS), book: { midPrice: 1 } as never });
    memory.noteRestart(BTC, rescued.at(-1)!);
    await settle();
    registry.sweep();

    expect(registry.takeLearned(true).get(BTC)).toMatchObject([{ samples: 4 }]);
  });

  it("has what could not be written written five minutes later, though nothing was learned meanwhile", async () => {
    const setup = registryAt();
    const { registry, clock: watched } = setup;
    warmUp(setup);
    registry.restore(BTC, [], null);
    for (const afterMs of [0, HOUR_MS]) {
      watched.nowMs += afterMs;
      registry.handle(bookOf(watched.nowMs));
      registry.handle(contextOf(100_000, watched.nowMs));
      registry.sweep();
    }
    const store = openLearnedStore(temporary.path);
    const inTheWay = join(temporary.path, "learned");
    await writeFile(inTheWay, "");
    const { memory, clock, problems } = open(undefined, registry, store);
    const ticked = async (): Promise<void> => {
      clock.now += FIVE_MINUTES_MS;
      memory.tick();
      // Behind the keeping.
      await store.load(BTC).catch(() => undefined);
    };

    await ticked();
    expect(problems).toHaveLength(1);
    await rm(inTheWay);
    await ticked();

    expect(await openLearnedStore(temporary.path).load(BTC)).toMatchObject([{ samples: 1 }]);
  });
});

const LEFT: KeptRegime = { timeMs: NOW_MS, state: "stressed", posterior: [0, 0.9, 0.1] };
const HOUR = learnedHour(1);
const UNDER_WAY = learnedHour(0, { samples: 1 });

/** The memory of two assets; the disk refuses what is of the given one. */
function open(refused?: Ticker, actual?: AssetRegistry, actualStore?: LearnedStore) {
  const clock = { now: NOW_MS, nowMs: () => clock.now };
  const restored: unknown[] = [];
  const kept: string[] = [];
  const files = new Map<Ticker, readonly LearnedHour[]>([BTC, ETH].map((ticker) => [ticker, [HOUR]]));
  const ethereum = new AssetState(assetListing({ ticker: ETH }), assetContext());
  ethereum.restore([], null, NOW_MS);
  const keptRegimes: unknown[] = [];
  const problems: string[] = [];
  const registry: Pick<AssetRegistry, "restore" | "states" | "takeLearned"> = {
    states() {
      ethereum.updateRegime(null, clock.now);
      return [ethereum];
    },
    restore: (ticker, hours, keptRegime) => restored.push([ticker, hours, keptRegime]),
    takeLearned: (withOpenHour) =>
      new Map([BTC, ETH].map((ticker) => [ticker, [{ ...HOUR, samples: withOpenHour ? 1 : 0 }]])),
  };
  const refusing = <T>(ticker: Ticker, work: () => T): Promise<T> =>
    ticker === refused ? Promise.reject(new Error("away")) : Promise.resolve(work());
  const writing = async <T>(ticker: Ticker, work: () => T): Promise<T> => {
    await Promise.resolve();
    return refusing(ticker, work);
  };
  const store = {
    load: (ticker: Ticker) => refusing(ticker, () => files.get(ticker)!),
    keep: (ticker: Ticker, hours: readonly LearnedHour[]) =>
      writing(ticker, () => {
        kept.push(`${ticker} ${hours[0]!.samples === 1 ? "under way" : "over"}`);
        files.set(
          ticker,
          mergeByTime(files.get(ticker)!, hours, ({ hourStartMs }) => hourStartMs),
        );
      }),
  };
  const memory = new EngineMemory({
    registry: actual ?? (registry as AssetRegistry),
    store: actualStore ?? store,
    regimeStore: {
      load: () => Promise.resolve(new Map([[BTC, LEFT]])),
      keep(regimes) {
        keptRegimes.push([...regimes]);
        return Promise.resolve();
      },
    },
    clock,
    report: (step, detail) => problems.push(`${step} ${detail}`),
  });
  return { memory, clock, restored, kept, keptRegimes, files, problems };
}
