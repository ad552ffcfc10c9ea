import { describe, expect, it } from "vitest";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { AssetRegistry } from "../../src/actors/asset-registry.ts";
import { type Bar, HOUR_MS, MINUTE_MS } from "../../src/domain/bar.ts";
import { type Ticker, tickerOf } from "../../src/domain/ids.ts";
import type { MarketEvent } from "../../src/domain/market-event.ts";
import { ok } from "../../src/domain/result.ts";
import { EngineRefits } from "../../src/engine/engine-refits.ts";
import type { RefitRunner } from "../../src/refit/refit-runner.ts";
import { drawSheetJob, type SheetJob } from "../../src/refit/sheet-job.ts";
import type { FittedVolatility, VolatilityJob } from "../../src/refit/volatility-job.ts";
import { SINGLE_ASSET_BLOCKS } from "../../src/risk/scenarios/scenario-index.ts";
import type { SnapshotMessage } from "../../src/snapshot/snapshot-channel.ts";
import { barWalk } from "../support/bar-walk.ts";
import { assetListing, BTC, ETH, evenBook, NOW_MS } from "../support/builders.ts";
import { settle } from "../support/manual-timers.ts";
import { bookOf, contextOf, DRAWN, fit, FITTED, listed } from "../support/registry-bench.ts";

const LONG = barWalk(2_000, NOW_MS);
const MONTH = LONG.slice(-750);
const YOUNG = LONG.slice(-300);
const FITTED_YOUNG = fit(YOUNG);
/** As many as lend a young asset their pattern and variance. */
const GROWN = ["A", "B", "C", "D", "E"].map(tickerOf);
const NOTHING_LEARNED = { assets: 0, marketMultiplier: 1, smallestMultiplier: 1, largestMultiplier: 1 };

