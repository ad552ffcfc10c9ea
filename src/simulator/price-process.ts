import { DAY_HOURS, DAY_MS, HOUR_MS } from "../domain/bar.ts";
import { NoiseStream } from "./noise.ts";
import { SECTORS, type SimulatedAsset } from "./simulated-universe.ts";

/** The process moves in blocks; live prices walk a Brownian bridge through the block the process has drawn. */
export const BLOCK_MS = 300_000;
const YEAR_MS = 365 * DAY_MS;

/** Standard deviation of returns by UTC hour relative to the mean hour: quietest 23 UTC, busiest 14 UTC. */
const HOUR_FACTORS = [
  0.97, 0.98, 0.95, 0.91, 0.88, 0.87, 0.9, 0.95, 1.0, 0.98, 0.96, 0.99, 1.07, 1.19, 1.25, 1.22, 1.14, 1.08,
  1.03, 1.0, 0.98, 0.95, 0.88, 0.81,
] as const;
const WEEKEND_FACTOR = 0.83;

/** Log-volatility is the sum of a fast and a slow mean-reverting part: clustering over hours and over weeks. */
const FAST = { halfLifeHours: 5, deviation: 0.34 };
const SLOW = { halfLifeHours: 12 * DAY_HOURS, deviation: 0.32 };
const LOG_VOLATILITY_VARIANCE = FAST.deviation ** 2 + SLOW.deviation ** 2;
/** Own log-volatility of an asset follows the market's by this share. */
const MARKET_VOLATILITY_SHARE = 0.6;
const FACTOR_DEGREES_OF_FREEDOM = 4.5;
const OWN_DEGREES_OF_FREEDOM = 3.8;
const MARKET_SIGMA_ANNUAL = 0.4;
/** Share of an asset's variance beyond the market that its sector explains. */
const SECTOR_VARIANCE_SHARE = 0.35;
const JUMP = {
  marketPerYear: 16,
  marketDeviation: 0.018,
  ownPerYear: 26,
  ownDeviationPerSigma: 0.04,
  volatilityKick: 0.9,
};

/** One block of every asset: log-return, and the diffusive standard deviation that its path moves with. */
interface PriceBlock {
  readonly logReturn: Float64Array;
  readonly deviation: Float64Array;
  /** Deviation relative to the asset's long-run deviation. */
  readonly volatilityRatio: Float64Array;
}

/** Seasonal factor of the standard deviation at a time; weekends by UTC day. */
export function seasonalFactor(timeMs: number): number {
  const date = new Date(timeMs);
  const weekend = date.getUTCDay() % 6 === 0 ? WEEKEND_FACTOR : 1;
  return (HOUR_FACTORS[date.getUTCHours()] ?? 1) * weekend;
}

/** How far both parts of log-volatility move in a block of some length: exact steps of the continuous process. */
interface VolatilityStep {
  readonly fastDecay: number;
  readonly fastDeviation: number;
  readonly slowDecay: number;
  readonly slowDeviation: number;
}

const STEPS = new Map<number, VolatilityStep>();

function volatilityStepOf(durationMs: number): VolatilityStep {
  const known = STEPS.get(durationMs);
  if (known !== undefined) return known;
  const decayOf = (halfLifeHours: number): number => 0.5 ** (durationMs / HOUR_MS / halfLifeHours);
  const fastDecay = decayOf(FAST.halfLifeHours);
  const slowDecay = decayOf(SLOW.halfLifeHours);
  const step = {
    fastDecay,
    fastDeviation: FAST.deviation * Math.sqrt(1 - fastDecay ** 2),
    slowDecay,
    slowDeviation: SLOW.deviation * Math.sqrt(1 - slowDecay ** 2),
  };
  STEPS.set(durationMs, step);
  return step;
}

class LogVolatility {
  #fast: number;
  #slow: number;
  readonly #noise: NoiseStream;

  constructor(noise: NoiseStream) {
    this.#noise = noise;
    this.#fast = FAST.deviation * noise.normal();
    this.#slow = SLOW.deviation * noise.normal();
  }

  /** Steps one block; the result has E[exp(2x)] = 1, so that volatility of volatility adds no variance on average. */
  step({ fastDecay, fastDeviation, slowDecay, slowDeviation }: VolatilityStep): number {
    this.#fast = fastDecay * this.#fast + fastDeviation * this.#noise.normal();
    this.#slow = slowDecay * this.#slow + slowDeviation * this.#noise.normal();
    return this.#fast + this.#slow - LOG_VOLATILITY_VARIANCE;
  }

  kick(): void {
    this.#fast = Math.min(this.#fast + JUMP.volatilityKick, 4 * FAST.deviation);
  }
}

interface Factor {
  readonly noise: NoiseStream;
  readonly volatility: LogVolatility;
}

