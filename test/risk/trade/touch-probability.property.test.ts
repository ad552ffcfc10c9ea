import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paidFundingFraction } from "../../../src/risk/funding.ts";
import { raisedTouch, touchProbabilitiesOf } from "../../../src/risk/trade/touch-probability.ts";
import { direction, magnitude } from "../../support/arbitraries.ts";
import { BTC, position, walletState } from "../../support/builders.ts";
import { assetView, fundingOutlook } from "../../support/market.ts";
import { liquidationAt } from "../../support/trade-setting.ts";

const MARK = 100_000;

/**
 * Mutants killed: the barrier moved by the factor e^paid; funding that is received counted; the other positions'
 * maintenance forgotten; the loss barrier without funding; an equity that funding uses up taken for one without a barrier.
 */
describe("touchProbabilitiesOf", () => {
  it("takes the funding to be paid off the equity, as a withdrawal would", () => {
    fc.assert(
      fc.property(
        direction,
        magnitude(1e3, 1e8),
        magnitude(0.02, 3),
        magnitude(1e-5, 0.96),
        (side, notionalUsd, equityShare, paidFraction) => {
          const held = (heldEquityUsd: number) =>
            walletState(heldEquityUsd, [position({ sizeBase: (side * notionalUsd) / MARK })]);
          const paying = assetView(BTC, {
            funding: fundingOutlook(0, { drag24hFraction: side * paidFraction }),
          });
          const free = assetView(BTC, { funding: fundingOutlook(0) });
          const equityUsd = equityShare * notionalUsd;
          const before = liquidationAt(held(equityUsd), BTC, () => paying);
          const paidUsd = paidFraction * notionalUsd;
          const after = liquidationAt(held(equityUsd - paidUsd), BTC, () => free);

          const touch = touchProbabilitiesOf(paying, before);

          expect(paidFundingFraction(paying.funding, side)).toBe(paidFraction);
          expect(touch.liquidation).toBeCloseTo(touchProbabilitiesOf(free, after).liquidation!, 6);
          expect(touch.adverse).toBeGreaterThanOrEqual(touch.liquidation!);
          if (paidUsd >= equityUsd / 2) expect(touch.adverse).toBe(1);
        },
      ),
    );
  });

  it("counts no funding that is received", () => {
    fc.assert(
      fc.property(direction, magnitude(0.05, 1), magnitude(1e-5, 0.96), (side, equityShare, received) => {
        const account = walletState(equityShare * MARK, [position({ sizeBase: side })]);
        const receiving = assetView(BTC, {
          funding: fundingOutlook(0, { drag24hFraction: -side * received }),
        });
        const free = assetView(BTC, { funding: fundingOutlook(0) });
        const held = liquidationAt(account, BTC, () => free);

        expect(touchProbabilitiesOf(receiving, held)).toEqual(touchProbabilitiesOf(free, held));
      }),
    );
  });

  it("is certain where the position can be liquidated now, though nothing is known of its asset", () => {
    const held = liquidationAt(walletState(500, [position({ sizeBase: 1 })]), BTC, () => assetView());

    expect(held.isLiquidatable).toBe(true);
    expect(touchProbabilitiesOf(undefined, held)).toEqual({ liquidation: 1, adverse: 1 });
  });
});

describe("raisedTouch", () => {
  it("takes of each probability the worse, and leaves what is not known unknown", () => {
    const own = { liquidation: 0.3, adverse: 0.4 };

    expect(raisedTouch(own, { liquidation: 0.2, adverse: 0.5 })).toEqual({ liquidation: 0.3, adverse: 0.5 });
    expect(raisedTouch(own, { liquidation: 0.35, adverse: 0.38 })).toEqual({
      liquidation: 0.35,
      adverse: 0.4,
    });
    expect(raisedTouch(own, null)).toEqual(own);
    const unknown = { liquidation: null, adverse: null };
    expect(raisedTouch(unknown, { liquidation: 0.2, adverse: 0.5 })).toEqual(unknown);
  });
});