describe("fits of models", () => {
  it("begin when the history has come, or when there is none", async () => {
    const desk = open();
    desk.list(BTC);
    desk.load(BTC, [], false);
    await desk.turn();
    expect(desk.fits).toEqual([]);

    desk.load(BTC, []);
    await desk.turn();

    expect(desk.fits.map(({ bars }) => bars.length)).toEqual([0]);
  });

  it("are of the newest month first where all history is on disk, and of all of it next", async () => {
    const desk = open();
    desk.list(BTC);
    desk.load(BTC, LONG);

    await desk.turn();
    await desk.turn();
    await desk.turn();

    expect(desk.fits.map(({ bars, options }) => [bars.length, options.previous])).toEqual([
      [750, null],
      [2_000, FITTED.model],
    ]);
  });

  it("of young assets wait for those of older ones, whose pattern and variance they borrow", async () => {
    const desk = open();
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    for (const ticker of GROWN) desk.list(ticker, FITTED);
    // As many models of young assets, and wild ones, lend nothing.
    for (const ticker of ["F", "G", "H", "I", "J", "K"]) desk.list(tickerOf(ticker), wild(FITTED_YOUNG));
    desk.list(BTC);
    desk.list(ETH);
    desk.load(BTC, MONTH);
    desk.whenFitted = finished;
    await desk.turn();
    desk.load(ETH, YOUNG);
    await desk.turn();
    expect(desk.fits.map(({ ticker }) => ticker)).toEqual([BTC]);

    finish();
    await settle();
    await desk.turn();

    const [first, second] = desk.fits;
    expect(second).toMatchObject({
      ticker: ETH,
      options: { peer: { varianceStep: first!.options.peer!.varianceStep } },
    });
    expect(first!.options.peer).toEqual({ varianceStep: FITTED.model.windowVarianceStep });
    expect(first!.options.pooledSeasonality).not.toBeNull();
  });

  it("of assets wait likewise that are young by their trades, with weeks of hours before them in which there were none", async () => {
    const desk = open();
    desk.list(BTC);
    desk.list(ETH);
    desk.load(BTC, MONTH);
    desk.whenFitted = new Promise(() => undefined);
    await desk.turn();
    desk.load(
      ETH,
      LONG.slice(-1_400).map((bar, i) => (i < 1_100 ? { ...bar, volumeBase: 0 } : bar)),
    );
    await desk.turn();

    expect(desk.fits.map(({ ticker }) => ticker)).toEqual([BTC]);
  });

  it("of young assets do not wait for better models of older ones", async () => {
    const desk = await openFitted();
    desk.list(ETH);
    desk.whenFitted = new Promise(() => undefined);
    desk.load(BTC, MONTH);
    await desk.turn();
    desk.load(ETH, YOUNG);
    await desk.turn();

    expect(desk.fits.map(({ ticker }) => ticker)).toEqual([BTC, BTC, ETH]);
  });

  it("of young assets are made again where the models of older ones come to lend another variance", async () => {
    const desk = open();
    for (const ticker of GROWN) desk.list(ticker, wild(FITTED));
    desk.list(ETH);
    desk.load(ETH, YOUNG);
    await desk.turn();
    // With the young asset's own, four of six models lend less.
    for (const ticker of GROWN.slice(0, 3)) {
      desk.load(ticker, MONTH);
      await desk.turn();
    }
    await desk.turn();
    desk.load(GROWN[3]!, MONTH);
    await desk.turn();
    await desk.turn();

    const { windowVarianceStep } = FITTED.model;
    const ofYoung = desk.fits.filter(({ ticker }) => ticker === ETH);
    expect(ofYoung.map(({ options }) => options.peer?.varianceStep)).toEqual([
      1e6 * windowVarianceStep,
      windowVarianceStep,
    ]);
  });

  it("of young assets are made again where the models of older ones come to lend another pattern of the week", async () => {
    const desk = open();
    for (const ticker of GROWN) desk.list(ticker, patterned(FITTED, 1.2));
    desk.list(ETH);
    desk.load(ETH, YOUNG);
    await desk.turn();
    for (const ticker of GROWN) {
      desk.load(ticker, MONTH);
      await desk.turn();
    }
    await desk.turn();

    const patterns = desk.fits.flatMap(({ ticker, options }) =>
      ticker === ETH ? [options.pooledSeasonality!.factors[0]!] : [],
    );
    expect(patterns[0]! / FITTED.model.seasonality.factors[0]!).toBeGreaterThan(1.15);
    // The last fit's pattern is within a tenth of the variance of what the models in force lend.
    expect((patterns.at(-1)! / FITTED.model.seasonality.factors[0]!) ** 2).toBeLessThan(1.1);
  });

  it("of young assets that nobody could lend anything are made again once five older ones can", async () => {
    const desk = open();
    desk.list(ETH);
    desk.load(ETH, YOUNG);
    await desk.turn();
    for (const ticker of GROWN) desk.list(ticker, FITTED);
    desk.load(GROWN[0]!, MONTH);
    await desk.turn();
    await desk.turn();

    const ofYoung = desk.fits.filter(({ ticker }) => ticker === ETH);
    expect(ofYoung.map(({ options }) => options.peer?.varianceStep)).toEqual([
      undefined,
      FITTED.model.windowVarianceStep,
    ]);
  });

  it("are made again for bars that come after a later one, or otherwise than they were closed, and for no others", async () => {
    const desk = await openFitted();
    // Settled, and with the model's bars known: what follows is of new ones alone.
    await desk.turn(1_000);
    const fitsAfter = async (bars: readonly Bar[]): Promise<number> => {
      const before = desk.fits.length;
      desk.load(BTC, bars, false);
      await desk.turn();
      return desk.fits.length - before;
    };
    const [first, second, third, fourth, fifth] = barWalk(5, NOW_MS + 5 * HOUR_MS, 3);
    const close = (bar: Bar): void => desk.handle({ type: "bar.closed", ticker: BTC, bar });

    expect(await fitsAfter([first!])).toBe(0);
    close(fourth!);
    expect(await fitsAfter([{ ...third!, volumeBase: 0 }])).toBe(0);
    expect(await fitsAfter([second!])).toBe(1);
    expect(await fitsAfter([third!])).toBe(1);
    expect(await fitsAfter([third!, fourth!, fifth!])).toBe(0);
    expect(await fitsAfter([{ ...fifth!, high: 2 * fifth!.high }])).toBe(1);
    expect(await fitsAfter([first!, second!, third!, fourth!, { ...fifth!, high: 2 * fifth!.high }])).toBe(0);
  });

  it("are made again for bars that come before others while the first one is under way, which does not know them", async () => {
    const desk = open();
    desk.list(BTC);
    desk.load(BTC, [...MONTH.slice(0, 700), ...MONTH.slice(720)]);
    let finish: () => void = () => undefined;
    desk.whenFitted = new Promise((resolve) => (finish = resolve));
    await desk.turn();

    desk.load(BTC, MONTH.slice(700, 720), false);
    finish();
    await settle();
    await desk.turn();

    expect(desk.fits.map(({ bars }) => bars.length)).toEqual([730, 750]);
  });

  it("believe no volatility below half of the spread", async () => {
    const desk = open();
    desk.list(BTC);
    desk.list(ETH);
    desk.handle({ ...bookOf(NOW_MS), book: evenBook(100_000, 20, 0.01) });
    for (const ticker of [BTC, ETH]) desk.load(ticker, MONTH);

    await desk.turn();

    const [wide, unknown] = desk.fits.map(({ options }) => options.halfSpreadFraction);
    expect(wide).toBeCloseTo(0.002, 10);
    expect(unknown).toBe(0);
  });

  it("that fail are tried with fewer bars, and leave the asset live without a model when that fails, too", async () => {
    const desk = open();
    desk.list(BTC);
    desk.load(BTC, MONTH);
    desk.handle(bookOf(NOW_MS));
    desk.failure = "late";

    await desk.turn();
    await desk.turn(59_000);
    expect(desk.fits).toHaveLength(1);
    desk.handle(bookOf(desk.clock.nowMs));
    desk.handle(contextOf(100_000, desk.clock.nowMs));
    expect(desk.registry.counts()).toMatchObject({ warming: 1, live: 0 });
    await desk.turn(1_000);

    expect(desk.fits.map(({ bars, options }) => [bars.length, options.previous])).toEqual([
      [750, null],
      [500, null],
    ]);
    expect(desk.registry.counts()).toMatchObject({ warming: 0, live: 1 });
    expect(desk.refits.counts).toEqual({ refitsDone: 0, refitsFailed: 2 });
    expect(desk.problems).toEqual(["fit of BTC late: ", "fit of BTC late: "]);
  });

  it("that end with the service are no failures", async () => {
    const desk = open();
    desk.list(BTC);
    desk.load(BTC, MONTH);
    desk.failure = "closed";

    await desk.turn();

    expect(desk.fits).toHaveLength(1);
    expect(desk.problems).toEqual([]);
    expect(desk.refits.counts.refitsFailed).toBe(0);
  });

  it("of a delisted asset are made no more", async () => {
    const desk = await openFitted();

    desk.handle({ type: "asset.delisted", ticker: BTC, listing: assetListing({ isDelisted: true }) });
    await desk.turn(25 * HOUR_MS);

    expect(desk.fits).toHaveLength(1);
    expect(desk.refits.facts()).toMatchObject({ assetsByModel: {}, assetsWithoutModel: 0 });
  });

  it("of a delisted asset are not begun by history that comes then, but when it is listed again", async () => {
    const desk = await openFitted();

    desk.handle(delistingOf(BTC));
    desk.load(BTC, MONTH);
    await desk.turn();
    expect(desk.fits).toHaveLength(1);
    desk.list(BTC);
    await desk.turn();

    expect(desk.fits).toHaveLength(2);
  });

  it("of an asset that is listed again are due at once, whatever was read since: it is not live without", async () => {
    const desk = await openFitted();
    await desk.turn(1_000);
    desk.handle(bookOf(desk.clock.nowMs));
    desk.handle(contextOf(100_000, desk.clock.nowMs));
    expect(desk.registry.counts()).toMatchObject({ live: 1 });

    desk.handle(delistingOf(BTC));
    desk.list(BTC);
    desk.load(BTC, []);
    desk.handle(bookOf(desk.clock.nowMs));
    expect(desk.registry.counts()).toMatchObject({ warming: 1 });
    await desk.turn();

    expect(desk.registry.counts()).toMatchObject({ live: 1 });
  });

  it("of an asset that is listed again wait for one that is under way from before: the newer model stays", async () => {
    const desk = await openFitted();
    let finish: () => void = () => undefined;
    desk.whenFitted = new Promise((resolve) => (finish = resolve));
    desk.load(BTC, MONTH);
    await desk.turn();

    desk.handle(delistingOf(BTC));
    // Without a model its next fit is a first one, which would go ahead of the other.
    desk.handle({ ...bookOf(desk.clock.nowMs), book: { midPrice: 1 } as never });
    desk.list(BTC);
    desk.load(BTC, LONG);
    await desk.turn();
    expect(desk.fits).toHaveLength(2);
    finish();
    await settle();
    await desk.turn();

    expect(desk.fits.map(({ bars, options }) => [bars.length, options.previous])).toEqual([
      [750, null],
      [750, FITTED.model],
      [2_000, FITTED.model],
    ]);
  });
});

