import { DAY_MS, HOUR_MS } from "../domain/bar.ts";
import { clamp } from "../math/clamp.ts";
import type { WireAssetCtx } from "../exchange/hyperliquid/wire.ts";
import { CandleBook } from "./candle-book.ts";
import { FundingClock, premiumOf } from "./funding-clock.ts";
import { MarkPrice, VENUE_WEIGHTS } from "./mark-price.ts";
import { NoiseStream, hashOfText, mixHash } from "./noise.ts";
import {
  priceDecimals,
  roundOraclePrice,
  roundPrice,
  roundTo,
  wireNumber,
  wireRounded,
} from "./price-grid.ts";
import {
  averagePriceOf,
  buildBook,
  emptyBook,
  touchOf,
  type BookShape,
  type SimulatedBook,
} from "./simulated-book.ts";
import type { SimulatedAsset } from "./simulated-universe.ts";
import { TradeTape } from "./trade-tape.ts";

export const BASIS_HALF_LIFE_HOURS = 6;
/** Market makers look back this long, and pull back from a displacement beyond so many of its own deviations. */
const SHOCK_HALF_LIFE_MS = 90_000;
const SHOCK_THRESHOLD = 1.2;
const SHOCK_NERVOUSNESS_MAX = 3;
/** Impact notional of the premium: 20,000 USD for BTC and ETH, 6,000 for the others. Source: exchange docs, "Funding". */
const IMPACT_NOTIONAL_USD = { major: 20_000, other: 6_000 };

/** What a running scenario does to one asset; neutral values when none runs. */
interface AssetStress {
  basisShift: number;
  depthFactor: number;
  spreadFactor: number;
  bookIsOut: boolean;
}

/** One market while it runs: the perpetual's fair price is primary, the oracle is that price without the basis. */
export class LiveAsset {
  readonly spec: SimulatedAsset;
  readonly candles = new CandleBook();
  readonly funding: FundingClock;
  readonly tape: TradeTape;
  readonly stress: AssetStress = { basisShift: 0, depthFactor: 1, spreadFactor: 1, bookIsOut: false };
  logMid: number;
  oraclePrice: number;
  markPrice: number;
  openInterestBase: number;
  readonly #seed: number;
  readonly #noise: NoiseStream;
  readonly #mark = new MarkPrice();
  #basis: number;
  #depthLean = 0;
  #volatilityRatio = 1;
  /** Decayed sum of recent moves and its variance if they were ordinary. */
  #displacement = 0;
  #displacementVariance = 0;
  #timeMs: number;
  #book: SimulatedBook | undefined;

