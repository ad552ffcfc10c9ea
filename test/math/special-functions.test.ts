import { describe, expect, it } from "vitest";
import reference from "../vectors/special-functions.json" with { type: "json" };
import { binomialCdf } from "../../src/math/binomial.ts";
import { chiSquareSf, regularizedGammaUpper } from "../../src/math/incomplete-gamma.ts";
import { regularizedIncompleteBeta } from "../../src/math/incomplete-beta.ts";
import { lnGamma } from "../../src/math/log-gamma.ts";
import { normalCdf, normalQuantile } from "../../src/math/normal.ts";
import { studentTCdf, studentTQuantile } from "../../src/math/student-t.ts";

const FUNCTIONS: Record<
  keyof typeof reference.values,
  { of: (...args: number[]) => number; relative: number }
> = {
  lnGamma: { of: (x = 0) => lnGamma(x), relative: 2e-14 },
  normalCdf: { of: (x = 0) => normalCdf(x), relative: 1e-13 },
  normalQuantile: { of: (p = 0) => normalQuantile(p), relative: 1e-15 },
  regularizedIncompleteBeta: {
    of: (x = 0, a = 0, b = 0) => regularizedIncompleteBeta(x, a, b),
    relative: 2e-13,
  },
  studentTCdf: { of: (x = 0, nu = 0) => studentTCdf(x, nu), relative: 2e-12 },
  studentTQuantile: { of: (p = 0, nu = 0) => studentTQuantile(p, nu), relative: 1e-12 },
  regularizedGammaUpper: { of: (a = 0, x = 0) => regularizedGammaUpper(a, x), relative: 5e-14 },
  chiSquareSf: { of: (x = 0, k = 0) => chiSquareSf(x, k), relative: 5e-14 },
  binomialCdf: { of: (k = 0, n = 0, p = 0) => binomialCdf(k, n, p), relative: 5e-13 },
};

describe("special functions against 40-digit references", () => {
  for (const [name, { of, relative }] of Object.entries(FUNCTIONS)) {
    it(`${name} keeps ${String(relative)} relative`, () => {
      const rows = reference.values[name as keyof typeof reference.values];
      const misses = rows.flatMap((row: number[]) => {
        const [expected, args] = [row.at(-1) ?? Number.NaN, row.slice(0, -1)];
        // The logarithm has zeros at 1 and 2, where only its absolute error is bounded.
        const scale = name === "lnGamma" ? Math.max(1, Math.abs(expected)) : Math.abs(expected);
        const error = Math.abs(of(...args) - expected) / scale;
        return error <= relative || of(...args) === expected
          ? []
          : [`(${args.join(", ")}): ${String(error)}`];
      });
      expect(misses).toEqual([]);
    });
  }
});
