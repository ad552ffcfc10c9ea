import { describe, expect, it } from "vitest";
import type { WalletState } from "../../../../src/domain/account.ts";
import type { Ticker } from "../../../../src/domain/ids.ts";
import { assess } from "../../../../src/risk/assess.ts";
import { accountMarginOf } from "../../../../src/risk/margin/account-margin.ts";
import { accountTouchOf, type CrossTouch } from "../../../../src/risk/portfolio/liquidation/cross-touch.ts";
import {
  jointPositions,
  modelledBook,
  UNMODELLED_LOSS,
} from "../../../../src/risk/portfolio/modelled-book.ts";
import { assessPortfolio } from "../../../../src/risk/portfolio/portfolio-assessment.ts";
import { fillPortfolioLosses } from "../../../../src/risk/portfolio/portfolio-losses.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../../../support/builders.ts";
import { UNKNOWN_TICKER } from "../../../support/market-arbitraries.ts";
import { assessInput, SOL, TEST_SCENARIOS, testViewOf } from "../../../support/market.ts";

// Mutants killed by hand: the loss at the end of the day, once; of the whole equity; without what a position without a
// model may lose; the liquidation in its place; the tail of other positions; the tail where it does not reach so far.

const LONGS = [
  position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 10 }),
  position({ ticker: ETH, sizeBase: 25, entryPrice: 4_000, leverage: 10 }),
  position({ ticker: SOL, sizeBase: 500, entryPrice: 200, leverage: 10 }),
];

