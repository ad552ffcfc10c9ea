import type { SheetDay } from "../../scenarios/sheet-day.ts";
import type { TailArena } from "./tail-arena.ts";

/**
 * Returns of whole rows where the kernel can read them: a copy of each row last asked for, 16 kB with 4,096 scenarios.
 */
export class WholeRows {
  readonly #arena: TailArena;
  readonly #days: SheetDay[] = [];
  readonly #returns: Float32Array[] = [];

  constructor(arena: TailArena) {
    this.#arena = arena;
  }

  /** By scenario. Copied anew where the row's day is another than it was. */
  returnsOf(row: number, day: SheetDay): Float32Array {
    const known = this.#returns[row];
    if (known !== undefined && this.#days[row] === day) return known;
    const returns = known ?? (this.#returns[row] = this.#arena.singles(day.returns.length));
    returns.set(day.returns);
    this.#days[row] = day;
    return returns;
  }
}
