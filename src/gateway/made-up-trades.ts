import type { ValidateRequest } from "../contracts/generated/types.ts";
import type { Position, WalletState } from "../domain/account.ts";
import { type WalletAddress, walletAddressOf } from "../domain/ids.ts";
import type { AssetSnapshot } from "../snapshot/asset-snapshot.ts";

/** No whole number, and fields that may be null in every other account: real accounts would bring the other kind. */
const EQUITY_USD = 100_000.5;
const TAKER_FEE_FRACTION = 0.00045;
/** Each comes back with other positions, so that what is kept of a wallet is kept of few. */
const WALLETS = 16;
/** Every so many accounts, one with two isolated positions: they take ten times as long as others. */
const ISOLATED_EVERY = 8;
const POSITION_LEVERAGE = 5;
const ACTIONS = [
  "long",
  "short",
  "long",
  "short",
  "close",
] as const satisfies readonly ValidateRequest["action"][];
/** From 100 to 100,000 USD. */
const SIZES = 10;

/** Every kind of trade and option in turn; "explain", which takes longest, seldom. */
export function madeUpTrade(
  i: number,
  assets: readonly AssetSnapshot[],
  wallet: WalletAddress,
): ValidateRequest {
  const { ticker, maxLeverage } = assets[i % assets.length]!.listing;
  return {
    asset: ticker,
    action: ACTIONS[i % ACTIONS.length]!,
    size: 10 ** (2 + (i % SIZES) / 3),
    leverage: Math.min(maxLeverage, 1 + (i % 11)),
    wallet,
    ...(i % 7 === 0 && { mode: "isolated" }),
    ...(i % 3 === 0 && { monte_carlo: true }),
    ...(i % 32 === 0 && { explain: true }),
  };
}

/** Without positions, then with one in one more of the assets each, long and short. */
export function madeUpAccount(i: number, assets: readonly AssetSnapshot[], nowMs: number): WalletState {
  const isIsolated = i % ISOLATED_EVERY === ISOLATED_EVERY - 1;
  const count = isIsolated ? Math.min(2, assets.length) : i % (assets.length + 1);
  const positions = Array.from({ length: count }, (_, k) =>
    madeUpPosition(i + k, assets[(i + k) % assets.length]!, isIsolated, EQUITY_USD / assets.length),
  );
  const crossUsd = isIsolated ? 0 : positions.reduce((sum, p) => sum + p.sizeBase * p.entryPrice, 0);
  return {
    wallet: walletAddressOf(`0x${(i % WALLETS).toString(16).padStart(40, "0")}`)!,
    mode: "standard",
    crossCashUsd: EQUITY_USD - crossUsd,
    isCollateralKnown: true,
    positions,
    takerFeeFraction: i % 2 === 0 ? null : TAKER_FEE_FRACTION,
    exchangeTimeMs: nowMs,
    arrivedAtMs: nowMs,
  };
}

function madeUpPosition(
  i: number,
  { listing, context }: AssetSnapshot,
  isIsolated: boolean,
  notionalUsd: number,
): Position {
  const signedUsd = (i % 2 === 0 ? 1 : -1) * (1 + (i % 5) / 5) * notionalUsd;
  const leverage = Math.min(listing.maxLeverage, POSITION_LEVERAGE);
  return {
    ticker: listing.ticker,
    sizeBase: signedUsd / context.markPrice,
    entryPrice: context.markPrice,
    marginMode: isIsolated ? "isolated" : "cross",
    leverage,
    isolatedCashUsd: isIsolated ? Math.abs(signedUsd) / leverage - signedUsd : null,
    reportedLiquidationPrice: i % 2 === 0 ? null : context.markPrice / 2,
  };
}
