import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position, WalletState } from "../../../src/domain/account.ts";
import type { Ticker } from "../../../src/domain/ids.ts";
import { clamp } from "../../../src/math/clamp.ts";
import { accountMarginOf } from "../../../src/risk/margin/account-margin.ts";
import {
  type PortfolioStress,
  portfolioStressOf,
  stressedAccountOf,
  worstPortfolioStress,
} from "../../../src/risk/stress/portfolio-stress.ts";
import { STRESS_SCENARIOS } from "../../../src/risk/stress/stress-scenarios.ts";
import { stressPool, stressedPoolOf as poolByDefinition } from "../../oracle/stressed-pool.ts";
import { direction, magnitude } from "../../support/arbitraries.ts";
import { BTC, ETH, walletState } from "../../support/builders.ts";
import { DOGE, held, indexOf, UNKNOWN, viewOf } from "../../support/stress-views.ts";

/*
 * Mutants killed by hand: an empty cross pool that does not survive; an account that survives with nothing left; the first
 * of the scenarios that take all; one isolated position's loss, funding or liquidation left out; an equity below nothing
 * taken off the account's value.
 */

const stressOf = (account: WalletState, id: string): PortfolioStress =>
  portfolioStressOf(stressedAccountOf(account, viewOf), indexOf(id));

/** Cross, or isolated with so much behind it. */
function heldOn(ticker: Ticker, notionalUsd: number, marginUsd: number | null = null): Position {
  if (marginUsd === null) return held(ticker, notionalUsd);
  return held(ticker, notionalUsd, { marginMode: "isolated", isolatedCashUsd: marginUsd - notionalUsd });
}

const sized = fc.tuple(
  fc.constantFrom(BTC, ETH, DOGE, UNKNOWN),
  direction,
  magnitude(100, 1e6),
  fc.constantFrom(null, 0, 0.1, 0.7),
);
const anyAccount: fc.Arbitrary<WalletState> = fc
  .tuple(
    fc.oneof(magnitude(0.01, 1e6), fc.constant(0)),
    fc.uniqueArray(sized, { minLength: 1, maxLength: 4, selector: ([ticker]) => ticker }),
  )
  .map(([equityUsd, sizes]) =>
    walletState(
      equityUsd,
      sizes.map(([t, d, usd, share]) => heldOn(t, d * usd, share === null ? null : share * usd)),
    ),
  );

