import { expect, it } from "vitest";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { WalletAccount } from "../../src/simulator/wallet-account.ts";
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

it.each(["unified", "portfolio-margin"])(
  "the USDC of a %s account has what its perpetuals realised",
  (label) => {
    const account = opened((plan) => plan.label === label);
    const usdcNow = (): number => Number(wireSpotState(account).balances[0]!.total);
    const availableNow = (): number =>
      Number(wireSpotState(account).tokenToAvailableAfterMaintenance![0]![1]);
    const unrealisedNow = (): number =>
      Number(wireClearinghouseState(account, NOW_MS).marginSummary.accountValue);
    const maintenanceNow = (): number => account.crossMargin.maintenanceUsd;
    const before = [usdcNow(), availableNow() + maintenanceNow(), unrealisedNow()];
    // A unified account is backed by its USDC, portfolio margin by all that it has.
  const [usdc, other] = account.plan.spot!;
  const otherUsd = label === "unified" ? 0 : other!.total * assetOf(other!.coin)!.markPrice;
  expect(before[0]).toBe(usdc!.total);
  expect(before[1]).toBeCloseTo(usdc!.total + otherUsd + before[2]!, 4);

    const payments = account.payFunding(NOW_MS, () => 0.001);
    const [position] = account.positions.values();
    const closedUsd = account.reduce(position!, Math.abs(position!.sizeSigned), 1.01 * position!.entryPrice);

    const realisedUsd = payments.reduce((sum, { usd }) => sum + usd, closedUsd);
    expect(Math.abs(closedUsd)).toBeGreaterThan(100);
    expect(usdcNow() - before[0]!).toBeCloseTo(realisedUsd, 5);
    const [, equityBefore, unrealisedBefore] = before;
    expect(availableNow() + maintenanceNow() - equityBefore!).toBeCloseTo(
      realisedUsd + unrealisedNow() - unrealisedBefore!,
      4,
    );
  },
);
