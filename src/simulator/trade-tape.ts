import { DAY_MS } from "../domain/bar.ts";
import type { WireTrade } from "../exchange/hyperliquid/wire.ts";
import { NoiseStream, hashHex } from "./noise.ts";
import { roundTo, wireNumber } from "./price-grid.ts";
import type { SimulatedAsset } from "./simulated-universe.ts";

const TAPE_LENGTH = 200;
/** At most this many prints an instant; they share its volume. */
const PRINTS_MAX = 5;

interface Print {
  readonly timeMs: number;
  readonly price: number;
  readonly sizeBase: number;
  readonly isBuy: boolean;
  readonly tradeId: number;
}

/** The asset's most recent trades; volume follows the asset's daily turnover, volatility and season. */
export class TradeTape {
  readonly #spec: SimulatedAsset;
  readonly #seed: number;
  readonly #noise: NoiseStream;
  readonly #prints: Print[] = [];
  #nextTradeId: number;
  lastPrice = 0;

  constructor(spec: SimulatedAsset, seed: number) {
    this.#spec = spec;
    this.#seed = seed;
    this.#noise = new NoiseStream(seed, "trades");
    this.#nextTradeId = 730_000_000_000_000 + (seed >>> 0) * 1000;
  }

  /** Draws the trades of an instant at the touch and returns how many there were. */
  draw(timeMs: number, elapsedMs: number, touch: { bid: number; ask: number }, activity: number): number {
    const meanTradeUsd = meanTradeUsdOf(this.#spec);
    const expected = (this.#spec.dayVolumeUsd * activity * elapsedMs) / DAY_MS / meanTradeUsd;
    const count = Math.min(PRINTS_MAX, Math.floor(expected + this.#noise.uniform()));
    const usdEach = meanTradeUsd * Math.max(1, expected / PRINTS_MAX);
    const lots = 10 ** this.#spec.szDecimals;
    for (let i = 0; i < count; i++) {
      const isBuy = this.#noise.uniform() < 0.5;
      const price = isBuy ? touch.ask : touch.bid;
      const usd = usdEach * -Math.log(this.#noise.uniform());
      const sizeBase = Math.max(1, Math.round((usd / price) * lots)) / lots;
      this.record({
        timeMs: timeMs - Math.floor((elapsedMs * (count - 1 - i)) / count),
        price,
        sizeBase,
        isBuy,
      });
    }
    return count;
  }

  record(print: Omit<Print, "tradeId">): void {
    this.#prints.push({ ...print, tradeId: this.#nextTradeId++ });
    this.lastPrice = print.price;
  }

  /** Forgets all but the newest: before the market moves, so that who is told after it has moved misses none. */
  trim(): void {
    if (this.#prints.length > 2 * TAPE_LENGTH) this.#prints.splice(0, this.#prints.length - TAPE_LENGTH);
  }

  recent(count: number): readonly Print[] {
    return count === 0 ? [] : this.#prints.slice(-count);
  }

  since(timeMs: number): readonly Print[] {
    return this.#prints.filter((print) => print.timeMs > timeMs);
  }

  get lastTradeId(): number {
    return this.#nextTradeId - 1;
  }

  /** What was printed after a trade, as far as it is kept. */
  after(tradeId: number): readonly Print[] {
    return this.recent(this.lastTradeId - tradeId);
  }

  wire(print: Print): WireTrade {
    const taker = hashHex(this.#seed, print.tradeId % 977, 20);
    const maker = hashHex(this.#seed, 1000 + (print.tradeId % 31), 20);
    return {
      coin: this.#spec.coin,
      side: print.isBuy ? "B" : "A",
      px: wireNumber(print.price),
      sz: wireNumber(roundTo(print.sizeBase, this.#spec.szDecimals)),
      time: print.timeMs,
      hash: hashHex(this.#seed, print.tradeId % 4294967296, 32),
      tid: print.tradeId,
      users: print.isBuy ? [taker, maker] : [maker, taker],
    };
  }
}

/** Busy markets trade in larger prints; from about 100 USD to a few thousand. */
export function meanTradeUsdOf(spec: SimulatedAsset): number {
  return Math.max(100, Math.sqrt(spec.dayVolumeUsd) / 20);
}
