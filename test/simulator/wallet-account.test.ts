import { expect, it } from "vitest";
import { LiquidationEngine } from "../../src/simulator/liquidation-engine.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { positionMaintenance, WalletAccount } from "../../src/simulator/wallet-account.ts";
import { WalletJournal } from "../../src/simulator/wallet-journal.ts";
import { WALLET_PLANS, type WalletPlan } from "../../src/simulator/wallet-plans.ts";
import { wireClearinghouseState, wireSpotState } from "../../src/simulator/wallet-wire.ts";

const NOW_MS = Date.UTC(2026, 5, 1);
const market = new SimulatedMarket(7, NOW_MS, new Scenarios(), { historyHours: 48 });
const assetOf = market.assetOf.bind(market);

function opened(isWanted: (plan: WalletPlan) => boolean): WalletAccount {
  const account = new WalletAccount(WALLET_PLANS.find(isWanted)!);
  account.open(assetOf, NOW_MS);
  return account;
}

it("a wallet that starts over has the funding of its new positions, once", () => {
  const account = opened(({ positions }) => positions.length > 1);
  const first = [...account.fundings];

  account.open(assetOf, NOW_MS);

  expect(first.length).toBeGreaterThan(0);
  expect(account.fundings).toEqual(first);
});

it.each(WALLET_PLANS.map((plan) => [plan.label, plan] as const))("%s opens as planned", (_, plan) => {
  const account = new WalletAccount(plan);
  const journal = new WalletJournal();

  account.open(assetOf, NOW_MS);
  new LiquidationEngine().check(account, journal, NOW_MS);

  expect(journal.end).toBe(0);
  expect([...account.positions.keys()]).toEqual(plan.positions.map(({ coin }) => coin));
  for (const planned of plan.positions) {
    const { coin, direction, notionalUsd, leverage, gainFraction = 0, liquidationDistance } = planned;
    const position = account.positions.get(coin)!;
    const { sizeSigned, entryPrice, isolatedRawUsd } = position;
    const { markPrice, spec } = position.asset;
    expect(position.leverage).toBe(leverage);
    expect(Math.abs(direction * notionalUsd - sizeSigned * markPrice)).toBeLessThanOrEqual(
      0.51 * 10 ** -spec.szDecimals * markPrice,
    );
    expect(direction * (markPrice / entryPrice - 1)).toBeCloseTo(gainFraction, 3);
    expect(position.openedMs).toBe(NOW_MS - planned.openedHoursAgo * 3_600_000);
    const wanted = position.isIsolated ? liquidationDistance : plan.crossLiquidationDistance;
    if (wanted !== undefined) {
      const liquidation = account.liquidationPriceOf(position, account.crossMargin)!;
      expect(liquidation / markPrice).toBeCloseTo(1 - direction * wanted, 9);
    } else if (position.isIsolated) {
      const marginUsd = isolatedRawUsd + sizeSigned * entryPrice;
      expect(marginUsd).toBeCloseTo((Math.abs(sizeSigned) * entryPrice) / leverage, 6);
    }
  }
  const times = account.fundings.map(({ timeMs }) => timeMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const [coin, { asset, openedMs, fundingPaidUsd }] of account.positions) {
    const paid = account.fundings.filter((one) => one.coin === coin);
    const settled = asset.funding.settlements.filter(({ timeMs }) => timeMs > openedMs);
    expect(paid.map(({ timeMs }) => timeMs)).toEqual(settled.map(({ timeMs }) => timeMs));
    expect(fundingPaidUsd).toBeCloseTo(-paid.reduce((sum, { usd }) => sum + usd, 0), 6);
    for (const { timeMs, usd, sizeSigned, rateHourly } of paid) {
      expect(usd).toBeCloseTo(-sizeSigned * asset.candles.hour.closeAt(timeMs) * rateHourly, 6);
    }
  }
  if (plan.crossLiquidationDistance !== undefined || account.usesSpotCollateral) return;
  const costUsd = [...account.positions.values()]
    .filter(({ isIsolated }) => !isIsolated)
    .reduce((sum, { sizeSigned, entryPrice }) => sum + sizeSigned * entryPrice, 0);
  expect(account.crossRawUsd + costUsd).toBeCloseTo(plan.cashUsd, 4);
});

