import { describe, expect, it } from "vitest";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { type Ticker, tickerOf } from "../../src/domain/ids.ts";
import { drawSheetJob, type DrawnRow, type SheetJobAsset } from "../../src/refit/sheet-job.ts";
import { fitVolatilityJob } from "../../src/refit/volatility-job.ts";
import {
  createProductMemory,
  residualCorrelation,
} from "../../src/risk/portfolio/dependence/residual-products.ts";
import { POOL_WINDOW_HOURS, TUPLE_LENGTH } from "../../src/risk/scenarios/residual-pool.ts";
import { residualsOf, type ScenarioSheet } from "../../src/risk/scenarios/sheet.ts";
import { shortHistoryMultiplier } from "../../src/risk/scenarios/short-history.ts";
import { forecastVolatility } from "../../src/risk/volatility/volatility-forecast.ts";
import { placeOf } from "../../src/risk/volatility/window-history.ts";
import { BTC, ETH } from "../support/builders.ts";
import { syntheticBars } from "../support/synthetic-bars.ts";

// Mutants killed by hand: rows of another asset; the running hour's state unused; a multiplier left out; another
// benchmark; missing hours taken for returns; a window that ends with another bar; hours
// placed by age, or lent by their number; moves measured by a wide spread.

const HOURS = 1_500;
const CALM = assetOf(BTC, syntheticBars({ seed: 3, length: HOURS, sigmaHour: 0.004 }));
const WILD = assetOf(ETH, syntheticBars({ seed: 4, length: HOURS, sigmaHour: 0.012 }));