describe("accountTouchOf", () => {
  it("loses half of the equity at least as often as a day ends with it lost, and no more than some twice as often", () => {
    for (const equityUsd of [10_000, 15_000, 20_000, 30_000]) {
      const account = accountWorth(equityUsd);
      const { adverse } = touchOf(account);

      const atEnd = shareOfDaysThatLose(0.5 * equityUsd, account);
      expect(atEnd).toBeGreaterThan(0.02);
      expect(adverse).toBeGreaterThanOrEqual(0.95 * atEnd);
      expect(adverse).toBeLessThan(2.5 * atEnd);
    }
  });

  it("counts half a scenario where none is so bad, twice for the way to it", () => {
    const { scenarios } = TEST_SCENARIOS.sheet;

    expect(touchOf(accountWorth(1e9))).toEqual({
      liquidation: 0.5 / (scenarios + 1),
      adverse: 1 / (scenarios + 1),
    });
  });

  it("is hurt at least as often as it is liquidated, the more often the less equity it has", () => {
    // Of 5000 three quarters are to be maintained, so that liquidation comes first.
    const touches = [5_000, 10_000, 15_000, 20_000, 30_000, 60_000, 200_000].map((usd) =>
      touchOf(accountWorth(usd)),
    );

    for (const { liquidation, adverse } of touches) expect(adverse).toBeGreaterThanOrEqual(liquidation);
    for (let i = 1; i < touches.length; i++) {
      expect(touches[i]!.adverse).toBeLessThanOrEqual(touches[i - 1]!.adverse);
    }
  });

  it("is the same from the tail that an assessment has sorted as from all scenarios", () => {
    for (const equityUsd of [2_000, 10_000, 20_000, 30_000, 60_000]) {
      const account = accountWorth(equityUsd);
      const margin = accountMarginOf(account, testViewOf);
      const { crossTouch } = assessPortfolio(account, margin, testViewOf, TEST_SCENARIOS);

      expect(crossTouch).toEqual(touchOf(account));
    }
  });

  it("leaves out what is isolated", () => {
    const isolatedWith = (isolatedCashUsd: number) =>
      position({
        ...{ ticker: SOL, sizeBase: 500, entryPrice: 200 },
        ...{ marginMode: "isolated", isolatedCashUsd },
      });
    // One that can lose all that is behind it, and one that is paid in full.
    const others = [isolatedWith(5_000 - 100_000), isolatedWith(0)];
    const equitiesUsd = [10_000, 20_000, 25_000];
    for (const [isolated, equityUsd] of others.flatMap((one) =>
      equitiesUsd.map((usd) => [one, usd] as const),
    )) {
      const cross = walletState(equityUsd, LONGS.slice(0, 2));
      const account = { ...cross, positions: [...cross.positions, isolated] };
      const margin = accountMarginOf(account, testViewOf);

      const { crossTouch } = assessPortfolio(account, margin, testViewOf, TEST_SCENARIOS);

      expect(crossTouch).toEqual(touchOf(cross));
    }
  });

  it("pays the day's expected funding out of the equity, in full before half of it is lost, and counts on none", () => {
    const touchAt = (equityUsd: number, drag24hFraction: number): CrossTouch => {
      const viewOf = (ticker: Ticker) => {
        const view = testViewOf(ticker)!;
        const drag = ticker === BTC ? drag24hFraction : 0;
        return { ...view, funding: { ...view.funding, drag24hFraction: drag } };
      };
      const account = accountWorth(equityUsd);
      return accountTouchOf(account, accountMarginOf(account, viewOf), viewOf, TEST_SCENARIOS)!;
    };

    // 2000 of the 100 000 in BTC: what is left of 20 000, and of half of it.
    const paying = touchAt(20_000, 0.02);
    expect(paying.liquidation).toBe(touchAt(18_000, 0).liquidation);
    expect(paying.liquidation).toBeGreaterThan(touchAt(20_000, 0).liquidation);
    expect(paying.adverse).toBe(touchAt(16_000, 0).adverse);
    expect(touchAt(20_000, -0.02)).toEqual(touchAt(20_000, 0));
  });

  it("is what the score is told of a trade in a pool, where its own asset alone would say much less", () => {
    const account = accountWorth(20_000);
    const trade = proposedTrade({ ticker: BTC, notionalUsd: 1_000, leverage: 10 });

    const { adverseProbability } = assess(assessInput({ account, trade })).score.facts;

    const alone = assess(assessInput({ account: walletState(20_000, [LONGS[0]!]), trade })).score.facts;
    expect(adverseProbability).toBeGreaterThan(0.95 * touchOf(account).adverse);
    expect(adverseProbability).toBeGreaterThan(2 * alone.adverseProbability!);
  });

  it("takes what a position without a model may lose off the equity of the others", () => {
    const known = [
      position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 40 }),
      position({ ticker: ETH, sizeBase: -10, entryPrice: 4_000, leverage: 25 }),
    ];
    const unknown = position({ ticker: UNKNOWN_TICKER, sizeBase: 1_000, entryPrice: 1, leverage: 5 });

    const charged = touchOf(walletState(4_000, [...known, unknown]));

    const before = touchOf(walletState(4_000, known));
    // What is left of it after the loss still has to be maintained, by half of its initial margin.
    const leftUsd = (1 - UNMODELLED_LOSS.value) * 1_000;
    const after = touchOf(walletState(4_000 - UNMODELLED_LOSS.value * 1_000 - leftUsd / (2 * 5), known));
    const unmaintained = touchOf(walletState(4_000 - UNMODELLED_LOSS.value * 1_000, known));
    expect(charged.liquidation).not.toBe(unmaintained.liquidation);
    expect(charged.liquidation).toBe(after.liquidation);
    expect(charged.liquidation).not.toBe(before.liquidation);
    // All of the charge comes off the half that may be lost, where a smaller account would bear half of it.
    expect(charged.adverse).toBeGreaterThan(after.adverse);
  });
});

function accountWorth(equityUsd: number): WalletState {
  return walletState(equityUsd, LONGS);
}

function touchOf(account: WalletState): CrossTouch {
  return accountTouchOf(account, accountMarginOf(account, testViewOf), testViewOf, TEST_SCENARIOS)!;
}

function shareOfDaysThatLose(lossUsd: number, account: WalletState): number {
  const { sheet } = TEST_SCENARIOS;
  const losses = new Float64Array(sheet.scenarios);
  fillPortfolioLosses(sheet, jointPositions(modelledBook(account, testViewOf, sheet)), losses);
  return losses.filter((loss) => loss >= lossUsd).length / sheet.scenarios;
}
