import { expect, it } from "vitest";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { SimulatedWallets } from "../../src/simulator/simulated-wallets.ts";
import { WALLET_PLANS } from "../../src/simulator/wallet-plans.ts";

const NOW_MS = Date.UTC(2026, 5, 1);
const HOUR_MS = 3_600_000;

it("a liquidated owner is back as planned at the first settlement an hour later, once, and others are not touched", () => {
  const market = new SimulatedMarket(7, NOW_MS, new Scenarios(), { historyHours: 48 });
  const wallets = new SimulatedWallets(market);
  const accountOf = (label: string) =>
    wallets.accountOf(WALLET_PLANS.find((plan) => plan.label === label)!.address)!;
  const [gone, spared] = [accountOf("brink"), accountOf("funding-payer")];
  const planned = [...gone.positions].map(([coin, { leverage }]) => [coin, leverage]);
  const kept = [...spared.positions.values()];

  for (const { asset, sizeSigned } of [...gone.positions.values()])
    asset.markPrice *= sizeSigned > 0 ? 0.5 : 2;
  wallets.oracleTicked(NOW_MS);
  expect(gone.positions.size).toBe(0);

  wallets.fundingSettled(NOW_MS + HOUR_MS - 1, new Map());
  expect(gone.positions.size).toBe(0);

  wallets.fundingSettled(NOW_MS + HOUR_MS, new Map());
  expect([...gone.positions].map(([coin, { leverage }]) => [coin, leverage])).toEqual(planned);
  expect(gone.isCrossLiquidatable).toBe(false);
  expect([...spared.positions.values()]).toEqual(kept);

  const back = [...gone.positions.values()];
  wallets.oracleTicked(NOW_MS + HOUR_MS);
  wallets.fundingSettled(NOW_MS + 2 * HOUR_MS, new Map());
  expect([...gone.positions.values()].every((position, i) => position === back[i])).toBe(true);
});
