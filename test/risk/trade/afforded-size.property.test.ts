import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "../../../src/domain/account.ts";
import { SIZING_LIMITS } from "../../../src/risk/calibration/calibration.ts";
import { affordedUsdOf } from "../../../src/risk/trade/afforded-size.ts";
import { assess } from "../../../src/risk/assess.ts";
import { carryOut, type CarriedTrade } from "../../../src/risk/trade/trade-setting.ts";
import { BTC, ETH, position, proposedTrade, walletState } from "../../support/builders.ts";
import { account, assessInputs, opening } from "../../support/market-arbitraries.ts";
import { assessInput } from "../../support/market.ts";
import { settingOf } from "../../support/trade-setting.ts";

/** What the trade itself costs: its fee, and slippage against the mark. */
function costsUsd({ applied, liquidity }: CarriedTrade, markPrice: number, feeFraction: number): number {
  const { tradedBase } = applied;
  const slippedUsd = tradedBase * (liquidity.slippage.fillPrice - markPrice);
  return Math.abs(tradedBase) * markPrice * feeFraction + Math.abs(slippedUsd);
}

describe("affordedUsdOf", () => {
  it("is the largest order that needs no deposit but for its costs", () => {
    let flips = 0;
    fc.assert(
      fc.property(assessInputs, account, opening, (input, held, action) => {
        const setting = settingOf(input, held, { isMarketStale: false, isWalletStale: false });
        const asked = { ...input.trade, action };
        const affordedUsd = affordedUsdOf(setting, carryOut(setting, asked));
        if (affordedUsd < 1 || affordedUsd >= 1e8) return;
        const { markPrice } = input.asset.context;
        const costsOf = (carried: CarriedTrade): number =>
          costsUsd(carried, markPrice, setting.takerFeeFraction);

        const at = carryOut(setting, { ...asked, notionalUsd: affordedUsd });
        if (at.applied.closedBase > 0 && at.applied.openedBase * markPrice > 0.01 * affordedUsd) flips += 1;
        expect(at.applied.assumedDepositUsd).toBeLessThanOrEqual(costsOf(at) + 1e-9 * affordedUsd);

        // A pool that already lacks margin is not asked for what it lacked before.
        if (setting.margin.freeMarginUsd < 0) return;
        const above = carryOut(setting, { ...asked, notionalUsd: 1.01 * affordedUsd });
        const lackedUsd = (0.01 * affordedUsd) / at.trade.leverage - costsOf(above);
        if (lackedUsd > 0) expect(above.applied.assumedDepositUsd).toBeGreaterThan(0.99 * lackedUsd);
      }),
      { numRuns: 1_000, endOnFailure: true },
    );
    expect(flips).toBeGreaterThan(20);
  });

  it("counts twice the margin of a position that the order turns round", () => {
    const short = position({ ticker: BTC, sizeBase: -0.1, entryPrice: 100_000, leverage: 10 });
    const sizingOf = (crossCashUsd: number) =>
      assess({
        ...assessInput({ account: walletState(crossCashUsd, [short]) }),
        trade: proposedTrade({ notionalUsd: 1_000, leverage: 10 }),
      }).sizing!;

    // Equity 1,000, all of it the short's margin: 10,000 close it, and nine tenths of 1,000 open nine thousand.
    const { limitsUsd } = sizingOf(1_000);

    expect(limitsUsd.margin_headroom).toBeGreaterThan(10_000);
    expect(limitsUsd.margin_headroom).toBeLessThanOrEqual(19_000);
  });

  it("is nothing where the margin is already overdrawn, and at most the largest order that there is", () => {
    const others = [position({ ticker: ETH, sizeBase: 100, entryPrice: 4_000, leverage: 5 })];
    const afforded = (crossEquityUsd: number, positions: readonly Position[]): number => {
      const setting = settingOf(assessInput(), walletState(crossEquityUsd, positions));
      return affordedUsdOf(setting, carryOut(setting, proposedTrade({ leverage: 40 })));
    };

    expect(afforded(60_000, others)).toBe(0);
    expect(afforded(1e9, [])).toBe(SIZING_LIMITS.notionalMaxUsd.value);
  });
});
