import { DAY_MS } from "../domain/bar.ts";
import type { WireUserFees } from "../exchange/hyperliquid/wire.ts";
import { wireRounded } from "./price-grid.ts";
import type { WalletPlan } from "./wallet-plans.ts";

const VIP_TIERS: readonly [
  cutoffUsd: number,
  cross: string,
  add: string,
  spotCross: string,
  spotAdd: string,
][] = [
  [5e6, "0.0004", "0.00012", "0.0006", "0.0003"],
  [25e6, "0.00035", "0.00008", "0.0005", "0.0002"],
  [100e6, "0.0003", "0.00004", "0.0004", "0.0001"],
  [500e6, "0.00028", "0.0", "0.00035", "0.0"],
  [2e9, "0.00026", "0.0", "0.0003", "0.0"],
  [7e9, "0.00024", "0.0", "0.00025", "0.0"],
];

/** Fee schedule and the wallet's own rates by its 14-day volume. Source: exchange docs, "Fees", 2026-09. */
export function wireUserFees(plan: WalletPlan | undefined, timeMs: number): WireUserFees {
  const volumeUsd = plan?.volume14dUsd ?? 0;
  const [, cross, add, spotCross, spotAdd] =
    VIP_TIERS.findLast(([cutoff]) => volumeUsd > cutoff) ??
    ([0, "0.00045", "0.00015", "0.0007", "0.0004"] as const);
  const dailyUsd = wireRounded(volumeUsd / 14, 6);
  return {
    dailyUserVlm: Array.from({ length: 14 }, (_, i) => ({
      date: new Date(timeMs - (13 - i) * DAY_MS).toISOString().slice(0, 10),
      userCross: dailyUsd,
      userAdd: "0.0",
      exchange: "9811200334.42",
    })),
    feeSchedule: {
      cross: "0.00045",
      add: "0.00015",
      spotCross: "0.0007",
      spotAdd: "0.0004",
      tiers: {
        vip: VIP_TIERS.map(([cutoff, c, a, sc, sa]) => ({
          ntlCutoff: `${cutoff}.0`,
          cross: c,
          add: a,
          spotCross: sc,
          spotAdd: sa,
        })),
        mm: [
          { makerFractionCutoff: "0.005", add: "-0.00001" },
          { makerFractionCutoff: "0.015", add: "-0.00002" },
          { makerFractionCutoff: "0.03", add: "-0.00003" },
        ],
      },
      referralDiscount: "0.04",
      stakingDiscountTiers: [
        ["0.0", "0.0"],
        ["0.0001", "0.05"],
        ["0.001", "0.1"],
        ["0.01", "0.15"],
        ["0.1", "0.2"],
        ["1.0", "0.3"],
        ["5.0", "0.4"],
      ].map(([bpsOfMaxSupply = "0.0", discount = "0.0"]) => ({ bpsOfMaxSupply, discount })),
    },
    userCrossRate: cross,
    userAddRate: add,
    userSpotCrossRate: spotCross,
    userSpotAddRate: spotAdd,
    activeReferralDiscount: "0.0",
    trial: null,
    feeTrialEscrow: "0.0",
    nextTrialAvailableTimestamp: null,
    stakingLink: null,
    activeStakingDiscount: { bpsOfMaxSupply: "0.0", discount: "0.0" },
  };
}
