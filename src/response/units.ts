/**
 * Fractions become percent and basis points here and nowhere else. Ten decimals are enough for every identity of
 * the contract to hold to 1e-4 relative when a client recomputes it, and short enough to read.
 */
const DECIMALS = 1e10;

/** x rounded to ten decimals; a value too large for that to matter stays as it is. */
export function rounded(x: number): number {
  const scaled = x * DECIMALS;
  return Math.abs(scaled) < Number.MAX_SAFE_INTEGER ? Math.round(scaled) / DECIMALS : x;
}

/** Fraction to percent: 0.01 is 1. Not rounded: for bodies whose writer rounds. */
export function inPct(fraction: number): number {
  return fraction * 100;
}

/** Fraction to percent, rounded. */
export function toPct(fraction: number): number {
  return rounded(inPct(fraction));
}

/** Percent, as a client sent it, to a fraction: 1 is 0.01. */
export function fromPct(percent: number): number {
  return percent / 100;
}

/** Fraction to basis points: 0.01 is 100. Not rounded. */
export function inBps(fraction: number): number {
  return fraction * 10_000;
}

/** toPct of a number that may be unknown. */
export function toPctOrNull(fraction: number | null): number | null {
  return fraction === null ? null : toPct(fraction);
}

export function roundedOrNull(x: number | null): number | null {
  return x === null ? null : rounded(x);
}
