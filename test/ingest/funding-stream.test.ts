import type { Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import { type FundingEvent, fundingStream } from "../../src/ingest/funding-stream.ts";
import { MarketClock } from "../../src/ingest/market-clock.ts";
import { assetContext, BTC, ETH, NOW_MS } from "../support/builders.ts";
import { ingestDeps } from "../support/ingest-deps.ts";
import { KeptCandles } from "../support/kept-candles.ts";
import { ScriptedExchange } from "../support/scripted-exchange.ts";

// Mutants killed by hand: a settlement of the hour under way at the start; the rate of seconds after the hour; the
// estimate of a feed long lost; its age by the exchange's clock; other venues asked more often.

const MINUTE_MS = 60_000;

describe("fundingStream", () => {
  let exchange: ScriptedExchange;
  let events: FundingEvent[];
  let subscription: Subscription;

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW_MS });
    exchange = new ScriptedExchange();
    events = [];
  });
  afterEach(() => {
    subscription.unsubscribe();
    vi.useRealTimers();
  });

  // A replay's hours are past ones.
  it.each([0, -1_000 * HOUR_MS])(
    "settles each hour at the rate that stood at its end, by the exchange's clock (%i ms ahead)",
    async (aheadMs) => {
      vi.setSystemTime(NOW_MS + 30_500);
      start(aheadMs);
      tell(BTC, 1e-5);
      await vi.advanceTimersByTimeAsync(HOUR_MS - 32_500);
      expect(settled()).toEqual([]);

      tell(BTC, 2e-5);
      await vi.advanceTimersByTimeAsync(3_500);
      tell(BTC, 3e-5);
      await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);

      expect(settled()).toEqual([`BTC ${NOW_MS + aheadMs + HOUR_MS} 0.00002`]);
    },
  );

  it("settles an hour at its own rate, also when the next one's is told before the end of the hour is noticed", async () => {
    vi.setSystemTime(NOW_MS + 200);
    start();
    await vi.advanceTimersByTimeAsync(HOUR_MS - 700);
    tell(BTC, 2e-5);
    await vi.advanceTimersByTimeAsync(600);
    tell(BTC, 8e-5);
    tell(BTC, 9e-5);
    tell(ETH, 9e-5);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(settled()).toEqual([`BTC ${NOW_MS + HOUR_MS} 0.00002`]);
  });

  it("settles an hour that ends within its first second", async () => {
    vi.setSystemTime(NOW_MS - 500);
    start();
    tell(BTC, 2e-5);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(settled()).toEqual([`BTC ${NOW_MS} 0.00002`]);
  });

  it("settles no hour by the estimate of an asset that was not heard of for a minute", async () => {
    start(-HOUR_MS);
    await vi.advanceTimersByTimeAsync(HOUR_MS - MINUTE_MS - 2_000);
    tell(ETH, 1e-5);
    await vi.advanceTimersByTimeAsync(4_000);
    tell(BTC, 1e-5);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    expect(settled()).toEqual([`BTC ${NOW_MS} 0.00001`]);
  });

  it("settles no hour by a rate that came after this machine had slept, before the exchange told its time", async () => {
    let sleptMs = 0;
    const steady = { nowMs: () => Date.now() - sleptMs };
    const marketClock = new MarketClock(SYSTEM_CLOCK, true, steady);
    const tellTime = (): void => {
      for (let answer = 0; answer < 2; answer++) marketClock.set(Date.now());
    };
    tellTime();
    startBy(marketClock);
    tell(BTC, 1e-5);
    await vi.advanceTimersByTimeAsync(MINUTE_MS);

    // Five and a half hours later by the machine's clock, of which the timers and the steady clock saw nothing.
    sleptMs = 5.5 * HOUR_MS;
    vi.setSystemTime(Date.now() + sleptMs);
    tell(BTC, 7e-5);
    await vi.advanceTimersByTimeAsync(5_000);
    tellTime();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(settled()).toEqual([]);

    tell(BTC, 2e-5);
    await vi.advanceTimersByTimeAsync(HOUR_MS / 2);
    expect(settled()).toEqual([]);
  });

  it("asks what other venues will charge once a minute", async () => {
    start();
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS - 1);

    expect(exchange.calls).toEqual(new Array(10).fill("predicted"));
  });

  function start(aheadMs = 0): void {
    const marketClock = new MarketClock(SYSTEM_CLOCK);
    for (let answer = 0; answer < 2; answer++) marketClock.set(Date.now() + aheadMs);
    startBy(marketClock);
  }

  function startBy(marketClock: MarketClock): void {
    subscription = fundingStream(
      exchange.feed$,
      ingestDeps({ exchange, candleStore: new KeptCandles(), marketClock }),
    ).subscribe((event) => events.push(event));
  }

  function tell(ticker: Ticker, fundingRateHourly: number): void {
    const context = assetContext({ fundingRateHourly, arrivedAtMs: Date.now() });
    exchange.feed$.next({ type: "context.received", ticker, context });
  }

  function settled(): string[] {
    return events.flatMap((event) =>
      event.type === "funding.settled"
        ? `${event.ticker} ${event.settlement.timeMs} ${event.settlement.rateHourly}`
        : [],
    );
  }
});
