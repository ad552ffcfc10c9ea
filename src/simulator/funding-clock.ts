import { HOUR_MS } from "../domain/bar.ts";
import { clamp } from "../math/clamp.ts";
import { mixHash } from "./noise.ts";
import { roundTo } from "./price-grid.ts";

/** Source: exchange docs, "Funding": 8-hour interest 0.01 %, clamp 0.05 %, hourly cap 4 %, premium every 5 s. */
const INTEREST_8H = 0.0001;
const CLAMP_8H = 0.0005;
const HOURLY_CAP = 0.04;
export const PREMIUM_SAMPLE_MS = 5000;
const RATE_DECIMALS = 10;
/** Settlements are stamped this much after the hour at most. */
const SETTLEMENT_DELAY_MS_MAX = 118;

/** hourly = clamp((P + clamp(0.0001 - P, ±0.0005)) / 8, ±0.04), P the hour's mean premium in 8-hour units. */
export function hourlyFundingRate(premium8h: number): number {
  const rate8h = premium8h + clamp(INTEREST_8H - premium8h, -CLAMP_8H, CLAMP_8H);
  return roundTo(clamp(rate8h / 8, -HOURLY_CAP, HOURLY_CAP), RATE_DECIMALS);
}

/** premium = (max(impactBid - oracle, 0) - max(oracle - impactAsk, 0)) / oracle. */
export function premiumOf(impactBid: number, impactAsk: number, oraclePrice: number): number {
  const premium = (Math.max(impactBid - oraclePrice, 0) - Math.max(oraclePrice - impactAsk, 0)) / oraclePrice;
  return roundTo(premium, RATE_DECIMALS);
}

export interface FundingSettlement {
  readonly timeMs: number;
  readonly premium: number;
  readonly rateHourly: number;
}

/** An asset's premium samples of the running hour and its settled hours. */
export class FundingClock {
  readonly settlements: FundingSettlement[] = [];
  readonly #settlementsMax: number;
  readonly #seed: number;
  #sampleSum = 0;
  #sampleCount = 0;
  #lastPremium = 0;

  constructor(seed: number, settlementsMax: number) {
    this.#seed = seed;
    this.#settlementsMax = settlementsMax;
  }

  sample(premium: number, count = 1): void {
    this.#sampleSum += premium * count;
    this.#sampleCount += count;
    this.#lastPremium = premium;
  }

  /** Mean premium of the hour so far; the last sample when the hour has none yet. */
  get meanPremium(): number {
    const mean = this.#sampleCount === 0 ? this.#lastPremium : this.#sampleSum / this.#sampleCount;
    return roundTo(mean, RATE_DECIMALS);
  }

  /** The running estimate for the coming settlement. */
  get rateHourly(): number {
    return hourlyFundingRate(this.meanPremium);
  }

  settle(hourMs: number): FundingSettlement {
    const settlement = this.record(hourMs, this.meanPremium);
    this.#sampleSum = 0;
    this.#sampleCount = 0;
    return settlement;
  }

  record(hourMs: number, premium: number): FundingSettlement {
    const settlement = {
      timeMs: settlementTimeMs(this.#seed, hourMs),
      premium: roundTo(premium, RATE_DECIMALS),
      rateHourly: hourlyFundingRate(roundTo(premium, RATE_DECIMALS)),
    };
    this.settlements.push(settlement);
    if (this.settlements.length > this.#settlementsMax) this.settlements.shift();
    return settlement;
  }
}

/** One stamp for all assets of an hour, 1 to 118 ms past it. */
export function settlementTimeMs(seed: number, hourMs: number): number {
  return hourMs + 1 + ((mixHash(seed, Math.floor(hourMs / HOUR_MS)) >>> 0) % SETTLEMENT_DELAY_MS_MAX);
}