/**
 * Correlated fat-tailed returns: market + sector + own factor, each Student-t with stochastic log-volatility, jumps
 * that raise volatility after them, and a seasonal clock. The same object draws the history and then the live blocks.
 */
export class PriceProcess {
  readonly block: PriceBlock;
  readonly #universe: readonly SimulatedAsset[];
  readonly #market: Factor;
  readonly #sectors: readonly Factor[];
  readonly #own: readonly Factor[];
  readonly #sectorIndex: Int32Array;
  readonly #sectorSigma: Float64Array;
  readonly #ownSigma: Float64Array;

  constructor(universe: readonly SimulatedAsset[], seed: number) {
    const factor = (label: string): Factor => ({
      noise: new NoiseStream(seed, `returns:${label}`),
      volatility: new LogVolatility(new NoiseStream(seed, `volatility:${label}`)),
    });
    this.#universe = universe;
    this.#market = factor("market");
    this.#sectors = SECTORS.map((sector) => factor(`sector:${sector}`));
    this.#own = universe.map((asset) => factor(`asset:${asset.coin}`));
    this.#sectorIndex = Int32Array.from(universe, (asset) => SECTORS.indexOf(asset.sector));
    const remaining = universe.map((asset) =>
      Math.max(
        asset.sigmaAnnual ** 2 - (asset.beta * MARKET_SIGMA_ANNUAL) ** 2,
        (0.3 * asset.sigmaAnnual) ** 2,
      ),
    );
    this.#sectorSigma = Float64Array.from(remaining, (variance) =>
      Math.sqrt(SECTOR_VARIANCE_SHARE * variance),
    );
    this.#ownSigma = Float64Array.from(remaining, (variance) =>
      Math.sqrt((1 - SECTOR_VARIANCE_SHARE) * variance),
    );
    const count = universe.length;
    this.block = {
      logReturn: new Float64Array(count),
      deviation: new Float64Array(count),
      volatilityRatio: new Float64Array(count),
    };
  }

  /** Draws the block that begins at the time into `block`. */
  draw(blockStartMs: number, durationMs: number): void {
    const season = seasonalFactor(blockStartMs);
    const step = volatilityStepOf(durationMs);
    const scale = season * Math.sqrt(durationMs / YEAR_MS);
    const marketLogVolatility = this.#market.volatility.step(step);
    const marketDeviation = MARKET_SIGMA_ANNUAL * Math.exp(marketLogVolatility) * scale;
    let market = marketDeviation * this.#market.noise.unitStudentT(FACTOR_DEGREES_OF_FREEDOM);
    if (this.#market.noise.uniform() < (JUMP.marketPerYear * durationMs) / YEAR_MS) {
      market += JUMP.marketDeviation * this.#market.noise.normal();
      this.#market.volatility.kick();
    }
    const shared = MARKET_VOLATILITY_SHARE * (marketLogVolatility + LOG_VOLATILITY_VARIANCE);
    const sectors = this.#sectors.map(({ noise, volatility }) => {
      const deviation = Math.exp(mixedLogVolatility(volatility.step(step), shared)) * scale;
      return { deviation, move: deviation * noise.unitStudentT(FACTOR_DEGREES_OF_FREEDOM) };
    });
    const { logReturn, deviation, volatilityRatio } = this.block;
    for (let i = 0; i < this.#own.length; i++) {
      const { beta, sigmaAnnual } = this.#universe[i]!;
      const { noise, volatility } = this.#own[i]!;
      const sector = sectors[this.#sectorIndex[i]!]!;
      const sectorSigma = this.#sectorSigma[i]!;
      const ownDeviation =
        this.#ownSigma[i]! * Math.exp(mixedLogVolatility(volatility.step(step), shared)) * scale;
      let own = ownDeviation * noise.unitStudentT(OWN_DEGREES_OF_FREEDOM);
      if (noise.uniform() < (JUMP.ownPerYear * durationMs) / YEAR_MS) {
        own += JUMP.ownDeviationPerSigma * sigmaAnnual * noise.normal();
        volatility.kick();
      }
      logReturn[i] = beta * market + sectorSigma * sector.move + own;
      deviation[i] = Math.hypot(beta * marketDeviation, sectorSigma * sector.deviation, ownDeviation);
      volatilityRatio[i] = deviation[i]! / (sigmaAnnual * scale);
    }
  }
}

/** Own and market log-volatility mixed so that the variance of the sum, and so E[exp(2x)] = 1, stays as it was. */
function mixedLogVolatility(ownLogVolatility: number, shared: number): number {
  const ownShare = Math.sqrt(1 - MARKET_VOLATILITY_SHARE ** 2);
  return ownShare * (ownLogVolatility + LOG_VOLATILITY_VARIANCE) + shared - LOG_VOLATILITY_VARIANCE;
}
