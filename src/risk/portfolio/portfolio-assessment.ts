import type { WalletState } from "../../domain/account.ts";
import type { Ticker } from "../../domain/ids.ts";
import type { AccountMargin } from "../margin/account-margin.ts";
import type { AssetView } from "../asset-view.ts";
import {
  addTails,
  jointPositions,
  modelledBook,
  type ModelledPosition,
  totalCharge,
} from "./modelled-book.ts";
import { type PairDependence, pairDependences } from "./pair-dependence.ts";
import {
  diversificationBenefitOf,
  portfolioAttribution,
  type PortfolioAttribution,
  standaloneVar99Usd,
} from "./attribution.ts";
import { type CrossTouch, crossTouchOf } from "./cross-touch.ts";
import { changedDriftScale } from "./correlation-drift.ts";
import { trialShortfall99Usd } from "./changed-risk.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import type { PortfolioTail } from "./portfolio-var.ts";
import type { TailCandidates } from "./tail-candidates.ts";
import { candidatesOf } from "./candidate-store.ts";
import type { ScenarioAccess } from "./scenario-access.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";

export interface AttributedPosition {
  readonly ticker: Ticker;
  readonly notionalUsdSigned: number;
  /** VaR with the position less VaR without it: the published "marginal" VaR. */
  readonly incrementalVarUsd: number;
  readonly componentVarUsd: number;
  /** Null when the total is about zero. */
  readonly componentVarShare: number | null;
  /** False for a position outside the joint scenarios, which is charged in full. */
  readonly isModelled: boolean;
}

/** Joint risk of an account's positions over 24 hours; losses positive. */
export interface PortfolioAssessment {
  readonly positionCount: number;
  readonly tail: PortfolioTail;
  /** Joint scenarios behind the numbers; 0 when there are none and every position is charged in full. */
  readonly simulations: number;
  readonly diversificationBenefit: number;
  readonly positions: readonly AttributedPosition[];
  /** Null without cross positions or scenarios. */
  readonly crossTouch: CrossTouch | null;
  readonly book: readonly ModelledPosition[];
  /** By the changes asked for, in their order; null where the asset has no place in the joint scenarios. */
  readonly changedShortfalls99Usd: readonly number[] | null;
}

/** Sizes of one position that the account's shortfall is wanted at: what is added to it, signed, the trade taken back first. */
export interface NotionalChanges {
  readonly row: number | null;
  readonly changesUsd: readonly number[];
}

const NO_CHANGES: NotionalChanges = { row: null, changesUsd: [] };

/**
 * VaR, ES, their attribution and the liquidation probability of an account, every position counted: those outside
 * the joint scenarios add their own tail in full.
 *
 * Holds:   components sum to the VaR; charged positions have component = incremental = charge
 */
export function assessPortfolio(
  account: WalletState,
  margin: AccountMargin,
  viewOf: (ticker: Ticker) => AssetView | undefined,
  access: ScenarioAccess | null,
  changes: NotionalChanges = NO_CHANGES,
): PortfolioAssessment {
  const book = modelledBook(account, viewOf, access?.sheet ?? null);
  const charge = totalCharge(book);
  const joint = jointPositions(book);
  if (access === null || joint.length === 0) return chargedPortfolio(book, charge);

  const { sheet, scratch } = access;
  const candidates = candidatesOf(account.wallet, scratch.candidates);
  const traded = tradeOf(sheet, changes);
  const attribution = portfolioAttribution(sheet, joint, traded, candidates, scratch.workspace);
  const tail = addTails(attribution.tail, charge);
  let aloneUsd = charge.var99Usd;
  for (const position of joint) aloneUsd += standaloneVar99Usd(sheet, position);
  return {
    positionCount: book.length,
    tail,
    simulations: sheet.scenarios,
    diversificationBenefit: diversificationBenefitOf(tail.var99Usd, aloneUsd),
    positions: attributedPositions(book, attribution, charge, tail),
    crossTouch: crossTouchOf(account, margin, book, viewOf, access, scratch.workspace.tailLossesUsd),
    book,
    changedShortfalls99Usd: changedShortfalls(charge, candidates, access, changes),
  };
}