describe("drawSheetJob", () => {
  it("says of each asset what it drew of it, wherever its row is", () => {
    const [calm, wild] = drawn(CALM, WILD);
    const [wildFirst, calmSecond] = drawn(WILD, CALM);

    expect([calm!.ticker, wild!.ticker]).toEqual([BTC, ETH]);
    expect([wildFirst!.ticker, calmSecond!.ticker]).toEqual([ETH, BTC]);
    expect(wild!.tails.sigmaDay / calm!.tails.sigmaDay).toBeGreaterThan(2);
    for (const [one, other] of [
      [calm!, calmSecond!],
      [wild!, wildFirst!],
    ] as const) {
      expect(other.cumulativeVariance).toEqual(one.cumulativeVariance);
      expect(other.tailBeta).toBe(one.tailBeta);
      expect(other.tails.sigmaDay / one.tails.sigmaDay).toBeCloseTo(1, 1);
    }
  });

  it("starts from where the running hour has brought the model, not from its last bar", () => {
    const { state } = CALM.fitted;
    const shaken = {
      ...state,
      varianceStep: 4 * state.varianceStep,
      second: state.second?.map((h) => 4 * h) ?? null,
    };

    const [after, before] = [drawn({ ...CALM, state: shaken })[0]!, drawn(CALM)[0]!];

    expect(after.cumulativeVariance[0]).toBeGreaterThan(1.5 * before.cumulativeVariance[0]);
    expect(after.tails.sigmaDay).toBeGreaterThan(before.tails.sigmaDay);
  });

  it.each([
    [HOURS, null],
    [HOURS, "fitted"],
    [100, null],
    [40, null],
  ] as const)(
    "says no less of an asset whose spread is wider than its moves, with %d hours and the state %s",
    (hours, given) => {
      const bars = CALM.barList.slice(0, hours);
      const withHalfSpread = (fraction: number): Asset => assetOf(BTC, bars, fraction);
      const rows = [0, 0.004, 0.008, 0.02].map(withHalfSpread).map((asset) => {
        const state = given === null ? null : asset.fitted.state;
        return drawn({ ...asset, state })[0]!.tails.long.horizons;
      });

      const [usual, , , widest] = rows;
      usual!.forEach((_, horizon) => {
        const var99 = rows.map((horizons) => horizons[horizon]!.var99);
        expect(var99).toEqual(var99.toSorted((a, b) => a - b));
      });
      // An hour's sigma is five times the asset's own, and so is what is lost in it.
      expect(widest![0]!.var99 / usual![0]!.var99).toBeGreaterThan(3);
    },
  );

  it("starts at the hour after the newest bar, whether or not there was a trade in it", () => {
    const factors = Float64Array.from({ length: 168 }, (_, hour) => 0.5 + (1.5 * hour) / 167);
    const model = { ...CALM.model, seasonality: { factors } };
    const last = CALM.barList.at(-1)!;
    const idle = Array.from({ length: 12 }, (_, i): Bar => {
      const price = last.close;
      const openTimeMs = last.openTimeMs + (i + 1) * HOUR_MS;
      return { openTimeMs, open: price, high: price, low: price, close: price, volumeBase: 0 };
    });
    const { state } = CALM.fitted;
    for (const after of [[], idle]) {
      const [row] = drawn({ ...CALM, model, state, bars: barColumnsOf([...CALM.barList, ...after]) });
      const fromMs = state.openTimeMs + (after.length + 1) * HOUR_MS;
      expect(row!.cumulativeVariance).toEqual(forecastVolatility(model, state, fromMs).cumulativeVariance);
    }
  });

  it("widens by what the record has taught and by what a short history does not show", () => {
    const plain = drawn(CALM)[0]!;
    const taught = drawn({ ...CALM, recalibration: 1.25 })[0]!;
    const bars = syntheticBars({ seed: 3, length: 400, sigmaHour: 0.004 });
    const young = drawn(assetOf(BTC, bars))[0]!;

    const widening = taught.tails.long.horizons.map(
      ({ var99 }, i) => var99 / plain.tails.long.horizons[i]!.var99,
    );
    // The day, by its later hours, and of the week no other day.
    expect(widening.slice(0, 2)).toEqual([1, 1]);
    expect(widening[2]).toBeCloseTo(1.25, 1);
    expect(widening[3]).toBeCloseTo(Math.sqrt((144 + 24 * 1.25 ** 2) / 168), 1);
    expect(taught.cumulativeVariance).toEqual(plain.cumulativeVariance);
    const sigma = Math.sqrt(young.cumulativeVariance[2]);
    expect(young.tails.sigmaDay / sigma / shortHistoryMultiplier(400)).toBeCloseTo(1, 1);
    expect(shortHistoryMultiplier(400)).toBeGreaterThan(1.3);
  });

  it("measures each asset's tail beta against BTC, over the hours that both have", () => {
    const twice = CALM.barList.map(squared).filter((_, i) => i % 7 !== 3);

    const [btc, eth] = drawn(CALM, assetOf(ETH, twice));
    const [alone] = drawn(WILD);

    expect(btc!.tailBeta).toBeCloseTo(1, 12);
    expect(eth!.tailBeta).toBeCloseTo(2, 1);
    expect(alone!.tailBeta).toBeNull();
  });

  it("gives assets that trade every other hour each a life of its own", () => {
    // As long as the window: before it there is no market to have in common.
    const [market, ...thin] = [3, 5, 6, 7].map((seed) => {
      const bars = syntheticBars({ seed, length: POOL_WINDOW_HOURS.value + 1, sigmaHour: 0.008 });
      const isThin = seed > 3;
      return assetOf(
        isThin ? tickerOf(`THIN${seed}`) : BTC,
        isThin ? bars.filter((_, i) => i % 2 === 0) : bars,
      );
    });
    const { sheet } = drawSheetJob(jobOf(market!, ...thin));

    for (const [one, other] of [
      [1, 2],
      [1, 3],
      [2, 3],
    ] as const) {
      // The prior's 0.75 squared: nothing is known of how they follow the market.
      const correlation = residualCorrelation(sheet, one, other, createProductMemory(0.9))!;
      expect(Math.abs(correlation - 0.75 ** 2)).toBeLessThan(0.1);
    }
  });

  it("ends its window with the newest bar of any asset", () => {
    const shorter = assetOf(BTC, CALM.barList.slice(0, -200));

    // What follows BTC's last bar is the other's to draw from all the same.
    expect(drawn(shorter, WILD)[1]!.tails).toEqual(drawn(CALM, WILD)[1]!.tails);
  });

  it("replays the hours that it replayed an hour before, but for the newest", () => {
    const windowHours = POOL_WINDOW_HOURS.value;
    const whole = syntheticBars({ seed: 5, length: windowHours + 2, sigmaHour: 0.006 });
    const [market, young] = [assetOf(BTC, whole), assetOf(ETH, whole.slice(-HOURS).map(squared))];
    const until = ({ barList, ...asset }: Asset, hoursBack: number): SheetJobAsset => {
      return { ...asset, bars: barColumnsOf(barList.slice(0, barList.length - hoursBack)) };
    };

    const [before, after] = [1, 0].map((hoursBack) => {
      return drawSheetJob(jobOf(until(market, hoursBack), until(young, hoursBack))).sheet;
    });

    expect(after!.index).toEqual(before!.index);
    const newest = placeOf(whole.at(-1)!.openTimeMs, windowHours);
    const changed = [0, 1].map((row) => {
      const [was, is] = [before!, after!].map((sheet) => surprisesOf(sheet, row));
      return is!.flatMap((z, place) => (Math.abs(z - was![place]!) > 0.02 ? [place] : []));
    });
    expect(changed[0]).toEqual([newest]);
    // Of the hours that it lacks a few borrow the newest, which was not there.
    expect(changed[1]).toContain(newest);
    expect(changed[1]!.length).toBeLessThan(12);
  });

  it("lists residuals by age, the oldest first, wherever their hours stand", () => {
    const { sheet } = drawSheetJob(jobOf(CALM));
    const surprises = surprisesOf(sheet, 0);
    const newest = placeOf(CALM.barList.at(-1)!.openTimeMs, sheet.windowHours);

    const residuals = [...residualsOf(sheet, 0)];

    const byAge = [...surprises.slice(newest + 1), ...surprises.slice(0, newest + 1)];
    expect(residuals).toEqual(byAge.map(Math.fround));
  });
});

