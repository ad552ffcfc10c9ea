import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "../../src/domain/account.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import { assessAccount, type AccountInput } from "../../src/risk/assess-account.ts";
import { accountMarginOf } from "../../src/risk/margin/account-margin.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import { liquidationOf } from "../../src/risk/margin/liquidation.ts";
import { accountTouchOf } from "../../src/risk/portfolio/liquidation/cross-touch.ts";
import { CRITICAL_RULES } from "../../src/risk/scoring/critical-flags.ts";
import { touchProbabilitiesOf } from "../../src/risk/trade/touch-probability.ts";
import { BTC, ETH, evenBook, position, walletState } from "../support/builders.ts";
import { assetView, SOL, TEST_SCENARIOS, testViewOf } from "../support/market.ts";
import { account, UNKNOWN_TICKER } from "../support/market-arbitraries.ts";

const input = (held: AccountInput["account"], changes: Partial<AccountInput> = {}): AccountInput => ({
  account: held,
  viewOf: testViewOf,
  scenarios: TEST_SCENARIOS,
  isMarketStale: () => false,
  isWalletStale: false,
  ...changes,
});

describe("assessAccount", () => {
  it("finds nothing in an account without positions", () => {
    const assessed = assessAccount(input(walletState(1_000)));

    expect(assessed.positions).toEqual([]);
    expect(assessed.portfolio).toBeNull();
    expect(assessed.portfolioStress).toBeNull();
    expect(assessed.margin.accountValueUsd).toBe(1_000);
  });

  it("tells how a position stands: profit of margin, distance, funding, VaR", () => {
    // 0.5 BTC from 90 000 at 5x, mark 100 000: 5 000 of profit on 9 000 of margin.
    const held = walletState(20_000, [position({ sizeBase: 0.5, entryPrice: 90_000, leverage: 5 })]);
    const [btc] = assessAccount(input(held)).positions;

    expect(btc?.unrealisedPnlUsd).toBeCloseTo(5_000, 9);
    expect(btc?.unrealisedPnlOfMarginFraction).toBeCloseTo(5_000 / 9_000, 12);
    expect(btc?.liquidation.notionalUsd).toBeCloseTo(50_000, 9);
    // Equity 25 000: 25 000 - 50 000 + 0.5 P = 0.5 P / 80.
    expect(btc?.liquidation.liquidationPrice).toBeCloseTo(25_000 / (0.5 * (1 - 1 / 80)), 6);
    expect(btc?.fundingDrag24hOfMarginFraction).toBeCloseTo(5 * 24 * 0.0000125, 12);
    expect(btc?.valueAtRisk?.marginVar99).toBeCloseTo(5 * btc!.valueAtRisk!.at24h.var99, 12);
    expect(btc?.score.recommendation).toBe("proceed");
  });

  it("tells of a short that a rise has cost it, and that it receives the funding of longs", () => {
    const held = walletState(20_000, [position({ sizeBase: -0.5, entryPrice: 90_000, leverage: 5 })]);
    const [short] = assessAccount(input(held)).positions;

    expect(short?.unrealisedPnlUsd).toBeCloseTo(-5_000, 9);
    expect(short?.unrealisedPnlOfMarginFraction).toBeCloseTo(-5_000 / 9_000, 12);
    expect(short?.fundingDrag24hOfMarginFraction).toBeCloseTo(-5 * 24 * 0.0000125, 12);
  });

  it("shows a position of which no tails are known yet, without a VaR", () => {
    const viewOf = (): AssetView => assetView(BTC, { tails: null });
    const held = walletState(20_000, [position({ sizeBase: 0.5 })]);

    const [btc] = assessAccount(input(held, { viewOf })).positions;

    expect(btc!.valueAtRisk).toBeNull();
    expect(btc!.score.flags).not.toContain("near_liquidation");
  });

  it("leaves a position through the side of the book that it is not on", () => {
    const thin = evenBook(100_000, 20, 0.002, 20_000);
    const costOf = (sizeBase: number, side: "bids" | "asks"): number => {
      const book = { ...assetView(BTC).book!, [side]: thin[side] };
      const viewOf = (ticker: Ticker) => (ticker === BTC ? assetView(BTC, { book }) : testViewOf(ticker));
      const held = walletState(100_000, [position({ sizeBase })]);
      const { at24h, liquidityAdjustedVar99Usd, notionalUsd } = assessAccount(input(held, { viewOf }))
        .positions[0]!.valueAtRisk!;
      return liquidityAdjustedVar99Usd - at24h.var99 * notionalUsd;
    };

    expect(costOf(0.5, "bids")).toBeGreaterThan(2 * costOf(0.5, "asks"));
    expect(costOf(-0.5, "asks")).toBeGreaterThan(2 * costOf(-0.5, "bids"));
  });

  it("counts the collateral that the exchange's own liquidation price gives away", () => {
    const known = walletState(20_000, [position({ sizeBase: 0.5 })]);
    const { liquidation } = assessAccount(input(known)).positions[0]!;
    const shown = position({ sizeBase: 0.5, reportedLiquidationPrice: liquidation.liquidationPrice });
    const dark = { ...walletState(12_000, [shown]), isCollateralKnown: false };

    const found = assessAccount(input(dark));

    expect(found.margin.crossEquityUsd).toBeCloseTo(20_000, 6);
    expect(found.positions[0]!.liquidation.liquidationPrice).toBeCloseTo(liquidation.liquidationPrice!, 6);
    expect(found.positions[0]!.score.flags).not.toContain("collateral_unknown");
  });

  it("warns of the position that is about to be liquidated and not of the calm one beside it", () => {
    const held = walletState(50_000, [
      position({ ticker: ETH, sizeBase: 2, entryPrice: 4_000 }),
      position({
        ticker: SOL,
        sizeBase: 500,
        entryPrice: 200,
        leverage: 40,
        marginMode: "isolated",
        isolatedCashUsd: -97_500,
      }),
    ]);
    const [eth, sol] = assessAccount(input(held)).positions;

    expect(eth?.score.flags.some((name) => name in CRITICAL_RULES)).toBe(false);
    expect(sol?.score.flags).toContain("near_liquidation");
    expect(sol?.score.recommendation).toBe("abort");
  });

  it("is as likely to be liquidated as the worst of its pools: the cross positions together, each isolated one", () => {
    const hedge = [
      position({ sizeBase: 1, leverage: 40 }),
      position({ ticker: ETH, sizeBase: -25, entryPrice: 4_000, leverage: 25 }),
    ];
    const isolated = position({
      ticker: SOL,
      sizeBase: 100,
      entryPrice: 200,
      marginMode: "isolated",
      leverage: 20,
      isolatedCashUsd: -19_000,
    });
    const found = (crossCashUsd: number, positions: readonly Position[]) => {
      const held = { ...walletState(0, positions), crossCashUsd };
      const margin = accountMarginOf(held, testViewOf);
      return {
        whole: assessAccount(input(held)).portfolio!.liquidationProbability,
        pool: accountTouchOf(held, margin, testViewOf, TEST_SCENARIOS)?.liquidation ?? null,
        each: positions.map(({ ticker }) => {
          const liquidation = liquidationOf(held, ticker, testViewOf, margin);
          return touchProbabilitiesOf(testViewOf(ticker), liquidation).liquidation!;
        }),
      };
    };

    const hedged = found(8_000, hedge);
    expect(hedged.whole).toBe(hedged.pool);
    expect(Math.max(...hedged.each)).toBeGreaterThan(2 * hedged.pool!);
    const both = found(8_000, [...hedge, isolated]);
    expect(both.whole).toBe(both.each[2]);
    expect(both.whole).toBeGreaterThan(both.pool!);
    const apart = found(8_000, [isolated]);
    expect(apart).toMatchObject({ whole: apart.each[0], pool: null });
  });

  it("does not hold an asset's cap against who is already in", () => {
    const asset = testViewOf(BTC)!;
    const atCap = {
      ...asset,
      openInterest: { ...asset.openInterest, isAtCap: true, utilizationFraction: 1 },
    };
    const held = walletState(50_000, [position({ sizeBase: 0.01 })]);
    const [btc] = assessAccount(input(held, { viewOf: () => atCap })).positions;

    expect(btc?.score.flags).not.toContain("oi_at_cap");
    expect(btc?.score.recommendation).toBe("proceed");
  });

  it("scores a position in an asset it does not know as doubtful, with what it knows", () => {
    const held = walletState(50_000, [position({ ticker: UNKNOWN_TICKER, sizeBase: 100, entryPrice: 3 })]);
    const [unknown] = assessAccount(input(held)).positions;

    expect(unknown?.markPrice).toBe(3);
    expect(unknown?.score.recommendation).toBe("proceed_with_caution");
    expect(unknown?.score.flags).toContain("unpriced_position");
    expect(unknown?.valueAtRisk).toBeNull();
  });

  it("answers any account: every position listed, scores in range, one liquidation per position", () => {
    fc.assert(
      fc.property(account, fc.boolean(), fc.boolean(), (held, isStale, hasScenarios) => {
        const assessed = assessAccount(
          input(held, {
            isMarketStale: () => isStale,
            scenarios: hasScenarios ? TEST_SCENARIOS : null,
          }),
        );

        expect(assessed.positions.map((found) => found.position)).toEqual(held.positions);
        expect(assessed.portfolio?.assessment.positions.length ?? 0).toBe(held.positions.length);
        for (const found of assessed.positions) {
          expect(found.score.score).toBeGreaterThanOrEqual(0);
          expect(found.score.score).toBeLessThanOrEqual(100);
          if (isStale) expect(found.score.recommendation).not.toBe("proceed");
          if (found.liquidation.isLiquidatable) expect(found.score.recommendation).toBe("abort");
        }
      }),
    );
  });
});