  constructor(spec: SimulatedAsset, seed: number, timeMs: number, basis: number) {
    this.spec = spec;
    this.#seed = mixHash(seed, hashOfText(spec.coin));
    this.#noise = new NoiseStream(seed, `live:${spec.coin}`);
    this.funding = new FundingClock(seed, 5000);
    this.tape = new TradeTape(spec, this.#seed);
    this.logMid = Math.log(spec.startPrice);
    this.#timeMs = timeMs;
    this.#basis = basis;
    this.oraclePrice = roundOraclePrice(spec.startPrice / (1 + basis), spec.szDecimals);
    this.markPrice = roundPrice(spec.startPrice, spec.szDecimals);
    this.openInterestBase = spec.isDelisted
      ? 0
      : roundTo(spec.openInterestUsd / spec.startPrice, spec.szDecimals);
  }

  get isLive(): boolean {
    return this.spec.isDelisted !== true;
  }

  get fairPrice(): number {
    return Math.exp(this.logMid);
  }

  get basis(): number {
    return this.#basis + this.stress.basisShift;
  }

  /** Moves to the next book instant: price given by the market, basis, depth lean and shock memory by the asset. */
  moveTo(timeMs: number, logMove: number, deviation: number, volatilityRatio: number): void {
    const elapsedMs = timeMs - this.#timeMs;
    this.#timeMs = timeMs;
    this.logMid += logMove;
    this.#volatilityRatio = volatilityRatio;
    this.#book = undefined;
    if (elapsedMs <= 0) return;
    const basisDecay = 0.5 ** (elapsedMs / HOUR_MS / BASIS_HALF_LIFE_HOURS);
    const basisStep = this.spec.basisDeviation * Math.sqrt(1 - basisDecay ** 2);
    this.#basis =
      this.spec.basisMean +
      (this.#basis - this.spec.basisMean) * basisDecay +
      basisStep * this.#noise.normal();
    const leanDecay = 0.5 ** (elapsedMs / 60_000);
    this.#depthLean =
      this.#depthLean * leanDecay + 0.25 * Math.sqrt(1 - leanDecay ** 2) * this.#noise.normal();
    const shockDecay = 0.5 ** (elapsedMs / SHOCK_HALF_LIFE_MS);
    this.#displacement = this.#displacement * shockDecay + logMove;
    this.#displacementVariance = this.#displacementVariance * shockDecay ** 2 + deviation ** 2;
  }

  /** Multiplies the spread and divides the depth: books thin out when prices move more than usual. */
  get #nervousness(): number {
    const deviation = Math.sqrt(this.#displacementVariance);
    const shock = deviation === 0 ? 0 : Math.abs(this.#displacement) / deviation / SHOCK_THRESHOLD;
    return Math.max(0.7, this.#volatilityRatio) * clamp(shock, 1, SHOCK_NERVOUSNESS_MAX);
  }

  get #shape(): BookShape {
    const nervousness = this.#nervousness;
    const depthUsd = (this.spec.depth50Usd * this.stress.depthFactor) / nervousness;
    return {
      seed: this.#seed,
      timeMs: this.#timeMs,
      szDecimals: this.spec.szDecimals,
      midPrice: this.fairPrice,
      halfSpreadFraction: Math.min(
        0.05,
        1e-4 * this.spec.halfSpreadBps * nervousness * this.stress.spreadFactor,
      ),
      bidDepth50Usd: depthUsd * Math.exp(this.#depthLean),
      askDepth50Usd: depthUsd * Math.exp(-this.#depthLean),
    };
  }

  /** The book of this instant, built when first looked at. */
  get book(): SimulatedBook {
    if (!this.isLive || this.stress.bookIsOut) return emptyBook(this.#timeMs, this.spec.szDecimals);
    return (this.#book ??= buildBook(this.#shape));
  }

  get touch(): { bid: number; ask: number } | undefined {
    return !this.isLive || this.stress.bookIsOut ? undefined : touchOf(this.#shape);
  }

  get midPrice(): number | undefined {
    const touch = this.touch;
    if (touch === undefined) return undefined;
    return roundTo(0.5 * (touch.bid + touch.ask), priceDecimals(touch.bid, this.spec.szDecimals) + 1);
  }

  /** Impact bid and ask; undefined when either side is thinner than the impact notional. */
  get impactPrices(): readonly [bid: number, ask: number] | undefined {
    const notionalUsd =
      this.spec.coin === "BTC" || this.spec.coin === "ETH"
        ? IMPACT_NOTIONAL_USD.major
        : IMPACT_NOTIONAL_USD.other;
    const { bids, asks } =
      this.#book ?? (this.touch === undefined ? this.book : buildBook(this.#shape, 1.001 * notionalUsd));
    const bid = averagePriceOf(bids, notionalUsd);
    const ask = averagePriceOf(asks, notionalUsd);
    if (bid === undefined || ask === undefined) return undefined;
    const decimals = priceDecimals(this.fairPrice, this.spec.szDecimals) + 2;
    return [roundTo(bid, decimals), roundTo(ask, decimals)];
  }

  get premium(): number | undefined {
    const impact = this.impactPrices;
    return impact === undefined ? undefined : premiumOf(impact[0], impact[1], this.oraclePrice);
  }

  samplePremium(): void {
    const premium = this.premium;
    if (premium !== undefined) this.funding.sample(premium);
  }

  /** Oracle and mark tick together. */
  tickOracle(elapsedMs: number): void {
    const { szDecimals, bybitHours, binanceHours } = this.spec;
    this.oraclePrice = roundOraclePrice(this.fairPrice / (1 + this.basis), szDecimals);
    const touch = this.touch;
    const lastTrade = this.tape.lastPrice;
    const localPrices =
      touch === undefined ? [] : [touch.bid, touch.ask, ...(lastTrade > 0 ? [lastTrade] : [])];
    const venueMids: { value: number; weight: number }[] = [];
    for (const [venue, weight] of Object.entries(VENUE_WEIGHTS)) {
      if ((venue === "binance" && binanceHours === null) || (bybitHours === null && venue !== "binance"))
        continue;
      // Other venues carry part of the same basis: leverage demand is shared, not equal.
      const venueBasis = 0.6 * this.#basis + 0.00008 * this.#noise.normal();
      venueMids.push({ value: this.oraclePrice * (1 + venueBasis), weight });
    }
    const inputs = {
      oraclePrice: this.oraclePrice,
      midPrice: this.midPrice,
      localPrices,
      venueMids,
      elapsedMs,
    };
    this.markPrice = roundPrice(this.#mark.update(inputs), szDecimals);
    if (!this.spec.atOpenInterestCap) this.openInterestBase *= Math.exp(0.0004 * this.#noise.normal());
  }

  /** The asset's context as the exchange sends it; delisted rows keep frozen prices and three nulls. */
  context(timeMs: number): WireAssetCtx {
    const { szDecimals } = this.spec;
    const day = this.isLive ? this.candles.hour.volumeSince(timeMs - DAY_MS) : { base: 0, usd: 0 };
    const mid = this.midPrice;
    const impact = this.impactPrices;
    const premium = this.premium;
    const previous = this.isLive
      ? roundPrice(this.candles.hour.closeAt(timeMs - DAY_MS), szDecimals)
      : this.markPrice;
    return {
      funding: this.isLive ? wireRounded(this.funding.rateHourly, 10) : "0.0",
      openInterest: wireRounded(this.openInterestBase, szDecimals),
      prevDayPx: wireNumber(previous),
      dayNtlVlm: wireRounded(day.usd, 10),
      premium: premium === undefined ? null : wireNumber(premium),
      oraclePx: wireNumber(this.oraclePrice),
      markPx: wireNumber(this.markPrice),
      midPx: mid === undefined ? null : wireNumber(mid),
      impactPxs: impact === undefined ? null : [wireNumber(impact[0]), wireNumber(impact[1])],
      dayBaseVlm: wireRounded(day.base, szDecimals),
    };
  }
}
