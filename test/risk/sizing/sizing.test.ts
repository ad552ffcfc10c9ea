import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounded } from "../../../src/response/units.ts";
import { impactOf } from "../../../src/risk/liquidity/impact.ts";
import { buildOpenInterest } from "../../../src/risk/liquidity/open-interest.ts";
import {
  SIZING_CALIBRATION as LIMITS,
  sizingOf,
  type SizingInputs,
} from "../../../src/risk/sizing/sizing.ts";
import { sideDepthUsd, slippageOf } from "../../../src/risk/liquidity/slippage.ts";
import { between, book, direction, magnitude } from "../../support/arbitraries.ts";
import { evenBook, orderBook } from "../../support/builders.ts";

/*
 * Mutants killed by hand: largest for smallest limit; last constraint wins a tie; suggested without its share; depth of the
 * other side; bisection returns the refused size.
 */

const always = (): number => Infinity;
/** A limit that only says yes or no. */
const upTo =
  (limitUsd: number) =>
  (usd: number): number =>
    usd <= limitUsd ? Infinity : -Infinity;
const BASE: SizingInputs = {
  market: { book: evenBook(100), markPrice: 100, sigmaDay: 0.03, volume24hUsd: 3e9 },
  direction: 1,
  sigmaHour: 0.006,
  openInterest: buildOpenInterest({
    openInterestBase: 2e7,
    markPrice: 100,
    isAtCap: false,
    learnedCapUsd: 4e9,
    observedMaxUsd: 2e9,
    volume24hUsd: 3e9,
  }),
  reducibleUsd: 0,
  openableUsd: 100_000,
  notionalMaxUsd: 1e8,
  accountRiskSlack: always,
  bandSlack: always,
};

