import type { SheetDay } from "../scenarios/sheet-day.ts";
import { dayReturnsOf, type ScenarioSheet } from "../scenarios/sheet.ts";
import { fillPortfolioLosses, type SheetPosition } from "./portfolio-var.ts";

/**
 * Losses of all but the last position of the book last asked about. A trade in a new asset, another size or leverage of
 * it, the trials of an explanation and the next trade of a batch find them again: a book is then one pass.
 *
 * Holds:   valid while every position's row, size at its mark and day are what they were; anything else fills it anew
 */
export interface KeptLosses {
  readonly days: SheetDay[];
  readonly notionalsUsd: number[];
  readonly lossesUsd: Float64Array;
}

export function createKeptLosses(scenarios: number): KeptLosses {
  return { days: [], notionalsUsd: [], lossesUsd: new Float64Array(scenarios) };
}

/** What fillPortfolioLosses fills, to the last bit: the last position is the last term of the same sum. */
export function fillLossesFromKept(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  kept: KeptLosses,
  lossesUsd: Float64Array,
): void {
  const last = positions.at(-1);
  if (last === undefined || positions.length === 1) {
    fillPortfolioLosses(sheet, positions, lossesUsd);
    return;
  }
  if (!isKept(sheet, positions, kept)) keep(sheet, positions, kept);
  const returns = dayReturnsOf(sheet, last.row);
  const notionalUsd = last.notionalUsdSigned;
  for (let scenario = 0; scenario < lossesUsd.length; scenario++) {
    lossesUsd[scenario] = kept.lossesUsd[scenario]! - notionalUsd * returns[scenario]!;
  }
}

function isKept(
  sheet: ScenarioSheet,
  positions: readonly SheetPosition[],
  { days, notionalsUsd }: KeptLosses,
): boolean {
  if (days.length !== positions.length - 1) return false;
  for (let i = 0; i < days.length; i++) {
    const { row, notionalUsdSigned } = positions[i]!;
    if (days[i] !== sheet.days[row] || notionalsUsd[i] !== notionalUsdSigned) return false;
  }
  return true;
}

function keep(sheet: ScenarioSheet, positions: readonly SheetPosition[], kept: KeptLosses): void {
  const count = positions.length - 1;
  fillPortfolioLosses(sheet, positions.slice(0, count), kept.lossesUsd);
  kept.days.length = count;
  kept.notionalsUsd.length = count;
  for (let i = 0; i < count; i++) {
    kept.days[i] = sheet.days[positions[i]!.row]!;
    kept.notionalsUsd[i] = positions[i]!.notionalUsdSigned;
  }
}
