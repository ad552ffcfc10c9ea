import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { createRandom } from "../../src/math/random.ts";
import { type CandleSeries, candleSeriesOf } from "../../src/risk/backtest/hourly-candles.ts";

/** 2024-01-01, a Monday, 00 UTC. */
export const FIRST_HOUR = Date.UTC(2024, 0, 1) / HOUR_MS;

/** Hours of a random walk whose volatility clusters; from `changedFrom` on another one follows. */
export function wanderingCandles(
  asset: string,
  seed: number,
  hours: number,
  changedFrom = hours,
): CandleSeries {
  const series = candleSeriesOf(asset, wanderingBars(seed, FIRST_HOUR, hours, changedFrom));
  if (series === null) throw new Error("no hours");
  return series;
}

/** The same as the text of a candle file that starts at an hour. */
export function candleText(seed: number, firstHour: number, hours: number): string {
  const lines = wanderingBars(seed, firstHour, hours, hours).map(
    ({ openTimeMs, open, high, low, close, volumeBase }) =>
      [openTimeMs, open, high, low, close, volumeBase].join(","),
  );
  return ["ts_ms,open,high,low,close,volume", ...lines].join("\n");
}

function wanderingBars(seed: number, firstHour: number, hours: number, changedFrom: number): readonly Bar[] {
  const random = createRandom(seed);
  const other = createRandom(seed + 1);
  let price = 100;
  let sigma = 0.01;
  return Array.from({ length: hours }, (_, hour) => {
    const draw = hour < changedFrom ? random : other;
    const moves = Array.from({ length: 4 }, () => Math.exp(0.5 * sigma * draw.normal()));
    const open = price;
    const path = moves.map((move) => (price *= move));
    const change = Math.log(price / open);
    sigma = Math.sqrt(1e-6 + 0.2 * change * change + 0.79 * sigma * sigma);
    const [high, low] = [Math.max(open, ...path), Math.min(open, ...path)];
    return { openTimeMs: (firstHour + hour) * HOUR_MS, open, high, low, close: price, volumeBase: 1000 };
  });
}
