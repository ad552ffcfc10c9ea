import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownShortfall99Usd } from "../../../src/risk/trade/account-risk.ts";
import { maxLeverageAt } from "../../../src/risk/margin/margin.ts";
import { emptyAccount } from "../../../src/risk/trade/resolved-trade.ts";
import { largestWithin } from "../../../src/risk/sizing/size-search.ts";
import { type ShortfallBySize, sizeHeadroom } from "../../../src/risk/sizing/size-headroom.ts";
import { sizeBasisOf } from "../../../src/risk/sizing/sized-trade.ts";
import { carryOut, type CarriedTrade } from "../../../src/risk/trade/trade-setting.ts";
import { isAccountRiskAccepted } from "../../oracle/account-risk-acceptance.ts";
import { bisectedSize } from "../../oracle/size-bisection.ts";
import { magnitude } from "../../support/arbitraries.ts";
import { BTC, ETH, evenBook, position, proposedTrade, walletState } from "../../support/builders.ts";
import { assessInput, assetView } from "../../support/market.ts";
import { assessInputs } from "../../support/market-arbitraries.ts";
import { settingOf } from "../../support/trade-setting.ts";

/** A thousandth of a basis point off the limit both must have decided. */
const NEAR = 1e-7;

/** Null for a book that hedges all of it: what is then left is the liquidation that must stay improbable. */
const shortfallShares = fc.oneof(magnitude(1e-4, 1), fc.constant(null));

/**
 * Mutants killed: the held position's initial or maintenance margin not taken out of the others'; others' maintenance
 * charged to an isolated position, or left out; fee left out of the equity, slippage of the account's value; proceeds or
 * cash of a closed isolated part left out; a reduction held back; a size beyond what its leverage is allowed for; margin
 * lacked before the trade charged to it; the shortfall over the value before; funding left out of the shortfall, or of the
 * equity at the safe price; a rounding counted as opened.
 */
describe("sizeHeadroom", () => {
  it("answers what carrying the trade out answers", () => {
    fc.assert(
      fc.property(assessInputs, magnitude(1, 1e8), shortfallShares, (input, usd, shortfallShare) => {
        const { asset, trade } = input;
        const account = input.account ?? emptyAccount(trade.wallet);
        const setting = settingOf(input, account);
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

        const slow = (size: number): boolean => {
          const carried = carryOut(setting, { ...opening, notionalUsd: size });
          const leverageMax = maxLeverageAt(asset.marginSchedule, carried.liquidation.notionalUsd);
          return (
            (carried.applied.openedBase === 0 || carried.trade.leverage <= leverageMax) &&
            isAccountRiskAccepted(carried, shortfall, asset.funding.drag24hFraction, setting.viewOf)
          );
        };
        const fast = sizeHeadroom(setting, sizeBasisOf(setting, carryOut(setting, opening).trade), {
          account: shortfall,
          cross: null,
        });

        const limitUsd = flipOf(slow);
        for (const size of [usd, limitUsd * (1 - NEAR), limitUsd * (1 + NEAR)]) {
          expect(fast(size) >= 0).toBe(slow(size));
        }
        expect(largestWithin(usd, 0.005, fast)).toBe(bisectedSize(usd, 0.005, slow));
      }),
      // Shrinking whole markets takes minutes.
      { numRuns: 500, endOnFailure: true },
    );
  });

  it("lets an account that lacks margin turn a position round into one that needs less, but add to none", () => {
    // 45 000 of equity against 20 000 and 50 000 of initial margin.
    const held = [
      position({ sizeBase: 1, leverage: 5 }),
      position({ ticker: ETH, sizeBase: 25, entryPrice: 4_000, leverage: 2 }),
    ];
    const setting = settingOf(assessInput(), walletState(45_000, held));
    const order = (action: "long" | "short", notionalUsd: number): CarriedTrade =>
      carryOut(setting, proposedTrade({ action, notionalUsd, leverage: 5 }));
    expect(setting.margin.freeMarginUsd).toBeCloseTo(-25_000, 6);

    for (const [action, notionalUsd, isAccepted] of [
      ["short", 100_500, true],
      ["short", 150_000, true],
      ["short", 250_000, false],
      ["long", 500, false],
    ] as const) {
      const { trade } = order(action, notionalUsd);
      const shortfalls = { account: () => 0, cross: null };
      const slack = sizeHeadroom(setting, sizeBasisOf(setting, trade), shortfalls)(notionalUsd);

      expect(slack >= 0).toBe(isAccepted);
      expect(isAccountRiskAccepted(order(action, notionalUsd), () => 0, 0, setting.viewOf)).toBe(isAccepted);
    }
  });

  it("holds back nothing of an order for all that is held, whichever way its coins are rounded", () => {
    let roundedUp = 0;
    fc.assert(
      fc.property(magnitude(1e-3, 1e3), magnitude(1e-2, 1e5), (sizeBase, markPrice) => {
        // Without any equity: whatever opens is held back.
        const account = walletState(0, [position({ sizeBase, entryPrice: markPrice })]);
        const context = { ...assetView().context, markPrice, midPrice: markPrice };
        const asset = assetView(BTC, { context, book: evenBook(markPrice) });
        const setting = settingOf(assessInput({ asset }), account);
        const heldUsd = sizeBase * markPrice;
        if (heldUsd / markPrice > sizeBase) roundedUp += 1;
        const { trade } = carryOut(setting, proposedTrade({ action: "short", notionalUsd: heldUsd }));

        const shortfalls = { account: () => 0, cross: null };
        const slackOf = sizeHeadroom(setting, sizeBasisOf(setting, trade), shortfalls);

        expect(slackOf(heldUsd)).toBe(Infinity);
        expect(slackOf(2.1 * heldUsd)).toBeLessThan(0);
      }),
    );
    expect(roundedUp).toBeGreaterThan(5);
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
