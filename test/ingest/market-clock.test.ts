import { asyncScheduler, type Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import { MarketClock } from "../../src/ingest/market-clock.ts";
import { clockKept, clockSet } from "../../src/ingest/market-clock-stream.ts";
import { NOW_MS } from "../support/builders.ts";
import { KeptCandles } from "../support/kept-candles.ts";
import { ScriptedExchange } from "../support/scripted-exchange.ts";

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

function clockTold(tell: () => number): { clock: MarketClock; deps: Parameters<typeof clockSet>[1] } {
  const exchange = new ScriptedExchange();
  vi.spyOn(exchange, "fetchExchangeTimeMs").mockImplementation(() =>
    Promise.resolve({ ok: true, value: tell() }),
  );
  const clock = new MarketClock(SYSTEM_CLOCK);
  const deps = {
    exchange,
    candleStore: new KeptCandles(),
    clock: SYSTEM_CLOCK,
    marketClock: clock,
    scheduler: asyncScheduler,
    report: () => undefined,
  };
  return { clock, deps };
}
