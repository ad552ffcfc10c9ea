import { clamp } from "../math/clamp.ts";

/** Contiguous candles of one period in a ring; the last one is open. Prices are as stored, rounding is the reader's. */
export class CandleSeries {
  readonly periodMs: number;
  readonly #capacity: number;
  readonly #open: Float64Array;
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #close: Float64Array;
  readonly #volumeBase: Float32Array;
  readonly #tradeCount: Int32Array;
  #count = 0;
  #lastOpenMs = 0;

  constructor(periodMs: number, capacity: number) {
    this.periodMs = periodMs;
    this.#capacity = capacity;
    this.#open = new Float64Array(capacity);
    this.#high = new Float64Array(capacity);
    this.#low = new Float64Array(capacity);
    this.#close = new Float64Array(capacity);
    this.#volumeBase = new Float32Array(capacity);
    this.#tradeCount = new Int32Array(capacity);
  }

  get length(): number {
    return Math.min(this.#count, this.#capacity);
  }

  get lastClose(): number {
    return this.#close[this.#slot(this.#count - 1)]!;
  }

  get firstOpenMs(): number {
    return this.#lastOpenMs - (this.length - 1) * this.periodMs;
  }

  #slot(position: number): number {
    return position % this.#capacity;
  }

  /** Opens the candle of the period that contains the time, filling quiet periods with flat candles at the last close. */
  rollTo(timeMs: number, firstPrice: number): void {
    const openMs = Math.floor(timeMs / this.periodMs) * this.periodMs;
    if (this.#count === 0) {
      this.#begin(openMs, firstPrice);
      return;
    }
    while (this.#lastOpenMs < openMs) this.#begin(this.#lastOpenMs + this.periodMs, this.lastClose);
  }

  #begin(openMs: number, price: number): void {
    const slot = this.#slot(this.#count);
    this.#open[slot] = price;
    this.#high[slot] = price;
    this.#low[slot] = price;
    this.#close[slot] = price;
    this.#volumeBase[slot] = 0;
    this.#tradeCount[slot] = 0;
    this.#lastOpenMs = openMs;
    this.#count++;
  }

  /** Adds a stretch of trading to the open candle. */
  extend(high: number, low: number, close: number, volumeBase: number, tradeCount: number): void {
    const slot = this.#slot(this.#count - 1);
    if (high > this.#high[slot]!) this.#high[slot] = high;
    if (low < this.#low[slot]!) this.#low[slot] = low;
    this.#close[slot] = close;
    this.#volumeBase[slot]! += volumeBase;
    this.#tradeCount[slot]! += tradeCount;
  }

  /** Turns stored log-prices into prices: exp(x + shift); volumes, stored as USD, into base units at the close. */
  exponentiate(shift: number): void {
    for (let slot = 0; slot < this.length; slot++) {
      this.#open[slot] = Math.exp(this.#open[slot]! + shift);
      this.#high[slot] = Math.exp(this.#high[slot]! + shift);
      this.#low[slot] = Math.exp(this.#low[slot]! + shift);
      this.#close[slot] = Math.exp(this.#close[slot]! + shift);
      this.#volumeBase[slot]! /= this.#close[slot]!;
    }
  }

  /** Close of the candle that contains the time, or of the oldest one kept. */
  closeAt(timeMs: number): number {
    const back = Math.floor((this.#lastOpenMs + this.periodMs - 1 - timeMs) / this.periodMs);
    return this.#close[this.#slot(this.#count - 1 - clamp(back, 0, this.length - 1))]!;
  }

  /** Base and USD volume since the time; of the candle that contains it as large a part as of its period is left. */
  volumeSince(timeMs: number): { base: number; usd: number } {
    let base = 0;
    let usd = 0;
    for (let back = 0; back < this.length; back++) {
      const endMs = this.#lastOpenMs - (back - 1) * this.periodMs;
      if (endMs <= timeMs) break;
      const slot = this.#slot(this.#count - 1 - back);
      const volumeBase = this.#volumeBase[slot]! * Math.min(1, (endMs - timeMs) / this.periodMs);
      base += volumeBase;
      usd += volumeBase * 0.5 * (this.#high[slot]! + this.#low[slot]!);
    }
    return { base, usd };
  }

  /** Visits the candles whose period begins in [startMs, endMs], oldest first. */
  visit(startMs: number, endMs: number, visitor: (candle: Candle) => void): void {
    const first = Math.max(0, Math.ceil((startMs - this.firstOpenMs) / this.periodMs));
    for (let i = first; i < this.length; i++) {
      const openMs = this.firstOpenMs + i * this.periodMs;
      if (openMs > endMs) return;
      const slot = this.#slot(this.#count - this.length + i);
      visitor({
        openMs,
        open: this.#open[slot]!,
        high: this.#high[slot]!,
        low: this.#low[slot]!,
        close: this.#close[slot]!,
        volumeBase: this.#volumeBase[slot]!,
        tradeCount: this.#tradeCount[slot]!,
      });
    }
  }
}

export interface Candle {
  openMs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volumeBase: number;
  tradeCount: number;
}
