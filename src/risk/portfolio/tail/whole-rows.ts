import type { ScenarioSheet } from "../../scenarios/sheet.ts";
import type { SheetDay } from "../../scenarios/sheet-day.ts";
import type { SheetPosition } from "../portfolio-losses.ts";
import { createPositionRoom, makeRoom, type PositionRoom } from "./position-room.ts";
import type { TailArena } from "./tail-arena.ts";
import type { TailKernel } from "./tail-kernel.ts";

/**
 * Returns of whole rows where the kernel can read them: a copy of each row last asked for, 16 kB with 4,096 scenarios.
 */
export class WholeRows {
  readonly #arena: TailArena;
  readonly #kernel: TailKernel;
  readonly #days: SheetDay[] = [];
  readonly #returns: Float32Array[] = [];
  readonly #room: PositionRoom;

  constructor(arena: TailArena, kernel: TailKernel) {
    this.#arena = arena;
    this.#kernel = kernel;
    this.#room = createPositionRoom(arena);
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
    makeRoom(positions.length, this.#room, this.#arena);
    const { columnAddresses, notionalsUsd } = this.#room;
    for (let i = 0; i < positions.length; i++) {
      const { row, notionalUsdSigned } = positions[i]!;
      columnAddresses[i] = this.returnsOf(row, sheet.days[row]!).byteOffset;
      notionalsUsd[i] = notionalUsdSigned;
    }
    this.#kernel.addWhole({ lossesUsd, columnAddresses, notionalsUsd, positionCount: positions.length });
  }
}