function delistingOf(ticker: Ticker): MarketEvent {
  return { type: "asset.delisted", ticker, listing: assetListing({ ticker, isDelisted: true }) };
}

describe("the times of fits", () => {
  const times = ({ refits }: Desk): readonly unknown[] => {
    const { oldestFitAtMs, newestFitAtMs } = refits.facts();
    return [oldestFitAtMs, newestFitAtMs];
  };

  it("are of the models in force: not of a delisted asset's, one that is under way included", async () => {
    const desk = await openFitted();
    desk.list(ETH);
    desk.load(ETH, MONTH);
    await desk.turn(1_000);
    const [oldestAtMs, newestAtMs] = [NOW_MS + 250, NOW_MS + 1_250];
    expect(times(desk)).toEqual([oldestAtMs, newestAtMs]);

    let finish: () => void = () => undefined;
    desk.whenFitted = new Promise<void>((resolve) => (finish = resolve));
    desk.load(BTC, MONTH);
    await desk.turn();
    expect(desk.fits.at(-1)).toMatchObject({ ticker: BTC });
    desk.handle({ type: "asset.delisted", ticker: BTC, listing: assetListing({ isDelisted: true }) });
    expect(times(desk)).toEqual([newestAtMs, newestAtMs]);
    finish();
    await settle();
    expect(times(desk)).toEqual([newestAtMs, newestAtMs]);
  });

  it("are not of a model that an asset has lost with an error", async () => {
    const desk = await openFitted();

    desk.handle({ ...bookOf(desk.clock.nowMs), book: { midPrice: 1 } as never });

    expect(times(desk)).toEqual([null, null]);
  });
});

