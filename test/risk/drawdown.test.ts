import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, type Bar } from "../../src/domain/bar.ts";
import {
  averageRangeAt,
  drawdownAt,
  type DrawdownFacts,
  type DrawdownState,
  drawdownFactsOf,
  EMPTY_DRAWDOWN,
  suggestedStopFraction,
  updateDrawdown,
} from "../../src/risk/drawdown.ts";
import { magnitude } from "../support/arbitraries.ts";
import { NOW_MS } from "../support/builders.ts";
import { loadColumn, forEachVector, vectorMismatches } from "../support/vectors.ts";

/* Mutants killed by hand: peak from highs; > for >= at a new high; maximum kept with the last peak; ATR over 13. */

function barsOf(closes: ArrayLike<number>): Bar[] {
  return Array.from(closes, (close, i) => {
    const open = i === 0 ? close : closes[i - 1]!;
    return {
      openTimeMs: i * HOUR_MS,
      open,
      high: Math.max(open, close),
      low: Math.min(open, close),
      close,
      volumeBase: 1,
    };
  });
}

describe("drawdown", () => {
  it("finds the fall from 120 to 90 and the way back to 105", () => {
    const facts = drawdownOf(barsOf([100, 120, 90, 110, 105]))!;

    expect(facts).toMatchObject({ peakPrice: 120, troughPrice: 90, durationHours: 3, calmarRatio: null });
    expect(facts.maxDrawdownFraction).toBeCloseTo(0.25, 12);
    expect(facts.currentDrawdownFraction).toBeCloseTo(0.125, 12);
    // Ranges 0 20 30 20 5, the plain mean while fewer than 14.
    expect(facts.trailingStopFraction).toBeCloseTo((3 * 15 * 2) / 105, 12);
  });

  it("is of the price of now, with the true range as it is told", () => {
    const state = folded(barsOf([100, 120, 90, 110, 105]));
    const at = (price: number): DrawdownFacts => drawdownFactsOf(drawdownAt(state, price, 15))!;

    expect(at(60)).toMatchObject({ peakPrice: 120, troughPrice: 60, durationHours: 4 });
    expect(at(60).currentDrawdownFraction).toBeCloseTo(0.5, 12);
    expect(at(60).maxDrawdownFraction).toBeCloseTo(0.5, 12);
    expect(at(60).trailingStopFraction).toBeCloseTo((3 * 15 * 2) / 60, 12);
    expect(at(130)).toMatchObject({ currentDrawdownFraction: 0, durationHours: 0, troughPrice: 90 });
    const { currentDrawdownFraction, maxDrawdownFraction } = drawdownFactsOf(state)!;
    expect(at(105)).toMatchObject({ currentDrawdownFraction, maxDrawdownFraction });
    expect(drawdownFactsOf(drawdownAt(EMPTY_DRAWDOWN, 60, 0))).toBeNull();
  });

  it("smooths as Wilder does after 14 bars", () => {
    const closes = Array.from({ length: 16 }, (_, i) => 100 + (i % 2));
    const bars = barsOf(closes).concat({
      openTimeMs: 16 * HOUR_MS,
      open: 101,
      high: 130,
      low: 101,
      close: 101,
      volumeBase: 1,
    });
    let atr = 0;
    const ranges = bars.map((bar, i) => {
      const previous = i === 0 ? bar.open : bars[i - 1]!.close;
      return Math.max(bar.high, previous) - Math.min(bar.low, previous);
    });
    atr = ranges.slice(0, 14).reduce((a, b) => a + b, 0) / 14;
    for (const range of ranges.slice(14)) atr = (13 * atr + range) / 14;

    expect(folded(bars).atr).toBeCloseTo(atr, 10);
  });

  it.each([
    ["a wick", { high: 1e12 }],
    ["a close", { high: 1e12, close: 1e12 }],
    ["a low", { low: 1e-12 }],
  ])("lets no bad print of %s set the trailing stop", (_what, print) => {
    const bars = barsOf(Array.from({ length: 40 }, (_, i) => 100 + (i % 2)));
    bars[30] = { ...bars[30]!, ...print };

    // One hour of e, and the way back from it, among fourteen.
    expect(drawdownOf(bars)!.trailingStopFraction).toBeLessThan((6 * 2 * Math.E) / 14);
  });

  it("measures the true range from the close before, across a gap to either side, and the first bar's from its open", () => {
    const barAt = (openTimeMs: number, [open, high, low, close]: readonly number[]): Bar => ({
      ...{ openTimeMs, open: open!, high: high!, low: low!, close: close! },
      volumeBase: 1,
    });
    const first = barAt(0, [100, 103, 98, 101]);
    const rangeAfter = (bar: readonly number[]): number =>
      2 * folded([first, barAt(HOUR_MS, bar)]).atr - folded([first]).atr;

    expect(folded([first]).atr).toBeCloseTo(5, 12);
    expect(rangeAfter([110, 112, 109, 111])).toBeCloseTo(112 - 101, 12);
    expect(rangeAfter([90, 92, 89, 91])).toBeCloseTo(101 - 89, 12);
    expect(rangeAfter([101, 104, 99, 100])).toBeCloseTo(104 - 99, 12);
  });

  it("lasts by the clock, also over hours that brought no bar", () => {
    const [peak, , low] = barsOf([120, 110, 100]);

    expect(drawdownOf([peak!, { ...low!, openTimeMs: 9 * HOUR_MS }])!.durationHours).toBe(9);
  });

  it("measures the true range over the hours since the last trade as one hour's of the same volatility", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        magnitude(0.6, 1.4),
        (hours, isTold, move) => {
          const [first, second] = barsOf([100, 101]);
          const later: Bar = {
            ...second!,
            openTimeMs: second!.openTimeMs + hours * HOUR_MS,
            open: 101 * move,
          };
          const bar = {
            ...later,
            high: Math.max(101, 101 * move),
            low: Math.min(101, 101 * move),
            close: 101 * move,
          };
          const idle = Array.from({ length: hours - 1 }, (_, i): Bar => {
            const openTimeMs = second!.openTimeMs + (i + 1) * HOUR_MS;
            return { openTimeMs, open: 101, high: 101, low: 101, close: 101, volumeBase: 0 };
          });
          const { atr } = folded([first!, second!, ...(isTold ? idle : []), bar]);

          // Of the bars before it 0 and 1.
          expect(3 * atr).toBeCloseTo(1 + (101 * Math.abs(move - 1)) / Math.sqrt(hours), 9);
        },
      ),
    );
  });

  it("goes on through hours without a trade as through hours in which the price stands still, but for the true range", () => {
    const walk = fc.array(fc.tuple(fc.boolean(), magnitude(50, 200)), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(walk, magnitude(50, 200), (hours, price) => {
        const traded = [{ ...barsOf([100])[0]!, volumeBase: 1 }];
        for (const [isIdle, close] of hours) {
          const open = traded.at(-1)!.close;
          const at = isIdle ? open : close;
          const [high, low] = [Math.max(open, at), Math.min(open, at)];
          const openTimeMs = traded.length * HOUR_MS;
          traded.push({ openTimeMs, open, high, low, close: at, volumeBase: isIdle ? 0 : 1 });
        }
        const still = traded.map((bar) => ({ ...bar, volumeBase: 1 }));
        const [state, expected] = [folded(traded), folded(still)];
        for (const later of [false, true]) {
          const [facts, others] = [state, expected].map((one) =>
            drawdownFactsOf(later ? drawdownAt(one, price, one.atr) : one),
          );
          expect({ ...facts!, trailingStopFraction: 0 }).toEqual({ ...others!, trailingStopFraction: 0 });
        }
      }),
    );
  });

  it("keeps the first of falls that are equally deep", () => {
    const facts = drawdownOf(barsOf([100, 80, 200, 160, 100, 400, 200]))!;

    expect(facts).toMatchObject({ maxDrawdownFraction: 0.5, peakPrice: 200, troughPrice: 100 });
  });

  it("has no ratio of a month that never fell", () => {
    const rising = Array.from({ length: 721 }, (_, i) => 100 + i);

    expect(drawdownOf(barsOf(rising))!.calmarRatio).toBeNull();
  });

  it("counts closes, not wicks", () => {
    const bars = barsOf([100, 120, 90]).map((bar) => ({ ...bar, high: 2 * bar.high, low: bar.low / 2 }));

    expect(drawdownOf(bars)).toMatchObject({ peakPrice: 120, troughPrice: 90, maxDrawdownFraction: 0.25 });
  });

  it("ignores bars without volume, which precede a launch, and has nothing to say of no bar", () => {
    const idle: Bar = { openTimeMs: 0, open: 999, high: 999, low: 999, close: 999, volumeBase: 0 };

    expect(drawdownOf([idle])).toBeNull();
    expect(drawdownOf([idle, ...barsOf([100, 90])])).toEqual(drawdownOf(barsOf([100, 90])));
  });

  it("annualises the log return over the maximum drawdown after 30 days", () => {
    const closes = Array.from({ length: 721 }, (_, i) => (i === 300 ? 80 : 100 * 1.0001 ** i));
    const bars = barsOf(closes).map((bar) => ({ ...bar, openTimeMs: NOW_MS + bar.openTimeMs }));
    const facts = drawdownOf(bars)!;

    expect(facts.calmarRatio).toBeCloseTo((8760 * Math.log(1.0001)) / facts.maxDrawdownFraction, 9);
    expect(drawdownOf(bars.slice(0, 700))!.calmarRatio).toBeNull();
  });

  forEachVector("drawdown", (vector) => {
    const input = vector.input as { series_csv: string; column: string; rows: string };
    const length = Number(/\d+/.exec(input.rows)![0]);
    const closes = loadColumn(input.series_csv, input.column).subarray(0, length);
    // In units of price the deepest fall can be another one than in percent.
    let [peak, deepest] = [0, 0];
    for (const close of closes) {
      peak = Math.max(peak, close);
      deepest = Math.max(deepest, peak - close);
    }
    const facts = drawdownOf(barsOf(closes))!;

    expect(
      vectorMismatches(vector, {
        max_drawdown_pct: 100 * facts.maxDrawdownFraction,
        max_drawdown_abs_tseries: deepest,
        current_drawdown_pct: 100 * facts.currentDrawdownFraction,
        duration_hours_since_peak: facts.durationHours,
        peak_value: facts.peakPrice,
        trough_value: facts.troughPrice,
        peak_index_1based: 1 + closes.indexOf(facts.peakPrice),
        trough_index_1based: 1 + closes.indexOf(facts.troughPrice),
        total_return: closes.at(-1)! / closes[0]! - 1,
      }),
    ).toEqual([]);
  });
});

