import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ticker } from "../../src/domain/ids.ts";
import { accountMarginOf } from "../../src/risk/account-margin.ts";
import { ownShortfall99Usd } from "../../src/risk/account-risk.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import { isAccountRiskAccepted } from "../../src/risk/assess-sizing.ts";
import { takerFeeFractionOf } from "../../src/risk/fees.ts";
import { openingHeadroom, type ShortfallBySize } from "../../src/risk/opening-headroom.ts";
import { emptyAccount } from "../../src/risk/resolved-trade.ts";
import { carryOut, tradeSetting } from "../../src/risk/trade-setting.ts";
import { magnitude } from "../support/arbitraries.ts";
import { assessInputs } from "../support/market-arbitraries.ts";

/** A thousandth of a basis point off the limit both must have decided. */
const NEAR = 1e-7;

/** Null for a book that hedges all of it: what is then left is the liquidation that must stay improbable. */
const shortfallShares = fc.oneof(magnitude(1e-4, 1), fc.constant(null));

/**
 * Mutants seen to fail: fee or slippage left out; the slippage of an isolated position taken from free margin; deposit left
 * out; other positions' maintenance left out, or charged to an isolated position; shortfall compared with the value
 * before; funding left out of the barrier.
 */
describe("openingHeadroom", () => {
  it("answers what carrying the trade out answers", () => {
    fc.assert(
      fc.property(assessInputs, magnitude(1, 1e8), shortfallShares, (input, usd, shortfallShare) => {
        const { asset, trade } = input;
        const viewOf = (ticker: Ticker): AssetView | undefined =>
          ticker === asset.listing.ticker ? asset : input.viewOf(ticker);
        const given = input.account ?? emptyAccount(trade.wallet);
        const positions = given.positions.filter(({ ticker }) => ticker !== asset.listing.ticker);
        const account = { ...given, positions };
        const fee = takerFeeFractionOf(account.takerFeeFraction);
        const setting = tradeSetting(asset, account, accountMarginOf(account, viewOf), viewOf, fee, {
          isWalletMissing: false,
          isMarketStale: false,
          isWalletStale: false,
        });
        const action = trade.action === "close" ? ("long" as const) : trade.action;
        // A hedged trade at the market's highest leverage, so that liquidation and not margin ends what is accepted.
        const levered = { marginMode: "cross" as const, leverage: asset.listing.maxLeverage };
        const opening = { ...trade, action, ...(shortfallShare === null ? levered : {}) };
        const shortfall: ShortfallBySize = (tradeUsd, sizeBase, positionUsd) =>
          asset.tails === null
            ? null
            : shortfallShare === null
              ? 0
              : ownShortfall99Usd(asset, sizeBase, positionUsd)! + shortfallShare * tradeUsd;

        const slow = (size: number): boolean =>
          isAccountRiskAccepted(carryOut(setting, { ...opening, notionalUsd: size }), shortfall);
        const fast = openingHeadroom(setting, carryOut(setting, opening), shortfall);

        const limitUsd = flipOf(slow);
        for (const size of [usd, limitUsd * (1 - NEAR), limitUsd * (1 + NEAR)]) {
          expect(fast(size) >= 0).toBe(slow(size));
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** The size at which acceptance ends, by bisection. */
function flipOf(isAccepted: (size: number) => boolean): number {
  let [low, high] = [1, 1e9];
  for (let step = 0; step < 60; step += 1) {
    const middle = Math.sqrt(low * high);
    if (isAccepted(middle)) low = middle;
    else high = middle;
  }
  return high;
}
