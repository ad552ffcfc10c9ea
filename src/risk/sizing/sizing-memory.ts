import type { MarginMode, WalletState } from "../../domain/account.ts";
import type { Ticker } from "../../domain/ids.ts";
import type { Direction } from "../../domain/trade.ts";
import type { AssetView } from "../asset-view.ts";
import type { ResolvedTrade } from "../trade/resolved-trade.ts";
import type { TradeSetting } from "../trade/trade-setting.ts";
import type { Sizing } from "./sizing.ts";

/** Orders of an asset that are told apart at once: wallets, sides and leverages that take turns. */
export const KEPT_PER_ASSET = 8;

/**
 * A sizing, and all that it depends on beside the asset; the size asked for is not among it. An account that is not known
 * is another one each time.
 */
interface KnownSizing {
  readonly account: WalletState;
  readonly direction: Direction;
  readonly leverage: number;
  readonly marginMode: MarginMode;
  readonly isMarketStale: boolean;
  readonly isWalletStale: boolean;
  readonly sizing: Sizing;
}

/** Of one state of an asset; the next begins anew. */
interface KnownSizings {
  readonly asset: AssetView;
  readonly kept: KnownSizing[];
  /** Where the next replaces the oldest. */
  next: number;
}

/**
 * The sizings that were found last: an agent that tries several sizes, or orders again before market and wallet have
 * changed, is told the same. Made once per thread; states are told apart by identity, since none changes in place.
 */
export interface SizingMemory {
  readonly byTicker: Map<Ticker, KnownSizings>;
}

export function createSizingMemory(): SizingMemory {
  return { byTicker: new Map() };
}

/** Shapes: of an account that holds nothing but, at most, the asset: what else it holds would have to be compared as well */
export function knownSizing(
  { byTicker }: SizingMemory,
  { asset, account, isMarketStale, isWalletStale }: TradeSetting,
  { direction, leverage, marginMode }: ResolvedTrade,
): Sizing | null {
  const known = byTicker.get(asset.listing.ticker);
  if (known?.asset !== asset) return null;
  const { kept } = known;
  for (let i = 0; i < kept.length; i++) {
    const candidate = kept[i]!;
    if (
      candidate.account === account &&
      candidate.leverage === leverage &&
      candidate.direction === direction &&
      candidate.marginMode === marginMode &&
      candidate.isMarketStale === isMarketStale &&
      candidate.isWalletStale === isWalletStale
    ) {
      return candidate.sizing;
    }
  }
  return null;
}

/** Keeps a sizing that was not known. */
export function keepSizing(
  { byTicker }: SizingMemory,
  { asset, account, isMarketStale, isWalletStale }: TradeSetting,
  { direction, leverage, marginMode }: ResolvedTrade,
  sizing: Sizing,
): void {
  const { ticker } = asset.listing;
  let known = byTicker.get(ticker);
  if (known?.asset !== asset) {
    known = { asset, kept: [], next: 0 };
    byTicker.set(ticker, known);
  }
  known.kept[known.next] = {
    account,
    direction,
    leverage,
    marginMode,
    isMarketStale,
    isWalletStale,
    sizing,
  };
  known.next = (known.next + 1) % KEPT_PER_ASSET;
}
