import type { WireMarginTable, WireMeta } from "../exchange/hyperliquid/wire.ts";

/** What an invented market is made of; every number that is not a rule of the exchange is chosen for realism. */
export interface SimulatedAsset {
  readonly coin: string;
  readonly szDecimals: number;
  readonly maxLeverage: number;
  readonly marginTableId: number;
  readonly marginMode?: "strictIsolated" | "noCross";
  readonly isDelisted?: true;
  readonly atOpenInterestCap?: true;
  /** History the asset starts with; absent means the full 5000 hours. */
  readonly listedHours?: number;
  readonly sector: Sector;
  readonly startPrice: number;
  readonly sigmaAnnual: number;
  /** Loading on the market factor. */
  readonly beta: number;
  /** Resting notional within 50 bps of the mid, each side, in quiet times. */
  readonly depth50Usd: number;
  readonly halfSpreadBps: number;
  readonly openInterestUsd: number;
  readonly dayVolumeUsd: number;
  /** Long-run premium of mid over oracle, as a fraction: what funding comes from. */
  readonly basisMean: number;
  readonly basisDeviation: number;
  /** Funding interval at the two other venues of predictedFundings; null when not listed there. */
  readonly binanceHours: 8 | 4 | 1 | null;
  readonly bybitHours: 8 | 4 | 1 | null;
  readonly demonstrates?: string;
}

export const SECTORS = ["major", "layer1", "defi", "meme", "payment", "new"] as const;
type Sector = (typeof SECTORS)[number];

type Row = readonly [
  coin: string,
  szDecimals: number,
  maxLeverage: number,
  marginTableId: number,
  sector: Sector,
  startPrice: number,
  sigmaAnnual: number,
  beta: number,
  depth50Usd: number,
  halfSpreadBps: number,
  dayVolumeUsd: number,
  special?: Partial<SimulatedAsset>,
];