describe("sizingOf", () => {
  it("leaves a tenth of the margin and suggests six tenths of that", () => {
    const sizing = sizingOf(BASE);

    expect(sizing.maxSafeSizeUsd).toBeCloseTo(90_000, 6);
    expect(sizing.suggestedSizeUsd).toBeCloseTo(54_000, 6);
    expect(sizing.reason).toBe("margin_headroom");
  });

  it("sizes an asset without a volatility as one of a hundredth an hour", () => {
    const rich = { ...BASE, openableUsd: 1e9 };

    expect(sizingOf({ ...rich, sigmaHour: null })).toEqual(sizingOf({ ...rich, sigmaHour: 0.01 }));
    expect(sizingOf({ ...rich, sigmaHour: null }).maxSafeSizeUsd).toBeGreaterThan(0);
  });

  it("calls no size safe beyond the largest order that there is", () => {
    const { maxSafeSizeUsd, limitsUsd } = sizingOf({ ...BASE, openableUsd: 1e9, notionalMaxUsd: 50_000 });

    expect([maxSafeSizeUsd, limitsUsd.margin_headroom]).toEqual([50_000, 50_000]);
  });

  it("names the book when money is no object", () => {
    const sizing = sizingOf({ ...BASE, openableUsd: 1e9 });
    // Levels of 2,000,000 at 1, 6, 11, 16, 21 … bps; a quarter of the first 20 levels' 40,000,000 is 10,000,000.
    expect(sizing.limitsUsd.book_depth).toBeCloseTo(10_000_000, 0);
    expect(sizing).toMatchObject({ reason: "book_depth" });
    expect(sizing.limitsUsd.market_impact / (3e9 * (0.003 / 0.03) ** 2)).toBeCloseTo(1, 8);
    expect(sizing.limitsUsd.oi_capacity).toBeCloseTo(1e8, 3);
  });

  it("reads the depth of the side that the order takes from", () => {
    const lopsided = { ...BASE.market, book: orderBook([[99.99, 2000]], [[100.01, 800]]) };
    const limit = (direction: 1 | -1): number =>
      sizingOf({ ...BASE, market: lopsided, direction, openableUsd: 1e9 }).limitsUsd.book_depth;

    expect(limit(1)).toBeCloseTo(0.25 * 800 * 100.01, 6);
    expect(limit(-1)).toBeCloseTo(0.25 * 2000 * 99.99, 6);
  });

  it("takes a level at the limit itself whole, however its average is rounded", () => {
    for (let size = 1; size < 200; size++) {
      const limitPrice = 100 * (1 + LIMITS.slippageSigmaShare.value * 0.004);
      const book = orderBook([[200 - limitPrice, 1e9]], [[limitPrice, size / 7]]);
      const sizing = sizingOf({
        ...BASE,
        market: { ...BASE.market, book: { ...book, midPrice: 100 } },
        sigmaHour: 0.004,
        openableUsd: 1e9,
      });

      expect(sizing.limitsUsd.book_depth).toBeCloseTo((0.25 * size * limitPrice) / 7, 6);
    }
  });

  it("allows nothing at the cap, without a book, and without margin", () => {
    const atCap = { ...BASE, openInterest: { ...BASE.openInterest, isAtCap: true } };
    const blind = { ...BASE, market: { ...BASE.market, book: null } };

    expect(sizingOf(atCap)).toMatchObject({ maxSafeSizeUsd: 0, suggestedSizeUsd: 0, reason: "oi_capacity" });
    expect(sizingOf(blind)).toMatchObject({ maxSafeSizeUsd: 0, suggestedSizeUsd: 0, reason: "book_depth" });
    expect(sizingOf({ ...BASE, openableUsd: 0 })).toMatchObject({
      maxSafeSizeUsd: 0,
      reason: "margin_headroom",
    });
  });

  it("asks no room below the cap, nor margin, for what is only reduced", () => {
    const atCap = { ...BASE, openInterest: { ...BASE.openInterest, isAtCap: true } };
    const held = { reducibleUsd: 30_000, openableUsd: 10_000 };

    expect(sizingOf({ ...atCap, ...held })).toMatchObject({
      maxSafeSizeUsd: 30_000,
      suggestedSizeUsd: 18_000,
      reason: "oi_capacity",
    });
    expect(sizingOf({ ...BASE, ...held }).limitsUsd.oi_capacity).toBeCloseTo(1e8 + 30_000, 3);
    expect(sizingOf({ ...BASE, ...held })).toMatchObject({
      maxSafeSizeUsd: 39_000,
      reason: "margin_headroom",
    });
  });

  it("decides ties in the order book, open interest, margin, impact", () => {
    const nothing = { ...BASE, openableUsd: 0, market: { ...BASE.market, volume24hUsd: 0 } };

    expect(sizingOf(nothing).reason).toBe("margin_headroom");
    expect(sizingOf({ ...nothing, market: { ...nothing.market, book: null } }).reason).toBe("book_depth");
  });

  it("finds, to half a percent, where the account's risk and the score stop it", () => {
    const sizing = sizingOf({
      ...BASE,
      accountRiskSlack: upTo(40_000),
      bandSlack: upTo(10_000),
    });

    expect(sizing.maxSafeSizeUsd).toBeGreaterThan(40_000 / 1.005);
    expect(sizing.maxSafeSizeUsd).toBeLessThanOrEqual(40_000);
    expect(sizing.suggestedSizeUsd).toBeGreaterThan(10_000 / 1.02);
    expect(sizing.suggestedSizeUsd).toBeLessThanOrEqual(10_000);
  });

  it("calls no size safe for a larger one that is, where the other constraints allow less", () => {
    const rich = { ...BASE, openableUsd: 1e9 };
    const gapUpTo = (unsafeFromUsd: number) => (usd: number) =>
      usd <= unsafeFromUsd || usd >= 20_000_000 ? Infinity : -Infinity;

    expect(sizingOf({ ...rich, accountRiskSlack: gapUpTo(0) })).toMatchObject({
      maxSafeSizeUsd: 0,
      suggestedSizeUsd: 0,
      reason: "margin_headroom",
    });
    const sizing = sizingOf({ ...rich, accountRiskSlack: gapUpTo(40_000) });
    expect(sizing.reason).toBe("margin_headroom");
    expect(sizing.maxSafeSizeUsd).toBeGreaterThan(40_000 / 1.005);
    expect(sizing.maxSafeSizeUsd).toBeLessThanOrEqual(40_000);
  });

  it("keeps five points, or half of what the smallest order leaves, and suggests nothing where none is in the band", () => {
    const suggestedAt = (roomPoints: number, pointsPerUsd: number): number =>
      sizingOf({ ...BASE, bandSlack: (usd) => roomPoints - pointsPerUsd * usd }).suggestedSizeUsd;
    const expectNear = (actual: number, expected: number): void => {
      expect(actual).toBeGreaterThan(expected / 1.02);
      expect(actual).toBeLessThanOrEqual(expected);
    };

    expectNear(suggestedAt(20, 0.001), 15_000);
    expectNear(suggestedAt(6, 0.001), 3_000);
    expectNear(suggestedAt(2, 0.001), 1_000);
    // A score that hardly depends on the size holds nothing back.
    expect(suggestedAt(2, 1e-6)).toBeCloseTo(54_000, 6);
    expect(suggestedAt(-1, 1e-6)).toBe(0);
  });

  it("does not suggest more where every size scores more", () => {
    fc.assert(
      fc.property(
        between(0, 12),
        between(0, 12),
        magnitude(1e-5, 1),
        magnitude(0.3, 2),
        (a, b, points, power) => {
          const suggestedAt = (roomPoints: number): number =>
            sizingOf({ ...BASE, bandSlack: (usd) => roomPoints - points * usd ** power }).suggestedSizeUsd;
          expect(suggestedAt(Math.min(a, b))).toBeLessThanOrEqual(1.02 * suggestedAt(Math.max(a, b)));
        },
      ),
    );
  });

  it("asks the account's risk at most 14 times and the score 12", () => {
    let risk = 0;
    let score = 0;
    sizingOf({
      ...BASE,
      accountRiskSlack: (usd) => {
        risk++;
        return usd < 7 ? Infinity : -Infinity;
      },
      bandSlack: (usd) => {
        score++;
        return usd < 1 ? Infinity : -Infinity;
      },
    });

    expect(risk).toBeLessThanOrEqual(14);
    expect(score).toBeLessThanOrEqual(12);
  });
});

