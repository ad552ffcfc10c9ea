import { type BookSide, costAgainstMid } from "../../domain/book.ts";
import type { Calibrated } from "../../domain/calibrated.ts";
import type { Direction } from "../../domain/trade.ts";
import { impactOf, notionalAtImpactUsd } from "./impact.ts";

export const DEPTH_CURVE_CALIBRATION = {
  /**
   * Power of cumulative depth in the distance from mid; 1 is a flat density of orders. Of a book alone it is not to be had:
   * fitted to its levels it moved so much that orders beyond them paid less as the spread widened, more as a level grew.
   */
  exponent: {
    value: 1.25,
    unit: "power of distance",
    source:
      "median over four coins; prices the rest of a side from its first 5 or 10 levels at least as well as a fit",
    fittedOn: "20-level books of BTC ETH SOL WLFI, 2025-09-04: medians 0.73 1.28 1.27 1.58",
  },
  /** Beyond this distance the curve is not believed: square-root impact takes over. */
  reachFraction: {
    value: 0.05,
    unit: "fraction of mid",
    source: "chosen: five times the deepest distance that is published as depth",
    fittedOn: "not fitted: chosen 2026-11",
  },
  /** An order further than this from the reference price is rejected by the exchange. */
  deviationMax: {
    value: 0.95,
    unit: "fraction of mid",
    source: "Exchange behaviour: orders more than 80 to 95 % from the reference price are rejected",
    fittedOn: "not fitted: rule of the exchange, read 2026-11",
  },
} as const satisfies Record<string, Calibrated>;

/** Where one side's cumulative depth D = lastUsd (delta / lastDelta)^exponent is anchored: at its last visible level. */
interface DepthReach {
  /** Distance of the last visible level from mid, as a fraction of mid. */
  readonly lastDelta: number;
  readonly lastUsd: number;
}

/** What prices orders that no level is known for. */
interface UnseenMarket {
  readonly sigmaDay: number | null;
  readonly volume24hUsd: number;
}

/** Of a side without a level nothing is known, so everything is priced from the end of the curve on. */
function reachOf(side: BookSide, midPrice: number, direction: Direction): DepthReach {
  const last = side.prices.at(-1);
  if (last === undefined) return { lastDelta: 0, lastUsd: 0 };
  return { lastDelta: costAgainstMid(last, midPrice, direction), lastUsd: side.cumulativeUsd.at(-1)! };
}

/**
 * Coins that an amount beyond the visible book buys or sells for: the depth curve up to its reach, then square-root
 * impact on the rest, until the next dollar would be priced beyond what the exchange lets an order deviate.
 *
 * Holds:   the distance of the next dollar never falls with size, nor is it beyond that deviation; it does not grow with
 *          what a level holds, nor fall where all levels move away from mid
 */
export function beyondBook(
  market: UnseenMarket,
  side: BookSide,
  midPrice: number,
  direction: Direction,
  unfilledUsd: number,
): number {
  const reach = reachOf(side, midPrice, direction);
  const limit = Math.max(DEPTH_CURVE_CALIBRATION.reachFraction.value, reach.lastDelta);
  const curveUsd = Math.min(unfilledUsd, usdUpTo(reach, limit));
  const tailUsd = unfilledUsd - curveUsd;
  let base = 0;
  if (curveUsd > 0) base += curveUsd / (midPrice * (1 + direction * averageDelta(reach, curveUsd)));
  if (tailUsd > 0) base += tailBase(market, midPrice, direction, limit, tailUsd);
  return base;
}

/** Coins of the part beyond the curve, whose average distance is the curve's end and the impact of that part. */
function tailBase(
  { sigmaDay, volume24hUsd }: UnseenMarket,
  midPrice: number,
  direction: Direction,
  limit: number,
  tailUsd: number,
): number {
  const furthest = Math.max(DEPTH_CURVE_CALIBRATION.deviationMax.value, limit);
  const impactMax = averageAtFurthest(direction, limit, furthest) - limit;
  const impactUsd = Math.min(tailUsd, notionalAtImpactUsd(impactMax, sigmaDay, volume24hUsd));
  const { impactFraction } = impactOf(impactUsd, sigmaDay, volume24hUsd);
  const restUsd = tailUsd - impactUsd;
  const nearBase = impactUsd / (midPrice * (1 + direction * (limit + impactFraction)));
  return nearBase + restUsd / (midPrice * (1 + direction * furthest));
}

/**
 * Average distance at which the next dollar's own is the furthest. With an average of delta = limit + c sqrt(usd) the next
 * dollar is priced at (1 + side delta)^2 / (1 + side (delta + limit) / 2), set equal to 1 + side furthest.
 */
function averageAtFurthest(direction: Direction, limit: number, furthest: number): number {
  const price = 1 + direction * furthest;
  const half = 2 - price / 2;
  const root = Math.sqrt(Math.max(0, half * half - 4 * (1 - price * (1 + (direction * limit) / 2))));
  return Math.max(limit, (direction * (root - half)) / 2);
}

/** Extrapolated USD between the last visible level and a distance. */
function usdUpTo(reach: DepthReach, delta: number): number {
  if (reach.lastUsd === 0 || delta <= reach.lastDelta) return 0;
  return reach.lastUsd * ((delta / reach.lastDelta) ** DEPTH_CURVE_CALIBRATION.exponent.value - 1);
}

/** Mean distance of the next USD on the curve: integral of lastDelta (D / lastUsd)^(1/exponent) over them. */
function averageDelta(reach: DepthReach, curveUsd: number): number {
  const power = 1 / DEPTH_CURVE_CALIBRATION.exponent.value + 1;
  const growth = curveUsd / reach.lastUsd;
  // expm1 and log1p keep precision for an order that barely leaves the book.
  return (reach.lastDelta * Math.expm1(power * Math.log1p(growth))) / (power * growth);
}
