import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { MarginTier } from "../../../src/domain/asset.ts";
import { tickerOf } from "../../../src/domain/ids.ts";
import { accountMarginOf } from "../../../src/risk/margin/account-margin.ts";
import { impliedCollateralUsd } from "../../../src/risk/margin/implied-collateral.ts";
import { isolatedLiquidationOf, liquidationPriceOf } from "../../../src/risk/margin/liquidation.ts";
import { buildMarginSchedule, maintenanceMarginUsd } from "../../../src/risk/margin/margin.ts";
import { BTC, ETH, position, shareOfSchedule, walletState } from "../../support/builders.ts";
import { recordedAccount, recordedTiers, type WireAccount } from "../../support/recorded-account.ts";
import {
  hasSharedData,
  hasSharedReference,
  SHARED_REFERENCE_DIR,
  sharedJson,
} from "../../support/shared-data.ts";
import { forEachVector, vectorMismatches } from "../../support/vectors.ts";
import { liquidationAt } from "../../support/trade-setting.ts";

const FORTY: readonly MarginTier[] = [{ notionalLowerUsd: 0, maxLeverage: 40 }];
const BTC_VIEW = { context: { markPrice: 100_000 }, marginSchedule: buildMarginSchedule(FORTY) };
const viewOf = (ticker: string): typeof BTC_VIEW | undefined => (ticker === "BTC" ? BTC_VIEW : undefined);

const recorded = (file: string): ReturnType<typeof recordedAccount> =>
  recordedAccount(sharedJson(`exchange_fixtures/${file}`) as WireAccount, recordedTiers());

describe("liquidationOf", () => {
  it("liquidates a 10x isolated long where a tenth less half a fortieth is lost", () => {
    // 1 BTC at 100,000 with 10,000 posted: 100000 (1 - 0.1) / (1 - 0.0125)
    const account = walletState(0, [
      position({ sizeBase: 1, marginMode: "isolated", leverage: 10, isolatedCashUsd: -90_000 }),
    ]);
    const facts = liquidationAt(account, BTC, viewOf);

    expect(facts.liquidationPrice).toBeCloseTo(90_000 / 0.9875, 8);
    // Where the liquidator vault takes over: equity of two thirds of the maintenance.
    expect(liquidationPriceOf(shareOfSchedule(BTC_VIEW.marginSchedule, 2 / 3), 1, -90_000, 0)).toBeCloseTo(
      90_000 / (1 - 0.025 / 3),
      8,
    );
    expect(facts.distanceFraction).toBeCloseTo(1 - 0.9 / 0.9875, 12);
    expect(facts).toMatchObject({ isLiquidatable: false, effectiveLeverage: 10, marginUsedFraction: 1 });
  });

  it("names the mark, at distance 0, when the account is already liquidatable", () => {
    const account = walletState(1250, [position({ sizeBase: 1 })]);

    expect(liquidationAt(account, BTC, viewOf)).toMatchObject({
      isLiquidatable: true,
      liquidationPrice: 100_000,
      distanceFraction: 0,
    });
  });

  it("has no price, never 0, for a long that its collateral covers whole", () => {
    const account = walletState(1_000_000, [position({ sizeBase: 0.01 })]);

    expect(liquidationAt(account, BTC, viewOf)).toMatchObject({
      liquidationPrice: null,
      distanceFraction: 1,
      isLiquidatable: false,
    });
  });

  it("has no price for one that its collateral covers up to rounding", () => {
    const covered = (cashUsd: number) => {
      const held = position({ sizeBase: 1, entryPrice: 100_000, leverage: 1 });
      return liquidationAt({ ...walletState(0, [held]), crossCashUsd: cashUsd }, BTC, viewOf)
        .liquidationPrice;
    };

    expect(covered(-1e-10)).toBeNull();
    expect(covered(-1)).toBeCloseTo(1 / (1 - 0.0125), 10);
  });

  it("reports a flat asset without distance or size, and the account's own leverage", () => {
    const account = walletState(50_000, [position({ sizeBase: 1 })]);

    expect(liquidationAt(account, ETH, viewOf)).toMatchObject({
      sizeBase: 0,
      liquidationPrice: null,
      distanceFraction: 1,
      effectiveLeverage: 2,
    });
  });

  it("caps the leverage of an account whose equity is gone", () => {
    const account = walletState(-5, [position({ sizeBase: 1 })]);

    expect(liquidationAt(account, BTC, viewOf)).toMatchObject({
      effectiveLeverage: 1000,
      marginUsedFraction: 1,
      distanceFraction: 0,
    });
  });

  it("counts every cross position in the leverage of the pool, and no other in that of an isolated one", () => {
    const other = position({ ticker: ETH, sizeBase: -10, entryPrice: 3000 });
    const crossLeverage = liquidationAt(walletState(26_000, [position({ sizeBase: 1 }), other]), BTC, viewOf);
    const isolated = position({ sizeBase: 1, marginMode: "isolated", isolatedCashUsd: -60_000 });

    expect(crossLeverage.effectiveLeverage).toBeCloseTo(130_000 / 26_000, 12);
    expect(liquidationAt(walletState(26_000, [isolated, other]), BTC, viewOf).effectiveLeverage).toBe(2.5);
  });

  it("values an asset that is not known here at entry, margined by its own leverage", () => {
    const account = walletState(3000, [
      position({ ticker: ETH, sizeBase: 1, entryPrice: 3000, leverage: 10 }),
    ]);
    const margin = accountMarginOf(account, viewOf);

    expect(margin).toMatchObject({ crossEquityUsd: 3000, crossMaintenanceUsd: 150 });
    expect(liquidationAt(account, ETH, viewOf).liquidationPrice).toBeNull();
  });
});