describe("draws of scenarios", () => {
  it("put every asset with a model into a row that it keeps, with what its record has taught", async () => {
    const desk = open();
    for (const ticker of [ETH, BTC]) desk.list(ticker);
    desk.load(ETH, MONTH);
    await desk.turn();
    desk.load(BTC, MONTH);
    await desk.turn(1_000);
    await desk.turn(4_000);
    desk.handle({
      type: "asset.delisted",
      ticker: ETH,
      listing: assetListing({ ticker: ETH, isDelisted: true }),
    });
    await desk.turn(HOUR_MS);
    // More failures within an hour than an asset is allowed: nothing is known of it any more.
    for (let i = 0; i <= 5; i++)
      desk.handle({ ...bookOf(NOW_MS), ticker: ETH, book: { midPrice: 1 } as never });
    expect(desk.registry.stateOf(ETH)).toBeUndefined();
    await desk.turn(HOUR_MS);

    const rowsOf = ({ assets }: SheetJob): unknown =>
      assets.map(({ ticker, recalibration }) => [ticker, recalibration]);
    expect(desk.draws.map(rowsOf)).toEqual([
      [[ETH, 1.25]],
      ...desk.draws.slice(1).map(() => [
        [ETH, 1.25],
        [BTC, 0.75],
      ]),
    ]);
    expect(desk.draws.length).toBeGreaterThan(2);
    expect(desk.draws.map(({ version }) => version)).toEqual(desk.draws.map((_, i) => i + 1));
    expect(desk.refits.facts()).toMatchObject({
      assetsByModel: { "range-garch": 1 },
      sheet: { version: desk.draws.length, assets: 2, builtAtMs: desk.clock.nowMs },
    });
  });

  it("are quick until the models are complete, and then of all paths", async () => {
    const desk = await openFitted();
    await desk.turn(1_000);
    await desk.turn(5_000);
    await desk.turn(5_000);

    expect(desk.draws.map(({ singleAssetBlocks }) => singleAssetBlocks)).toEqual([
      1,
      SINGLE_ASSET_BLOCKS.value,
    ]);
  });

  it("are told of before any asset names a row of theirs, and their models before", async () => {
    const desk = await openFitted();
    expect(desk.told.splice(0)).toContain("models.published");
    await desk.turn(1_000);

    expect(desk.told).toEqual(["sheet.published", "asset of row 0", "models.published"]);
  });

  it.each([0.4, 1 / 0.4])("come early when sigma is %f times what they were drawn with", async (ratio) => {
    const desk = await openFitted();
    await desk.turn(5_000);
    desk.drawnVarianceScale = 1 / ratio ** 2;
    await desk.turn(HOUR_MS);
    const before = desk.draws.length;
    desk.drawnVarianceScale = 1;

    await desk.turn(16_000);
    await desk.turn(16_000);

    // The second has the sigma of now: the next one may wait.
    expect(desk.draws).toHaveLength(before + 1);
  });

  it("that fail leave the one before in force and are made again a minute later", async () => {
    const desk = await openFitted();
    await desk.turn(1_000);
    desk.failure = "crashed";
    await desk.turn(5_000);
    const { sheet } = desk.refits.facts();
    desk.failure = null;
    await desk.turn(60_000);

    expect(sheet).toMatchObject({ version: 1 });
    expect(desk.problems).toEqual(["sheet crashed: "]);
    expect(desk.refits.facts().sheet).toMatchObject({ version: 3 });
  });

  it("are drawn with what records teach that a start reads after its first sheets", async () => {
    const desk = await openFitted();
    await desk.turn(4_000);
    const before = desk.draws.length;
    await desk.turn(10 * MINUTE_MS);
    expect(desk.draws).toHaveLength(before);

    desk.lessons = 1;
    await desk.turn();
    await desk.turn(5 * MINUTE_MS);

    expect(desk.draws).toHaveLength(before + 1);
  });
});

