import { expect, it } from "vitest";
import { wireUserFees } from "../../src/simulator/fee-schedule.ts";
import { WALLET_PLANS } from "../../src/simulator/wallet-plans.ts";

/** Taker and maker in percent above a 14-day volume in millions of USD. Source: exchange docs, "Fees", 2026-09. */
const TIERS = [
  [0, 0.045, 0.015],
  [5, 0.04, 0.012],
  [25, 0.035, 0.008],
  [100, 0.03, 0.004],
  [500, 0.028, 0],
  [2_000, 0.026, 0],
  [7_000, 0.024, 0],
] as const;
const TIME_MS = Date.UTC(2026, 10, 20, 16);
const feesOf = (volume14dUsd: number) => wireUserFees({ ...WALLET_PLANS[0]!, volume14dUsd }, TIME_MS);

it("a wallet pays the rates of the tier that its volume is above", () => {
  TIERS.forEach(([millions, taker, maker], tier) => {
    const above = feesOf(millions * 1e6 + 1);
    expect(Number(above.userCrossRate)).toBeCloseTo(taker / 100, 12);
    expect(Number(above.userAddRate)).toBeCloseTo(maker / 100, 12);
    if (tier === 0) return;
    const at = feesOf(millions * 1e6);
    expect(Number(at.userCrossRate)).toBeCloseTo(TIERS[tier - 1]![1] / 100, 12);
    const listed = at.feeSchedule.tiers.vip[tier - 1]!;
    expect(Number(listed.ntlCutoff)).toBe(millions * 1e6);
    expect(Number(listed.cross)).toBeCloseTo(taker / 100, 12);
    expect(Number(listed.add)).toBeCloseTo(maker / 100, 12);
  });
});

it("the schedule has the base rates, the rebates and the discounts for everybody", () => {
  const { feeSchedule, userCrossRate } = wireUserFees(undefined, TIME_MS);
  const { tiers, stakingDiscountTiers } = feeSchedule;

  expect([feeSchedule.cross, feeSchedule.add, userCrossRate]).toEqual(["0.00045", "0.00015", "0.00045"]);
  expect(tiers.mm.map(({ add }) => Number(add))).toEqual([-1e-5, -2e-5, -3e-5]);
  expect(tiers.mm.map(({ makerFractionCutoff }) => Number(makerFractionCutoff))).toEqual([
    0.005, 0.015, 0.03,
  ]);
  expect(stakingDiscountTiers.map(({ discount }) => Number(discount))).toEqual([
    0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4,
  ]);
  expect(feeSchedule.referralDiscount).toBe("0.04");
});

it("the volume is spread over the last fourteen days, today the last", () => {
  const { dailyUserVlm } = feesOf(140e6);

  expect(dailyUserVlm.length).toBe(14);
  expect([dailyUserVlm[0]!.date, dailyUserVlm[13]!.date]).toEqual(["2026-11-07", "2026-11-20"]);
  expect(dailyUserVlm.reduce((sum, { userCross }) => sum + Number(userCross), 0)).toBeCloseTo(140e6, 3);
});
