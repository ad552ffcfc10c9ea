import type {
  WireActiveAssetData,
  WireClearinghouseState,
  WireLeverage,
  WireMarginSummary,
  WirePosition,
  WireSpotClearinghouseState,
  WireUserRole,
} from "../exchange/hyperliquid/wire.ts";
import type { WireUserFunding, WireWebData3 } from "../exchange/hyperliquid/wire-feed.ts";
import type { LiveAsset } from "./live-asset.ts";
import { floorTo, wireNumber, wireRounded } from "./price-grid.ts";
import {
  type AccountPosition,
  type CrossMargin,
  type FundingPayment,
  positionNotional,
  type WalletAccount,
} from "./wallet-account.ts";

const usd = (value: number): string => wireRounded(value, 6);

function summary(
  accountValueUsd: number,
  notionalUsd: number,
  rawUsd: number,
  marginUsedUsd: number,
): WireMarginSummary {
  return {
    accountValue: usd(accountValueUsd),
    totalNtlPos: usd(notionalUsd),
    totalRawUsd: usd(rawUsd),
    totalMarginUsed: usd(marginUsedUsd),
  };
}

const leverageOf = (position: AccountPosition): WireLeverage =>
  position.isIsolated
    ? { type: "isolated", value: position.leverage, rawUsd: usd(position.isolatedRawUsd) }
    : { type: "cross", value: position.leverage };

function wirePosition(account: WalletAccount, position: AccountPosition, cross: CrossMargin): WirePosition {
  const { asset, sizeSigned, entryPrice, leverage } = position;
  const fundingUsd = usd(position.fundingPaidUsd);
  const notionalUsd = positionNotional(position);
  const unrealizedUsd = sizeSigned * (asset.markPrice - entryPrice);
  const entryMarginUsd = (Math.abs(sizeSigned) * entryPrice) / leverage;
  const liquidation = account.liquidationPriceOf(position, cross);
  return {
    coin: asset.spec.coin,
    szi: wireNumber(sizeSigned),
    leverage: leverageOf(position),
    entryPx: wireNumber(entryPrice),
    positionValue: usd(notionalUsd),
    unrealizedPnl: usd(unrealizedUsd),
    returnOnEquity: wireRounded(unrealizedUsd / entryMarginUsd, 10),
    liquidationPx: liquidation === undefined ? null : wireRounded(liquidation, 10),
    marginUsed: usd(position.isIsolated ? account.isolatedEquity(position) : notionalUsd / leverage),
    maxLeverage: asset.spec.maxLeverage,
    // A position is opened once and never added to.
    cumFunding: { allTime: fundingUsd, sinceOpen: fundingUsd, sinceChange: fundingUsd },
  };
}

/** The perpetual account as the exchange sends it; an unknown wallet is all zeros. Source: exchange docs, margin identities. */
export function wireClearinghouseState(
  account: WalletAccount | undefined,
  timeMs: number,
): WireClearinghouseState {
  if (account === undefined) {
    const zero = summary(0, 0, 0, 0);
    return {
      marginSummary: zero,
      crossMarginSummary: zero,
      crossMaintenanceMarginUsed: "0.0",
      withdrawable: "0.0",
      assetPositions: [],
      time: timeMs,
    };
  }
  const cross = account.crossMargin;
  const isolated = [...account.positions.values()].filter((position) => position.isIsolated);
  const isolatedNotionalUsd = isolated.reduce((sum, position) => sum + positionNotional(position), 0);
  const isolatedRawUsd = isolated.reduce((sum, position) => sum + position.isolatedRawUsd, 0);
  const isolatedEquityUsd = account.isolatedEquityUsd;
  const crossValueUsd = shownCrossValueUsd(account, cross);
  const rawUsd = crossValueUsd - (cross.accountValueUsd - cross.rawUsd);
  return {
    marginSummary: summary(
      crossValueUsd + isolatedEquityUsd,
      cross.notionalUsd + isolatedNotionalUsd,
      rawUsd + isolatedRawUsd,
      cross.marginUsedUsd + isolatedEquityUsd,
    ),
    crossMarginSummary: summary(crossValueUsd, cross.notionalUsd, rawUsd, cross.marginUsedUsd),
    crossMaintenanceMarginUsed: usd(cross.maintenanceUsd),
    withdrawable: usd(Math.max(0, crossValueUsd - lockedUsd(cross))),
    assetPositions: [...account.positions.values()].map((position) => ({
      type: "oneWay",
      position: wirePosition(account, position, cross),
    })),
    time: timeMs,
  };
}

/**
 * The cross account as the perpetual side shows it. One that pools its collateral shows the margin that it holds there: all
 * else is in the spot balances. Source: recorded accounts of both kinds, 2026-09.
 */
function shownCrossValueUsd(account: WalletAccount, cross: CrossMargin): number {
  if (!account.usesSpotCollateral) return cross.accountValueUsd;
  return Math.min(cross.accountValueUsd, lockedUsd(cross));
}

