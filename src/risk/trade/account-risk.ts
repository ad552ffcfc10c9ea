import { DAY_HOURS } from "../../domain/bar.ts";
import type { AssetView } from "../asset-view.ts";
import type { WalletState } from "../../domain/account.ts";
import type { Ticker } from "../../domain/ids.ts";
import { directionOf } from "../../domain/trade.ts";
import { FLOORS } from "../calibration/calibration.ts";
import { FLAG_THRESHOLDS } from "../scoring/flag-thresholds.ts";
import type { LiquidationFacts } from "../margin/liquidation.ts";
import { heldScale, mostLosableUsd } from "../portfolio/bounded-parts.ts";
import { accountTouchOf } from "../portfolio/liquidation/cross-touch.ts";
import { fillBoundedLosses } from "../portfolio/bounded-losses.ts";
import { jointPositions, modelledBook, totalCharge } from "../portfolio/modelled-book.ts";
import type { PortfolioAssessment } from "../portfolio/portfolio-assessment.ts";
import { correlationDriftScale } from "../portfolio/dependence/correlation-drift.ts";
import { portfolioTail } from "../portfolio/portfolio-var.ts";
import { residualCorrelation } from "../portfolio/dependence/residual-products.ts";
import type { ScenarioAccess } from "../portfolio/scenario-access.ts";
import { raisedTouch, type TouchProbabilities } from "./touch-probability.ts";
import type { CarriedTrade, TradeSetting } from "./trade-setting.ts";
import { horizonTail, sideTails } from "../tails/var.ts";

/** Less that is added to a pool's probability is worth no points. */
const COUNTED_FROM = FLOORS.poolLiquidationAdded.value.at[0]!;

/** What the account as a whole adds to the risk of one of its positions. */
export interface AccountRisk {
  /** 99 % 24 h expected shortfall of the account, USD; null when the traded asset has no tails. */
  readonly expectedShortfall99Usd: number | null;
  /** The same of the cross positions alone, for a cross position beside isolated ones; null where there is no difference. */
  readonly crossShortfall99Usd: number | null;
  /** What an isolated order adds to the probability that the cross pool, which its margin is taken from, is liquidated. */
  readonly poolLiquidationAdded: number;
  readonly touch: TouchProbabilities;
  /** Largest correlation with another position, signed by both directions; null when none is known. */
  readonly correlation: number | null;
}

/** The account after a trade: by lookup when it holds nothing else, else as its joint scenarios say. */
export function accountRiskAfter(
  setting: TradeSetting,
  carried: Pick<CarriedTrade, "trade" | "applied" | "liquidation" | "touch">,
  portfolio: PortfolioAssessment | null,
  access: ScenarioAccess | null,
): AccountRisk {
  const { asset } = setting;
  const { liquidation, touch, applied } = carried;
  if (portfolio === null || !holdsOthers(applied.account, asset.listing.ticker)) {
    return {
      expectedShortfall99Usd: ownShortfall99Usd(asset, liquidation.sizeBase, liquidation.notionalUsd),
      crossShortfall99Usd: null,
      poolLiquidationAdded: 0,
      touch,
      correlation: null,
    };
  }
  return {
    expectedShortfall99Usd: asset.tails === null ? null : portfolio.askedShortfall99Usd,
    crossShortfall99Usd: portfolio.cross?.shortfall99Usd ?? null,
    poolLiquidationAdded: poolLiquidationAdded(setting, carried, portfolio, access),
    // Also where a cross position is taken away whole: what it leaves is the pool that all but a coin of it leaves.
    touch: carried.trade.marginMode === "cross" ? raisedTouch(touch, portfolio.crossTouch) : touch,
    correlation: correlationOf(asset, liquidation, portfolio, access),
  };
}

/** Margin that is posted to an isolated position no longer carries the cross ones. */
function poolLiquidationAdded(
  { account, margin, viewOf }: TradeSetting,
  { trade, applied }: Pick<CarriedTrade, "trade" | "applied">,
  { crossTouch: after }: PortfolioAssessment,
  access: ScenarioAccess | null,
): number {
  if (trade.marginMode !== "isolated" || applied.openedBase === 0 || after === null) return 0;
  // What counts for nothing is not told from nothing: most pools are far from liquidation after the order, too.
  if (after.liquidation <= COUNTED_FROM) return 0;
  const before = accountTouchOf(account, margin, viewOf, access);
  return Math.max(0, after.liquidation - (before?.liquidation ?? 0));
}

/** The account without what is isolated. */
export function crossPartOf(account: WalletState): WalletState {
  return { ...account, positions: account.positions.filter(({ marginMode }) => marginMode === "cross") };
}

export function holdsOthers(account: WalletState, ticker: Ticker): boolean {
  return account.positions.some((position) => position.ticker !== ticker);
}

/** 99 % 24 h expected shortfall of the position alone; null without tails, 0 without a position. */
export function ownShortfall99Usd(asset: AssetView, sizeBase: number, notionalUsd: number): number | null {
  if (sizeBase === 0) return 0;
  if (asset.tails === null) return null;
  return (
    horizonTail(sideTails(asset.tails, directionOf(sizeBase)), DAY_HOURS).expectedShortfall99 * notionalUsd
  );
}

/**
 * 99 % 24 h expected shortfall of all positions of an account, USD; only the joint scenarios' tail, nothing attributed. The
 * position of the asset asked about is counted in full, other isolated ones for what is behind them.
 */
export function accountShortfall99Usd(
  account: WalletState,
  asked: Ticker,
  viewOf: (ticker: Ticker) => AssetView | undefined,
  access: ScenarioAccess | null,
): number {
  const book = modelledBook(account, viewOf, access?.sheet ?? null, asked);
  const charge = totalCharge(book);
  const joint = jointPositions(book);
  if (access === null || joint.length === 0) return charge.expectedShortfall99Usd;
  const { sheet, scratch } = access;
  const { lossesUsd, workspace } = scratch;
  fillBoundedLosses(sheet, joint, lossesUsd);
  const driftScale = correlationDriftScale(sheet, joint, workspace.products, workspace.drift);
  const { expectedShortfall99Usd } = portfolioTail(lossesUsd, workspace);
  const scale = heldScale(driftScale, expectedShortfall99Usd, mostLosableUsd(joint));
  return scale * expectedShortfall99Usd + charge.expectedShortfall99Usd;
}

function correlationOf(
  asset: AssetView,
  liquidation: LiquidationFacts,
  portfolio: PortfolioAssessment,
  access: ScenarioAccess | null,
): number | null {
  const row = asset.sheetRow;
  if (access === null || row === null || liquidation.sizeBase === 0) return null;
  const { products } = access.scratch.workspace;
  const own = directionOf(liquidation.sizeBase);
  let largest: number | null = null;
  for (const { joint, ticker, notionalUsdSigned } of portfolio.book) {
    if (joint === null || ticker === asset.listing.ticker) continue;
    if (Math.abs(notionalUsdSigned) < FLAG_THRESHOLDS.correlatedShare.value * liquidation.notionalUsd)
      continue;
    const correlation = residualCorrelation(access.sheet, row, joint.row, products);
    if (correlation === null) continue;
    const signed = own * Math.sign(notionalUsdSigned) * correlation;
    largest = largest === null ? signed : Math.max(largest, signed);
  }
  return largest;
}
