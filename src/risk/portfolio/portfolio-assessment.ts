import type { MarginMode, WalletState } from "../../domain/account.ts";
import type { Ticker } from "../../domain/ids.ts";
import type { AccountMargin } from "../margin/account-margin.ts";
import type { AssetView } from "../asset-view.ts";
import {
  addTails,
  jointPositions,
  modelledBook,
  type ModelledPosition,
  modelledPosition,
  totalCharge,
} from "./modelled-book.ts";
import { type PairDependence, pairDependences } from "./dependence/pair-dependence.ts";
import { diversificationBenefitOf, type PositionAttribution } from "./attribution.ts";
import { type CrossShortfalls, crossShortfallsOf } from "./cross-shortfalls.ts";
import { type CrossTouch, crossTouchOf } from "./liquidation/cross-touch.ts";
import { type RowChanges, jointRiskOf } from "./joint-risk.ts";
import type { PortfolioTail } from "./portfolio-var.ts";
import type { ScenarioAccess } from "./scenario-access.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";

export interface AttributedPosition extends PositionAttribution {
  readonly ticker: Ticker;
}

/** Joint risk of an account's positions over 24 hours; losses positive. */
export interface PortfolioAssessment {
  readonly tail: PortfolioTail;
  /** Joint scenarios behind the numbers; 0 when there are none and every position is charged in full. */
  readonly simulations: number;
  readonly diversificationBenefit: number;
  /** In the book's order. */
  readonly positions: readonly AttributedPosition[];
  /** Null without cross positions or scenarios. */
  readonly crossTouch: CrossTouch | null;
  readonly book: readonly ModelledPosition[];
  /**
   * 99 % expected shortfall with the position of the asset asked about counted in full. What an isolated position can lose
   * falls with its margin, so that an order would else seem the safer the higher its leverage.
   */
  readonly askedShortfall99Usd: number;
  /** The same by the changes, in their order; null where the asset has no place in the joint scenarios. */
  readonly changedShortfalls99Usd: readonly number[] | null;
  /** Of the cross positions beside isolated ones; null where all are of one kind, or the order is not a cross one. */
  readonly cross: CrossShortfalls | null;
}

/** Sizes of one position that the account's shortfall is wanted at: what is added to it, signed, the trade taken back first. */
export interface NotionalChanges {
  readonly ticker: Ticker;
  readonly row: number | null;
  readonly marginMode: MarginMode;
  readonly changesUsd: readonly number[];
}

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
  changes: NotionalChanges | null = null,
): PortfolioAssessment {
  const book = modelledBook(account, viewOf, access?.sheet ?? null);
  const charge = totalCharge(book);
  const joint = jointPositions(book);
  const askedCharge99Usd =
    charge.expectedShortfall99Usd + uncountedCharge99Usd(account, book, viewOf, changes);
  if (access === null || joint.length === 0) return chargedPortfolio(book, charge, askedCharge99Usd);

  const { sheet } = access;
  const rowChanges = rowChangesOf(sheet, changes);
  const risk = jointRiskOf(account.wallet, joint, rowChanges, access);
  const { attribution } = risk;
  const tail = addTails(attribution.tail, charge);
  const aloneUsd = charge.var99Usd + attribution.aloneVar99Usd;
  return {
    tail,
    simulations: sheet.scenarios,
    diversificationBenefit: diversificationBenefitOf(tail.var99Usd, aloneUsd),
    positions: attributedPositions(book, attribution.positions, charge, tail),
    crossTouch: crossTouchOf(account, margin, book, viewOf, access, risk.tailLossesUsd),
    cross: changes?.marginMode === "isolated" ? null : crossShortfallsOf(account, book, rowChanges, access),
    book,
    askedShortfall99Usd: risk.askedShortfall99Usd + askedCharge99Usd,
    changedShortfalls99Usd:
      rowChanges === null ? null : risk.changedShortfalls99Usd.map((usd) => usd + askedCharge99Usd),
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
  const { tail, simulations, diversificationBenefit, positions, book } = portfolio;
  return {
    tail,
    simulations,
    diversificationBenefit,
    positions,
    crossTouch: access === null ? null : crossTouchOf(account, margin, book, viewOf, access, null),
    cross: portfolio.cross,
    book,
    askedShortfall99Usd: portfolio.askedShortfall99Usd,
    changedShortfalls99Usd: portfolio.changedShortfalls99Usd,
  };
}

/** In the book's order; the parts are of the joint ones, in theirs. */
function attributedPositions(
  book: readonly ModelledPosition[],
  parts: readonly PositionAttribution[],
  charge: PortfolioTail,
  tail: PortfolioTail,
): readonly AttributedPosition[] {
  const attributed: AttributedPosition[] = [];
  let next = 0;
  for (const { ticker, joint, chargeUsd } of book) {
    const part = joint === null ? null : parts[next++]!;
    const componentVarUsd = part?.componentVarUsd ?? chargeUsd.var99Usd;
    const isShared =
      part === null ? tail.var99Usd > 0 : part.componentVarShare !== null || charge.var99Usd > 0;
    attributed.push({
      ticker,
      incrementalVarUsd: part?.incrementalVarUsd ?? chargeUsd.var99Usd,
      componentVarUsd,
      componentVarShare: isShared ? componentVarUsd / tail.var99Usd : null,
    });
  }
  return attributed;
}

function rowChangesOf(sheet: ScenarioSheet, changes: NotionalChanges | null): RowChanges | null {
  if (changes === null || changes.row === null || changes.row >= sheet.rows) return null;
  return { row: changes.row, changesUsd: changes.changesUsd };
}

/** What the charge of the position asked about lacks to all of its loss, where it is charged for what is behind it. */
function uncountedCharge99Usd(
  account: WalletState,
  book: readonly ModelledPosition[],
  viewOf: (ticker: Ticker) => AssetView | undefined,
  changes: NotionalChanges | null,
): number {
  if (changes === null) return 0;
  const i = book.findIndex(({ ticker, joint }) => ticker === changes.ticker && joint === null);
  if (i < 0) return 0;
  const inFull = modelledPosition(account.positions[i]!, viewOf(changes.ticker), null, true);
  return inFull.chargeUsd.expectedShortfall99Usd - book[i]!.chargeUsd.expectedShortfall99Usd;
}

/** Tail dependence of the account's pairs; null without scenarios. */
export function portfolioDependence(
  portfolio: PortfolioAssessment,
  access: ScenarioAccess | null,
): readonly PairDependence[] | null {
  return access === null ? null : pairDependences(access.sheet, portfolio.book, access.scratch.dependence);
}

function chargedPortfolio(
  book: readonly ModelledPosition[],
  tail: PortfolioTail,
  askedShortfall99Usd: number,
): PortfolioAssessment {
  return {
    tail,
    simulations: 0,
    diversificationBenefit: 0,
    positions: attributedPositions(book, [], tail, tail),
    crossTouch: null,
    cross: null,
    book,
    askedShortfall99Usd,
    changedShortfalls99Usd: null,
  };
}
