import type { Random } from "../../src/math/random.ts";

/** Deviation of the normal of which a Student-t draw of variance 1 is made. Units: nu a whole number above 2. */
export function studentScale(nu: number, random: Random): number {
  let square = 0;
  for (let i = 0; i < nu; i++) square += random.normal() ** 2;
  return Math.sqrt((nu - 2) / square);
}