// prettier-ignore
const ROWS: readonly Row[] = [
  ["BTC", 5, 40, 56, "major", 86_010, 0.45, 1.00, 60e6, 0.06, 3.9e9, { openInterestUsd: 3.1e9 }],
  ["ETH", 4, 25, 55, "major", 3_051, 0.65, 1.25, 38e6, 0.16, 1.7e9, { openInterestUsd: 2.4e9 }],
  ["MATIC", 1, 20, 20, "layer1", 0.3762, 0.8, 1.2, 0, 5, 0, { isDelisted: true, demonstrates: "delisted, frozen prices, null book" }],
  ["SOL", 2, 20, 54, "layer1", 118.2, 0.80, 1.35, 15e6, 0.4, 6.2e8, { openInterestUsd: 9e8 }],
  ["XRP", 0, 20, 53, "payment", 2.031, 0.80, 1.15, 4e6, 0.7, 2.4e8],
  ["DOGE", 0, 10, 52, "meme", 0.1412, 0.90, 1.4, 2.4e6, 1, 9e7],
  ["HYPE", 2, 10, 52, "defi", 32.48, 1.00, 1.2, 5e6, 0.8, 4e8, { openInterestUsd: 7e8, basisMean: 0.0003, binanceHours: 4, bybitHours: 4 }],
  ["kPEPE", 0, 10, 52, "meme", 0.004469, 1.15, 1.5, 1.1e6, 1.8, 6e7],
  ["SUI", 1, 10, 52, "layer1", 1.512, 1.00, 1.4, 1.2e6, 1.4, 7e7],
  ["AVAX", 2, 10, 52, "layer1", 14.21, 0.95, 1.35, 9e5, 1.6, 3.2e7],
  ["LINK", 1, 10, 52, "defi", 13.02, 0.90, 1.3, 8e5, 1.5, 3.5e7],
  ["LTC", 2, 10, 52, "payment", 84.6, 0.75, 1.05, 7e5, 1.4, 2.6e7],
  ["AAVE", 2, 10, 52, "defi", 172.4, 0.95, 1.3, 6e5, 1.8, 2.4e7],
  ["BCH", 3, 10, 52, "payment", 511.2, 0.75, 1.0, 5e5, 1.7, 1.9e7],
  ["ADA", 0, 10, 52, "layer1", 0.4213, 0.90, 1.3, 7e5, 1.6, 2.2e7],
  ["ZEC", 2, 10, 52, "payment", 602.5, 1.50, 0.8, 9e5, 2.2, 2.1e8, { openInterestUsd: 2.6e8, basisMean: -0.0012, basisDeviation: 0.0003, demonstrates: "shorts pay: funding well below zero" }],
  ["FARTCOIN", 1, 10, 52, "meme", 0.2904, 1.70, 1.7, 5e5, 2.6, 5e7],
  ["TRUMP", 1, 10, 52, "meme", 6.912, 1.20, 1.2, 4e5, 2.4, 1.6e7],
  ["PUMP", 0, 10, 52, "meme", 0.002714, 1.60, 1.4, 6e5, 2.6, 4.4e7],
  ["ENA", 0, 10, 52, "defi", 0.2611, 1.30, 1.5, 6e5, 2.2, 4.1e7, { binanceHours: 4 }],
  ["WLD", 1, 10, 52, "layer1", 0.6123, 1.20, 1.4, 4e5, 2.4, 1.5e7],
  ["BNB", 3, 10, 51, "major", 862.1, 0.60, 0.9, 6e5, 1.2, 3.1e7],
  ["ARB", 1, 10, 51, "layer1", 0.2132, 1.05, 1.4, 3e5, 2.8, 1.1e7],
  ["OP", 1, 10, 51, "layer1", 0.3121, 1.05, 1.4, 2.6e5, 3, 8e6],
  ["SEI", 0, 10, 51, "layer1", 0.1311, 1.10, 1.4, 2.2e5, 3, 7e6],
  ["TRX", 0, 10, 51, "payment", 0.2791, 0.45, 0.6, 3e5, 2, 9e6],
  ["JUP", 0, 10, 51, "defi", 0.2412, 1.15, 1.4, 2e5, 3.2, 6e6],
  ["PAXG", 3, 10, 51, "payment", 4_081, 0.18, 0.05, 5e5, 1.2, 2.2e7, { demonstrates: "gold: almost uncorrelated with the rest" }],
  ["INJ", 1, 10, 51, "defi", 5.932, 1.10, 1.4, 1.6e5, 3.4, 5e6],
  ["HPOS", 0, 3, 3, "meme", 0.0812, 1.5, 1.2, 0, 10, 0, { isDelisted: true, marginMode: "strictIsolated" }],
  ["WIF", 0, 5, 5, "meme", 0.3911, 1.40, 1.7, 2.4e5, 3.2, 1.2e7],
  ["TAO", 3, 5, 5, "layer1", 291.4, 1.10, 1.3, 3e5, 2.6, 2e7],
  ["STX", 1, 5, 5, "layer1", 0.3211, 1.10, 1.4, 9e4, 4, 2.6e6, { atOpenInterestCap: true, demonstrates: "at the open-interest cap" }],
  ["DYDX", 1, 5, 5, "defi", 0.2312, 1.15, 1.3, 8e4, 4.5, 2e6],
  ["PENGU", 0, 5, 5, "meme", 0.01021, 1.60, 1.6, 1.4e5, 4, 8e6],
  ["BERA", 1, 5, 5, "layer1", 1.021, 1.40, 1.3, 7e4, 5, 2.4e6, { basisMean: 0.0024, basisDeviation: 0.0004, binanceHours: 1, bybitHours: 4, demonstrates: "longs pay: funding far above the baseline" }],
  ["GMX", 2, 3, 3, "defi", 9.412, 1.00, 1.1, 4e4, 6, 7e5, { bybitHours: null }],
  ["TRB", 2, 3, 3, "defi", 21.43, 1.60, 0.9, 3e4, 7, 9e5, { atOpenInterestCap: true, demonstrates: "thin and at the open-interest cap" }],
  ["MEME", 0, 3, 3, "meme", 0.001312, 1.50, 1.5, 2e4, 9, 4e5],
  ["YGG", 0, 3, 3, "defi", 0.1012, 1.40, 1.3, 1.2e4, 12, 2.4e5, { binanceHours: null, bybitHours: null, demonstrates: "thin, not listed at other venues" }],
  ["CANTO", 0, 3, 3, "layer1", 0.01412, 1.2, 1.2, 0, 10, 0, { isDelisted: true, demonstrates: "delisted and still named at the open-interest cap" }],
  ["WISP", 1, 3, 3, "meme", 0.8123, 2.20, 1.2, 6e2, 28, 5e4, { binanceHours: null, bybitHours: null, demonstrates: "very thin: a few thousand USD in the whole book" }],
  ["MEGA", 0, 3, 3, "new", 0.3118, 1.80, 1.3, 3e4, 7, 3e6, { marginMode: "strictIsolated", listedHours: 60 * 24, binanceHours: null, bybitHours: null, demonstrates: "isolated margin only, margin cannot be removed" }],
  ["RIFT", 1, 5, 5, "new", 4.213, 1.70, 1.2, 5e4, 6, 4e6, { marginMode: "noCross", binanceHours: 4, bybitHours: null, demonstrates: "isolated margin only, margin may be removed" }],
  ["NOVA", 1, 3, 3, "new", 1.204, 2.10, 1.2, 4e4, 8, 6e6, { listedHours: 9 * 24 + 7, binanceHours: null, bybitHours: 4, demonstrates: "listed nine days ago" }],
  ["DAWN", 0, 3, 3, "new", 0.06121, 2.60, 1.1, 2.4e4, 10, 5e6, { listedHours: 31, binanceHours: null, bybitHours: null, demonstrates: "listed yesterday" }],
  ["FLUX", 1, 5, 5, "new", 2.614, 1.50, 1.4, 6e4, 5, 3e6, { listedHours: 45 * 24, demonstrates: "listed 45 days ago" }],
];

