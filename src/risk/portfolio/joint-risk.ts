import type { WalletAddress } from "../../domain/ids.ts";
import { portfolioAttribution, type PortfolioAttribution } from "./attribution.ts";
import { boundedAttribution, boundedShortfalls99Usd } from "./bounded-attribution.ts";
import { candidatesOf } from "./tail/candidate-store.ts";
import { trialShortfall99Usd } from "./tail/changed-risk.ts";
import { changedDriftScale } from "./dependence/correlation-drift.ts";
import { type BoundedPosition, isBoundMet } from "./loss-bound.ts";
import type { ScenarioAccess } from "./scenario-access.ts";

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
  /** The largest losses of the book, largest first; null where they were not kept. */
  readonly tailLossesUsd: Float64Array | null;
}

/**
 * By the short ways of linear losses or, where an isolated position can lose all that is behind it, by passes over all
 * scenarios: some 30 µs a position where the short ways take 2 or 3.
 */
export function jointRiskOf(
  wallet: WalletAddress,
  positions: readonly BoundedPosition[],
  changes: RowChanges | null,
  access: ScenarioAccess,
): JointRisk {
  const { sheet, scratch } = access;
  const { limits } = scratch.crossLiquidation;
  return positions.some((position) => isBoundMet(sheet, position, limits))
    ? boundedRisk(positions, changes, access)
    : linearRisk(wallet, positions, changes, access);
}

function boundedRisk(
  positions: readonly BoundedPosition[],
  changes: RowChanges | null,
  { sheet, scratch: { bounded, workspace } }: ScenarioAccess,
): JointRisk {
  const attribution = boundedAttribution(sheet, positions, bounded, workspace);
  const shortfallsOf = (row: number, changesUsd: readonly number[]): readonly number[] =>
    boundedShortfalls99Usd(sheet, positions, row, changesUsd, bounded, workspace);
  const isBounded = positions.some(({ row, bound }) => row === changes?.row && bound !== null);
  return {
    attribution,
    askedShortfall99Usd:
      changes !== null && isBounded
        ? shortfallsOf(changes.row, [0])[0]!
        : attribution.tail.expectedShortfall99Usd,
    changedShortfalls99Usd: changes === null ? [] : shortfallsOf(changes.row, changes.changesUsd),
    tailLossesUsd: null,
  };
}

function linearRisk(
  wallet: WalletAddress,
  positions: readonly BoundedPosition[],
  changes: RowChanges | null,
  { sheet, scratch }: ScenarioAccess,
): JointRisk {
  const { workspace } = scratch;
  const candidates = candidatesOf(wallet, scratch.candidates);
  const traded =
    changes === null || changes.changesUsd.length === 0
      ? null
      : { row: changes.row, notionalUsdSigned: 0 - changes.changesUsd[0]! };
  const attribution = portfolioAttribution(sheet, positions, traded, candidates, workspace);
  const shortfallOf = (row: number, notionalUsdSigned: number, trial: number): number => {
    const change = { row, notionalUsdSigned };
    const driftScale = changedDriftScale(sheet, change, workspace.products, workspace.drift);
    return trialShortfall99Usd(sheet, change, trial, driftScale, candidates, workspace);
  };
  return {
    attribution,
    askedShortfall99Usd: attribution.tail.expectedShortfall99Usd,
    changedShortfalls99Usd:
      changes === null ? [] : changes.changesUsd.map((usd, trial) => shortfallOf(changes.row, usd, trial)),
    tailLossesUsd: workspace.tailLossesUsd,
  };
}