describe("sizing laws", () => {
  const inputs: fc.Arbitrary<SizingInputs> = fc
    .record({
      book,
      direction,
      sigmaHour: magnitude(1e-3, 0.05),
      volume24hUsd: magnitude(1e4, 1e10),
      openInterestUsd: magnitude(1e4, 1e10),
      capMultiple: magnitude(1, 10),
      openableUsd: magnitude(1, 1e10),
      riskLimitUsd: magnitude(10, 1e9),
      scoreLimitUsd: magnitude(10, 1e9),
    })
    .map((i) => ({
      market: {
        book: i.book,
        markPrice: i.book.midPrice,
        sigmaDay: i.sigmaHour * Math.sqrt(24),
        volume24hUsd: i.volume24hUsd,
      },
      direction: i.direction,
      sigmaHour: i.sigmaHour,
      openInterest: {
        openInterestUsd: i.openInterestUsd,
        isAtCap: false,
        capUsd: i.openInterestUsd * i.capMultiple,
        utilizationFraction: 1 / i.capMultiple,
      },
      reducibleUsd: 0,
      openableUsd: i.openableUsd,
      notionalMaxUsd: 1e8,
      accountRiskSlack: upTo(i.riskLimitUsd),
      bandSlack: upTo(i.scoreLimitUsd),
    }));

  /** Whether a size keeps one constraint, from the definition and not from the closed forms. */
  const keeps = (i: SizingInputs, name: string, usd: number): boolean => {
    const hour = i.sigmaHour!;
    if (name === "book_depth") {
      const cost = slippageOf(i.market, i.direction, usd).costFraction;
      const halfSpread = slippageOf(i.market, i.direction, usd).halfSpreadFraction;
      // Where the floors of the score by slippage leave the proceed band.
      if (halfSpread > Math.min(0.007 + (0.013 * 40) / 71, (0.5 + 40 / 71) * hour)) return false;
      const sized = Math.min(LIMITS.slippageMax.value, LIMITS.slippageSigmaShare.value * hour);
      const limit = Math.max(sized, halfSpread);
      const depthUsd = sideDepthUsd(i.market.book!, i.direction, Math.max(0.01, halfSpread));
      return cost <= limit * (1 + 1e-9) + 1e-12 && usd <= 0.25 * depthUsd * (1 + 1e-9);
    }
    if (name === "oi_capacity") {
      const { capUsd, openInterestUsd } = i.openInterest;
      return (
        usd <= 0.2 * (capUsd - openInterestUsd) * (1 + 1e-9) + 1e-6 &&
        usd <= 0.05 * openInterestUsd * (1 + 1e-9)
      );
    }
    if (name === "margin_headroom") {
      return usd <= 0.9 * i.openableUsd * (1 + 1e-9) && i.accountRiskSlack(usd) >= 0;
    }
    // The flag is raised at the limit, of the size as the answer has it.
    const impact = impactOf(rounded(usd), i.market.sigmaDay, i.market.volume24hUsd).impactFraction;
    return impact / hour < 0.5;
  };
  const NAMES = ["book_depth", "oi_capacity", "margin_headroom", "market_impact"];

  it("keeps every constraint at the largest safe size, and breaks the named one 2 % above it", () => {
    fc.assert(
      fc.property(inputs, (i) => {
        const { maxSafeSizeUsd, suggestedSizeUsd, reason } = sizingOf(i);
        expect(suggestedSizeUsd).toBeGreaterThanOrEqual(0);
        expect(suggestedSizeUsd).toBeLessThanOrEqual(0.6 * maxSafeSizeUsd * (1 + 1e-12));
        if (maxSafeSizeUsd > 0) {
          for (const name of NAMES) expect(keeps(i, name, maxSafeSizeUsd), name).toBe(true);
          expect(i.bandSlack(suggestedSizeUsd)).toBeGreaterThanOrEqual(0);
        }
        if (maxSafeSizeUsd < i.notionalMaxUsd) {
          expect(keeps(i, reason, 1.02 * maxSafeSizeUsd + 1e-3), reason).toBe(false);
        }
      }),
    );
  });

  it("grows with every limit and shrinks with volatility's price", () => {
    fc.assert(
      fc.property(inputs, magnitude(1, 5), (i, more) => {
        const size = sizingOf(i).maxSafeSizeUsd;
        const allows = (changes: Partial<SizingInputs>): number =>
          sizingOf({ ...i, ...changes }).maxSafeSizeUsd;
        const near = size * (1 - 0.006);
        expect(allows({ openableUsd: i.openableUsd * more })).toBeGreaterThanOrEqual(near);
        expect(allows({ accountRiskSlack: always })).toBeGreaterThanOrEqual(near);
        const liquid = { ...i.market, volume24hUsd: i.market.volume24hUsd * more };
        expect(allows({ market: liquid })).toBeGreaterThanOrEqual(near);
        const wild = { ...i.market, sigmaDay: i.market.sigmaDay! * more };
        expect(allows({ market: wild })).toBeLessThanOrEqual(size * (1 + 0.006));
      }),
    );
  });

  it("is what the best price holds in a book whose half-spread is beyond the slippage limit, and a quarter of it if alone", () => {
    const limitOf = (halfSpread: number, others: [number, number][] = []): number => {
      const ask = 100 * (1 + halfSpread);
      const book = orderBook([[200 - ask, 1e6]], [[ask, 10], ...others]);
      return sizingOf({ ...BASE, market: { ...BASE.market, book }, openableUsd: 1e9 }).limitsUsd.book_depth;
    };

    // A quarter of 60 bps an hour is the limit; the level beyond is as cheap as the spread, and within 1 %.
    expect(limitOf(0.00151, [[100.152, 1e4]])).toBeCloseTo(10 * 100.151, 6);
    expect(limitOf(0.00149, [[100.9, 1e4]]) / (10 * 100.149)).toBeCloseTo(1, 2);
    expect(limitOf(0.006)).toBeCloseTo(0.25 * 10 * 100.6, 6);
  });

  it("is nothing in a book whose spread alone takes the score out of the proceed band", () => {
    const maxSafeOf = (halfSpread: number, sigmaHour: number): number => {
      const book = orderBook([[100 * (1 - halfSpread), 1e6]], [[100 * (1 + halfSpread), 1e6]]);
      return sizingOf({ ...BASE, sigmaHour, market: { ...BASE.market, book } }).maxSafeSizeUsd;
    };

    // 40 points: 1.063 volatilities of an hour, 143.2 bps.
    expect(maxSafeOf(0.0063, 0.006)).toBeGreaterThan(0);
    expect(maxSafeOf(0.0064, 0.006)).toBe(0);
    expect(maxSafeOf(0.0143, 0.02)).toBeGreaterThan(0);
    expect(maxSafeOf(0.0144, 0.02)).toBe(0);
  });
});
