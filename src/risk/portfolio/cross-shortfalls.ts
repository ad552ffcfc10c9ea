import type { WalletState } from "../../domain/account.ts";
import type { WalletAddress } from "../../domain/ids.ts";
import type { ScenarioSheet } from "../scenarios/sheet.ts";
import { correlationDriftScale } from "./dependence/correlation-drift.ts";
import { changedShortfalls99Usd, type RowChanges, tradedOf } from "./joint-risk.ts";
import type { ModelledPosition } from "./modelled-book.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import { rowShortfall99Usd } from "./row-shortfall.ts";
import type { PortfolioScratch, ScenarioAccess } from "./scenario-access.ts";
import { bookTail } from "./tail/book-tail.ts";
import { candidatesOf } from "./tail/candidate-store.ts";

/** What the cross positions of an account can lose without its isolated ones: the equity that they share bears just that. */
export interface CrossShortfalls {
  /** 99 % 24 h expected shortfall. */
  readonly shortfall99Usd: number;
  /** The same by the changes, in their order; null where the asset has no place in the joint scenarios. */
  readonly changedShortfalls99Usd: readonly number[] | null;
}

/** Null where the account has positions of one kind only. */
export function crossShortfallsOf(
  { wallet, positions }: WalletState,
  book: readonly ModelledPosition[],
  changes: RowChanges | null,
  { sheet, scratch }: ScenarioAccess,
): CrossShortfalls | null {
  const joint: SheetPosition[] = [];
  let crossCount = 0;
  let chargeUsd = 0;
  for (let i = 0; i < book.length; i++) {
    if (positions[i]!.marginMode !== "cross") continue;
    crossCount++;
    const { joint: place, chargeUsd: charged } = book[i]!;
    if (place !== null) joint.push(place);
    chargeUsd += charged.expectedShortfall99Usd;
  }
  if (crossCount === 0 || crossCount === positions.length) return null;
  const { asked, changed } = jointShortfalls(wallet, joint, changes, sheet, scratch);
  return {
    shortfall99Usd: chargeUsd + asked,
    changedShortfalls99Usd: changes === null ? null : changed.map((usd) => chargeUsd + usd),
  };
}

interface JointShortfalls {
  readonly asked: number;
  readonly changed: readonly number[];
}

function jointShortfalls(
  wallet: WalletAddress,
  joint: readonly SheetPosition[],
  changes: RowChanges | null,
  sheet: ScenarioSheet,
  { workspace, crossCandidates }: PortfolioScratch,
): JointShortfalls {
  const { row, changesUsd } = changes ?? { row: joint[0]?.row ?? 0, changesUsd: [] };
  if (joint.every((held) => held.row === row)) {
    // With nothing beside it a row has the tail of its own, whatever is held.
    const heldUsd = joint.reduce((sum, { notionalUsdSigned }) => sum + notionalUsdSigned, 0);
    const shortfallOf = (usd: number): number => rowShortfall99Usd(sheet, row, heldUsd + usd, workspace);
    return { asked: shortfallOf(0), changed: changesUsd.map(shortfallOf) };
  }
  const driftScale = correlationDriftScale(sheet, joint, workspace.products, workspace.drift);
  const traded = changes === null ? null : tradedOf(changes);
  const candidates = candidatesOf(wallet, joint, traded, crossCandidates);
  const tail = bookTail(sheet, joint, traded, candidates, workspace);
  return {
    asked: driftScale * tail.expectedShortfall99Usd,
    changed:
      changes === null ? [] : changedShortfalls99Usd(sheet, joint, changes, candidates, workspace).changed,
  };
}
