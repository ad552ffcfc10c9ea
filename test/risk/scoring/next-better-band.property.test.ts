import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recommendationOf } from "../../../src/risk/scoring/bands.ts";
import { type BandSearch, findNextBetterBand } from "../../../src/risk/scoring/next-better-band.ts";
import { between, magnitude } from "../../support/arbitraries.ts";

/** Mutants killed: upper instead of lower end of the bracket; band of the score instead of the next; mode unchecked. */
const search = fc
  .record({
    notionalUsd: magnitude(20, 1e8),
    leverage: magnitude(1, 50),
    sizeWeight: between(0, 60),
    leverageWeight: between(0, 60),
    crossRelief: between(0, 50),
    base: between(0, 60),
    opposedUsd: fc.oneof(fc.constant(0), magnitude(1, 1e8)),
  })
  .map(({ notionalUsd, leverage, sizeWeight, leverageWeight, crossRelief, base, opposedUsd }): BandSearch => {
    const scoreOf: BandSearch["scoreOf"] = (size, times, mode) =>
      Math.max(
        0,
        Math.min(
          100,
          base +
            (sizeWeight * size) / notionalUsd +
            (leverageWeight * times) / leverage -
            (mode === "cross" ? crossRelief : 0),
        ),
      );
    return {
      score: scoreOf(notionalUsd, leverage, null),
      notionalUsd,
      leverage,
      otherMode: "cross",
      smallestUsd: 10,
      opposedUsd,
      scoreOf,
    };
  });

describe("findNextBetterBand", () => {
  it("gives changes that reach the next better band, and sizes that barely do", () => {
    let smaller = 0;
    fc.assert(
      fc.property(search, (asked) => {
        const found = findNextBetterBand(asked);
        const before = recommendationOf(asked.score);
        if (found === null) {
          expect(before).toBe("proceed");
          return;
        }
        const target = before === "abort" ? 70 : 40;
        expect(found.recommendation).toBe(before === "abort" ? "proceed_with_caution" : "proceed");
        if (found.notionalUsd !== null) {
          smaller++;
          expect(asked.scoreOf(found.notionalUsd, asked.leverage, null)).toBeLessThanOrEqual(target);
          const more = 1.001 * found.notionalUsd;
          expect(asked.scoreOf(more, asked.leverage, null)).toBeGreaterThan(target - 1e-9);
        } else {
          expect(asked.scoreOf(asked.smallestUsd, asked.leverage, null)).toBeGreaterThan(target);
        }
        if (found.leverage !== null) {
          expect(Number.isInteger(found.leverage)).toBe(true);
          expect(asked.scoreOf(asked.notionalUsd, found.leverage, null)).toBeLessThanOrEqual(target);
          const next = Math.min(asked.leverage, found.leverage + 1);
          expect(asked.scoreOf(asked.notionalUsd, next, null)).toBeGreaterThan(target);
        } else {
          expect(asked.scoreOf(asked.notionalUsd, 1, null)).toBeGreaterThan(target);
        }
        expect(found.marginMode !== null).toBe(
          asked.scoreOf(asked.notionalUsd, asked.leverage, "cross") <= target,
        );
      }),
    );
    expect(smaller).toBeGreaterThan(40);
  });

  const asked = (leverage: number, scoreOf: BandSearch["scoreOf"], notionalUsd = 1_000): BandSearch => ({
    score: scoreOf(notionalUsd, leverage, null),
    notionalUsd,
    leverage,
    otherMode: null,
    smallestUsd: 10,
    opposedUsd: 0,
    scoreOf,
  });

  it("finds every whole leverage below the one asked for, the lowest and the nearest too", () => {
    const highestAt = (leverage: number, most: number) =>
      findNextBetterBand(asked(leverage, (_, times) => (times <= most ? 40 : 41)))!.leverage;

    for (const leverage of [1.5, 2, 5.5, 6, 40])
      for (let most = 1; most < leverage; most++) expect(highestAt(leverage, most)).toBe(most);
    expect(highestAt(1, 0)).toBeNull();
  });

  it("finds a leverage where the margin that the lowest takes from the others makes it the worse one", () => {
    const dip = (_: number, times: number): number => (times < 4 ? 95 : 40 + 4 * times);
    expect(findNextBetterBand(asked(10, dip))!.leverage).toBe(7);

    for (let leverage = 1; leverage <= 50; leverage++)
      for (let least = 1; least < leverage; least++) {
        let tried = 0;
        const scoreOf = (_: number, times: number): number => {
          if (times < leverage) tried++;
          return times < least || times === leverage ? 60 : 20;
        };
        const { leverage: found } = findNextBetterBand(asked(leverage, scoreOf))!;
        expect(found).toBe(least <= Math.ceil(leverage / 2) ? leverage - 1 : null);
        expect(tried).toBeLessThanOrEqual(7);
      }
  });

  it("finds a size where margin for a position in danger makes the smallest the worse one", () => {
    const dip = (notionalUsd: number): number => (notionalUsd < 150 ? 60 : 20 + notionalUsd / 20);
    const found = findNextBetterBand(asked(2, dip))!;

    expect(found.notionalUsd).toBeGreaterThan(400 / 1.001);
    expect(found.notionalUsd).toBeLessThanOrEqual(400);
    expect(findNextBetterBand(asked(2, () => 60))!.notionalUsd).toBeNull();
  });

  it("finds a size where only ending the position held against the order helps", () => {
    const valley = (notionalUsd: number): number => 20 + Math.abs(notionalUsd - 330);
    const found = findNextBetterBand({ ...asked(2, valley), opposedUsd: 330 })!;

    expect(found.notionalUsd).toBeGreaterThan(380 / 1.001);
    expect(found.notionalUsd).toBeLessThanOrEqual(380);
    for (const opposedUsd of [0, 5, 1_000, 2_000])
      expect(findNextBetterBand({ ...asked(2, valley), opposedUsd })!.notionalUsd).toBeNull();
  });

  it("asks for 26 others at most, for few sizes, of which few are as large as the requested", () => {
    fc.assert(
      fc.property(search, (wanted) => {
        const sizes: number[] = [];
        let assessed = 0;
        findNextBetterBand({
          ...wanted,
          scoreOf: (notionalUsd, leverage, mode) => {
            assessed++;
            if (leverage === wanted.leverage && mode === null) sizes.push(notionalUsd);
            return wanted.scoreOf(notionalUsd, leverage, mode);
          },
        });
        expect(sizes.length).toBeLessThanOrEqual(18);
        expect(assessed).toBeLessThanOrEqual(26);
      }),
    );
    const large: number[] = [];
    const tooLarge = asked(1, (notionalUsd) => (notionalUsd <= 20_000 ? 40 : 60), 1e8);
    findNextBetterBand({
      ...tooLarge,
      scoreOf: (notionalUsd, leverage, mode) => {
        if (notionalUsd > 1e6) large.push(notionalUsd);
        return tooLarge.scoreOf(notionalUsd, leverage, mode);
      },
    });
    expect(large.length).toBeLessThanOrEqual(1);
  });

  it("names no larger size as a smaller one, though it were better", () => {
    const found = findNextBetterBand(asked(2, (notionalUsd) => (notionalUsd < 10 ? 80 : 20), 5))!;

    expect(found.notionalUsd).toBeNull();
  });
});
