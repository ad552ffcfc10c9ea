import type { WalletAddress } from "../../domain/ids.ts";
import { portfolioAttribution, type PortfolioAttribution } from "./attribution.ts";
import { heldScale, mostLosableUsd } from "./bounded-parts.ts";
import { changedDriftScale } from "./dependence/correlation-drift.ts";
import { lonePositionOf, lonePositionRisk } from "./lone-position.ts";
import type { BoundedPosition } from "./loss-bound.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import type { PortfolioWorkspace } from "./portfolio-var.ts";
import type { ScenarioAccess } from "./scenario-access.ts";
import { candidatesOf } from "./tail/candidate-store.ts";
import { trialShortfall99Usd } from "./tail/changed-risk.ts";
import { liftBound, putBoundBack, type TailPosition } from "./tail/met-losses.ts";
import type { TailCandidates } from "./tail/tail-candidates.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";

/** What is added to one row of the joint scenarios, to see what the account can lose then. */
export interface RowChanges {
  readonly row: number;
  /** Signed; the first takes the trade back. */
  readonly changesUsd: readonly number[];
}

/** Joint risk of the positions that have a place in the joint scenarios. */
export interface JointRisk {
  readonly attribution: PortfolioAttribution;
  /** 99 % expected shortfall with the position asked about counted in full, whatever is behind it. */
  readonly askedShortfall99Usd: number;
  /** The same by the changes, in their order. */
  readonly changedShortfalls99Usd: readonly number[];
  /** The largest losses of the book, largest first. */
  readonly tailLossesUsd: Float64Array;
}

/** Shapes: `wallet` says whose candidates are read; positions at their marks, the trade made */
export function jointRiskOf(
  wallet: WalletAddress,
  positions: readonly BoundedPosition[],
  changes: RowChanges | null,
  { sheet, scratch }: ScenarioAccess,
): JointRisk {
  const { workspace } = scratch;
  const lone = lonePositionOf(positions, changes);
  const ofLone = lone === null ? null : lonePositionRisk(sheet, lone, changes, workspace);
  if (ofLone !== null) return ofLone;

  const traded = changes === null ? null : tradedOf(changes);
  const candidates = candidatesOf(wallet, positions, traded, scratch.candidates);
  const attribution = portfolioAttribution(sheet, positions, traded, candidates, workspace);
  const bookShortfallUsd = attribution.tail.expectedShortfall99Usd;
  const { tailLossesUsd } = workspace;
  if (changes === null)
    return { attribution, askedShortfall99Usd: bookShortfallUsd, changedShortfalls99Usd: [], tailLossesUsd };

  const shortfallsUsd = changedShortfalls99Usd(sheet, positions, changes, candidates, workspace);
  return {
    attribution,
    askedShortfall99Usd: shortfallsUsd.asked ?? bookShortfallUsd,
    changedShortfalls99Usd: shortfallsUsd.changed,
    tailLossesUsd,
  };
}

/** The change that the book's trade made; null where it is not known. */
export function tradedOf({ row, changesUsd }: RowChanges): SheetPosition | null {
  return changesUsd.length === 0 ? null : { row, notionalUsdSigned: 0 - changesUsd[0]! };
}

/** 99 % expected shortfalls with one row's position counted in full. */
export interface ChangedShortfalls {
  /** As it is; null where it is counted so in the book's own. */
  readonly asked: number | null;
  /** By the changes, in their order. */
  readonly changed: readonly number[];
}

/** Shapes: of the book that bookTail was asked for last, whose drift is in the workspace */
export function changedShortfalls99Usd(
  sheet: ScenarioSheet,
  positions: readonly TailPosition[],
  { row, changesUsd }: RowChanges,
  candidates: TailCandidates,
  workspace: PortfolioWorkspace,
): ChangedShortfalls {
  const { products, drift, book } = workspace;
  const at = positions.findIndex((position) => position.row === row);
  const heldUsd = at < 0 ? 0 : positions[at]!.notionalUsdSigned;
  const shortfallOf = (notionalUsdSigned: number, trial: number): number => {
    const change = { row, notionalUsdSigned };
    const driftScale = changedDriftScale(sheet, change, products, drift);
    const shortfallUsd = trialShortfall99Usd(sheet, change, trial, candidates, workspace);
    // A position in full has no limit; one that is gone limits nothing.
    const isGone = heldUsd + notionalUsdSigned === 0;
    const scale = isGone ? heldScale(driftScale, shortfallUsd, mostLosableUsd(positions, at)) : driftScale;
    return scale * shortfallUsd;
  };
  const isBounded = at >= 0 && (positions[at]!.bound ?? null) !== null;
  if (isBounded) liftBound(at, candidates, book);
  const changed = changesUsd.map(shortfallOf);
  const asked = isBounded ? shortfallOf(0, changesUsd.length) : null;
  if (isBounded) putBoundBack(candidates, book);
  return { asked, changed };
}
