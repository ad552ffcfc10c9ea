import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssetRegistry } from "../../src/actors/asset-registry.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { DAY_MS } from "../../src/domain/bar.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import type { MarketEvent } from "../../src/domain/market-event.ts";
import { err, ok, type Result } from "../../src/domain/result.ts";
import { EngineRefits } from "../../src/engine/engine-refits.ts";
import type { RefitFailure, RefitRunner } from "../../src/refit/refit-runner.ts";
import type { FittedVolatility } from "../../src/refit/volatility-job.ts";
import type { VolatilityModel } from "../../src/risk/volatility/volatility-model.ts";
import { assetListing, BTC, ETH, NOW_MS } from "../support/builders.ts";
import { settle } from "../support/manual-timers.ts";
import { BARS, bookOf, FITTED, listed } from "../support/registry-bench.ts";

// Mutants killed by hand: a delisted asset's plan forgotten, or its fits begun; a fit begun beside another.

/** An asset that fails more often within an hour is given up. */
const FAILURES_MAX = 4;

interface FitUnderWay {
  readonly ticker: Ticker;
  readonly end: (result: Result<FittedVolatility | null, RefitFailure>) => void;
}

const ticker = fc.constantFrom(BTC, ETH);
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant("listed" as const), ticker }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("delisted" as const), ticker }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("history" as const),
      ticker,
      bars: fc.constantFrom(0, 1, 60, 300, 900),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("error" as const), ticker }) },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant("time" as const),
      passedMs: fc.constantFrom(250, 1_000, 61_000, 1.1 * DAY_MS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant("fit ended" as const),
      which: fc.nat(1),
      how: fc.constantFrom("model", "model", "none", "failure"),
    }),
  },
);

describe("fits", () => {
  it("of an asset are made one at a time while it is listed, and the last one's model stands, whatever comes between", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 50, size: "max" }), async (happenings) => {
        const desk = open();
        let failures = 0;
        for (const one of happenings) {
          if (one.what === "listed") desk.handle(listed(one.ticker));
          else if (one.what === "delisted" && desk.registry.stateOf(one.ticker) !== undefined)
            desk.handle({
              type: "asset.delisted",
              ticker: one.ticker,
              listing: assetListing({ ticker: one.ticker, isDelisted: true }),
            });
          else if (one.what === "history") desk.load(one.ticker, one.bars);
          else if (one.what === "error" && failures++ < FAILURES_MAX)
            desk.handle({ ...bookOf(NOW_MS), ticker: one.ticker, book: { midPrice: 1 } as never });
          else if (one.what === "time") await desk.pass(one.passedMs);
          else if (one.what === "fit ended") await desk.end(one.which, one.how);
        }

        for (const each of [BTC, ETH]) {
          desk.handle(listed(each));
          desk.load(each, BARS.length);
        }
        for (let minute = 0; minute < 5; minute++) {
          await desk.pass(61_000);
          while (desk.underWay.length > 0) await desk.end(0, "model");
        }

        expect(desk.wrong).toEqual([]);
        for (const each of [BTC, ETH]) {
          const model = desk.registry.stateOf(each)!.volatility.model!;
          expect([each, desk.numberOf.get(model)]).toEqual([each, desk.newest.get(each)]);
        }
      }),
    );
  });
});

interface Desk {
  readonly registry: AssetRegistry;
  readonly underWay: FitUnderWay[];
  /** What must not be. */
  readonly wrong: string[];
  /** Which fit a model is of, counted as they began. */
  readonly numberOf: Map<VolatilityModel, number>;
  /** Of each asset's fits the one that began last. */
  readonly newest: Map<Ticker, number>;
  handle(event: MarketEvent): void;
  load(ticker: Ticker, bars: number): void;
  /** Lets time pass, and begins what is due. */
  pass(passedMs: number): Promise<void>;
  end(which: number, how: string): Promise<void>;
}

function open(): Desk {
  const clock = { now: NOW_MS, nowMs: () => clock.now, isKnown: true };
  const registry = new AssetRegistry({
    clock,
    marketClock: clock,
    publish: () => undefined,
    reportRestart: (restart) => refits.noteModelLost(restart.ticker),
  });
  let count = 0;
  const runner: Pick<RefitRunner, "fitVolatility" | "drawSheet"> = {
    fitVolatility(job) {
      if (desk.underWay.some((fit) => fit.ticker === job.ticker))
        desk.wrong.push(`two fits of ${job.ticker}`);
      if (registry.stateOf(job.ticker)!.listing.isDelisted)
        desk.wrong.push(`a fit of ${job.ticker}, delisted`);
      const number = ++count;
      desk.newest.set(job.ticker, number);
      return new Promise((resolve) => {
        const end: FitUnderWay["end"] = (result) => {
          if (result.ok && result.value !== null) desk.numberOf.set(result.value.model, number);
          resolve(result);
        };
        desk.underWay.push({ ticker: job.ticker, end });
      });
    },
    drawSheet: () => new Promise(() => undefined),
  };
  const refits: EngineRefits = new EngineRefits({
    registry,
    runner: runner as RefitRunner,
    channel: { publish: () => undefined },
    clock,
    recalibration: {
      sigmaMultiplierOf: () => 1,
      facts: () => ({ assets: 0, marketMultiplier: 1, smallestMultiplier: 1, largestMultiplier: 1 }),
    },
    report: () => undefined,
  });
  const desk: Desk = {
    registry,
    underWay: [],
    wrong: [],
    numberOf: new Map(),
    newest: new Map(),
    handle(event) {
      registry.handle(event);
      refits.note(event);
    },
    load: (of, bars) =>
      desk.handle({
        type: "history.loaded",
        ticker: of,
        bars: barColumnsOf(bars === 0 ? [] : BARS.slice(-bars)),
        settlements: [],
        reachesNow: true,
        isWhole: true,
      }),
    async pass(passedMs) {
      clock.now += passedMs;
      refits.tick();
      await settle();
    },
    async end(which, how) {
      const [fit] = desk.underWay.splice(which % Math.max(1, desk.underWay.length), 1);
      const model = { ...FITTED, model: { ...FITTED.model } };
      const failure = err({ code: "failed", detail: "" } as const);
      fit?.end(how === "failure" ? failure : ok(how === "none" ? null : model));
      await settle();
    },
  };
  return desk;
}
