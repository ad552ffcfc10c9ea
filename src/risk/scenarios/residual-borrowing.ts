import type { Calibrated } from "../../domain/calibrated.ts";
import { clamp } from "../../math/clamp.ts";
import { invariant } from "../../math/invariant.ts";
import type { AssetHistory, OwnResiduals, ResidualPool } from "./residual-pool.ts";
import { ownResiduals, rangeRatioOf, RESIDUAL_MAX, setTuple, TUPLE_LENGTH } from "./residual-pool.ts";

export const MARKET_LOADING_PRIOR: Calibrated = {
  value: 0.75,
  unit: "correlation with the market residual",
  source:
    "chosen: the first principal component explains 60 % of hourly variance across perpetuals, √0.6 = 0.77",
  fittedOn:
    "not fitted, chosen 2026-11; share of variance measured on hourly residuals of Hyperliquid perpetuals",
};

export const MARKET_LOADING_PRIOR_HOURS: Calibrated = {
  value: 500,
  unit: "hours",
  source: "chosen: three weeks of own hours weigh as much as the prior",
  fittedOn: "not fitted: chosen 2026-11",
};

export const MARKET_LOADING_MAX: Calibrated = {
  value: 0.95,
  unit: "correlation with the market residual",
  source: "chosen: a loading of 1 would leave a young listing no life of its own",
  fittedOn: "not fitted: chosen 2026-11",
};

/** With fewer own hours an asset's own draws come from the donor. */
export const OWN_HOURS_MIN: Calibrated = {
  value: 72,
  unit: "hours",
  source: "chosen: three days cover every hour of the day thrice",
  fittedOn: "not fitted: chosen 2026-11",
};

/**
 * Residual pools of all assets over one window, complete: hours a young listing lacks are made of that hour's market
 * residual and one of its own hours, z_ij = b_i z_mj + √(1−b_i²) z_i,hash(j), low, high and ξ taken with the borrowed
 * hour. The market's part keeps assets that lack the same hours dependent; the own hour is each asset's choice, or a long
 * and a short of two listings that borrow from the same donor would be no risk.
 *
 * Shapes:  liquidityWeights >= 0, one per history, used for the market residual and to choose the donor; tuples, where
 *          the pools are written, holds [row][hour][z, low, high, xi]
 * Holds:   never NaN; permuting the assets permutes the pools (up to rounding of the market residual)
 */
export function buildResidualPools(
  histories: readonly AssetHistory[],
  liquidityWeights: ArrayLike<number>,
  tuples: Float64Array = new Float64Array(
    histories.length * (histories[0]?.isPresent.length ?? 0) * TUPLE_LENGTH,
  ),
): readonly ResidualPool[] {
  const length = tuples.length / histories.length;
  const own = histories.map((history, row) =>
    ownResiduals(history, tuples.subarray(row * length, (row + 1) * length)),
  );
  const market = marketResidual(own, liquidityWeights);
  const donor = donorOf(own, liquidityWeights);
  own.forEach((residuals, row) => {
    if (residuals.hours === residuals.windowHours) return;
    borrowMissingHours(residuals, market, donor, saltOf(histories[row]!));
  });
  return own;
}

/** Liquidity-weighted mean of the residuals present in each hour, standardised over the window; NaN where none is. */
export function marketResidual(
  own: readonly OwnResiduals[],
  liquidityWeights: ArrayLike<number>,
): Float64Array {
  const windowHours = own[0]?.windowHours ?? 0;
  const market = new Float64Array(windowHours).fill(Number.NaN);
  let total = 0;
  for (let i = 0; i < own.length; i++) total += liquidityWeights[i]!;
  for (let hour = 0; hour < windowHours; hour++) {
    let sum = 0;
    let weight = 0;
    for (let i = 0; i < own.length; i++) {
      const z = own[i]!.tuples[hour * TUPLE_LENGTH]!;
      if (Number.isNaN(z)) continue;
      const share = total > 0 ? liquidityWeights[i]! : 1;
      sum += share * z;
      weight += share;
    }
    if (weight > 0) market[hour] = sum / weight;
  }
  const { mean, deviation } = momentsOfPresent(market);
  return deviation > 0 ? market.map((value) => (value - mean) / deviation) : market.fill(Number.NaN);
}

