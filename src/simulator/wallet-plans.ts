import type { WireUserAbstraction } from "../exchange/hyperliquid/wire.ts";

/** How a wallet's position is set up at the start; sizes follow from the mark of that moment. */
export interface PositionPlan {
  readonly coin: string;
  readonly direction: 1 | -1;
  readonly notionalUsd: number;
  readonly leverage: number;
  readonly isIsolated?: true;
  /** Profit so far as a fraction of the entry notional. */
  readonly gainFraction?: number;
  readonly openedHoursAgo: number;
  /** Isolated margin is chosen to put the liquidation price at this distance; absent means notional / leverage. */
  readonly liquidationDistance?: number;
}

interface SpotPlan {
  readonly coin: string;
  readonly token: number;
  readonly total: number;
}

export interface WalletPlan {
  readonly address: `0x${string}`;
  readonly label: string;
  readonly demonstrates: string;
  readonly abstraction: WireUserAbstraction;
  /** USDC that backs cross positions and orders. */
  readonly cashUsd: number;
  readonly positions: readonly PositionPlan[];
  /** Cross collateral is moved each hour so that the only cross position is this far from liquidation. */
  readonly crossLiquidationDistance?: number;
  readonly spot?: readonly SpotPlan[];
  readonly role?: "vault" | { readonly agentOf: string } | { readonly subAccountOf: string };
  /** 14-day volume, which sets the fee tier. */
  readonly volume14dUsd?: number;
}

const address = (tail: string): `0x${string}` =>
  `0x${tail.padStart(40, "5eed00000000000000000000000000000000")}`;

export const MASTER_ADDRESS = address("0003");

type PositionRow = readonly [
  coin: string,
  direction: 1 | -1,
  notionalUsd: number,
  leverage: number,
  extra?: Partial<PositionPlan>,
];

const positions = (...rows: readonly PositionRow[]): readonly PositionPlan[] =>
  rows.map(([coin, direction, notionalUsd, leverage, extra]) => ({
    coin,
    direction,
    notionalUsd,
    leverage,
    openedHoursAgo: 40,
    ...extra,
  }));

const isolated = (extra: Partial<PositionPlan> = {}): Partial<PositionPlan> => ({
  isIsolated: true,
  ...extra,
});

const plan = (
  tail: string,
  label: string,
  demonstrates: string,
  cashUsd: number,
  held: readonly PositionPlan[],
  extra: Partial<WalletPlan> = {},
): WalletPlan => ({
  address: address(tail),
  label,
  demonstrates,
  abstraction: "disabled",
  cashUsd,
  positions: held,
  ...extra,
});