describe("isolatedLiquidationOf", () => {
  const held = position({ sizeBase: 1, marginMode: "isolated", leverage: 10, isolatedCashUsd: -90_000 });
  const after = (paidUsd: number): number =>
    isolatedLiquidationOf(held, 100_000, BTC_VIEW, paidUsd).liquidationPrice!;

  it("takes the funding off what is behind the position, until only its maintenance of 1250 is left", () => {
    expect(after(0)).toBeCloseTo(90_000 / 0.9875, 8);
    expect(after(2000)).toBeCloseTo(92_000 / 0.9875, 8);
    expect(after(8750)).toBe(100_000);
    expect(after(9000)).toBe(100_000);
    expect(isolatedLiquidationOf(held, 100_000, BTC_VIEW, 9000).poolEquityUsd).toBe(10_000);
  });
});

describe("oracle vectors", () => {
  forEachVector("liquidation_price", (vector) => {
    const input = vector.input as {
      szi: number;
      price: number;
      equity: number;
      other_maintenance: number;
      tiers: { lower_bound: number; max_leverage: number }[];
    };
    const schedule = buildMarginSchedule(
      input.tiers.map((tier) => ({ notionalLowerUsd: tier.lower_bound, maxLeverage: tier.max_leverage })),
    );
    // The others' maintenance is a position at 1x, which is margined at half its notional.
    const other = position({
      ticker: ETH,
      sizeBase: 2 * input.other_maintenance,
      entryPrice: 1,
      leverage: 1,
    });
    const held = position({ sizeBase: input.szi, entryPrice: input.price });
    const positions = input.other_maintenance > 0 ? [held, other] : [held];
    const view = { context: { markPrice: input.price }, marginSchedule: schedule };
    const facts = liquidationAt(walletState(input.equity, positions), BTC, (ticker) =>
      ticker === BTC ? view : undefined,
    );
    const cashUsd = input.equity - input.szi * input.price;
    const backstopUsd = (2 / 3) * facts.poolMaintenanceUsd;
    const actual: Record<string, number | null> = {
      liquidation_price: facts.liquidationPrice,
      distance_pct: facts.liquidationPrice === null ? null : 100 * facts.distanceFraction,
      backstop_price:
        input.equity <= backstopUsd
          ? input.price
          : liquidationPriceOf(
              shareOfSchedule(schedule, 2 / 3),
              input.szi,
              cashUsd,
              (2 / 3) * input.other_maintenance,
            ),
      maintenance_now: maintenanceMarginUsd(schedule, Math.abs(input.szi) * input.price),
    };
    const expected = Object.keys(vector.expected);

    expect(vectorMismatches(vector, Object.fromEntries(expected.map((key) => [key, actual[key]])))).toEqual(
      [],
    );
  });
});

