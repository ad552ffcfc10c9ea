import { expect, it } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/domain/bar.ts";
import type { CandleInterval } from "../../src/exchange/hyperliquid/wire.ts";
import { CandleBook, CANDLES_MAX } from "../../src/simulator/candle-book.ts";

const END_MS = Date.UTC(2026, 10, 20, 16, 7, 12);
const SZ_DECIMALS = 2;

interface Trade {
  readonly timeMs: number;
  readonly price: number;
  readonly sizeBase: number;
}

/** A book of 140 days, and the trades that were put into it, some of them minutes and some seconds apart. */
function tradedBook(): { book: CandleBook; trades: readonly Trade[] } {
  const book = new CandleBook();
  const trades: Trade[] = [];
  let timeMs = END_MS - 140 * DAY_MS;
  for (let i = 0; timeMs <= END_MS; i++) {
    const trade = {
      timeMs,
      price: (10_000 + ((i * 7919) % 1000)) / 100,
      sizeBase: (1 + ((i * 31) % 50)) / 100,
    };
    trades.push(trade);
    book.rollTo(timeMs, trade.price);
    book.addTrade(trade.price, trade.sizeBase);
    timeMs += i % 3 === 0 ? 9_000 : 1_137_000;
  }
  return { book, trades };
}

const { book, trades } = tradedBook();

it.each<[CandleInterval, periodMs: number]>([
  ["1m", MINUTE_MS],
  ["3m", 3 * MINUTE_MS],
  ["5m", 5 * MINUTE_MS],
  ["15m", 15 * MINUTE_MS],
  ["30m", 30 * MINUTE_MS],
  ["1h", HOUR_MS],
  ["2h", 2 * HOUR_MS],
  ["4h", 4 * HOUR_MS],
  ["8h", 8 * HOUR_MS],
  ["12h", 12 * HOUR_MS],
  ["1d", DAY_MS],
  ["3d", 3 * DAY_MS],
  ["1w", 7 * DAY_MS],
  ["1M", 30 * DAY_MS],
])("candles of %s are of the trades of their time, and flat where there are none", (interval, periodMs) => {
  const lastMs = Math.floor(trades.at(-1)!.timeMs / periodMs) * periodMs;
  const firstMs = lastMs - Math.min(300, Math.floor((100 * DAY_MS) / periodMs)) * periodMs;

  const rows = book.rows("BTC", SZ_DECIMALS, interval, firstMs - periodMs + 1, END_MS);

  expect(rows.map(({ t }) => t)).toEqual(
    Array.from({ length: (lastMs - firstMs) / periodMs + 1 }, (_, i) => firstMs + i * periodMs),
  );
  for (const row of rows) {
    const within = trades.filter(({ timeMs }) => timeMs >= row.t && timeMs < row.t + periodMs);
    const before = trades.findLast(({ timeMs }) => timeMs < row.t)!.price;
    const prices = [before, ...within.map(({ price }) => price)];
    const volumeBase = within.reduce((sum, { sizeBase }) => sum + sizeBase, 0);
    expect(row).toMatchObject({ T: row.t + periodMs - 1, s: "BTC", i: interval, n: within.length });
    expect([row.o, row.c, row.h, row.l].map(Number)).toEqual([
      before,
      prices.at(-1),
      Math.max(...prices),
      Math.min(...prices),
    ]);
    expect(Number(row.v)).toBeCloseTo(volumeBase, 1);
  }
});

it("has the candles that open in the window, both ends in it", () => {
  const noonMs = END_MS - (END_MS % DAY_MS) + 12 * HOUR_MS;
  const whole = book.rows("BTC", SZ_DECIMALS, "4h", noonMs - DAY_MS, END_MS);
  const opensOf = (startMs: number, endMs: number): number[] => {
    const rows = book.rows("BTC", SZ_DECIMALS, "4h", startMs, endMs);
    expect(rows).toEqual(whole.filter(({ t }) => rows.some((row) => row.t === t)));
    return rows.map(({ t }) => (t - noonMs) / HOUR_MS);
  };
  expect(opensOf(noonMs - 8 * HOUR_MS, noonMs - 4 * HOUR_MS)).toEqual([-8, -4]);
  expect(opensOf(noonMs - 8 * HOUR_MS + 1, noonMs - 4 * HOUR_MS - 1)).toEqual([]);
  expect(opensOf(noonMs - 8 * HOUR_MS - 1, noonMs)).toEqual([-8, -4, 0]);
});

it("goes from the candle that contains a time on, whole", () => {
  const noonMs = END_MS - (END_MS % DAY_MS) + 12 * HOUR_MS;
  const rows = book.rowsFrom("BTC", SZ_DECIMALS, "1h", noonMs + 1, noonMs + HOUR_MS + 1);
  expect(rows).toEqual(book.rows("BTC", SZ_DECIMALS, "1h", noonMs, noonMs + HOUR_MS));
  expect(rows.length).toBe(2);
});

it("keeps the newest 5000 of an interval", () => {
  const rows = book.rows("BTC", SZ_DECIMALS, "1m", 0, END_MS);
  expect(rows.length).toBe(CANDLES_MAX);
  expect(END_MS - rows.at(-1)!.t).toBeLessThan(20 * MINUTE_MS);
});
