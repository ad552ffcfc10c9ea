import { DAY_MS, HOUR_MS, MINUTE_MS } from "../domain/bar.ts";
import type { CandleInterval, WireCandle } from "../exchange/hyperliquid/wire.ts";
import { type Candle, CandleSeries } from "./candle-series.ts";
import { roundPrice, roundTo, wireNumber } from "./price-grid.ts";

/** Only the most recent candles exist. Source: exchange docs, candleSnapshot. */
export const CANDLES_MAX = 5000;

const INTERVALS: Record<CandleInterval, { periodMs: number; base: "minute" | "fiveMinutes" | "hour" }> = {
  "1m": { periodMs: MINUTE_MS, base: "minute" },
  "3m": { periodMs: 3 * MINUTE_MS, base: "minute" },
  "5m": { periodMs: 5 * MINUTE_MS, base: "fiveMinutes" },
  "15m": { periodMs: 15 * MINUTE_MS, base: "fiveMinutes" },
  "30m": { periodMs: 30 * MINUTE_MS, base: "fiveMinutes" },
  "1h": { periodMs: HOUR_MS, base: "hour" },
  "2h": { periodMs: 2 * HOUR_MS, base: "hour" },
  "4h": { periodMs: 4 * HOUR_MS, base: "hour" },
  "8h": { periodMs: 8 * HOUR_MS, base: "hour" },
  "12h": { periodMs: 12 * HOUR_MS, base: "hour" },
  "1d": { periodMs: DAY_MS, base: "hour" },
  "3d": { periodMs: 72 * HOUR_MS, base: "hour" },
  "1w": { periodMs: 7 * DAY_MS, base: "hour" },
  "1M": { periodMs: 30 * DAY_MS, base: "hour" },
};

export function isCandleInterval(text: unknown): text is CandleInterval {
  return typeof text === "string" && Object.hasOwn(INTERVALS, text);
}

/** An asset's candles at three base periods, from which every interval of the exchange is put together. */
export class CandleBook {
  readonly minute = new CandleSeries(MINUTE_MS, CANDLES_MAX);
  readonly fiveMinutes = new CandleSeries(5 * MINUTE_MS, CANDLES_MAX);
  readonly hour = new CandleSeries(HOUR_MS, CANDLES_MAX);

  rollTo(timeMs: number, price: number): void {
    this.minute.rollTo(timeMs, price);
    this.fiveMinutes.rollTo(timeMs, price);
    this.hour.rollTo(timeMs, price);
  }

  addTrade(price: number, sizeBase: number): void {
    this.minute.extend(price, price, price, sizeBase, 1);
    this.fiveMinutes.extend(price, price, price, sizeBase, 1);
    this.hour.extend(price, price, price, sizeBase, 1);
  }

  /** Candles that open in [startMs, endMs], oldest first, as far as they are kept; the last may be open. */
  rows(
    coin: string,
    szDecimals: number,
    interval: CandleInterval,
    startMs: number,
    endMs: number,
  ): WireCandle[] {
    const { periodMs, base } = INTERVALS[interval];
    const series = this[base];
    const merged: Candle[] = [];
    const firstMs = Math.ceil(startMs / periodMs) * periodMs;
    series.visit(firstMs, endMs + periodMs, (candle) => {
      const openMs = Math.floor(candle.openMs / periodMs) * periodMs;
      const last = merged.at(-1);
      if (last?.openMs !== openMs) {
        if (openMs >= firstMs && openMs <= endMs) merged.push({ ...candle, openMs });
        return;
      }
      last.high = Math.max(last.high, candle.high);
      last.low = Math.min(last.low, candle.low);
      last.close = candle.close;
      last.volumeBase += candle.volumeBase;
      last.tradeCount += candle.tradeCount;
    });
    return merged.map((candle) => ({
      t: candle.openMs,
      T: candle.openMs + periodMs - 1,
      s: coin,
      i: interval,
      o: wireNumber(roundPrice(candle.open, szDecimals)),
      c: wireNumber(roundPrice(candle.close, szDecimals)),
      h: wireNumber(roundPrice(candle.high, szDecimals)),
      l: wireNumber(roundPrice(candle.low, szDecimals)),
      v: wireNumber(roundTo(candle.volumeBase, szDecimals)),
      n: candle.tradeCount,
    }));
  }

  /** The candles from the one that contains the first time to the one that contains the last. */
  rowsFrom(
    coin: string,
    szDecimals: number,
    interval: CandleInterval,
    fromMs: number,
    toMs: number,
  ): WireCandle[] {
    const { periodMs } = INTERVALS[interval];
    return this.rows(coin, szDecimals, interval, Math.floor(fromMs / periodMs) * periodMs, toMs);
  }
}
