import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assess } from "../../../src/risk/assess.ts";
import type { WalletState } from "../../../src/domain/account.ts";
import { accountMarginOf } from "../../../src/risk/margin/account-margin.ts";
import type { AssetView } from "../../../src/risk/asset-view.ts";
import { accountTouchOf } from "../../../src/risk/portfolio/liquidation/cross-touch.ts";
import { accountShortfall99Usd } from "../../../src/risk/trade/account-risk.ts";
import { magnitude } from "../../support/arbitraries.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../../support/builders.ts";
import { assessInput, assetView, SOL, TEST_SCENARIOS, testViewOf } from "../../support/market.ts";
import { liquidationAt } from "../../support/trade-setting.ts";

// Mutants killed by hand: the floor for isolated trades, too; isolated positions in the floor; no floor; no bound by the
// leverage that needs no deposit; that bound as the floor; the probability of its liquidation with the deposit; the
// standing pool's facts in the place of unknown ones; a cross trade floored by the pool before it alone; certain liquidation for a position without a model; no floor for an
// isolated trade, or by the account before it; its shortfall at the size asked, or at the one affordable; equity with the
// deposit; a pool's positions each alone; a pool below nothing as one of no risk.

/** Rounding is allowed, and what else is said. */
function neverFalls(scores: readonly number[], tolerance = 1e-9): void {
  for (let i = 1; i < scores.length; i++)
    expect(scores[i]).toBeGreaterThanOrEqual(scores[i - 1]! - tolerance);
}

/** What one scenario of the test's 256 is in a pool's probability, on the steepest part of its floor. */
const POOL_SCENARIO_POINTS = 10;
/** How often scores may fall by that: as docs/limits.md says of random trades. */
const FALLS_SHARE_MAX = 0.003;

