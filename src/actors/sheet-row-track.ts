import { DAY_HOURS } from "../domain/bar.ts";
import type { ScenarioSheet } from "../risk/scenarios/sheet.ts";
import { sheetRow } from "../risk/scenarios/sheet.ts";
import { buildSheetDay, type SheetDay, type SheetDayScratch } from "../risk/scenarios/sheet-day.ts";

/** One asset's row of the joint scenarios, and its day at the asset's sigma as it moves between draws. */
export class SheetRowTrack {
  readonly #scratch: SheetDayScratch;
  readonly #logReturns: Float32Array;
  readonly row: number;
  #day: SheetDay;

  constructor(sheet: ScenarioSheet, row: number, scratch: SheetDayScratch) {
    this.#scratch = scratch;
    this.#logReturns = sheetRow(sheet, row, DAY_HOURS, "terminal");
    this.row = row;
    this.#day = sheet.days[row]!;
  }

  /** The same value until the ratio changes. */
  dayAt(sigmaRatio: number): SheetDay {
    if (sigmaRatio !== this.#day.sigmaRatio) {
      this.#day = buildSheetDay(this.#logReturns, sigmaRatio, this.#day.version, this.#scratch);
    }
    return this.#day;
  }
}
