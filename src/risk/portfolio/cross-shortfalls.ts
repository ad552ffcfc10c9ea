import type { WalletState } from "../../domain/account.ts";
import { unboundedShortfalls99Usd } from "./bounded-attribution.ts";
import type { ModelledPosition } from "./modelled-book.ts";
import type { NotionalChanges } from "./portfolio-assessment.ts";
import type { SheetPosition } from "./portfolio-losses.ts";
import type { ScenarioAccess } from "./scenario-access.ts";

/** What the cross positions of an account can lose without its isolated ones: the equity that they share bears just that. */
export interface CrossShortfalls {
  /** 99 % 24 h expected shortfall. */
  readonly shortfall99Usd: number;
  /** The same by the changes, in their order; null where the asset has no place in the joint scenarios. */
  readonly changedShortfalls99Usd: readonly number[] | null;
}

/** Null where the account has positions of one kind only, or the order asked about is isolated. */
export function crossShortfallsOf(
  { positions }: WalletState,
  book: readonly ModelledPosition[],
  changes: NotionalChanges | null,
  { sheet, scratch }: ScenarioAccess,
): CrossShortfalls | null {
  if (changes !== null && changes.marginMode !== "cross") return null;
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
  const row = changes?.row ?? null;
  const isJoint = row !== null && row < sheet.rows;
  if (joint.length === 0 && !isJoint) return { shortfall99Usd: chargeUsd, changedShortfalls99Usd: null };
  const [shortfallUsd, ...changedUsd] = unboundedShortfalls99Usd(
    sheet,
    joint,
    isJoint ? row : joint[0]!.row,
    isJoint ? [0, ...changes!.changesUsd] : [0],
    scratch.bounded,
    scratch.workspace,
  );
  return {
    shortfall99Usd: chargeUsd + shortfallUsd!,
    changedShortfalls99Usd: isJoint ? changedUsd.map((usd) => chargeUsd + usd) : null,
  };
}
