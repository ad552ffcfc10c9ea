import { normalQuantile } from "./normal.ts";

/** A seeded stream of random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** A uniform 32-bit unsigned integer. */
  uint32(): number;
  /** Uniform on the open interval (0, 1), 52 bits, symmetric about ½: 0 and 1 never occur. */
  uniform(): number;
  /** Standard normal by inversion, so that an antithetic uniform gives the antithetic normal. */
  normal(): number;
  /** Overwrites `out` with a uniformly random permutation of its indices 0 … n−1. */
  fillPermutation(out: Uint16Array): void;
}

/**
 * Small fast counting generator (sfc32) seeded through splitmix32. The seed's 53 bits all count.
 * Source: Doty-Humphrey, PractRand 0.94 (sfc family); Steele et al., SplitMix (2014).
 */
export function createRandom(seed: number): Random {
  let split = (seed >>> 0) ^ Math.imul(Math.floor(seed / 4294967296) >>> 0, 0x9e3779b1);
  const splitMix = (): number => {
    split = (split + 0x9e3779b9) | 0;
    let z = split;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  };
  let a = splitMix();
  let b = splitMix();
  let c = splitMix();
  let counter = 1;

  const uint32 = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 15; i++) uint32();

  const uniform = (): number => ((uint32() >>> 6) * 67108864 + (uint32() >>> 6) + 0.5) / 4503599627370496;

  // Fisher–Yates; an index below n by a 32-bit multiplication, whose bias is below n/2³².
  const fillPermutation = (out: Uint16Array): void => {
    for (let i = 0; i < out.length; i++) {
      const j = Math.floor((uint32() * (i + 1)) / 4294967296);
      out[i] = out[j]!;
      out[j] = i;
    }
  };

  return {
    uint32,
    uniform,
    normal: () => normalQuantile(uniform()),
    fillPermutation,
  };
}
