import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { SheetDay } from "../../scenarios/sheet-day.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import type { TailArena } from "./tail-arena.ts";
import type { TailKernel } from "./tail-kernel.ts";

/** More positions are given room when they come. */
const POSITIONS_FIRST = 64;

/**
 * Returns of whole rows where the kernel can read them: a copy of each row last asked for, 16 kB with 4,096 scenarios.
 */
export class WholeRows {
  readonly #arena: TailArena;
  readonly #kernel: TailKernel;
  readonly #days: SheetDay[] = [];
  readonly #returns: Float32Array[] = [];
  /** By position: where its row begins, and what it holds. */
  #addresses: Uint32Array;
  #notionalsUsd: Float64Array;

  constructor(arena: TailArena, kernel: TailKernel) {
    this.#arena = arena;
    this.#kernel = kernel;
    this.#addresses = arena.integers(POSITIONS_FIRST);
    this.#notionalsUsd = arena.doubles(POSITIONS_FIRST);
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

  /** Adds what positions lose to the losses of every scenario, in their order, as fillPortfolioLosses does. */
  addLosses(sheet: ScenarioSheet, positions: readonly SheetPosition[], lossesUsd: Float64Array): void {
    if (positions.length > this.#notionalsUsd.length) this.#grow(positions.length);
    for (let i = 0; i < positions.length; i++) {
      const { row, notionalUsdSigned } = positions[i]!;
      this.#addresses[i] = this.returnsOf(row, sheet.days[row]!).byteOffset;
      this.#notionalsUsd[i] = notionalUsdSigned;
    }
    this.#kernel.addWhole({
      lossesUsd,
      columnAddresses: this.#addresses,
      notionalsUsd: this.#notionalsUsd,
      positionCount: positions.length,
    });
  }

  #grow(positions: number): void {
    this.#arena.release(this.#addresses);
    this.#arena.release(this.#notionalsUsd);
    this.#addresses = this.#arena.integers(2 * positions);
    this.#notionalsUsd = this.#arena.doubles(2 * positions);
  }
}