describe("an asset that was started anew after an error", () => {
  it("is fitted again at once: its model went with its state", async () => {
    const desk = await openFitted();
    expect(desk.registry.stateOf(BTC)!.volatility.model).not.toBeNull();

    desk.handle({ ...bookOf(desk.clock.nowMs), book: { midPrice: 1 } as never });
    expect(desk.registry.stateOf(BTC)!.volatility.model).toBeNull();
    await desk.turn();

    expect(desk.registry.stateOf(BTC)!.volatility.model).toBe(FITTED.model);
  });
});

interface Desk {
  readonly refits: EngineRefits;
  readonly registry: AssetRegistry;
  readonly clock: { nowMs: number };
  readonly fits: VolatilityJob[];
  readonly draws: SheetJob[];
  readonly problems: string[];
  /** What left the engine, in order. */
  readonly told: string[];
  /** What every job fails with. */
  failure: "late" | "closed" | "crashed" | null;
  /** Fits are done when this is. */
  whenFitted: Promise<void>;
  /** What the variance is multiplied by that the paths of a sheet are said to be drawn with. */
  drawnVarianceScale: number;
  /** How many assets' own records teach. */
  lessons: number;
  handle(event: MarketEvent): void;
  list(ticker: Ticker, model?: FittedVolatility): void;
  load(ticker: Ticker, bars: readonly Bar[], reachesNow?: boolean): void;
  /** Lets time pass, starts what is due and has it done. */
  turn(afterMs?: number): Promise<void>;
}