/** The same positions on another margin: only how likely it is lost differs. */
export function withMargin(
  portfolio: PortfolioAssessment,
  account: WalletState,
  margin: AccountMargin,
  viewOf: (ticker: Ticker) => AssetView | undefined,
  access: ScenarioAccess | null,
): PortfolioAssessment {
  const { positionCount, tail, simulations, diversificationBenefit, positions, book } = portfolio;
  return {
    positionCount,
    tail,
    simulations,
    diversificationBenefit,
    positions,
    crossTouch:
      access === null || simulations === 0 ? null : crossTouchOf(account, margin, book, viewOf, access, null),
    book,
    changedShortfalls99Usd: portfolio.changedShortfalls99Usd,
  };
}

/** In the book's order; the attribution has the joint ones in theirs. */
function attributedPositions(
  book: readonly ModelledPosition[],
  attribution: PortfolioAttribution,
  charge: PortfolioTail,
  tail: PortfolioTail,
): readonly AttributedPosition[] {
  const attributed: AttributedPosition[] = [];
  let next = 0;
  for (const { ticker, notionalUsdSigned, joint, chargeUsd } of book) {
    const part = joint === null ? null : attribution.positions[next++]!;
    const componentVarUsd = part?.componentVarUsd ?? chargeUsd.var99Usd;
    const isShared =
      part === null ? tail.var99Usd > 0 : part.componentVarShare !== null || charge.var99Usd > 0;
    attributed.push({
      ticker,
      notionalUsdSigned,
      incrementalVarUsd: part?.incrementalVarUsd ?? chargeUsd.var99Usd,
      componentVarUsd,
      componentVarShare: isShared ? componentVarUsd / tail.var99Usd : null,
      isModelled: part !== null,
    });
  }
  return attributed;
}

/** What the trade changed: the first of the changes takes it back. */
function tradeOf(sheet: ScenarioSheet, { row, changesUsd }: NotionalChanges): SheetPosition | null {
  if (row === null || row >= sheet.rows || changesUsd.length === 0) return null;
  return { row, notionalUsdSigned: 0 - changesUsd[0]! };
}

/** Shortfalls of the book that was attributed last, with one position's notional changed. */
function changedShortfalls(
  charge: PortfolioTail,
  candidates: TailCandidates,
  { sheet, scratch }: ScenarioAccess,
  { row, changesUsd }: NotionalChanges,
): readonly number[] | null {
  if (row === null || row >= sheet.rows) return null;
  const { workspace } = scratch;
  return changesUsd.map((notionalUsdSigned, trial) => {
    const change = { row, notionalUsdSigned };
    const driftScale = changedDriftScale(sheet, change, workspace.products, workspace.drift);
    const jointUsd = trialShortfall99Usd(sheet, change, trial, driftScale, candidates, workspace);
    return jointUsd + charge.expectedShortfall99Usd;
  });
}

/** Tail dependence of the account's pairs; null without scenarios. */
export function portfolioDependence(
  portfolio: PortfolioAssessment,
  access: ScenarioAccess | null,
): readonly PairDependence[] | null {
  return access === null ? null : pairDependences(access.sheet, portfolio.book, access.scratch.dependence);
}

function chargedPortfolio(book: readonly ModelledPosition[], tail: PortfolioTail): PortfolioAssessment {
  return {
    positionCount: book.length,
    tail,
    simulations: 0,
    diversificationBenefit: 0,
    positions: book.map((position) => ({
      ticker: position.ticker,
      notionalUsdSigned: position.notionalUsdSigned,
      incrementalVarUsd: position.chargeUsd.var99Usd,
      componentVarUsd: position.chargeUsd.var99Usd,
      componentVarShare: tail.var99Usd > 0 ? position.chargeUsd.var99Usd / tail.var99Usd : null,
      isModelled: false,
    })),
    crossTouch: null,
    book,
    changedShortfalls99Usd: null,
  };
}
