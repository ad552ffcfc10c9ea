import { DAY_HOURS } from "../../../domain/bar.ts";
import { createSelection, type Selection, selectLargest } from "../../../math/order-statistics.ts";
import { maintenanceMarginUsd } from "../../margin/margin.ts";
import { dayReturnsOf, type ScenarioSheet } from "../../scenarios/sheet.ts";
import {
  type AccountReplay,
  createAccountReplay,
  type MarginedPosition,
  OUTCOMES,
  replayAccount,
} from "./account-replay.ts";

/** Hourly cells (scenario × position × hour) that one answer may replay: half a millisecond; beyond it scenarios are sampled. */
const CELLS_MAX = 12_288;
/** But never fewer scenarios than this: ±5 % of the probability for ten longs, ±25 % for five longs against five shorts. */
const REPLAYED_MIN = 64;
/**
 * One scenario of each stratum is replayed, and strata end at this power of their place: where a day ends near liquidation
 * they hold one scenario, where it ends far from it dozens. Of 1 to 4 the one that errs least.
 */
const STRATA_POWER = 3;

/** Scenarios in which an account is gone, or what stands for so many. */
export interface GoneCounts {
  atClose: number;
  atWorst: number;
}

/** Working memory of one thread. */
export interface GoneMemory {
  /** The scenarios to be counted in, in front. */
  readonly flagged: Uint32Array;
  /** Of them: what the account lacks at the day's end. */
  readonly endLackUsd: Float64Array;
  readonly selection: Selection;
  readonly replay: AccountReplay;
}

export function createGoneMemory(scenarios: number): GoneMemory {
  return {
    flagged: new Uint32Array(scenarios),
    endLackUsd: new Float64Array(scenarios),
    selection: createSelection(scenarios),
    replay: createAccountReplay(DAY_HOURS),
  };
}

/**
 * Counts the flagged scenarios in which the account is gone. Where more are flagged than may be replayed, those that are
 * gone at the day's end are known without a path, and the others are sampled by how near to it they end: a path that comes
 * back from beyond the barrier seldom comes far, so that a plain sample of all would miss most of the few that did.
 *
 * Shapes:  `count` scenarios in memory.flagged, where others may take their places
 * Holds:   exact where no more are flagged than may be replayed
 * Source:  stratified sampling, Cochran, Sampling Techniques (1977), ch. 5
 */
export function countGone(
  sheet: ScenarioSheet,
  positions: readonly MarginedPosition[],
  equityUsd: number,
  count: number,
  memory: GoneMemory,
): GoneCounts {
  const { flagged, endLackUsd, selection, replay } = memory;
  const affordable = Math.max(REPLAYED_MIN, Math.floor(CELLS_MAX / (DAY_HOURS * positions.length)));
  const gone: GoneCounts = { atClose: 0, atWorst: 0 };
  const follow = (scenario: number, weight: number): void => {
    const outcome = replayAccount(sheet, positions, equityUsd, scenario, replay);
    if (outcome !== OUTCOMES.safe) gone.atWorst += weight;
    if (outcome === OUTCOMES.goneAtClose) gone.atClose += weight;
  };
  if (count <= affordable) {
    for (let i = 0; i < count; i++) follow(flagged[i]!, 1);
    return gone;
  }
  const open = keepOpenAtEnd(sheet, positions, equityUsd, count, memory);
  gone.atClose = count - open;
  gone.atWorst = count - open;
  selectLargest(endLackUsd.subarray(0, open), open, selection);
  const strata = Math.min(open, affordable);
  let from = 0;
  for (let i = 1; i <= strata; i++) {
    // Never so far that a later stratum is left without: open (i/strata)^3 <= open - (strata - i).
    const to = Math.max(from + 1, Math.round(open * (i / strata) ** STRATA_POWER));
    follow(flagged[selection.indices[(from + to - 1) >>> 1]!]!, to - from);
    from = to;
  }
  return gone;
}

/** Keeps those flagged that have equity over maintenance at the day's end, with what they lack, negative; their number. */
function keepOpenAtEnd(
  sheet: ScenarioSheet,
  positions: readonly MarginedPosition[],
  equityUsd: number,
  count: number,
  { flagged, endLackUsd }: GoneMemory,
): number {
  endLackUsd.fill(-equityUsd, 0, count);
  for (const { row, notionalUsdSigned, marginSchedule } of positions) {
    const returns = dayReturnsOf(sheet, row);
    const notionalUsd = Math.abs(notionalUsdSigned);
    for (let i = 0; i < count; i++) {
      const dayReturn = returns[flagged[i]!]!;
      const maintenanceUsd = maintenanceMarginUsd(marginSchedule, notionalUsd * (1 + dayReturn));
      endLackUsd[i] = endLackUsd[i]! + maintenanceUsd - notionalUsdSigned * dayReturn;
    }
  }
  let open = 0;
  for (let i = 0; i < count; i++) {
    if (endLackUsd[i]! >= 0) continue;
    flagged[open] = flagged[i]!;
    endLackUsd[open++] = endLackUsd[i]!;
  }
  return open;
}