describe.skipIf(!hasSharedData)("recorded accounts", () => {
  it.each([
    "clearinghouseState_whale.json",
    "clearinghouseState_small.json",
    "clearinghouseState_BTC1pos_20260925.json",
    "clearinghouseState_empty_mainnet.json",
  ])("gives the exchange's own margin numbers: %s", (file) => {
    const { wire, account, viewOf: view } = recorded(file);
    const margin = accountMarginOf(account, view);
    const summary = wire.crossMarginSummary;

    expect(margin.crossMaintenanceUsd).toBeCloseTo(Number(wire.crossMaintenanceMarginUsed), 3);
    expect(margin.accountValueUsd).toBeCloseTo(Number(summary.accountValue), 4);
    expect(margin.crossNotionalUsd).toBeCloseTo(Number(summary.totalNtlPos), 4);
    expect(margin.totalMarginUsedUsd).toBeCloseTo(Number(summary.totalMarginUsed), 3);
    expect(margin.freeMarginUsd).toBeCloseTo(
      Number(summary.accountValue) - Number(summary.totalMarginUsed),
      3,
    );
  });

  it("reproduces every liquidation price of a 34-position account to 1e-9", () => {
    const { account, viewOf: view } = recorded("clearinghouseState_whale.json");
    let compared = 0;
    for (const { ticker, reportedLiquidationPrice } of account.positions) {
      const { liquidationPrice } = liquidationAt(account, ticker, view);
      if (reportedLiquidationPrice === null) {
        expect(liquidationPrice).toBeNull();
        continue;
      }
      compared++;
      expect(Math.abs(liquidationPrice! / reportedLiquidationPrice - 1), ticker).toBeLessThan(1e-9);
    }

    expect(compared).toBe(33);
    expect(Math.abs(impliedCollateralUsd(account, view)!)).toBeLessThan(0.01);
  });

  it.each([
    ["clearinghouseState_small.json", 528_243.88, 3],
    ["clearinghouseState_BTC1pos_20260925.json", 8346.91, 1],
  ])("finds the collateral outside the perp state: %s", (file, collateralUsd, positions) => {
    const { account, viewOf: view } = recorded(file);
    const implied = impliedCollateralUsd(account, view)!;
    const whole = { ...account, crossCashUsd: account.crossCashUsd + implied };

    expect(implied).toBeCloseTo(collateralUsd, 1);
    expect(account.positions).toHaveLength(positions);
    for (const { ticker, reportedLiquidationPrice } of account.positions) {
      const found = liquidationAt(whole, ticker, view).liquidationPrice!;
      expect(Math.abs(found / reportedLiquidationPrice! - 1), ticker).toBeLessThan(1e-9);
    }
  });
});

describe.skipIf(!hasSharedReference)("documented isolated position", () => {
  it("solves from the isolated cash leg, and the account value includes its equity", () => {
    const path = `${SHARED_REFERENCE_DIR}/exchange-examples/rest.clearinghouseState.response.json`;
    const wire = JSON.parse(readFileSync(path, "utf8")) as WireAccount;
    const tiers = new Map<string, readonly MarginTier[]>([
      ["BTC", FORTY],
      ["ETH", [{ notionalLowerUsd: 0, maxLeverage: 25 }]],
      ["SOL", [{ notionalLowerUsd: 0, maxLeverage: 20 }]],
    ]);
    const { account, viewOf: view } = recordedAccount(wire, tiers);
    const margin = accountMarginOf(account, view);

    expect(margin.accountValueUsd).toBeCloseTo(Number(wire.marginSummary.accountValue), 6);
    expect(margin.totalMarginUsedUsd).toBeCloseTo(Number(wire.marginSummary.totalMarginUsed), 6);
    for (const { ticker, reportedLiquidationPrice } of account.positions) {
      const found = liquidationAt(account, ticker, view).liquidationPrice!;
      expect(Math.abs(found / reportedLiquidationPrice! - 1), ticker).toBeLessThan(1e-9);
    }
    // The exchange's documentation: 0.0335 ETH at 50x with rawUsd -95.059824 is liquidated at 2866.26936529.
    const fifty = buildMarginSchedule([{ notionalLowerUsd: 0, maxLeverage: 50 }]);
    expect(liquidationPriceOf(fifty, 0.0335, -95.059824, 0)).toBeCloseTo(2866.26936529, 4);
    expect(liquidationAt(account, tickerOf("SOL"), view).marginMode).toBe("isolated");
  });
});
