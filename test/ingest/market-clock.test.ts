import type { Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { type Clock, SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import type { IngestDeps } from "../../src/ingest/ingest-deps.ts";
import { MarketClock } from "../../src/ingest/market-clock.ts";
import { clockKept, clockSet } from "../../src/ingest/market-clock-stream.ts";
import { NOW_MS } from "../support/builders.ts";
import { ingestDeps } from "../support/ingest-deps.ts";
import { KeptCandles } from "../support/kept-candles.ts";
import { ScriptedExchange } from "../support/scripted-exchange.ts";

// Mutants seen to fail: a jump away from this machine's clock believed at once.

const YEAR_MS = 365 * 24 * HOUR_MS;

let running: Subscription | undefined;
beforeEach(() => vi.useFakeTimers({ now: NOW_MS }));
afterEach(() => {
  running?.unsubscribe();
  vi.useRealTimers();
});

describe("the market's clock", () => {
  it("is set to a time far from this machine's by two answers, and follows it", async () => {
    const { clock, deps } = clockTold(() => Date.now() - YEAR_MS);

    running = clockSet(clock, deps).subscribe();
    await vi.advanceTimersByTimeAsync(0);

    expect(clock.nowMs()).toBe(NOW_MS - YEAR_MS);
  });

  it("ignores a jump that no second answer confirms, also at the start", async () => {
    const aheadMs = [2 * HOUR_MS, 40];
    const { clock, deps } = clockTold(() => Date.now() + (aheadMs.shift() ?? 70));
    const seen: number[] = [];

    running = clockKept(clock, deps).subscribe();
    for (let second = 0; second < 60; second++) {
      if (second === 30) aheadMs.push(2 * HOUR_MS);
      await vi.advanceTimersByTimeAsync(1_000);
      seen.push(clock.nowMs() - Date.now());
    }

    expect(new Set(seen)).toEqual(new Set([40, 70]));
  });

  it("follows a jump that is confirmed, and a time that passes faster than ours", async () => {
    let jumpMs = 0;
    const { clock, deps } = clockTold(() => NOW_MS + jumpMs + 60 * (Date.now() - NOW_MS));

    running = clockKept(clock, deps).subscribe();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(clock.nowMs()).toBe(NOW_MS + 1_200_000);
    jumpMs = -3 * HOUR_MS;
    await vi.advanceTimersByTimeAsync(10_000);

    expect(clock.nowMs()).toBe(NOW_MS + 1_800_000 - 3 * HOUR_MS);
  });
});

describe("the clock of a market many times as fast as ours", () => {
  it("is believed when a second answer is later, minutes of its time later too", () => {
    const clock = new MarketClock(SYSTEM_CLOCK);
    const told: boolean[] = [];
    for (const atMs of [HOUR_MS, 1.2 * HOUR_MS, 5 * HOUR_MS, 1.3 * HOUR_MS, 1.5 * HOUR_MS]) {
      vi.advanceTimersByTime(10_000);
      told.push(clock.set(NOW_MS + atMs));
    }

    expect(told).toEqual([false, true, false, false, true]);
    expect(clock.nowMs()).toBe(NOW_MS + 1.5 * HOUR_MS);
  });
});

describe("the clock of a market in real time", () => {
  it("stays near this machine's while the exchange's is wrong for minutes, and says so", async () => {
    let aheadMs = 40;
    const { clock, deps, problems } = clockTold(() => Date.now() + aheadMs, true);
    const seen = new Set<number>();

    running = clockKept(clock, deps).subscribe();
    for (let second = 0; second < 1_200; second++) {
      if (second === 100) aheadMs = 5 * HOUR_MS;
      if (second === 600) aheadMs = 70;
      await vi.advanceTimersByTimeAsync(1_000);
      seen.add(clock.nowMs() - Date.now());
    }

    expect(seen).toEqual(new Set([40, 70]));
    expect(problems).toHaveLength(50);
    expect(problems[0]).toBe("exchange time: 300 minutes ahead of this machine's: not believed");
  });

  it("follows the exchange's that stays away from this machine's, and back at once", async () => {
    let aheadMs = 40;
    const { clock, deps } = clockTold(() => Date.now() + aheadMs, true);
    running = clockKept(clock, deps).subscribe();
    await vi.advanceTimersByTimeAsync(5_000);

    aheadMs = -2 * HOUR_MS;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(clock.nowMs() - Date.now()).toBe(40);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(clock.nowMs() - Date.now()).toBe(-2 * HOUR_MS);
    aheadMs = 40;
    await vi.advanceTimersByTimeAsync(10_000);

    expect(clock.nowMs() - Date.now()).toBe(40);
  });

  it("is set by two answers at the start, for it may be this machine's that is wrong", async () => {
    const { clock, deps, problems } = clockTold(() => Date.now() + HOUR_MS, true);

    running = clockSet(clock, deps).subscribe();
    await vi.advanceTimersByTimeAsync(0);

    expect(clock.nowMs()).toBe(NOW_MS + HOUR_MS);
    expect(problems).toEqual([]);
  });
});

describe("the market's clock when this machine has slept", () => {
  it("is set within a second or so, not at the next poll", async () => {
    let sleptMs = 0;
    const { deps } = clockTold(() => Date.now(), true);
    const clock = new MarketClock(SYSTEM_CLOCK, true, { nowMs: () => Date.now() - sleptMs });
    running = clockKept(clock, deps).subscribe();
    await vi.advanceTimersByTimeAsync(12_000);

    sleptMs = 8 * HOUR_MS;
    vi.setSystemTime(Date.now() + sleptMs);
    expect(clock.nowMs()).toBe(Date.now() - sleptMs);
    await vi.advanceTimersByTimeAsync(1_000);

    expect([clock.isKnown, clock.nowMs()]).toEqual([true, Date.now()]);
  });
});

describe("the market's clock when this machine's is set", () => {
  it.each([-HOUR_MS, 2 * HOUR_MS, 24 * HOUR_MS])(
    "goes on as it was told, before it is told again, with a step of %i ms",
    (stepMs) => {
      let setByMs = -3 * HOUR_MS;
      const wall: Clock = { nowMs: () => Date.now() + setByMs };
      const clock = new MarketClock(wall, true, SYSTEM_CLOCK);
      expect([clock.set(NOW_MS), clock.set(NOW_MS)]).toEqual([false, true]);

      setByMs += stepMs;
      vi.advanceTimersByTime(5_000);

      expect(clock.nowMs()).toBe(NOW_MS + 5_000);
      expect(clock.isKnown).toBe(false);
      expect(clock.set(NOW_MS + 5_000)).toBe(true);
      expect(clock.isKnown).toBe(true);
    },
  );

  it("is this machine's as long as nothing was told", () => {
    let setByMs = 0;
    const clock = new MarketClock({ nowMs: () => Date.now() + setByMs }, true, SYSTEM_CLOCK);

    setByMs = HOUR_MS;

    expect(clock.nowMs()).toBe(NOW_MS + HOUR_MS);
    expect(clock.isKnown).toBe(true);
  });

  it("catches up at once with both clocks after the machine has slept", () => {
    let sleptMs = 0;
    const steady: Clock = { nowMs: () => Date.now() - sleptMs };
    const clock = new MarketClock(SYSTEM_CLOCK, true, steady);
    clock.set(NOW_MS);
    expect(clock.isKnown).toBe(true);

    sleptMs = 8 * HOUR_MS;
    vi.advanceTimersByTime(8 * HOUR_MS);
    const known = [clock.isKnown];
    const believed = [clock.set(Date.now())];
    known.push(clock.isKnown);
    believed.push(clock.set(Date.now()));
    known.push(clock.isKnown);

    expect(believed).toEqual([false, true]);
    expect(known).toEqual([false, false, true]);
    expect(clock.nowMs()).toBe(Date.now());
  });
});

function clockTold(
  tell: () => number,
  isRealTime = false,
): { clock: MarketClock; deps: IngestDeps; problems: string[] } {
  const exchange = new ScriptedExchange();
  vi.spyOn(exchange, "fetchExchangeTimeMs").mockImplementation(() =>
    Promise.resolve({ ok: true, value: tell() }),
  );
  const marketClock = new MarketClock(SYSTEM_CLOCK, isRealTime);
  const problems: string[] = [];
  const deps = ingestDeps({ exchange, candleStore: new KeptCandles(), marketClock }, problems);
  return { clock: marketClock, deps, problems };
}