function falls(scores: readonly number[]): boolean {
  return scores.some((score, i) => score < (scores[i - 1] ?? 0) - 1e-9);
}

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

  it("is one that owes a millionth of a dollar, not one whose sums leave a rounding error below nothing", () => {
    const isolated = position({
      ...{ ticker: SOL, sizeBase: 1_000, entryPrice: 200, leverage: 1 },
      ...{ marginMode: "isolated" as const, isolatedCashUsd: 0 },
    });
    const trade = proposedTrade({ ticker: ETH, notionalUsd: 1_000, leverage: 2 });
    const scoresWith = (held: readonly (typeof isolated)[]): number[] =>
      [0, 0.3 - (0.1 + 0.2), -1e-6].map((crossCashUsd) => {
        const account = { ...walletState(0, held), crossCashUsd };
        return assess(assessInput({ account, asset: assetView(ETH), trade })).score.displayed;
      });

    for (const [nothing, rounded, indebted] of [scoresWith([]), scoresWith([isolated])]) {
      expect(rounded).toBe(nothing);
      expect([nothing! < 41, indebted]).toEqual([true, 100]);
    }
  });

  it("keeps the margin ratio and the distance of the pool before it", () => {
    const before = liquidationAt(brink, BTC, testViewOf);

    const { marginRatio, liquidationDistanceFraction } = scoreOf(50_000_000, 1).facts;

    expect(marginRatio).toBe(before.poolMaintenanceUsd / before.poolEquityUsd);
    expect(liquidationDistanceFraction).toBe(before.distanceFraction);
  });

  it("keeps the loss of the account before it, and of its cross positions beside what is isolated", () => {
    const leveraged = position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 40 });
    const richIsolated = position({
      ...{ ticker: SOL, sizeBase: 1_000, entryPrice: 200, leverage: 1 },
      ...{ marginMode: "isolated" as const, isolatedCashUsd: 0 },
    });
    // All of its equity is margin, so that it can pay for none of the order.
    const trade = proposedTrade({ ticker: ETH, notionalUsd: 1_000_000, leverage: 1 });
    const lossOf = (held: readonly (typeof leveraged)[]): number => {
      const account = walletState(2_500, held);
      return assess(assessInput({ account, asset: assetView(ETH), trade })).score.facts.accountLossFraction!;
    };
    const beforeUsd = accountShortfall99Usd(walletState(2_500, [leveraged]), BTC, testViewOf, TEST_SCENARIOS);
    const before = beforeUsd / 2_500;

    expect(before).toBeGreaterThan(0.2);
    expect(lossOf([leveraged])).toBeCloseTo(before, 9);
    expect(lossOf([leveraged, richIsolated])).toBeCloseTo(before, 9);
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
    isLacking = false,
  ): readonly number[] =>
    LEVERAGES.map((leverage) => {
      const trade = proposedTrade({ ticker: ETH, notionalUsd, leverage, marginMode });
      const account = walletState(crossCashUsd, [held]);
      return assess(assessInput({ account, asset: assetView(ETH), trade }));
    })
      .filter(({ applied }) => !isLacking || applied.assumedDepositUsd > 0)
      .map(({ score }) => score.score);

  it("does not lift the score of an isolated trade at the leverages that lack margin", () => {
    fc.assert(
      fc.property(magnitude(1_300, 10_000), magnitude(100, 50_000), (cashUsd, notionalUsd) => {
        // Where margin suffices, a lower leverage takes more of it out of the pool that carries the other position.
        const lacking = scoresOf(cashUsd, position(onTheBrink), "isolated", notionalUsd, true);
        neverFalls(lacking, POOL_SCENARIO_POINTS);
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

  it("is as safe as at the asset's largest leverage where only that needs none", () => {
    const depositAt = (leverage: number) =>
      judged(4_000, "short", 58_400, leverage).applied.assumedDepositUsd;
    expect([depositAt(40), depositAt(39) > 0]).toEqual([0, true]);

    expect(judged(4_000, "short", 58_400, 1).score.facts.liquidationProbability).toBe(
      judged(4_000, "short", 58_400, 40).score.facts.liquidationProbability,
    );
  });

  it("scores no better than what of it the account can pay for", () => {
    let lifted = 0;
    fc.assert(
      fc.property(
        magnitude(10_000, 40_000),
        fc.constantFrom(1, 2, 3),
        fc.constantFrom(1.2, 2, 5, 20),
        (equityUsd, leverage, times) => {
          const affordedUsd = 0.98 * leverage * (equityUsd - 2_500);
          const paid = judged(equityUsd, "long", affordedUsd, leverage);
          const lacking = judged(equityUsd, "long", times * affordedUsd, leverage);
          expect(paid.applied.assumedDepositUsd).toBe(0);
          expect(lacking.applied.assumedDepositUsd).toBeGreaterThan(0);
          // A scenario of the test's 256.
          neverFalls([paid.score.score, lacking.score.score], 2.5);
          lifted += lacking.score.score > paid.score.score + 2.5 ? 1 : 0;
        },
      ),
    );
    expect(lifted).toBeGreaterThan(0);
  });

  it("scores no better at a higher leverage, hedges too", () => {
    let [cases, fallen] = [0, 0];
    fc.assert(
      fc.property(
        account,
        magnitude(100, 200_000),
        fc.constantFrom("long" as const, "short" as const),
        fc.constantFrom(BTC, ETH),
        (held, notionalUsd, action, ticker) => {
          const scores = LEVERAGES.map((leverage) => {
            const trade = proposedTrade({ ticker, action, notionalUsd, leverage });
            return assess(assessInput({ account: held, asset: assetView(ticker), trade })).score.score;
          });
          neverFalls(scores, POOL_SCENARIO_POINTS);
          cases++;
          if (falls(scores)) fallen++;
        },
      ),
    );
    expect(fallen / cases).toBeLessThan(FALLS_SHARE_MAX);
  });
});

describe("a trade that lacks margin", () => {
  const sizes = (notionalUsd: number): number[] => [1, 3, 10, 100].map((times) => times * notionalUsd);
  const scoresOf = (held: WalletState, marginMode: "cross" | "isolated", notionalUsd: number) =>
    sizes(notionalUsd)
      .map((usd) =>
        assess(
          assessInput({
            account: held,
            asset: assetView(SOL),
            trade: proposedTrade({ ticker: SOL, notionalUsd: usd, leverage: 2, marginMode }),
          }),
        ),
      )
      .filter(({ applied }) => applied.assumedDepositUsd > 0)
      .map(({ score }) => score.score);
  const longs = fc
    .record({ btcUsd: magnitude(1_000, 200_000), solUsd: magnitude(100, 50_000), ofCash: magnitude(0.01, 1) })
    .map(({ btcUsd, solUsd, ofCash }) => ({ btcUsd, solUsd, cashUsd: ofCash * btcUsd }));

  it("scores no better the more it asks for, whatever it adds to", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        longs,
        fc.constantFrom("cross" as const, "isolated" as const),
        fc.boolean(),
        magnitude(100, 100_000),
        ({ btcUsd, solUsd, cashUsd }, marginMode, adds, notionalUsd) => {
          const sizeBase = solUsd / 200;
          const isolatedCashUsd = marginMode === "cross" ? null : solUsd / 15 - solUsd;
          const others = [
            position({ ticker: BTC, sizeBase: btcUsd / 100_000, entryPrice: 100_000, leverage: 40 }),
          ];
          const own = position({
            ticker: SOL,
            sizeBase,
            entryPrice: 200,
            leverage: 20,
            marginMode,
            isolatedCashUsd,
          });
          const scores = scoresOf(
            walletState(cashUsd, adds ? [...others, own] : others),
            marginMode,
            notionalUsd,
          );
          // One in 256 scenarios is up to 1.2 points: an order that brings its own deposit is told from the pool by two.
          neverFalls(scores, 2.5);
          compared += Math.max(0, scores.length - 1);
        },
      ),
    );
    expect(compared).toBeGreaterThan(30);
  });

  it("is not talked into safety by assumed margin for the isolated position that it adds to", () => {
    const brink = {
      ticker: SOL,
      sizeBase: 100,
      entryPrice: 200,
      leverage: 40,
      marginMode: "isolated" as const,
    };
    const account = walletState(0, [position({ ...brink, isolatedCashUsd: -20_000 + 600 })]);

    for (const score of scoresOf(account, "isolated", 5_000)) expect(score).toBeGreaterThan(71);
    expect(scoresOf(account, "isolated", 5_000)).toHaveLength(4);
  });

  it("counts the account's loss as after what it can pay for, however much more it asks for", () => {
    const account = walletState(20_000, [
      position({ ticker: BTC, sizeBase: 0.2, entryPrice: 100_000, leverage: 5 }),
    ]);
    const lossAt = (notionalUsd: number) =>
      assess(
        assessInput({
          account,
          asset: assetView(ETH),
          trade: proposedTrade({ ticker: ETH, notionalUsd, leverage: 1, marginMode: "isolated" }),
        }),
      ).score.facts.accountLossFraction!;
    const affordedUsd = 16_000;

    expect(lossAt(1_000_000)).toBeLessThan(1.01 * lossAt(0.999 * affordedUsd));
    expect(lossAt(1_000_000)).toBeGreaterThan(0.99 * lossAt(0.999 * affordedUsd));
  });

  it("does not hold an isolated hedge at a low leverage against it", () => {
    const account = walletState(22_000, [
      position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 5 }),
    ]);
    const scores = [1, 2, 5, 10, 20].map((leverage) => {
      const trade = proposedTrade({
        ticker: ETH,
        action: "short",
        notionalUsd: 30_000,
        leverage,
        marginMode: "isolated",
      });
      return assess(assessInput({ account, asset: assetView(ETH), trade })).score.score;
    });

    neverFalls(scores);
  });

  it("is no safer than the pool before it that all of its positions can empty", () => {
    const held = [
      position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, leverage: 40 }),
      position({ ticker: ETH, sizeBase: 25, entryPrice: 4_000, leverage: 25 }),
      position({ ticker: SOL, sizeBase: 500, entryPrice: 200, leverage: 20 }),
    ];
    const account = walletState(17_000, held);
    const margin = accountMarginOf(account, testViewOf);
    const before = accountTouchOf(account, margin, testViewOf, TEST_SCENARIOS)!;
    const trade = proposedTrade({ ticker: BTC, notionalUsd: 20_000_000, leverage: 1 });
    const { liquidationProbability, adverseProbability } = assess(assessInput({ account, trade })).score
      .facts;

    expect(before.liquidation).toBeGreaterThan(0.03);
    expect(liquidationProbability).toBeGreaterThanOrEqual(before.liquidation);
    expect(adverseProbability).toBeGreaterThanOrEqual(before.adverse);
  });

  it("finds nothing to stand on in a cross pool that owes more than it has", () => {
    const held = position({
      ticker: BTC,
      sizeBase: 1,
      entryPrice: 100_000,
      marginMode: "isolated",
      isolatedCashUsd: -90_000,
    });

    for (const account of [walletState(-50, [held]), walletState(-50)]) {
      expect(scoresOf(account, "cross", 1_000)).toEqual([100, 100, 100, 100]);
      const trade = proposedTrade({ ticker: SOL, notionalUsd: 1_000_000, leverage: 2 });
      const { facts } = assess(assessInput({ account, asset: assetView(SOL), trade })).score;
      expect(facts).toMatchObject({ marginRatio: Infinity, accountLossFraction: Infinity });
    }
  });

  it("leaves an isolated position out of the pool's dangers, and counts what it is worth as the account's", () => {
    const isolated = (isolatedCashUsd: number): WalletState =>
      walletState(0, [
        position({ ticker: BTC, sizeBase: 1, entryPrice: 100_000, marginMode: "isolated", isolatedCashUsd }),
      ]);
    const factsOf = (account: WalletState) =>
      // No leverage of the asset makes do with this equity.
      assess(
        assessInput({ account, asset: assetView(SOL), trade: proposedTrade({ ticker: SOL, leverage: 2 }) }),
      ).score.facts;

    const [brink, safe] = [factsOf(isolated(-98_500)), factsOf(isolated(-20_000))];

    expect(brink.marginRatio).toBe(safe.marginRatio);
    expect(brink.liquidationDistanceFraction).toBe(safe.liquidationDistanceFraction);
    expect(brink.liquidationProbability).toBeLessThan(0.01);
    expect(safe.accountLossFraction).toBeLessThan(0.5);
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
    let [cases, fallen] = [0, 0];
    fc.assert(
      fc.property(magnitude(1_500, 200_000), magnitude(1_000, 1_000_000), (equityUsd, notionalUsd) => {
        const scores = [1, 2, 5, 10, 25].map(
          (leverage) => judged(equityUsd, asset, notionalUsd, leverage).score.score,
        );
        // A larger order is affordable at a higher leverage, and the pool after it is another one.
        neverFalls(scores, POOL_SCENARIO_POINTS);
        cases++;
        if (falls(scores)) fallen++;
      }),
    );
    expect(fallen / cases).toBeLessThan(FALLS_SHARE_MAX);
  });

  it("ends no better on assumed margin than the pool that it joins is known to", () => {
    const before = walletState(4_000, pool);
    const margin = accountMarginOf(before, testViewOf);
    const known = accountTouchOf(before, margin, testViewOf, TEST_SCENARIOS)!;
    // No leverage of the asset makes do with this equity.
    const { facts } = judged(4_000, assetView(ETH, { tails: null }), 200_000, 1).score;

    expect(known.adverse).toBeGreaterThan(0.05);
    expect(facts.adverseProbability).toBeGreaterThanOrEqual(known.adverse);
    expect(facts.liquidationProbability).toBeGreaterThanOrEqual(known.liquidation);
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
