import { medianOf } from "../math/median.ts";

/** Continuous-time exponential mean as the exchange keeps it: decayed numerator over decayed denominator. */
class DecayingMean {
  readonly #timeConstantMs: number;
  #numerator = 0;
  #denominator = 0;

  constructor(timeConstantMs: number) {
    this.#timeConstantMs = timeConstantMs;
  }

  get value(): number {
    return this.#denominator === 0 ? 0 : this.#numerator / this.#denominator;
  }

  update(value: number, elapsedMs: number): void {
    const decay = Math.exp(-elapsedMs / this.#timeConstantMs);
    this.#numerator = this.#numerator * decay + value * elapsedMs;
    this.#denominator = this.#denominator * decay + elapsedMs;
  }
}

/** The lowest value at which half of the weight is reached. */
export function weightedMedianOf(entries: readonly { value: number; weight: number }[]): number {
  const sorted = [...entries].sort((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let reached = 0;
  return sorted.find(({ weight }) => (reached += weight) >= half)!.value;
}

/** Perpetual mids of other venues in the mark. Source: exchange docs, "Robust price indices". */
export const VENUE_WEIGHTS = { binance: 3, okx: 2, bybit: 2, gate: 1, mexc: 1 } as const;
const BASIS_MEAN_MS = 150_000;
const LOCAL_MEAN_MS = 30_000;

interface MarkInputs {
  readonly oraclePrice: number;
  /** Undefined when the book is empty. */
  readonly midPrice: number | undefined;
  /** Best bid, best ask and last trade; missing ones are left out, as when the book is empty. */
  readonly localPrices: readonly number[];
  readonly venueMids: readonly { value: number; weight: number }[];
  readonly elapsedMs: number;
}

/**
 * Mark = median of (1) oracle + 150 s mean of (mid - oracle), (2) median of best bid, best ask and last trade,
 * (3) weighted median of other venues' perpetual mids; when exactly two exist the 30 s mean of (2) joins them.
 */
export class MarkPrice {
  readonly #basis = new DecayingMean(BASIS_MEAN_MS);
  readonly #local = new DecayingMean(LOCAL_MEAN_MS);

  update(inputs: MarkInputs): number {
    if (inputs.midPrice !== undefined)
      this.#basis.update(inputs.midPrice - inputs.oraclePrice, inputs.elapsedMs);
    const candidates = [inputs.oraclePrice + this.#basis.value];
    if (inputs.localPrices.length > 0) {
      const local = medianOf(inputs.localPrices);
      this.#local.update(local, inputs.elapsedMs);
      candidates.push(local);
    }
    if (inputs.venueMids.length > 0) candidates.push(weightedMedianOf(inputs.venueMids));
    if (candidates.length === 2 && this.#local.value > 0) candidates.push(this.#local.value);
    return medianOf(candidates);
  }
}
