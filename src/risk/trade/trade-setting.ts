import type { Position, WalletState } from "../../domain/account.ts";
import type { Ticker } from "../../domain/ids.ts";
import type { AccountMargin } from "../margin/account-margin.ts";
import type { AssetView } from "../asset-view.ts";
import { takerFeeFractionOf } from "../fees.ts";
import { type Impact, impactOf } from "../liquidity/impact.ts";
import { type LiquidationFacts, liquidationOf } from "../margin/liquidation.ts";
import {
  depthOf,
  type OrderLiquidity,
  orderLiquidityOf,
  slippageMarketOf,
} from "../liquidity/order-liquidity.ts";
import { directionOf, oppositeOf, type ProposedTrade } from "../../domain/trade.ts";
import { type ResolvedTrade, resolveTrade } from "./resolved-trade.ts";
import type { BookDepth, SlippageMarket } from "../liquidity/slippage.ts";
import { type TouchProbabilities, touchProbabilitiesOf } from "./touch-probability.ts";
import { type AppliedTrade, applyTrade, untouchedAccount } from "./trade-application.ts";

/** What does not change while one request tries sizes, leverages and margin modes. */
export interface TradeSetting {
  readonly asset: AssetView;
  readonly account: WalletState;
  /** Of the account as it is. */
  readonly margin: AccountMargin;
  readonly isWalletMissing: boolean;
  readonly viewOf: (ticker: Ticker) => AssetView | undefined;
  readonly market: SlippageMarket;
  readonly depth: BookDepth | null;
  readonly takerFeeFraction: number;
  readonly isMarketStale: boolean;
  readonly isWalletStale: boolean;
}

/** A trade carried out on the account: what it meets in the book and what it leaves behind. */
export interface CarriedTrade {
  readonly trade: ResolvedTrade;
  readonly liquidity: OrderLiquidity;
  readonly impact: Impact;
  readonly applied: AppliedTrade;
  readonly liquidation: LiquidationFacts;
  readonly touch: TouchProbabilities;
  /**
   * The part of the described notional that pays or receives funding and is left one day: of an order against a position
   * what it opens, for what it takes off is not held afterwards; all of a position that is held or closed.
   */
  readonly heldShare: number;
}

export function tradeSetting(
  asset: AssetView,
  account: WalletState,
  margin: AccountMargin,
  viewOf: (ticker: Ticker) => AssetView | undefined,
  staleness: Pick<TradeSetting, "isWalletMissing" | "isMarketStale" | "isWalletStale">,
): TradeSetting {
  return {
    asset,
    account,
    margin,
    viewOf,
    market: slippageMarketOf(asset),
    depth: depthOf(asset),
    takerFeeFraction: takerFeeFractionOf(account.takerFeeFraction),
    isWalletMissing: staleness.isWalletMissing,
    isMarketStale: staleness.isMarketStale,
    isWalletStale: staleness.isWalletStale,
  };
}

/** Carries a trade out on the setting's account, at its slippage and fee. The account itself stays as it is. */
export function carryOut(setting: TradeSetting, proposed: ProposedTrade): CarriedTrade {
  const { asset, account, viewOf, market, depth } = setting;
  const { ticker } = asset.listing;
  const { markPrice } = asset.context;
  const trade = resolveTrade(proposed, account, markPrice);
  const liquidity = orderLiquidityOf(asset, market, depth, trade.direction, trade.notionalUsd);
  const impact = impactOf(trade.notionalUsd, market.sigmaDay, market.volume24hUsd);
  const { fillPrice } = liquidity.slippage;
  const fill = { ticker, markPrice, fillPrice, takerFeeFraction: setting.takerFeeFraction };
  const applied = applyTrade(account, setting.margin, trade, fill, viewOf);
  const liquidation = liquidationOf(applied.account, ticker, viewOf, applied.margin);
  const touch = touchProbabilitiesOf(asset, liquidation);
  const heldShare = heldShareOf(trade, applied);
  return { trade, liquidity, impact, applied, liquidation, touch, heldShare };
}

/** The part of the described notional that funding is charged on afterwards: none of a close that leaves no position. */
export function fundedShareOf({ trade, applied, heldShare }: CarriedTrade): number {
  return trade.isClose && applied.position === null ? 0 : heldShare;
}

function heldShareOf({ isClose }: ResolvedTrade, { openedBase, closedBase }: AppliedTrade): number {
  return isClose || closedBase === 0 ? 1 : openedBase / (openedBase + closedBase);
}

/** An open position as a trade of nothing: the order costs are those of leaving it. */
export function holdPosition(
  setting: TradeSetting,
  position: Position,
  liquidation: LiquidationFacts,
): CarriedTrade {
  const { asset, account, market, depth } = setting;
  const side = directionOf(position.sizeBase);
  const exitDirection = oppositeOf(side);
  const { notionalUsd } = liquidation;
  const trade: ResolvedTrade = {
    isClose: false,
    direction: exitDirection,
    exposureDirection: side,
    notionalUsd,
    leverage: position.leverage,
    marginMode: position.marginMode,
    marginUsd: notionalUsd / position.leverage,
    position,
    isOversized: false,
    isWithoutPosition: false,
  };
  return {
    trade,
    liquidity: orderLiquidityOf(asset, market, depth, exitDirection, notionalUsd),
    impact: impactOf(notionalUsd, market.sigmaDay, market.volume24hUsd),
    applied: untouchedAccount(account, setting.margin, position),
    liquidation,
    touch: touchProbabilitiesOf(asset, liquidation),
    heldShare: 1,
  };
}
