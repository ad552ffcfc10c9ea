import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildOpenInterest,
  type OpenInterestInputs,
  withOpened,
} from "../../../src/risk/liquidity/open-interest.ts";
import { magnitude, nullable } from "../../support/arbitraries.ts";

const inputs: fc.Arbitrary<OpenInterestInputs> = fc.record({
  openInterestBase: fc.oneof(magnitude(1, 1e9), fc.constant(0)),
  markPrice: magnitude(1e-4, 1e5),
  isAtCap: fc.boolean(),
  learnedCapUsd: nullable(magnitude(1e5, 1e10)),
  observedMaxUsd: magnitude(1, 1e10),
  volume24hUsd: fc.oneof(magnitude(1, 1e10), fc.constant(0)),
});
const UNSEEN: OpenInterestInputs = {
  openInterestBase: 1000,
  markPrice: 50,
  isAtCap: false,
  learnedCapUsd: null,
  observedMaxUsd: 60_000,
  volume24hUsd: 30_000,
};

describe("buildOpenInterest", () => {
  it("learns the cap from what was open at it, and keeps near it when it was raised", () => {
    expect(buildOpenInterest({ ...UNSEEN, isAtCap: true })).toEqual({
      openInterestUsd: 50_000,
      isAtCap: true,
      capUsd: 50_000,
      utilizationFraction: 1,
    });
    expect(buildOpenInterest({ ...UNSEEN, learnedCapUsd: 80_000 }).utilizationFraction).toBe(0.625);
    expect(buildOpenInterest({ ...UNSEEN, learnedCapUsd: 40_000 }).utilizationFraction).toBeCloseTo(
      1 / 1.05,
      12,
    );
  });

  it("guesses at least twice the most it has seen", () => {
    expect(buildOpenInterest(UNSEEN).capUsd).toBe(120_000);
    expect(buildOpenInterest({ ...UNSEEN, volume24hUsd: 1e6 }).capUsd).toBe(500_000);
  });

  it("uses nothing of an asset in which nothing was ever open or traded", () => {
    const nothing = { ...UNSEEN, openInterestBase: 0, observedMaxUsd: 0, volume24hUsd: 0 };

    expect(buildOpenInterest(nothing)).toMatchObject({ capUsd: 0, utilizationFraction: 0 });
    expect(buildOpenInterest({ ...nothing, isAtCap: true }).utilizationFraction).toBe(1);
  });

  it("is used in full at the cap, never alarms on a guess, and is always finite", () => {
    fc.assert(
      fc.property(inputs, (i) => {
        const facts = buildOpenInterest(i);
        expect(Number.isFinite(facts.utilizationFraction)).toBe(true);
        expect(facts.utilizationFraction).toBeGreaterThanOrEqual(i.isAtCap ? 1 : 0);
        if (i.learnedCapUsd === null && !i.isAtCap)
          expect(facts.utilizationFraction).toBeLessThanOrEqual(0.5);
        if (!i.isAtCap && facts.capUsd > 0) {
          expect(facts.utilizationFraction * facts.capUsd).toBeCloseTo(facts.openInterestUsd, -3);
        }
      }),
    );
  });
});

describe("withOpened", () => {
  it("adds what an order opened below the same cap", () => {
    const before = buildOpenInterest({ ...UNSEEN, learnedCapUsd: 80_000 });

    expect(withOpened(before, 10_000)).toEqual({
      openInterestUsd: 60_000,
      isAtCap: false,
      capUsd: 80_000,
      utilizationFraction: 0.75,
    });
    const atCap = buildOpenInterest({ ...UNSEEN, isAtCap: true });
    expect([10_000, -10_000].map((usd) => withOpened(atCap, usd).utilizationFraction)).toEqual([1.2, 1]);
  });
});
