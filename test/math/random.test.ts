import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/math/random.ts";

describe("seeded randomness", () => {
  it("repeats for the same seed and differs for every other, beyond 32 bits", () => {
    const first = (seed: number): number[] => {
      const random = createRandom(seed);
      return Array.from({ length: 4 }, () => random.uint32());
    };
    expect(first(42)).toEqual(first(42));
    const seeds = [0, 1, 2, 42, 2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
    expect(new Set(seeds.map((seed) => first(seed).join())).size).toBe(seeds.length);
  });

  it("gives these numbers on every machine", () => {
    const random = createRandom(20251010);
    expect([random.uint32(), random.uint32(), random.uint32()]).toMatchInlineSnapshot(`
      [
        196132589,
        3832647890,
        2698391616,
      ]
    `);
  });

  it("draws uniforms inside (0, 1) with the right mean, variance and bin counts", () => {
    const random = createRandom(7);
    const n = 200_000;
    let [sum, squares] = [0, 0];
    const bins = new Float64Array(64);
    for (let i = 0; i < n; i++) {
      const u = random.uniform();
      if (!(u > 0 && u < 1)) throw new Error(`uniform outside (0, 1): ${String(u)}`);
      // Midpoints of 2^52 cells: 0 and 1 cannot occur, and u and 1 − u are equally likely to the last bit.
      if ((u * 2 ** 53) % 2 !== 1) throw new Error(`not a midpoint: ${String(u)}`);
      sum += u;
      squares += u * u;
      bins[Math.floor(u * 64)]! += 1;
    }
    expect(Math.abs(sum / n - 0.5)).toBeLessThan(4 / Math.sqrt(12 * n));
    expect(Math.abs(squares / n - 1 / 3)).toBeLessThan(4 * Math.sqrt(4 / 45 / n));
    const chiSquare = bins.reduce((total, count) => total + (count - n / 64) ** 2 / (n / 64), 0);
    expect(chiSquare).toBeLessThan(112);
    expect(chiSquare).toBeGreaterThan(28);
  });

  it("draws normals with mean 0, variance 1 and no serial correlation", () => {
    const random = createRandom(8);
    const n = 100_000;
    let [sum, squares, products, previous] = [0, 0, 0, 0];
    for (let i = 0; i < n; i++) {
      const z = random.normal();
      sum += z;
      squares += z * z;
      products += z * previous;
      previous = z;
    }
    expect(Math.abs(sum) / Math.sqrt(n)).toBeLessThan(4);
    expect(Math.abs(squares / n - 1) * Math.sqrt(n / 2)).toBeLessThan(4);
    expect(Math.abs(products) / Math.sqrt(n)).toBeLessThan(4);
  });

  it("permutes: every index once, whatever the array held", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 500 }), (seed, n) => {
        const out = new Uint16Array(n).fill(9);
        createRandom(seed).fillPermutation(out);
        expect([...out].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
      }),
    );
  });

  it("permutes uniformly: all 24 orders of four equally often", () => {
    const random = createRandom(9);
    const counts = new Map<string, number>();
    const n = 48_000;
    const out = new Uint16Array(4);
    for (let i = 0; i < n; i++) {
      random.fillPermutation(out);
      const order = out.join();
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - n / 24) ** 2 / (n / 24), 0);
    expect(chiSquare).toBeLessThan(50);
  });
});
