import type { WalletState } from "../../../domain/account.ts";
import type { Ticker } from "../../../domain/ids.ts";
import type { AssetView } from "../../asset-view.ts";
import { estimatedProbability } from "../../../math/binomial.ts";
import { SCORE } from "../../calibration/calibration.ts";
import { paidFundingUsd } from "../../funding.ts";
import { type AccountMargin, positionMaintenanceUsd } from "../../margin/account-margin.ts";
import type { MarginedPosition } from "./account-replay.ts";
import { crossLiquidationProbability } from "./cross-liquidation.ts";
import { modelledBook, type ModelledPosition } from "../modelled-book.ts";
import { fillPortfolioLosses, type SheetPosition } from "../portfolio-losses.ts";
import type { ScenarioAccess } from "../scenario-access.ts";
import type { ScenarioSheet } from "../../scenarios/sheet.ts";

/** How likely the next 24 hours hurt a cross account with its positions, all at once. */
export interface CrossTouch {
  /** It is liquidated. */
  readonly liquidation: number;
  /** It is liquidated, or half of its equity is lost on the way. */
  readonly adverse: number;
}

/** Null without cross positions or scenarios. */
export function accountTouchOf(
  account: WalletState,
  margin: AccountMargin,
  viewOf: (ticker: Ticker) => AssetView | undefined,
  access: ScenarioAccess | null,
): CrossTouch | null {
  if (access === null) return null;
  const book = modelledBook(account, viewOf, access.sheet);
  return crossTouchOf(account, margin, book, viewOf, access, null);
}

/**
 * Cross positions on the scenarios. Off the equity come the funding that they are expected to pay and what a position
 * outside the scenarios is charged; of the latter also what it still has to maintain at the price that it is charged at.
 *
 * Shapes:  tailLossesUsd: the largest losses of all of the book's joint positions, largest first; null where not known
 */
export function crossTouchOf(
  account: WalletState,
  margin: AccountMargin,
  book: readonly ModelledPosition[],
  viewOf: (ticker: Ticker) => AssetView | undefined,
  { sheet, scratch }: ScenarioAccess,
  tailLossesUsd: Float64Array | null,
): CrossTouch | null {
  let costUsd = 0;
  let chargedMaintenanceUsd = 0;
  let hasOthers = false;
  const positions: MarginedPosition[] = [];
  for (let i = 0; i < book.length; i++) {
    const { joint, ticker, notionalUsdSigned, chargeUsd } = book[i]!;
    const position = account.positions[i]!;
    if (position.marginMode !== "cross") {
      hasOthers = true;
      continue;
    }
    const view = viewOf(ticker);
    costUsd += paidFundingUsd(view?.funding, notionalUsdSigned);
    if (joint === null || view === undefined) {
      const lossUsd = chargeUsd.expectedShortfall99Usd;
      const chargedPrice = (notionalUsdSigned - lossUsd) / position.sizeBase;
      costUsd += lossUsd;
      chargedMaintenanceUsd += positionMaintenanceUsd(position, chargedPrice, view);
      continue;
    }
    positions.push({ row: joint.row, notionalUsdSigned, marginSchedule: view.marginSchedule });
  }
  if (positions.length === 0) return null;
  const equityUsd = margin.crossEquityUsd - costUsd - chargedMaintenanceUsd;
  const liquidation = crossLiquidationProbability(sheet, positions, equityUsd, scratch.crossLiquidation);
  const bearableUsd = SCORE.adverseMarginFraction.value * margin.crossEquityUsd - costUsd;
  const known = hasOthers ? null : tailLossesUsd;
  const onTheWay = lossOnTheWayProbability(sheet, positions, bearableUsd, known, scratch.lossesUsd);
  return {
    liquidation: liquidation.probability,
    adverse: Math.max(liquidation.probability, onTheWay),
  };
}

/**
 * P(a joint loss is reached at any time of the day) from the losses at its end. To count paths would be exact, and is what
 * is done for one asset; for several they would have to be replayed together, hundreds at a time, for each request.
 *
 * Formula:  P(max_k S_k >= x) <= 2 P(S_n >= x), taken for equal; on the scenarios the left is 1.7 to 2 times P(S_n >= x)
 * Source:   Levy's inequality for sums of independent symmetric steps; for Brownian motion the reflection principle
 * Shapes:   tailLossesUsd: the positions' largest losses, largest first, or null; lossesUsd: memory, one for each scenario
 */
function lossOnTheWayProbability(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  lossUsd: number,
  tailLossesUsd: Float64Array | null,
  lossesUsd: Float64Array,
): number {
  if (lossUsd <= 0) return 1;
  let count = 0;
  if (tailLossesUsd !== null && tailLossesUsd.at(-1)! < lossUsd) {
    while (tailLossesUsd[count]! >= lossUsd) count++;
  } else {
    fillPortfolioLosses(sheet, positions, lossesUsd);
    for (let s = 0; s < lossesUsd.length; s++) if (lossesUsd[s]! >= lossUsd) count++;
  }
  return Math.min(1, 2 * estimatedProbability(count, sheet.scenarios));
}