it.each(["unified", "portfolio-margin"])(
  "the USDC of a %s account has what its perpetuals gained and realised",
  (label) => {
    const account = opened((plan) => plan.label === label);
    const usdcNow = (): number => Number(wireSpotState(account).balances[0]!.total);
    const availableNow = (): number =>
      Number(wireSpotState(account).tokenToAvailableAfterMaintenance![0]![1]);
    // A unified account is backed by its USDC, portfolio margin by all that it has.
    const [usdc, other] = account.plan.spot!;
    const otherUsd = label === "unified" ? 0 : other!.total * assetOf(other!.coin)!.markPrice;
    const expectUsdc = (gainedUsd: number): void => {
      expect(usdcNow()).toBeCloseTo(usdc!.total + gainedUsd, 4);
      const { crossMaintenanceMarginUsed } = wireClearinghouseState(account, NOW_MS);
      expect(availableNow()).toBeCloseTo(usdcNow() + otherUsd - Number(crossMaintenanceMarginUsed), 4);
    };
    const unrealisedUsd = (): number =>
      wireClearinghouseState(account, NOW_MS).assetPositions.reduce(
        (sum, { position }) => sum + Number(position.unrealizedPnl),
        0,
      );
    expectUsdc(unrealisedUsd());

    const payments = account.payFunding(NOW_MS, () => 0.001);
    const [position] = account.positions.values();
    expect(payments.length).toBe(account.plan.positions.length);
    for (const { coin, usd, sizeSigned } of payments) {
      expect(usd).toBeCloseTo(-sizeSigned * assetOf(coin)!.oraclePrice * 0.001, 6);
    }
    const closedUsd = account.reduce(position!, Math.abs(position!.sizeSigned), 1.01 * position!.entryPrice);

    const realisedUsd = payments.reduce((sum, { usd }) => sum + usd, closedUsd);
    expect(Math.abs(closedUsd)).toBeGreaterThan(100);
    expectUsdc(realisedUsd + unrealisedUsd());
  },
);

it("an account that pools its collateral shows the margin that it holds on its perpetual side", () => {
  const account = opened(({ label }) => label === "unified");
  const [position] = account.positions.values();
  const notionalUsd = (): number => account.crossMargin.notionalUsd;
  for (const leverage of [4, 10, 40]) {
    account.positions.set(position!.asset.spec.coin, { ...position!, leverage });
    const spotNow = wireSpotState(account);
    const state = wireClearinghouseState(account, NOW_MS);
    const marginUsd = Math.max(Number(state.marginSummary.totalMarginUsed), 0.1 * notionalUsd());
    expect(Number(state.marginSummary.accountValue)).toBeCloseTo(marginUsd, 4);
    expect(Number(spotNow.balances[0]!.hold)).toBeCloseTo(marginUsd, 4);
    expect(Number(state.withdrawable)).toBe(0);
    const signedUsd = [...account.positions.values()].reduce(
      (sum, { asset, sizeSigned }) => sum + sizeSigned * asset.markPrice,
      0,
    );
    expect(Number(state.crossMarginSummary.totalRawUsd)).toBeCloseTo(marginUsd - signedUsd, 4);
  }
});

it("the tokens that back a portfolio-margin account are worth what they are at the mark of the moment", () => {
  const account = opened(({ label }) => label === "portfolio-margin");
  const [usdc, token] = account.plan.spot!;
  const asset = assetOf(token!.coin)!;
  const openingPrice = asset.markPrice;
  for (const factor of [1.2, 0.8, 1]) {
    asset.markPrice = factor * openingPrice;
    const { balances, tokenToAvailableAfterMaintenance, portfolioMarginRatio } = wireSpotState(account);
    const { crossMaintenanceMarginUsed } = wireClearinghouseState(account, NOW_MS);
    const unrealisedUsd = [...account.positions.values()].reduce(
      (sum, { asset: held, sizeSigned, entryPrice }) => sum + sizeSigned * (held.markPrice - entryPrice),
      0,
    );
    const equityUsd = usdc!.total + token!.total * factor * openingPrice + unrealisedUsd;
    const maintenanceUsd = Number(crossMaintenanceMarginUsed);

    expect(Number(balances[0]!.total)).toBeCloseTo(usdc!.total + unrealisedUsd, 4);
    expect(Number(balances[1]!.total)).toBe(token!.total);
    expect(Number(tokenToAvailableAfterMaintenance![0]![1])).toBeCloseTo(equityUsd - maintenanceUsd, 4);
    expect(Number(portfolioMarginRatio)).toBeCloseTo(maintenanceUsd / equityUsd, 8);
  }
});

it.each([
  ["portfolio-margin", 0.95],
  ["unified", 1],
])("a %s account is liquidated when maintenance is above %s of its value", (label, ratioMax) => {
  const account = opened((plan) => plan.label === label);
  for (const [share, isLiquidated] of [
    [0.999, false],
    [1.001, true],
  ] as const) {
    const { accountValueUsd, maintenanceUsd } = account.crossMargin;
    account.crossRawUsd += maintenanceUsd / (share * ratioMax) - accountValueUsd;
    new LiquidationEngine().check(account, new WalletJournal(), NOW_MS);
    expect(account.liquidatedMs !== undefined).toBe(isLiquidated);
  }
});

it("the liquidator takes the tokens of a portfolio-margin account with the rest of its margin", () => {
  const account = opened(({ label }) => label === "portfolio-margin");
  const [held] = account.positions.values();
  account.crossRawUsd += 0.01 * positionMaintenance(held!) - account.crossMargin.accountValueUsd;

  new LiquidationEngine().check(account, new WalletJournal(), NOW_MS);

  expect(account.positions.size).toBe(0);
  expect(account.crossMargin.accountValueUsd).toBeCloseTo(0, 6);
});
