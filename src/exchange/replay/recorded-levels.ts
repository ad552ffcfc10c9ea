import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { COARSE_SIGNIFICANT_FIGURES } from "../hyperliquid/subscriptions.ts";

/** Levels a side of the exchange's fast book. */
const FAST_LEVELS = 5;

type WireSides = readonly (readonly WireRecord[])[];

/** The first levels of each side. */
export function cutLevels(sides: WireSides): WireSides {
  return sides.map((side) => side.slice(0, FAST_LEVELS));
}

/** Levels summed into the exchange's buckets: bids rounded down, asks up, to three significant figures. */
export function bucketedLevels(sides: WireSides): WireSides {
  return sides.map((side, i) => {
    const buckets = new Map<string, number>();
    for (const level of side) {
      const price = bucketPrice(Number(level["px"]), i === 0 ? Math.floor : Math.ceil);
      buckets.set(price, (buckets.get(price) ?? 0) + Number(level["sz"]));
    }
    return [...buckets].map(([px, sizeBase]) => ({ px, sz: String(Number(sizeBase.toPrecision(12))), n: 0 }));
  });
}

function bucketPrice(price: number, round: (value: number) => number): string {
  const step = 10 ** (Math.floor(Math.log10(price) + 1e-12) - COARSE_SIGNIFICANT_FIGURES + 1);
  const steps = price / step;
  const nearest = Math.round(steps);
  const count = Math.abs(steps - nearest) < 1e-9 ? nearest : round(steps);
  return String(Number((count * step).toPrecision(12)));
}
