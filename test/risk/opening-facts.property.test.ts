import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ticker } from "../../src/domain/ids.ts";
import { accountMarginOf } from "../../src/risk/account-margin.ts";
import { ownShortfall99Usd } from "../../src/risk/account-risk.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import { takerFeeFractionOf } from "../../src/risk/fees.ts";
import type { ShortfallBySize } from "../../src/risk/opening-headroom.ts";
import { openingFacts } from "../../src/risk/opening-facts.ts";
import { emptyAccount } from "../../src/risk/resolved-trade.ts";
import type { ScoreFacts } from "../../src/risk/scoring/risk-facts.ts";
import { tradeFacts } from "../../src/risk/trade-facts.ts";
import { carryOut, type CarriedTrade, tradeSetting } from "../../src/risk/trade-setting.ts";
import { magnitude } from "../support/arbitraries.ts";
import { assessInputs } from "../support/market-arbitraries.ts";

/**
 * Mutants killed: fee left out of the equity; slippage left out of an isolated pool; the value before the trade under the
 * shortfall; other positions' maintenance left out; liquidatable ignored; open interest without the opening; funding,
 * regime or staleness not taken over.
 */
describe("openingFacts", () => {
  it("are those of the trade carried out", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        assessInputs,
        magnitude(1e-4, 1.2),
        magnitude(1e3, 1e8),
        magnitude(1e-4, 1),
        fc.boolean(),
        (input, share, cashUsd, loss, stale) => {
          const { asset, trade } = input;
          const viewOf = (ticker: Ticker): AssetView | undefined =>
            ticker === asset.listing.ticker ? asset : input.viewOf(ticker);
          const given = input.account ?? emptyAccount(trade.wallet);
          const positions = given.positions.filter(({ ticker }) => ticker !== asset.listing.ticker);
          const account = { ...given, positions, crossCashUsd: given.crossCashUsd + cashUsd };
          const fee = takerFeeFractionOf(account.takerFeeFraction);
          const margin = accountMarginOf(account, viewOf);
          const setting = tradeSetting(asset, account, margin, viewOf, fee, {
            isWalletMissing: false,
            isMarketStale: stale,
            isWalletStale: false,
          });
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
              touch: carried.touch,
              correlation: null,
            });
          const asked = carryOut(setting, opening);
          const sizeUsd = Math.max(1, share * margin.freeMarginUsd * asked.trade.leverage);
          const candidate = carryOut(setting, { ...opening, notionalUsd: sizeUsd });
          if (candidate.applied.assumedDepositUsd > 0) return;
          compared += 1;

          const fast = openingFacts(setting, asked, factsOf(asked), shortfallBySize, sizeUsd);

          const slow = factsOf(candidate);
          for (const field of Object.keys(fast) as (keyof ScoreFacts)[]) {
            const [found, wanted] = [fast[field], slow[field]];
            if (typeof found !== "number" || typeof wanted !== "number") expect(found, field).toBe(wanted);
            else if (found !== wanted) expect(found / wanted, field).toBeCloseTo(1, 7);
          }
        },
      ),
      { numRuns: 500 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
