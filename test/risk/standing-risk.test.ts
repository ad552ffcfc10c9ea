import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assess } from "../../src/risk/assess.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import { magnitude } from "../support/arbitraries.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../support/builders.ts";
import { assessInput, assetView } from "../support/market.ts";

// Mutants killed by hand: the floor for isolated trades, too; isolated positions in the floor; no floor; no bound by the
// leverage that needs no deposit; that bound as the floor; the probability of its liquidation with the deposit; the
// standing pool's facts in the place of unknown ones; certain liquidation for a position without a model.

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

describe("a cross trade that lacks margin at some leverages", () => {
  const LEVERAGES = [1, 1.5, 2, 3, 5, 8, 12, 18, 25];
  const sideArb = fc.constantFrom(-1, 1);
  const account = fc
    .tuple(magnitude(1_000, 200_000), sideArb, magnitude(1_000, 200_000), sideArb, magnitude(0.02, 2))
    .map(([btcUsd, btcSide, ethUsd, ethSide, equityShare]) => {
      const held = [
        position({ ticker: BTC, sizeBase: (btcSide * btcUsd) / 100_000, entryPrice: 100_000, leverage: 40 }),
        position({ ticker: ETH, sizeBase: (ethSide * ethUsd) / 4_000, entryPrice: 4_000, leverage: 25 }),
      ];
      return walletState(equityShare * (btcUsd + ethUsd), held);
    });

  const judged = (equityUsd: number, action: "long" | "short", notionalUsd: number, leverage: number) => {
    const longBtc = position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 40 });
    const trade = proposedTrade({ ticker: ETH, action, notionalUsd, leverage });
    return assess(
      assessInput({
        account: walletState(equityUsd, [longBtc]),
        asset: assetView(ETH),
        trade,
      }),
    );
  };

  it("is assessed as if the margin were posted", () => {
    const posted = judged(20_000, "long", 50_000, 1);
    const without = judged(20_000, "long", 50_000, 25);

    expect(posted.applied.assumedDepositUsd).toBeGreaterThan(0);
    expect(without.applied.assumedDepositUsd).toBe(0);
    expect(posted.score.facts.marginRatio).toBeLessThan(without.score.facts.marginRatio);
    expect(posted.score.score).toBeLessThan(without.score.score - 5);
  });

  it("is as safe as at a leverage that needs none where it makes a pool in danger safer", () => {
    const posted = judged(4_000, "short", 20_000, 1);
    const without = judged(4_000, "short", 20_000, 25);

    expect(posted.applied.assumedDepositUsd).toBeGreaterThan(0);
    expect(without.applied.assumedDepositUsd).toBe(0);
    expect(posted.score.facts.liquidationProbability).toBe(without.score.facts.liquidationProbability);
    expect(without.score.facts.liquidationProbability).toBeGreaterThan(0.1);
  });

  it("scores no better at a higher leverage, hedges too", () => {
    fc.assert(
      fc.property(
        account,
        magnitude(100, 200_000),
        fc.constantFrom("long" as const, "short" as const),
        fc.constantFrom(BTC, ETH),
        (held, notionalUsd, action, ticker) => {
          let last = -Infinity;
          for (const leverage of LEVERAGES) {
            const trade = proposedTrade({ ticker, action, notionalUsd, leverage });
            const { score } = assess(assessInput({ account: held, asset: assetView(ticker), trade }));
            expect(score.score).toBeGreaterThanOrEqual(last - 1e-9);
            last = score.score;
          }
        },
      ),
    );
  });
});

describe("an asset without a model", () => {
  const pool = [position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 40 })];
  const judged = (equityUsd: number, asset: AssetView, notionalUsd: number, leverage: number) =>
    assess(
      assessInput({
        account: walletState(equityUsd, pool),
        asset,
        trade: proposedTrade({ ticker: ETH, notionalUsd, leverage }),
      }),
    );

  it.each([
    ["neither tails nor volatility", assetView(ETH, { tails: null, volatility: null })],
    ["no tails", assetView(ETH, { tails: null })],
  ])("stays unknown on assumed margin, and scores no better at a higher leverage: %s", (_, asset) => {
    const owned = judged(200_000, asset, 50_000, 1).score;
    const assumed = judged(20_000, asset, 50_000, 1);

    expect(assumed.applied.assumedDepositUsd).toBeGreaterThan(0);
    expect(assumed.score.score).toBeGreaterThanOrEqual(owned.score);
    expect(assumed.score.flags).toContain("risk_model_unavailable");
    fc.assert(
      fc.property(magnitude(1_500, 200_000), magnitude(1_000, 1_000_000), (equityUsd, notionalUsd) => {
        const scores = [1, 2, 5, 10, 25].map(
          (leverage) => judged(equityUsd, asset, notionalUsd, leverage).score.score,
        );
        for (let i = 1; i < scores.length; i++)
          expect(scores[i]).toBeGreaterThanOrEqual(scores[i - 1]! - 1e-9);
      }),
    );
  });
});

describe("a position without a model in the pool", () => {
  it("is flagged and leaves the facts of a trade on assumed margin to what is known", () => {
    const unmodelled = assetView(ETH, { tails: null, volatility: null });
    const { applied, score } = assess(
      assessInput({
        account: walletState(5_000, [
          position({ ticker: ETH, sizeBase: 10, entryPrice: 4_000, leverage: 25 }),
        ]),
        // No leverage of the asset makes do with this equity.
        trade: proposedTrade({ ticker: BTC, notionalUsd: 1_000_000, leverage: 1 }),
        viewOf: (ticker) => (ticker === ETH ? unmodelled : assetView(ticker)),
      }),
    );

    expect(applied.assumedDepositUsd).toBeGreaterThan(0);
    expect(score.flags).toContain("unpriced_position");
    expect(score.facts.liquidationProbability).toBeLessThan(0.01);
    expect(score.facts.liquidationSigmas).toBeGreaterThan(5);
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
