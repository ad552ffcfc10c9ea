import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assess } from "../../src/risk/assess.ts";
import { magnitude } from "../support/arbitraries.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../support/builders.ts";
import { assessInput, assetView } from "../support/market.ts";

// Mutants killed by hand: the floor for isolated trades, too; isolated positions in the floor.

describe("a wallet on the brink of liquidation", () => {
  const brink = walletState(1_500, [
    position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 40 }),
  ]);
  const scoreOf = (notionalUsd: number, leverage: number) =>
    assess(
      assessInput({
        account: brink,
        asset: assetView(ETH),
        trade: proposedTrade({ ticker: ETH, notionalUsd, leverage }),
      }),
    ).score;

  it("is not talked into safety by margin that is only assumed, however large the order", () => {
    for (const leverage of [1, 2, 10]) {
      for (const notionalUsd of [1_000, 20_000, 1_000_000, 50_000_000]) {
        const { recommendation, flags } = scoreOf(notionalUsd, leverage);
        expect([notionalUsd, leverage, recommendation]).toEqual([notionalUsd, leverage, "abort"]);
        expect(flags).toContain("near_liquidation");
      }
    }
  });

  it("does not score better the more it asks for", () => {
    const scores = [1_000, 20_000, 1_000_000, 50_000_000].map((usd) => scoreOf(usd, 1).score);

    expect(scores).toEqual([...scores].sort((a, b) => a - b));
  });
});

describe("risk that no assumed margin betters", () => {
  const LEVERAGES = [1, 1.5, 2, 3, 5, 10, 20, 40];
  const onTheBrink = { ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 40 };
  const isolatedOnTheBrink = position({
    ...onTheBrink,
    marginMode: "isolated",
    isolatedCashUsd: -100_000 + 1_500,
  });
  const scoresOf = (
    crossCashUsd: number,
    held: ReturnType<typeof position>,
    marginMode: "cross" | "isolated",
    notionalUsd: number,
  ): readonly number[] =>
    LEVERAGES.map((leverage) => {
      const trade = proposedTrade({ ticker: ETH, notionalUsd, leverage, marginMode });
      const account = walletState(crossCashUsd, [held]);
      return assess(assessInput({ account, asset: assetView(ETH), trade })).score.score;
    });
  const neverFalls = (scores: readonly number[]): void => {
    for (let i = 1; i < scores.length; i++) expect(scores[i]).toBeGreaterThanOrEqual(scores[i - 1]! - 1e-9);
  };

  it("does not lift the score of an isolated trade at the leverages that lack margin", () => {
    fc.assert(
      fc.property(magnitude(1_300, 10_000), magnitude(100, 50_000), (cashUsd, notionalUsd) => {
        neverFalls(scoresOf(cashUsd, position(onTheBrink), "isolated", notionalUsd));
        neverFalls(scoresOf(cashUsd, isolatedOnTheBrink, "isolated", notionalUsd));
      }),
    );
  });

  it("nor an isolated position's beside a cross trade", () => {
    fc.assert(
      fc.property(magnitude(1_300, 10_000), magnitude(100, 50_000), (cashUsd, notionalUsd) => {
        neverFalls(scoresOf(cashUsd, isolatedOnTheBrink, "cross", notionalUsd));
      }),
    );
  });
});

describe("a lower leverage on a held position", () => {
  it("is not paid for by assumption: only the trade's own margin is", () => {
    const account = walletState(3_000, [
      position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 40 }),
    ]);
    const { applied } = assess(
      assessInput({ account, trade: proposedTrade({ notionalUsd: 1_000, leverage: 1 }) }),
    );

    expect(applied.assumedDepositUsd).toBeLessThan(1_010);
  });
});

describe("the leverage of a close", () => {
  it("is the position's, whatever it is sent", () => {
    const account = walletState(50_000, [
      position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 5 }),
    ]);
    const closing = (leverage: number | undefined) =>
      assess(
        assessInput({ account, trade: proposedTrade({ action: "close", notionalUsd: 1_000, leverage }) }),
      );

    for (const leverage of [-1, 0, 1_000, undefined]) {
      const { trade, score, fees } = closing(leverage);
      expect(trade.leverage).toBe(5);
      expect(score.score).toBe(closing(5).score.score);
      expect(fees.feeOfMarginFraction).toBeGreaterThan(0);
    }
  });
});