/** Addresses that the exchange knows; every other address answers zeros. */
export const WALLET_PLANS: readonly WalletPlan[] = [
  plan("0001", "cash-only", "funded, no positions", 50_000, []),
  plan("0002", "empty", "known and empty: every amount is zero", 0, []),
  plan(
    "0003",
    "one-long",
    "one cross long at moderate leverage",
    20_000,
    positions(["BTC", 1, 43_000, 20, { gainFraction: 0.021 }]),
  ),
  plan(
    "0004",
    "one-short",
    "one cross short in profit",
    9_000,
    positions(["ETH", -1, 12_200, 10, { gainFraction: 0.022 }]),
  ),
  plan("0005", "many-positions", "twelve cross positions, long and short", 120_000, positions(
    ["BTC", 1, 90_000, 20, { gainFraction: 0.01 }], ["ETH", 1, 60_000, 15], ["SOL", 1, 42_000, 10, { gainFraction: -0.03 }],
    ["XRP", -1, 25_000, 10], ["DOGE", 1, 18_000, 5], ["HYPE", 1, 30_000, 5, { gainFraction: 0.12 }], ["kPEPE", -1, 9_000, 5],
    ["LINK", 1, 12_000, 5], ["AVAX", -1, 15_000, 5], ["AAVE", 1, 10_000, 4], ["SUI", 1, 14_000, 5], ["WIF", -1, 6_000, 3],
  )), // prettier-ignore
  plan("0006", "isolated-three", "three isolated positions beside free cash", 12_000, positions(
    ["SOL", 1, 5_900, 5, isolated({ gainFraction: 0.028 })], ["DOGE", -1, 4_000, 4, isolated()], ["ENA", 1, 2_500, 3, isolated()],
  )), // prettier-ignore
  plan("0007", "isolated-only-assets", "holds both live assets that refuse cross margin", 6_000, positions(
    ["MEGA", 1, 1_800, 2, isolated()], ["RIFT", -1, 2_400, 3, isolated()],
  )), // prettier-ignore
  plan(
    "0008",
    "near-liquidation-cross",
    "cross long 1.5 % from liquidation, re-funded to that distance each hour",
    0,
    positions(["BTC", 1, 400_000, 40, { gainFraction: -0.01 }]),
    { crossLiquidationDistance: 0.015 },
  ),
  plan(
    "0009",
    "near-liquidation-isolated",
    "isolated short 2 % from liquidation",
    3_000,
    positions(["SOL", -1, 80_000, 18, isolated({ liquidationDistance: 0.02 })]),
  ),
  plan(
    "000a",
    "brink",
    "cross long 0.4 % from liquidation: a crash liquidates it first",
    0,
    positions(["ETH", 1, 60_000, 25]),
    { crossLiquidationDistance: 0.004 },
  ),
  plan("000b", "whale-tiers", "notionals beyond the first margin tier of BTC, ETH and a 10x asset", 80e6, positions(
    ["BTC", 1, 210e6, 15, { gainFraction: 0.04 }], ["ETH", -1, 130e6, 12], ["BNB", 1, 4.2e6, 5],
  )), // prettier-ignore
  plan(
    "000c",
    "tier-crossing",
    "short whose notional enters the next margin tier before it is liquidated",
    12e6,
    positions(["SOL", -1, 62e6, 15]),
  ),
  plan("000d", "unified", "unified account: collateral is spot USDC, perp state alone shows none", 0, positions(["BTC", 1, 60_000, 10], ["ETH", -1, 20_000, 10]), {
    abstraction: "unifiedAccount",
    spot: [{ coin: "USDC", token: 0, total: 25_114.38211907 }, { coin: "HYPE", token: 150, total: 12.5 }],
  }), // prettier-ignore
  plan("000e", "portfolio-margin", "portfolio margin: borrowed USDC against HYPE", 0, positions(["HYPE", -1, 90_000, 5]), {
    abstraction: "portfolioMargin",
    spot: [{ coin: "USDC", token: 0, total: -18_200.5 }, { coin: "HYPE", token: 150, total: 3_500 }],
  }), // prettier-ignore
  plan("000f", "agent", "API wallet of one-long: has no state of its own", 0, [], {
    role: { agentOf: MASTER_ADDRESS },
  }),
  plan(
    "0010",
    "sub-account",
    "sub-account of one-long with its own positions",
    7_500,
    positions(["SOL", 1, 9_000, 8], ["LINK", -1, 3_000, 5]),
    { role: { subAccountOf: MASTER_ADDRESS } },
  ),
  plan(
    "0011",
    "vault",
    "a vault with a balanced book",
    900_000,
    positions(["BTC", 1, 500_000, 10], ["ETH", -1, 480_000, 10]),
    { role: "vault" },
  ),
  plan(
    "0012",
    "thin-holder",
    "position several times larger than the book of its asset",
    30_000,
    positions(["WISP", 1, 22_000, 2]),
  ),
  plan(
    "0013",
    "at-cap-holder",
    "positions in assets at the open-interest cap",
    15_000,
    positions(["STX", 1, 9_000, 3], ["TRB", -1, 4_000, 2]),
  ),
  plan(
    "0014",
    "new-listings",
    "positions in assets with days or hours of history",
    10_000,
    positions(["NOVA", 1, 4_000, 2], ["DAWN", -1, 1_500, 2]),
  ),
  plan("0015", "funding-payer", "long in the asset with the highest funding, short in the one with the lowest", 40_000, positions(
    ["BERA", 1, 60_000, 4, { openedHoursAgo: 200 }], ["ZEC", -1, 50_000, 5, { openedHoursAgo: 200 }],
  )), // prettier-ignore
  plan("0016", "correlated-longs", "five longs that fall together", 30_000, positions(
    ["ETH", 1, 40_000, 10], ["SOL", 1, 30_000, 10], ["SUI", 1, 20_000, 8], ["ARB", 1, 10_000, 5], ["OP", 1, 10_000, 5],
  )), // prettier-ignore
  plan(
    "0017",
    "hedged",
    "long and short of correlated assets: little net exposure",
    15_000,
    positions(["BTC", 1, 50_000, 10], ["ETH", -1, 42_000, 10]),
  ),
  plan("0018", "vip", "high volume: lower fees", 2_000_000, positions(["BTC", -1, 3_000_000, 10]), {
    volume14dUsd: 140e6,
  }),
  plan("0019", "dust", "a position below the minimum order value", 25, positions(["DOGE", 1, 6, 2])),
  plan("001a", "mixed-modes", "cross and isolated positions in one account", 25_000, positions(
    ["BTC", 1, 43_000, 20, { gainFraction: 0.02 }], ["ETH", -1, 12_200, 10, { gainFraction: 0.02 }], ["SOL", 1, 5_900, 5, isolated({ gainFraction: 0.03 })],
  )), // prettier-ignore
  plan(
    "001b",
    "margin-heavy",
    "nine tenths of the account is in use",
    10_000,
    positions(["ETH", 1, 90_000, 10]),
  ),
  plan("001c", "unified-idle", "unified account without positions", 0, [], {
    abstraction: "unifiedAccount",
    spot: [{ coin: "USDC", token: 0, total: 8_000 }],
  }),
];