function borrowMissingHours(
  residuals: OwnResiduals,
  market: Float64Array,
  donor: OwnResiduals,
  salt: number,
): void {
  const { tuples, windowHours } = residuals;
  const lender = residuals.hours >= OWN_HOURS_MIN.value ? residuals : donor;
  const lent = presentHours(lender);
  const loading = marketLoading(residuals, market);
  const missing: number[] = [];
  for (let hour = 0; hour < windowHours; hour++) {
    if (Number.isNaN(tuples[hour * TUPLE_LENGTH]!)) missing.push(hour);
  }
  if (lent.length === 0) {
    // Nothing is known of any asset: hours of no surprise; whoever sees no history builds no model on them.
    for (const hour of missing) setTuple(tuples, hour, 0, 0, 0, 1);
    return;
  }
  const deviation = momentsOfPresent(lent.map((hour) => lender.tuples[hour * TUPLE_LENGTH]!)).deviation || 1;

  // Staged, because the lender may be the asset itself and must not lend what it borrowed.
  const borrowed = new Float64Array(missing.length * TUPLE_LENGTH);
  missing.forEach((hour, n) => {
    const at = lentHourOf(hour, salt, lender) * TUPLE_LENGTH;
    const z = lender.tuples[at]!;
    const marketZ = market[hour]!;
    const mixed = Number.isNaN(marketZ)
      ? z
      : loading * deviation * marketZ + Math.sqrt(1 - loading * loading) * z;
    const close = clamp(mixed, -RESIDUAL_MAX.value, RESIDUAL_MAX.value);
    // The borrowed hour's wicks beyond its own open and close are kept around the new close.
    const low = Math.min(0, close) - (Math.min(0, z) - lender.tuples[at + 1]!);
    const high = Math.max(0, close) + (lender.tuples[at + 2]! - Math.max(0, z));
    setTuple(borrowed, n, close, low, high, rangeRatioOf(high - low, lender.rangeScale));
  });
  missing.forEach((hour, n) => {
    tuples.set(borrowed.subarray(n * TUPLE_LENGTH, (n + 1) * TUPLE_LENGTH), hour * TUPLE_LENGTH);
  });
  centre(residuals);
}

/** The first present hour of a scrambled sequence of the missing one's own: an hour that comes or goes changes few choices. */
function lentHourOf(hour: number, salt: number, { tuples, windowHours }: OwnResiduals): number {
  for (let turn = hour; ; turn += windowHours) {
    const lent = hashOf(turn, salt) % windowHours;
    if (!Number.isNaN(tuples[lent * TUPLE_LENGTH]!)) return lent;
  }
}

/** Correlation with the market residual over the hours both have, shrunk to the prior; the prior when unknown. */
function marketLoading(residuals: OwnResiduals, market: Float64Array): number {
  let hours = 0;
  let cross = 0;
  let ownSquare = 0;
  let marketSquare = 0;
  for (let hour = 0; hour < market.length; hour++) {
    const z = residuals.tuples[hour * TUPLE_LENGTH]!;
    const marketZ = market[hour]!;
    if (Number.isNaN(z) || Number.isNaN(marketZ)) continue;
    hours++;
    cross += z * marketZ;
    ownSquare += z * z;
    marketSquare += marketZ * marketZ;
  }
  const prior = MARKET_LOADING_PRIOR.value;
  const scale = Math.sqrt(ownSquare * marketSquare);
  const own = scale > 0 ? cross / scale : prior;
  const weight = hours / (hours + MARKET_LOADING_PRIOR_HOURS.value);
  return clamp(weight * own + (1 - weight) * prior, 0, MARKET_LOADING_MAX.value);
}

/** The asset with the longest history, of those the most liquid. */
function donorOf(own: readonly OwnResiduals[], liquidityWeights: ArrayLike<number>): OwnResiduals {
  let best = 0;
  for (let i = 1; i < own.length; i++) {
    const longer = own[i]!.hours - own[best]!.hours;
    if (longer > 0 || (longer === 0 && liquidityWeights[i]! > liquidityWeights[best]!)) best = i;
  }
  const donor = own[best];
  invariant(donor !== undefined, "pools are built of at least one asset");
  return { ...donor, tuples: donor.tuples.slice() };
}

function centre(pool: ResidualPool): void {
  const { tuples, windowHours } = pool;
  let mean = 0;
  for (let hour = 0; hour < windowHours; hour++) mean += tuples[hour * TUPLE_LENGTH]! / windowHours;
  for (let hour = 0; hour < windowHours; hour++) {
    const at = hour * TUPLE_LENGTH;
    setTuple(tuples, hour, tuples[at]! - mean, tuples[at + 1]!, tuples[at + 2]!, tuples[at + 3]!);
  }
}

function presentHours(residuals: OwnResiduals): readonly number[] {
  const hours: number[] = [];
  for (let hour = 0; hour < residuals.windowHours; hour++) {
    if (!Number.isNaN(residuals.tuples[hour * TUPLE_LENGTH]!)) hours.push(hour);
  }
  return hours;
}

function momentsOfPresent(values: Iterable<number>): { mean: number; deviation: number } {
  let n = 0;
  let sum = 0;
  let square = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    n++;
    sum += value;
    square += value * value;
  }
  const mean = n === 0 ? 0 : sum / n;
  return { mean, deviation: n === 0 ? 0 : Math.sqrt(Math.max(0, square / n - mean * mean)) };
}

/** What tells an asset from others wherever it stands: the bits of its first return, where all follow gaps of such a one. */
function saltOf({ isPresent, logReturn }: AssetHistory): number {
  const firstPresent = isPresent.indexOf(1);
  const first = firstPresent === -1 ? logReturn.findIndex((value) => value !== 0) : firstPresent;
  const [low, high] = new Uint32Array(Float64Array.of(logReturn[first] ?? 0).buffer);
  return hashOf(low!, high!);
}

/** A fixed scrambling of a number (the finaliser of MurmurHash3, a public-domain design). */
function hashOf(value: number, salt: number): number {
  let bits = (value + 1) ^ salt;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