describe("drawdown laws", () => {
  const closes = fc.array(magnitude(1, 1000), { minLength: 1, maxLength: 60 });

  it("equals the deepest of all later-below-earlier pairs, and holds its bounds", () => {
    fc.assert(
      fc.property(closes, (prices) => {
        let deepest = 0;
        prices.forEach((peak, i) => {
          for (const later of prices.slice(i)) deepest = Math.max(deepest, 1 - later / peak);
        });
        const facts = drawdownOf(barsOf(prices))!;
        expect(facts.maxDrawdownFraction).toBeCloseTo(deepest, 12);
        expect(facts.maxDrawdownFraction).toBeCloseTo(1 - facts.troughPrice / facts.peakPrice, 12);
        expect(facts.currentDrawdownFraction).toBeGreaterThanOrEqual(0);
        expect(facts.currentDrawdownFraction).toBeLessThanOrEqual(facts.maxDrawdownFraction);
        const isHigh = prices.at(-1)! >= Math.max(...prices);
        expect(facts.currentDrawdownFraction === 0).toBe(isHigh);
        expect(facts.durationHours === 0).toBe(isHigh);
      }),
    );
  });

  it("shows of the running hour what its bar will, but for a true range that is still below the average", () => {
    fc.assert(
      fc.property(closes, magnitude(1, 1000), (prices, price) => {
        const bars = barsOf([...prices, price]);
        const closed = drawdownOf(bars)!;
        const before = folded(bars.slice(0, -1));
        const at = (atr: number): DrawdownFacts => drawdownFactsOf(drawdownAt(before, price, atr))!;
        const now = at(averageRangeAt(before, bars.at(-1)!));
        const trailingStopFraction = Math.max(
          closed.trailingStopFraction,
          at(before.atr).trailingStopFraction,
        );
        expect(now).toEqual({ ...closed, trailingStopFraction });
        expect(now.durationHours === 0).toBe(now.currentDrawdownFraction === 0);
      }),
    );
  });

  it("does not depend on the unit of price, nor on where a saved state is continued", () => {
    fc.assert(
      fc.property(closes, magnitude(1e-3, 1e3), fc.nat(60), (prices, k, cut) => {
        const facts = drawdownOf(barsOf(prices))!;
        const scaled = drawdownOf(barsOf(prices.map((price) => price * k)))!;
        expect(scaled.maxDrawdownFraction).toBeCloseTo(facts.maxDrawdownFraction, 9);
        expect(scaled.trailingStopFraction).toBeCloseTo(facts.trailingStopFraction, 9);
        const bars = barsOf(prices);
        const saved = structuredClone(bars.slice(0, cut).reduce(updateDrawdown, EMPTY_DRAWDOWN));
        expect(drawdownFactsOf(bars.slice(cut).reduce(updateDrawdown, saved))).toEqual(facts);
      }),
    );
  });
});

describe("suggestedStopFraction", () => {
  it("stands outside the noise and always inside the liquidation", () => {
    expect(suggestedStopFraction(0.5, 0.01, 0.0001)).toBeCloseTo(0.015, 12);
    expect(suggestedStopFraction(0.5, 0.001, 0.01)).toBeCloseTo(0.03, 12);
    expect(suggestedStopFraction(0.01, 0.05, 0.0001)).toBeCloseTo(0.007, 12);
    fc.assert(
      fc.property(
        magnitude(1e-4, 10),
        magnitude(1e-4, 1),
        magnitude(1e-6, 0.1),
        (distance, sigma, spread) => {
          expect(suggestedStopFraction(distance, sigma, spread)).toBeLessThan(distance);
          expect(suggestedStopFraction(distance, sigma, spread)).toBeGreaterThan(0);
        },
      ),
    );
  });
});

function folded(bars: readonly Bar[]): DrawdownState {
  return bars.reduce(updateDrawdown, EMPTY_DRAWDOWN);
}

function drawdownOf(bars: readonly Bar[]): DrawdownFacts | null {
  return drawdownFactsOf(folded(bars));
}
