import { expect, it } from "vitest";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { WalletAccount } from "../../src/simulator/wallet-account.ts";
import { WALLET_PLANS } from "../../src/simulator/wallet-plans.ts";

it("a wallet that starts over has the funding of its new positions, once", () => {
  const nowMs = Date.UTC(2026, 5, 1);
  const market = new SimulatedMarket(7, nowMs, new Scenarios(), { historyHours: 48 });
  const plan = WALLET_PLANS.find(({ positions }) => positions.length > 1)!;
  const account = new WalletAccount(plan);
  const assetOf = market.assetOf.bind(market);

  account.open(assetOf, nowMs);
  const first = [...account.fundings];
  account.open(assetOf, nowMs);

  expect(first.length).toBeGreaterThan(0);
  expect(account.fundings).toEqual(first);
});
