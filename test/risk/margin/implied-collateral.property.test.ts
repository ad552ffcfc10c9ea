import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WalletState } from "../../../src/domain/account.ts";
import { accountMarginOf } from "../../../src/risk/margin/account-margin.ts";
import { withImpliedCollateral } from "../../../src/risk/margin/implied-collateral.ts";
import { magnitude } from "../../support/arbitraries.ts";
import { testViewOf } from "../../support/market.ts";
import { account } from "../../support/market-arbitraries.ts";
import { liquidationAt } from "../../support/trade-setting.ts";

/** Accounts that are not being liquidated, with the liquidation prices that the exchange would report. */
const reported = fc.tuple(account, magnitude(1, 1e6)).map(([held, spareUsd]): WalletState => {
  const { crossEquityUsd, crossMaintenanceUsd } = accountMarginOf(held, testViewOf);
  const lackedUsd = Math.max(0, crossMaintenanceUsd - crossEquityUsd);
  const whole = { ...held, crossCashUsd: held.crossCashUsd + lackedUsd + spareUsd };
  return {
    ...whole,
    positions: whole.positions.map((position) => ({
      ...position,
      reportedLiquidationPrice: liquidationAt(whole, position.ticker, testViewOf).liquidationPrice,
    })),
  };
});

// Mutants killed by hand: the collateral found but not added; prices of isolated positions read as the pool's, positions
// without a price not left out; a known account changed.
describe("withImpliedCollateral", () => {
  it("adds what the exchange's liquidation prices give away, and knows it then", () => {
    let found = 0;
    fc.assert(
      fc.property(reported, magnitude(1, 1e6), (whole, hiddenUsd) => {
        const seen = { ...whole, crossCashUsd: whole.crossCashUsd - hiddenUsd, isCollateralKnown: false };
        const isGivenAway = whole.positions.some(
          ({ marginMode, reportedLiquidationPrice }) =>
            marginMode === "cross" && reportedLiquidationPrice !== null,
        );

        const completed = withImpliedCollateral(seen, testViewOf);

        if (!isGivenAway) {
          expect(completed).toBe(seen);
          return;
        }
        found += 1;
        expect(completed.isCollateralKnown).toBe(true);
        const { crossNotionalUsd } = accountMarginOf(whole, testViewOf);
        const scaleUsd = 1 + Math.abs(whole.crossCashUsd) + hiddenUsd + crossNotionalUsd;
        expect(Math.abs(completed.crossCashUsd - whole.crossCashUsd) / scaleUsd).toBeLessThan(1e-9);
      }),
    );
    expect(found).toBeGreaterThan(30);
  });

  it("leaves an account alone whose collateral is known, whatever its prices say", () => {
    fc.assert(
      fc.property(reported, magnitude(1, 1e6), (whole, moreUsd) => {
        const known = { ...whole, crossCashUsd: whole.crossCashUsd + moreUsd, isCollateralKnown: true };

        expect(withImpliedCollateral(known, testViewOf)).toBe(known);
      }),
    );
  });
});