/** What cannot be withdrawn: the margin in use, a tenth of the notional at least. */
function lockedUsd(cross: CrossMargin): number {
  return Math.max(cross.marginUsedUsd, 0.1 * cross.notionalUsd);
}

/**
 * Spot balances. The USDC of an account that pools its collateral has its perpetuals' profits and isolated margins in it,
 * holds what the perpetual side shows, and tells what is left after maintenance.
 */
export function wireSpotState(account: WalletAccount | undefined): WireSpotClearinghouseState {
  const cross = account?.crossMargin;
  const balances = (account?.plan.spot ?? []).map(({ coin, token, total }) => {
    if (coin !== "USDC")
      return { coin, token, total: wireNumber(total), hold: "0.0", entryNtl: usd(total * 30) };
    if (account === undefined || cross === undefined || !account.usesSpotCollateral)
      return { coin, token, total: wireRounded(total, 8), hold: "0.0", entryNtl: "0.0" };
    const usdc = cross.accountValueUsd - account.tokensUsd + account.isolatedEquityUsd;
    const hold = Math.min(Math.max(0, usdc), shownCrossValueUsd(account, cross) + account.isolatedEquityUsd);
    return { coin, token, total: wireRounded(usdc, 8), hold: usd(hold), entryNtl: "0.0" };
  });
  if (account === undefined || cross === undefined || !account.usesSpotCollateral) return { balances };
  const availableUsd = cross.accountValueUsd - cross.maintenanceUsd;
  const isPortfolio = account.plan.abstraction === "portfolioMargin";
  return {
    balances,
    ...(isPortfolio && {
      portfolioMarginEnabled: true,
      portfolioMarginRatio: wireRounded(cross.maintenanceUsd / Math.max(1, cross.accountValueUsd), 10),
    }),
    tokenToAvailableAfterMaintenance: [[0, usd(availableUsd)]],
  };
}

/** What the wallet could still trade in an asset: free margin, plus twice the margin of an opposite position. */
export function wireActiveAssetData(
  user: `0x${string}`,
  account: WalletAccount | undefined,
  asset: LiveAsset,
): WireActiveAssetData {
  const position = account?.positions.get(asset.spec.coin);
  const isIsolatedOnly = asset.spec.marginMode !== undefined;
  const leverageValue = position?.leverage ?? Math.min(20, asset.spec.maxLeverage);
  const leverage: WireLeverage =
    position !== undefined
      ? leverageOf(position)
      : isIsolatedOnly
        ? { type: "isolated", value: leverageValue, rawUsd: "0.0" }
        : { type: "cross", value: leverageValue };
  const cross = account?.crossMargin;
  const freeUsd = cross === undefined ? 0 : Math.max(0, cross.accountValueUsd - cross.marginUsedUsd);
  const oppositeUsd = position === undefined ? 0 : (2 * positionNotional(position)) / position.leverage;
  const buyUsd = freeUsd + (position !== undefined && position.sizeSigned < 0 ? oppositeUsd : 0);
  const sellUsd = freeUsd + (position !== undefined && position.sizeSigned > 0 ? oppositeUsd : 0);
  const sizeOf = (marginUsd: number): string =>
    wireNumber(floorTo((marginUsd * leverageValue) / asset.markPrice, asset.spec.szDecimals));
  return {
    user,
    coin: asset.spec.coin,
    leverage,
    maxTradeSzs: [sizeOf(buyUsd), sizeOf(sellUsd)],
    availableToTrade: [usd(buyUsd), usd(sellUsd)],
    markPx: wireNumber(asset.markPrice),
  };
}

export function wireUserRole(account: WalletAccount | undefined): WireUserRole {
  const role = account?.plan.role;
  if (account === undefined) return { role: "missing" };
  if (role === undefined) return { role: "user" };
  if (role === "vault") return { role: "vault" };
  if ("agentOf" in role) return { role: "agent", data: { user: role.agentOf as `0x${string}` } };
  return { role: "subAccount", data: { master: role.subAccountOf as `0x${string}` } };
}

export const wireFunding = ({
  timeMs,
  coin,
  usd: amount,
  sizeSigned,
  rateHourly,
}: FundingPayment): WireUserFunding => ({
  time: timeMs,
  coin,
  usdc: usd(amount),
  szi: wireNumber(sizeSigned),
  fundingRate: wireRounded(rateHourly, 10),
  nSamples: null,
});

export function wireWebData3(
  user: `0x${string}`,
  account: WalletAccount | undefined,
  timeMs: number,
  atCap: string[],
): WireWebData3 {
  return {
    userState: {
      agentAddress: null,
      agentValidUntil: null,
      cumLedger: usd(account?.plan.cashUsd ?? 0),
      serverTime: timeMs,
      isVault: account?.plan.role === "vault",
      user,
      abstraction: account?.plan.abstraction ?? "disabled",
    },
    perpDexStates: [{ totalVaultEquity: "0.0", perpsAtOpenInterestCap: atCap }],
  };
}