describe("portfolioStressOf", () => {
  it("is what becomes of each pool: a liquidated one loses what it had, the others their moves and funding", () => {
    const seen = { survived: 0, partly: 0, lost: 0 };
    fc.assert(
      fc.property(anyAccount, (account) => {
        const isolated = account.positions.filter(({ marginMode }) => marginMode === "isolated");
        const pools = [null, ...isolated]
          .map((own) => poolByDefinition(account, own, viewOf))
          .filter(({ members }) => members.length > 0);
        const valueUsd = accountMarginOf(account, viewOf).accountValueUsd;
        const stressed = stressedAccountOf(account, viewOf);
        // What rounding is measured by: the sums are of cash and notionals.
        const grossUsd = account.positions.reduce(
          (sumUsd, { sizeBase, entryPrice }) => sumUsd + Math.abs(sizeBase) * entryPrice,
          valueUsd,
        );

        STRESS_SCENARIOS.forEach((_, i) => {
          let [pnlUsd, fundingUsd, liquidated] = [0, 0, 0];
          for (const pool of pools) {
            const end = stressPool(pool, i);
            pnlUsd += end.survives ? end.equityUsd - pool.equityUsd : -pool.equityUsd;
            fundingUsd += end.survives
              ? end.fundingUsd
              : clamp(end.fundingUsd, -pool.equityUsd, pool.equityUsd);
            if (!end.survives) liquidated += pool.members.length;
          }
          const stress = portfolioStressOf(stressed, i);

          expect(stress.totalPnlUsd / grossUsd).toBeCloseTo(pnlUsd / grossUsd, 9);
          // What rounding leaves of an account that is worth nothing is no value to take a share of.
          if (valueUsd > 1e-9 * grossUsd) {
            // Nine digits, and what rounding leaves of the value that a share is taken of.
            const tolerance = 5e-10 + 4 * Number.EPSILON * (grossUsd / valueUsd);
            const offOf = (fraction: number, usd: number): number =>
              Math.abs(fraction * valueUsd - usd) / grossUsd;
            expect(offOf(stress.totalPnlFraction, pnlUsd)).toBeLessThan(tolerance);
            expect(offOf(stress.totalFundingFraction, fundingUsd)).toBeLessThan(tolerance);
          }
          expect(stress.positionsLiquidated).toBe(liquidated);
          const all = account.positions.length;
          seen[liquidated === 0 ? "survived" : liquidated < all ? "partly" : "lost"]++;
        });
      }),
    );
    expect(Math.min(seen.survived, seen.partly, seen.lost)).toBeGreaterThan(100);
  });

  it("lets an account live by its isolated positions, with no cash beside them", () => {
    const [safe, risky] = [heldOn(BTC, 10_000, 9_000), heldOn(ETH, 10_000, 500)];

    expect(stressOf(walletState(0, [safe]), "ftx_crash")).toMatchObject({
      accountSurvives: true,
      positionsLiquidated: 0,
    });
    expect(stressOf(walletState(0, [safe, risky]), "ftx_crash")).toMatchObject({
      accountSurvives: true,
      positionsLiquidated: 1,
    });
  });

  it("does not let it live when they are gone and there is no cash, or when its cross positions are", () => {
    const [safe, risky] = [heldOn(BTC, 10_000, 9_000), heldOn(ETH, 10_000, 500)];

    expect(stressOf(walletState(0, [risky]), "ftx_crash")).toMatchObject({
      accountSurvives: false,
      positionsLiquidated: 1,
    });
    expect(stressOf(walletState(1, [risky]), "ftx_crash").accountSurvives).toBe(true);
    // What rounding leaves when all cash was posted as margin is no cash.
    expect(stressOf(walletState(1e-12, [risky]), "ftx_crash").accountSurvives).toBe(false);
    expect(stressOf(walletState(500, [safe, heldOn(ETH, 10_000)]), "ftx_crash")).toMatchObject({
      accountSurvives: false,
      positionsLiquidated: 1,
    });
  });

  it("loses no more than all where an isolated position owes more than it has", () => {
    const account = walletState(1_000, [heldOn(BTC, 100_000), heldOn(ETH, 10_000, -600)]);

    expect(stressOf(account, "black_thursday_2020")).toMatchObject({
      totalPnlUsd: -1_000,
      totalPnlFraction: -1,
      positionsLiquidated: 2,
    });
  });

  it("loses no more than all where the cross account owes more than it has", () => {
    const account = walletState(-5_000, [heldOn(ETH, 100_000), heldOn(BTC, 10_000, 2_000)]);

    expect(stressOf(account, "black_thursday_2020")).toMatchObject({
      totalPnlUsd: -2_000,
      totalPnlFraction: -1,
      accountSurvives: false,
      positionsLiquidated: 2,
    });
  });
});

describe("the percentages of an account's stress", () => {
  it("are of the account's value, however small it is", () => {
    const account = walletState(0.5, [heldOn(BTC, 10)]);

    expect(stressOf(account, "black_thursday_2020")).toMatchObject({
      totalPnlUsd: -0.5,
      totalPnlFraction: -1,
      positionsLiquidated: 1,
    });
  });

  it("are 0 of an account that is worth nothing, whatever its positions would receive", () => {
    const account = walletState(-50, [heldOn(ETH, 1_000)]);

    expect(stressOf(account, "black_thursday_2020")).toMatchObject({
      totalPnlFraction: 0,
      totalFundingFraction: 0,
      positionsLiquidated: 1,
    });
  });
});

describe("worstPortfolioStress", () => {
  it("is the one of all scenarios that takes most, whichever that is", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyAccount, (account) => {
        const stressed = stressedAccountOf(account, viewOf);
        const worst = worstPortfolioStress(stressed)!;

        expect(worst.totalPnlUsd).toBe(
          Math.min(...STRESS_SCENARIOS.map((_, i) => portfolioStressOf(stressed, i).totalPnlUsd)),
        );
        seen.add(worst.scenario.id);
      }),
    );
    expect(seen.size).toBeGreaterThan(4);
  });

  it("is, of the scenarios that take all there is, the one that would take the most", () => {
    const account = walletState(20_000, [heldOn(BTC, 100_000)]);
    const taking = STRESS_SCENARIOS.filter(({ id }) => stressOf(account, id).totalPnlUsd === -20_000);

    expect(taking.map(({ id }) => id).slice(0, 2)).toEqual(["luna_collapse", "ftx_crash"]);
    expect(worstPortfolioStress(stressedAccountOf(account, viewOf))!.scenario.id).toBe("black_thursday_2020");
  });
});