/** What every hour did, by its place in the window. */
function surprisesOf({ pools, windowHours }: ScenarioSheet, row: number): number[] {
  return Array.from(
    { length: windowHours },
    (_, place) => pools.tuples[(row * windowHours + place) * TUPLE_LENGTH]!,
  );
}

interface Asset extends SheetJobAsset {
  readonly barList: readonly Bar[];
  readonly fitted: NonNullable<ReturnType<typeof fitVolatilityJob>>;
}

function assetOf(ticker: Ticker, barList: readonly Bar[], halfSpreadFraction = 0): Asset {
  const bars = barColumnsOf(barList);
  const options = { pooledSeasonality: null, peer: null, halfSpreadFraction, previous: null };
  const fitted = fitVolatilityJob({ kind: "volatility", ticker, bars, options })!;
  return {
    ticker,
    barList,
    bars,
    fitted,
    model: fitted.model,
    state: null,
    volume24hUsd: 1,
    recalibration: 1,
  };
}

function jobOf(...assets: readonly SheetJobAsset[]): Parameters<typeof drawSheetJob>[0] {
  return { kind: "sheet", version: 1, singleAssetBlocks: 1, assets };
}

function drawn(...assets: readonly SheetJobAsset[]): readonly DrawnRow[] {
  return drawSheetJob(jobOf(...assets)).rows;
}

/** Every move twice as large, in logarithms. */
function squared({ open, high, low, close, ...bar }: Bar): Bar {
  return { ...bar, open: open ** 2, high: high ** 2, low: low ** 2, close: close ** 2 };
}
