import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownShortfall99Usd } from "../../../src/risk/trade/account-risk.ts";
import type { ShortfallBySize } from "../../../src/risk/sizing/size-headroom.ts";
import { sizedFacts } from "../../../src/risk/sizing/sized-facts.ts";
import { sizeBasisOf, sizedTrade } from "../../../src/risk/sizing/sized-trade.ts";
import { emptyAccount } from "../../../src/risk/trade/resolved-trade.ts";
import type { ScoreFacts } from "../../../src/risk/scoring/risk-facts.ts";
import { tradeFacts } from "../../../src/risk/trade/trade-facts.ts";
import { carryOut, type CarriedTrade } from "../../../src/risk/trade/trade-setting.ts";
import { magnitude } from "../../support/arbitraries.ts";
import { position, proposedTrade, walletState } from "../../support/builders.ts";
import { assessInput } from "../../support/market.ts";
import { assessInputs } from "../../support/market-arbitraries.ts";
import { settingOf } from "../../support/trade-setting.ts";

const KINDS = ["adds", "flips", "opens"].flatMap((what) => [`${what}, cross`, `${what}, isolated`]);

/**
 * Mutants killed: those of sizeHeadroom's test, the position after the trade taken for the order's alone, the closed part
 * counted as opened; open interest with the whole order, or its share without the held position; other positions'
 * maintenance left out; liquidatable ignored.
 */
describe("sizedFacts", () => {
  it("are those of the trade carried out", () => {
    const compared = new Map<string, number>();
    fc.assert(
      fc.property(
        assessInputs,
        magnitude(1e-4, 1.2),
        magnitude(1e3, 1e8),
        magnitude(1e-4, 1),
        fc.record({
          isMarketStale: fc.boolean(),
          isWalletStale: fc.boolean(),
          isWalletMissing: fc.boolean(),
        }),
        fc.boolean(),
        (input, share, cashUsd, loss, staleness, isCollateralKnown) => {
          const { asset, trade } = input;
          const given = input.account ?? emptyAccount(trade.wallet);
          const account = { ...given, crossCashUsd: given.crossCashUsd + cashUsd, isCollateralKnown };
          const setting = settingOf(input, account, staleness);
          const opening = { ...trade, action: trade.action === "close" ? ("long" as const) : trade.action };
          const shortfallBySize: ShortfallBySize = (tradeUsd, sizeBase, positionUsd) =>
            asset.tails === null ? null : ownShortfall99Usd(asset, sizeBase, positionUsd)! + loss * tradeUsd;
          const factsOf = (carried: CarriedTrade) =>
            tradeFacts(setting, carried, {
              expectedShortfall99Usd: shortfallBySize(
                carried.trade.notionalUsd,
                carried.liquidation.sizeBase,
                carried.liquidation.notionalUsd,
              ),
              crossShortfall99Usd: null,
              poolLiquidationAdded: 0,
              touch: carried.touch,
              correlation: null,
            });
          const asked = carryOut(setting, opening);
          const heldBase = asked.trade.position?.sizeBase ?? 0;
          const closedUsd = Math.max(0, -asked.trade.direction * heldBase) * asset.context.markPrice;
          const openedUsd = Math.max(1, share * setting.margin.freeMarginUsd * asked.trade.leverage);
          const sizeUsd = closedUsd + openedUsd;
          const candidate = carryOut(setting, { ...opening, notionalUsd: sizeUsd });
          if (candidate.applied.assumedDepositUsd > 0 || candidate.applied.openedBase === 0) return;
          const { position, marginMode } = candidate.trade;
          const { closedBase } = candidate.applied;
          const kind = `${position === null ? "opens" : closedBase > 0 ? "flips" : "adds"}, ${marginMode}`;
          compared.set(kind, 1 + (compared.get(kind) ?? 0));

          const basis = sizeBasisOf(setting, asked.trade);
          const sized = sizedTrade(basis, sizeUsd);
          const shortfallUsd = shortfallBySize(sizeUsd, sized.sizeBase, sized.notionalUsd);
          const fast = sizedFacts(setting, basis, factsOf(asked), sizeUsd, sized, shortfallUsd, null);

          const slow = factsOf(candidate);
          for (const field of Object.keys(fast) as (keyof ScoreFacts)[]) {
            const [found, wanted] = [fast[field], slow[field]];
            if (typeof found !== "number" || typeof wanted !== "number") expect(found, field).toBe(wanted);
            else if (found !== wanted) expect(found / wanted, field).toBeCloseTo(1, 7);
          }
        },
      ),
      // Shrinking whole markets takes minutes.
      { numRuns: 4000, endOnFailure: true },
    );
    expect([...compared.keys()].sort()).toEqual(KINDS);
    for (const count of compared.values()) expect(count).toBeGreaterThan(5);
  });

  it("see nothing to liquidate where the order leaves the account flat, however little stands behind it", () => {
    const account = walletState(100_000, [position({ sizeBase: -0.1 })]);
    const setting = settingOf(assessInput(), account);
    const asked = carryOut(setting, proposedTrade({ notionalUsd: 20_000 }));
    const basis = sizeBasisOf(setting, asked.trade);
    const risk = {
      expectedShortfall99Usd: 0,
      crossShortfall99Usd: null,
      poolLiquidationAdded: 0,
      touch: asked.touch,
      correlation: null,
    };
    const flat = { ...sizedTrade(basis, 10_000), sizeBase: 0, notionalUsd: 0, poolEquityUsd: -1 };

    const facts = sizedFacts(setting, basis, tradeFacts(setting, asked, risk), 10_000, flat, 0, null);

    expect(facts).toMatchObject({ liquidationProbability: 0, liquidationDistanceFraction: Infinity });
  });
});
