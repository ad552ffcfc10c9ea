import type { PoolBuffers, ScenarioSheet } from "./sheet.ts";

/**
 * What was found in a draw of the joint scenarios, known for as long as anybody holds a sheet of it: a batch goes on with
 * the draw that it began with while others are answered from the next, and neither may lose at each turn between them what
 * was found. Sheets of one draw, rescaled or not, share it.
 */
export class DrawMemory<Found> {
  readonly #begin: (sheet: ScenarioSheet, before: Found | null) => Found;
  readonly #byDraw = new WeakMap<PoolBuffers, Found>();
  #draw: PoolBuffers | null = null;
  #found: Found | null = null;

  /** Shapes: `begin` makes what a draw begins with; it is given what was found in the draw read last, if any */
  constructor(begin: (sheet: ScenarioSheet, before: Found | null) => Found) {
    this.#begin = begin;
  }

  of(sheet: ScenarioSheet): Found {
    return this.#draw === sheet.pools ? this.#found! : this.#turnTo(sheet);
  }

  #turnTo(sheet: ScenarioSheet): Found {
    const { pools } = sheet;
    let found = this.#byDraw.get(pools);
    if (found === undefined) {
      found = this.#begin(sheet, this.#found);
      this.#byDraw.set(pools, found);
    }
    this.#draw = pools;
    this.#found = found;
    return found;
  }
}
