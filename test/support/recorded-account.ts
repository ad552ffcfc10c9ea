import type { Position, WalletState } from "../../src/domain/account.ts";
import type { MarginTier } from "../../src/domain/asset.ts";
import { tickerOf, type Ticker } from "../../src/domain/ids.ts";
import type { MarginView } from "../../src/risk/margin/account-margin.ts";
import { buildMarginSchedule } from "../../src/risk/margin/margin.ts";
import { WALLET } from "./builders.ts";
import { sharedJson } from "./shared-data.ts";

interface WirePosition {
  coin: string;
  szi: string;
  leverage: { type: "cross" | "isolated"; value: number; rawUsd?: string };
  entryPx: string;
  positionValue: string;
  liquidationPx: string | null;
}
export interface WireAccount {
  crossMarginSummary: Record<"accountValue" | "totalNtlPos" | "totalRawUsd" | "totalMarginUsed", string>;
  marginSummary: Record<"accountValue" | "totalNtlPos" | "totalRawUsd" | "totalMarginUsed", string>;
  crossMaintenanceMarginUsed: string;
  assetPositions: { position: WirePosition }[];
}
interface WireMeta {
  universe: { name: string; maxLeverage: number; marginTableId: number }[];
  marginTables: [number, { marginTiers: { lowerBound: string; maxLeverage: number }[] }][];
}

/** A recorded account in the domain's words, with the marks and margin tables of its positions. */
export interface RecordedAccount {
  readonly wire: WireAccount;
  readonly account: WalletState;
  readonly viewOf: (ticker: Ticker) => MarginView | undefined;
}

/** The margin tables of the recorded universe, by name. */
export function recordedTiers(): ReadonlyMap<string, readonly MarginTier[]> {
  const meta = sharedJson("exchange_fixtures/meta_20251213T212305Z.json") as WireMeta;
  const tables = new Map(meta.marginTables);
  return new Map(
    meta.universe.map(({ name, maxLeverage, marginTableId }) => [
      name,
      tables.get(marginTableId)?.marginTiers.map((tier) => ({
        notionalLowerUsd: Number(tier.lowerBound),
        maxLeverage: tier.maxLeverage,
      })) ?? [{ notionalLowerUsd: 0, maxLeverage }],
    ]),
  );
}

export function recordedAccount(
  wire: WireAccount,
  tiers: ReadonlyMap<string, readonly MarginTier[]>,
): RecordedAccount {
  const views = new Map<Ticker, MarginView>();
  const positions = wire.assetPositions.map(({ position }): Position => {
    const sizeBase = Number(position.szi);
    const markPrice = Number(position.positionValue) / Math.abs(sizeBase);
    views.set(tickerOf(position.coin), {
      context: { markPrice },
      marginSchedule: buildMarginSchedule(tiers.get(position.coin) ?? []),
    });
    const { rawUsd } = position.leverage;
    return {
      ticker: tickerOf(position.coin),
      sizeBase,
      entryPrice: Number(position.entryPx),
      marginMode: position.leverage.type,
      leverage: position.leverage.value,
      isolatedCashUsd: rawUsd === undefined ? null : Number(rawUsd),
      reportedLiquidationPrice: position.liquidationPx === null ? null : Number(position.liquidationPx),
    };
  });
  const account: WalletState = {
    wallet: WALLET,
    mode: "standard",
    crossCashUsd: Number(wire.crossMarginSummary.totalRawUsd),
    isCollateralKnown: true,
    positions,
    takerFeeFraction: null,
    exchangeTimeMs: 0,
    arrivedAtMs: 0,
  };
  return { wire, account, viewOf: (ticker) => views.get(ticker) };
}