/** A desk whose one asset has been fitted. */
async function openFitted(): Promise<Desk> {
  const desk = open();
  desk.list(BTC);
  desk.load(BTC, MONTH);
  await desk.turn();
  return desk;
}

/** The fits and draws of some assets; jobs are kept and answered at once, every fit with the same model. */
function open(): Desk {
  const clock = { nowMs: NOW_MS };
  const reader = { nowMs: () => clock.nowMs };
  const fits: VolatilityJob[] = [];
  const draws: SheetJob[] = [];
  const problems: string[] = [];
  const told: string[] = [];
  const registry = new AssetRegistry({
    clock: reader,
    marketClock: { ...reader, isKnown: true },
    publish: ({ sheetRow }) => told.push(`asset of row ${String(sheetRow)}`),
    reportRestart: ({ ticker }) => refits.noteModelLost(ticker),
  });
  const failed = () =>
    desk.failure === null ? null : ({ ok: false, error: { code: desk.failure, detail: "" } } as const);
  const runner: Pick<RefitRunner, "fitVolatility" | "drawSheet"> = {
    async fitVolatility(job) {
      fits.push(job);
      await desk.whenFitted;
      return failed() ?? ok(FITTED);
    },
    drawSheet(job) {
      draws.push(job);
      const { sheet, rows } =
        job.assets.length === 1 ? DRAWN : drawSheetJob({ ...job, singleAssetBlocks: 1 });
      const named = rows.map((row, i) => ({
        ...row,
        ticker: job.assets[i]!.ticker,
        cumulativeVariance: row.cumulativeVariance.map((v) => v * desk.drawnVarianceScale) as never,
      }));
      return Promise.resolve(failed() ?? ok({ sheet, rows: named }));
    },
  };
  const refits: EngineRefits = new EngineRefits({
    registry,
    runner: runner as RefitRunner,
    channel: { publish: ({ type }: SnapshotMessage) => told.push(type) },
    clock: reader,
    recalibration: {
      sigmaMultiplierOf: (ticker) => (ticker === ETH ? 1.25 : 0.75),
      facts: () => ({ ...NOTHING_LEARNED, assets: desk.lessons }),
    },
    report: (step, detail) => problems.push(`${step} ${detail}`),
  });
  const desk: Desk = {
    refits,
    registry,
    clock,
    fits,
    draws,
    problems,
    told,
    failure: null,
    whenFitted: Promise.resolve(),
    drawnVarianceScale: 1,
    lessons: 0,
    handle(event) {
      registry.handle(event);
      refits.note(event);
    },
    list(ticker, model) {
      desk.handle(listed(ticker));
      if (model !== undefined) registry.acceptModel(ticker, model);
    },
    load: (ticker, bars, reachesNow = true) =>
      desk.handle({
        type: "history.loaded",
        ticker,
        bars: barColumnsOf(bars),
        settlements: [],
        reachesNow,
        isWhole: reachesNow,
      }),
    async turn(afterMs = 250) {
      clock.nowMs += afterMs;
      refits.tick();
      await settle();
    },
  };
  return desk;
}

function wild(fitted: FittedVolatility): FittedVolatility {
  const { model } = fitted;
  return { ...fitted, model: { ...model, windowVarianceStep: 1e6 * model.windowVarianceStep } };
}

/** Of other hours on the first day of the week. */
function patterned(fitted: FittedVolatility, ratio: number): FittedVolatility {
  const { model } = fitted;
  const factors = model.seasonality.factors.map((factor, hour) => (hour < 24 ? ratio * factor : factor));
  return { ...fitted, model: { ...model, seasonality: { factors } } };
}
