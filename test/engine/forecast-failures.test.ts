import { describe, expect, it } from "vitest";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import type { ForecastRow } from "../../src/domain/forecast-row.ts";
import type { MarketEvent } from "../../src/domain/market-event.ts";
import { assetContext, assetListing, BTC, ETH, NOW_MS } from "../support/builders.ts";
import {
  BARS,
  countingRunner,
  type ForecastDesk,
  forecastsKept,
  type KnownAsset,
  openForecasts,
} from "../support/forecast-desk.ts";
import { inProcessRunner } from "../support/in-process-runner.ts";
import { bookOf } from "../support/registry-bench.ts";
import { SYNTHETIC_START_MS } from "../support/synthetic-bars.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const KNOWN = 46 * 24;
const temporary = temporaryFolder();

describe("the lesson of a record", () => {
  it("is nobody's while the asset has less than a month of history, and then the market has none", async () => {
    const desk = open(719);

    await desk.settle();

    expect(desk.forecasts.facts()).toEqual({
      assets: 0,
      marketMultiplier: 1,
      smallestMultiplier: 1,
      largestMultiplier: 1,
    });
  });

  it("goes with its asset when that is delisted", async () => {
    const desk = open(KNOWN);
    await desk.settle();
    expect(desk.forecasts.facts().assets).toBe(1);

    desk.forecasts.note({ type: "asset.delisted", ticker: BTC, listing: assetListing({ isDelisted: true }) });

    expect(desk.forecasts.facts().assets).toBe(0);
    expect(desk.forecasts.sigmaMultiplierOf(BTC)).toBe(1);
  });
});

describe("a bar that closes", () => {
  it("makes no forecast without scenarios, and ends the periods that are open", async () => {
    const desk = open(KNOWN, { hasTails: false });
    await desk.settle();
    const open1h = (await hourly()).at(-1)!;
    expect(open1h).toMatchObject({ timeMs: timeOf(KNOWN), outcome: null });

    desk.close(BARS[KNOWN]!);
    await desk.idle();

    expect((await hourly()).at(-1)).toMatchObject({
      timeMs: timeOf(KNOWN),
      outcome: { logReturn: expect.any(Number) },
    });
    expect(desk.problems).toEqual([]);
  });

  it("is no forecast of its own time when it is reported more than ten minutes late", async () => {
    const desk = open(KNOWN);
    await desk.settle();

    for (const lateMs of [10 * 60_000, 10 * 60_000 + 1]) {
      const bar = BARS[KNOWN + (lateMs % 2)]!;
      desk.clock.nowMs = bar.openTimeMs + HOUR_MS + lateMs;
      desk.closeAtOnce(bar);
    }
    await desk.idle();

    expect((await hourly()).slice(-2).map(({ isReplayed }) => isReplayed)).toEqual([false, true]);
  });

  it("while the last missed hours are replayed is replayed next, not left to the bar after it", async () => {
    await open(KNOWN).settle();
    let isFirst = true;
    const desk: ForecastDesk = open(KNOWN + 2, {
      runner: countingRunner([], () => {
        if (isFirst) desk.closeAtOnce(BARS[KNOWN + 2]!);
        isFirst = false;
      }),
    });

    await desk.settle();

    const newest = [KNOWN, KNOWN + 1, KNOWN + 2, KNOWN + 3].map(timeOf);
    expect((await hourly()).map(({ timeMs }) => timeMs).slice(-4)).toEqual(newest);
  });
});

describe("a diagnosis that fails", () => {
  it("is made an hour later, though nothing has changed meanwhile", async () => {
    const runner = inProcessRunner();
    let isFailing = true;
    const late = { ok: false, error: { code: "late", detail: "" } } as const;
    const desk = open(KNOWN, {
      runner: { ...runner, diagnose: (job) => (isFailing ? Promise.resolve(late) : runner.diagnose(job)) },
    });
    await desk.settle();
    expect(desk.problems).toEqual(["diagnosis of BTC"]);

    isFailing = false;
    await desk.settle(HOUR_MS);

    expect(desk.published).toHaveLength(1);
  });

  it("is made later where the record could not be read for it, though no bar has closed meanwhile", async () => {
    const desk = open(KNOWN);
    await desk.settle();
    desk.close(BARS[KNOWN]!);
    await desk.idle();
    desk.isDiskAway = true;
    await desk.turn(HOUR_MS);
    expect([desk.problems, desk.published.length]).toEqual([["forecasts of BTC"], 1]);

    desk.isDiskAway = false;
    await desk.settle(HOUR_MS);

    expect(desk.published).toHaveLength(2);
  });
});

describe("an asset that is given up", () => {
  it("keeps no other asset's record waiting", async () => {
    const desk = open(KNOWN);
    await desk.turn(1_000);
    // The desk allows no failure: the asset is gone when this has thrown.
    expect(() => desk.registry.handle({ ...bookOf(NOW_MS), book: { midPrice: 1 } as never })).toThrow(BTC);

    const history = {
      bars: barColumnsOf(BARS.slice(0, KNOWN)),
      settlements: [],
      reachesNow: true,
      isWhole: true,
    };
    const events: MarketEvent[] = [
      { type: "asset.listed", ticker: ETH, listing: assetListing({ ticker: ETH }), context: assetContext() },
      { type: "history.loaded", ticker: ETH, ...history },
    ];
    for (const event of events) {
      desk.registry.handle(event);
      desk.forecasts.note(event);
    }
    await desk.turn(1_000);
    await desk.settle();

    expect(desk.published.map(({ ticker }) => ticker)).toEqual([ETH]);
  });
});

describe("a record whose disk is away", () => {
  it("is read again ten minutes later", async () => {
    const desk = open(KNOWN);
    desk.isDiskAway = true;
    await desk.turn(1_000);
    await desk.turn(1_000);
    expect(desk.problems).toEqual(["forecasts of BTC"]);

    desk.isDiskAway = false;
    await desk.settle();
    expect(await hourly()).toEqual([]);
    await desk.turn(10 * 60_000);
    await desk.settle();

    expect((await hourly()).length).toBeGreaterThan(0);
    expect(desk.problems).toEqual(["forecasts of BTC"]);
  });

  it("goes on with the bars that close, and says that they were not kept", async () => {
    const desk = open(KNOWN);
    await desk.settle();
    desk.isDiskAway = true;
    desk.close(BARS[KNOWN]!);
    await desk.idle();
    expect(desk.problems).toEqual(["forecasts of BTC"]);

    desk.isDiskAway = false;
    desk.close(BARS[KNOWN + 1]!);
    await desk.idle();

    expect((await hourly()).at(-1)).toMatchObject({ timeMs: timeOf(KNOWN + 2), isReplayed: false });
  });
});

describe("a replay that ends with the service", () => {
  it("is no failure", async () => {
    const jobs: number[] = [];
    const desk = open(KNOWN, { runner: countingRunner(jobs) });
    desk.failNext = () => true;
    desk.failureCode = "closed";

    await desk.turn(1_000);
    await desk.turn(1_000);

    expect(jobs).toEqual([1]);
    expect(desk.problems).toEqual([]);
  });
});

function open(knownBars: number, others: Partial<KnownAsset> = {}): ForecastDesk {
  return openForecasts({ dataDir: temporary.path, knownBars, ...others });
}

async function hourly(): Promise<readonly ForecastRow[]> {
  return (await forecastsKept(temporary.path)).filter(({ horizonHours }) => horizonHours === 1);
}

function timeOf(hour: number): number {
  return SYNTHETIC_START_MS + hour * HOUR_MS;
}