/** Names the exchange keeps reporting at the cap long after their delisting, some no longer even in the universe. */
export const DELISTED_AT_CAP = ["CANTO", "FTM", "JELLY", "LOOM", "RLB"] as const;

/** A market wider than the names above is filled up with their siblings. */
export const ASSETS_MAX = 1000;

/** Of what a market is made from: 32 bits. */
export const SEED_MAX = 2 ** 32 - 1;

/** The assets in universe order; `assetCount` keeps the first so many, or adds siblings of those without a speciality. */
export function buildUniverse(assetCount: number = ROWS.length): readonly SimulatedAsset[] {
  const parents = ROWS.map(assetOf).filter(
    ({ sector, demonstrates, isDelisted }) => sector !== "major" && demonstrates === undefined && !isDelisted,
  );
  return Array.from({ length: assetCount }, (_, index) => {
    const row = ROWS[index];
    if (row !== undefined) return assetOf(row);
    const beyond = index - ROWS.length;
    return siblingOf(parents[beyond % parents.length]!, 2 + Math.floor(beyond / parents.length));
  });
}

/** Later generations are traded and quoted less: most markets of the exchange are thin. */
function siblingOf(parent: SimulatedAsset, generation: number): SimulatedAsset {
  const share = 1 / generation;
  return {
    ...parent,
    coin: `${parent.coin}${generation}`,
    depth50Usd: parent.depth50Usd * share,
    openInterestUsd: parent.openInterestUsd * share,
    dayVolumeUsd: parent.dayVolumeUsd * share,
  };
}

function assetOf(row: Row): SimulatedAsset {
  const [coin, szDecimals, maxLeverage, marginTableId, sector, startPrice, sigmaAnnual, beta] = row;
  const [depth50Usd, halfSpreadBps, dayVolumeUsd, special] = row.slice(8) as [
    number,
    number,
    number,
    Row[11],
  ];
  return {
    coin,
    szDecimals,
    maxLeverage,
    marginTableId,
    sector,
    startPrice,
    sigmaAnnual,
    beta,
    depth50Usd,
    halfSpreadBps,
    dayVolumeUsd,
    openInterestUsd: dayVolumeUsd * 0.9,
    basisMean: 0,
    basisDeviation: 0.00018,
    binanceHours: 8,
    bybitHours: 8,
    ...special,
  };
}

const TABLES: readonly [number, string, readonly (readonly [lowerBoundUsd: number, maxLeverage: number])[]][] = [
  [50, "", [[0, 50]]],
  [51, "tiered 10x", [[0, 10], [3e6, 5]]],
  [52, "tiered 10x (2)", [[0, 10], [20e6, 5]]],
  [53, "tiered 20x", [[0, 20], [40e6, 10]]],
  [54, "tiered 20x (2)", [[0, 20], [70e6, 10]]],
  [55, "tiered 25x", [[0, 25], [100e6, 15]]],
  [56, "tiered 40x", [[0, 40], [150e6, 20]]],
]; // prettier-ignore

/** The margin table of an id; ids below 50 are one implicit tier of that leverage. */
export function marginTableOf(id: number): WireMarginTable | undefined {
  if (id >= 1 && id < 50) return { description: "", marginTiers: [{ lowerBound: "0.0", maxLeverage: id }] };
  const table = TABLES.find(([tableId]) => tableId === id);
  if (table === undefined) return undefined;
  const marginTiers = table[2].map(([bound, maxLeverage]) => ({ lowerBound: `${bound}.0`, maxLeverage }));
  return { description: table[1], marginTiers };
}

export function buildMeta(universe: readonly SimulatedAsset[]): WireMeta {
  return {
    universe: universe.map((asset) => ({
      szDecimals: asset.szDecimals,
      name: asset.coin,
      maxLeverage: asset.maxLeverage,
      marginTableId: asset.marginTableId,
      ...(asset.marginMode !== undefined && { onlyIsolated: true, marginMode: asset.marginMode }),
      ...(asset.isDelisted && { isDelisted: true }),
    })),
    marginTables: TABLES.map(([id]) => [id, marginTableOf(id) ?? { description: "", marginTiers: [] }]),
    collateralToken: 0,
  };
}
