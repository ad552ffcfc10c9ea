import { describe, expect, it } from "vitest";
import type { AssetRegistry } from "../../src/actors/asset-registry.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import type { LearnedHour } from "../../src/domain/learned-hour.ts";
import { EngineMemory } from "../../src/engine/engine-memory.ts";
import { BTC, ETH, NOW_MS } from "../support/builders.ts";
import { settle } from "../support/manual-timers.ts";
import { learnedHour, listed } from "../support/registry-bench.ts";

const FIVE_MINUTES_MS = 5 * 60_000;

describe("EngineMemory", () => {
  it("gives a listed asset what earlier runs learned of it", async () => {
    const { memory, restored } = open();

    memory.note(listed(BTC));
    await settle();

    expect(restored).toEqual([[BTC, [HOUR]]]);
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

  it("says what could not be read or kept, and keeps the rest", async () => {
    const { memory, kept, problems } = open(BTC);

    memory.note(listed(BTC));
    await memory.stop();

    expect(problems).toEqual(["read what BTC taught Error: away", "keep what BTC taught Error: away"]);
    expect(kept).toEqual(["ETH under way"]);
  });

  it("gives what could not be kept back to be taken again", async () => {
    const { memory, clock, returned } = open(BTC);

    clock.now += FIVE_MINUTES_MS;
    memory.tick();
    await settle();

    expect(returned).toEqual([[BTC, [{ ...HOUR, samples: 0 }]]]);
  });
});

const HOUR = learnedHour(1);

/** The memory of two assets; the disk refuses what is of the given one. */
function open(refused?: Ticker) {
  const clock = { now: NOW_MS, nowMs: () => clock.now };
  const restored: unknown[] = [];
  const kept: string[] = [];
  const problems: string[] = [];
  const returned: unknown[] = [];
  const registry: Pick<AssetRegistry, "restore" | "returnLearned" | "takeLearned"> = {
    returnLearned: (ticker, hours) => returned.push([ticker, hours]),
    restore: (ticker, hours) => restored.push([ticker, hours]),
    takeLearned: (withOpenHour) =>
      new Map([BTC, ETH].map((ticker) => [ticker, [{ ...HOUR, samples: withOpenHour ? 1 : 0 }]])),
  };
  const refusing = <T>(ticker: Ticker, work: () => T): Promise<T> =>
    ticker === refused ? Promise.reject(new Error("away")) : Promise.resolve(work());
  const store = {
    load: (ticker: Ticker) => refusing(ticker, () => [HOUR]),
    keep: (ticker: Ticker, [hour]: readonly LearnedHour[]) =>
      refusing(ticker, () => void kept.push(`${ticker} ${hour!.samples === 1 ? "under way" : "over"}`)),
  };
  const memory = new EngineMemory({
    registry: registry as AssetRegistry,
    store,
    clock,
    report: (step, detail) => problems.push(`${step} ${detail}`),
  });
  return { memory, clock, restored, returned, kept, problems };
}
