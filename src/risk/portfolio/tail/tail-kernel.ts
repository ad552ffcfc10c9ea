import { TAIL_KERNEL_CODE_BASE64 } from "./generated/tail-kernel-code.ts";
import { compileKernel, type KernelFunction, type KernelMemory } from "./kernel-memory.ts";
import type { TailOrder } from "./tail-order.ts";

/** The book whose losses are made as they are needed, in the kernel's memory. */
export interface KernelBook {
  /** By slot, with room for a last block; NaN where it was not needed yet. */
  readonly lossesUsd: Float64Array;
  /** By position: where its column of returns is, and what it holds. */
  readonly columnAddresses: Uint32Array;
  readonly notionalsUsd: Float64Array;
  readonly positionCount: number;
}

/** Shapes: as long as there are slots, in the kernel's memory */
export interface KeptLosses {
  readonly keptValues: Float64Array;
  readonly keptIndices: Uint32Array;
}

/** Numbers that the kernel's buckets take: one a bucket, and a byte a loss. */
export function bucketNumbersOf(scenarios: number): number {
  return 256 + Math.ceil(scenarios / Uint32Array.BYTES_PER_ELEMENT);
}

/**
 * The loops that a tail spends its time in, as WebAssembly. V8 looks at each element of a typed array whether its map is
 * still the same and its memory still there, and sums one loss at a time; here an element is one load, vectors sum two,
 * and no branch is taken that the processor cannot foresee where a store will do.
 *
 * Shapes:  every array lies in the memory that the kernel was made with; columns are whole blocks of eight slots, a row has
 *          a return of single precision for each scenario
 * Holds:   to the last bit what the plain loops of test/oracle/settled-tail.ts say
 */
export interface TailKernel {
  /** Makes the losses of slots [from, count) that are not known, in whole blocks. Shapes: `from` begins a block */
  fillMissing(from: number, count: number, book: KernelBook): void;
  /** Adds what positions lose to the losses of every scenario. Shapes: the columns are whole rows */
  addWhole(book: KernelBook): void;
  /** Gathers a row's returns of the first `count` scenarios; the lowest and the highest of them go into `range`. */
  gatherColumn(
    row: Float32Array,
    scenarios: Uint32Array,
    count: number,
    returns: Float64Array,
    range: Float64Array,
  ): void;
  /**
   * Sorts an order by loss − change × return, largest first and ties by scenario, and puts these into `values`. False,
   * with neither in order, where it takes more moves than one a loss and `movesSpare`.
   */
  settle(
    book: KernelBook,
    returns: Float64Array,
    changeUsd: number,
    order: TailOrder,
    values: Float64Array,
    scenarios: Uint32Array,
    movesSpare: number,
  ): boolean;
  /**
   * Keeps the changed losses of the first `count` slots, loss − change × return, that are not below a level, and their
   * slots, in the order of the slots; their number. Shapes: all losses are known
   */
  keepReaching(
    lossesUsd: Float64Array,
    returns: Float64Array,
    changeUsd: number,
    leastUsd: number,
    count: number,
    into: KeptLosses,
  ): number;
  /**
   * Sorts the largest of kept losses, none of which is below `leastUsd`, into an order and `values`, ties by scenario.
   * False, and nothing done, where losses crowd. The share of losses beyond a level falls by about its cube, so that equal
   * intervals of (least / loss)³ hold as many each, and insertion finishes what they begin.
   *
   * Shapes:  the order no longer than so many are kept; what is kept does not stay
   * Source:  Gopikrishnan and others, Scaling of the distribution of fluctuations of financial market indices (1999)
   */
  sortKept(
    kept: number,
    leastUsd: number,
    order: TailOrder,
    losses: KeptLosses & { readonly values: Float64Array },
    scenarios: Uint32Array,
    buckets: Uint32Array,
  ): boolean;
  /**
   * Finds the scenarios whose loss, moved by the changes of two rows, loss − other × far − moved × return, reaches a level;
   * their number.
   */
  findMoved(
    lossesUsd: Float64Array,
    far: Float32Array,
    otherUsd: number,
    returns: Float32Array,
    movedUsd: number,
    leastUsd: number,
    found: Uint32Array,
  ): number;
  /**
   * A level above 0 that so many losses reach, but for rounding, and few more: it is one of 256 steps up to the largest.
   * −Infinity where there is none. Shapes: the first `count` losses, of which there is one
   */
  levelReached(lossesUsd: Float64Array, count: number, wanted: number, buckets: Uint32Array): number;
  /** Shapes: one loss at least */
  largestOf(lossesUsd: Float64Array): number;
}

type KernelExports = Readonly<Record<keyof TailKernel, KernelFunction>>;

const instantiate = compileKernel(TAIL_KERNEL_CODE_BASE64);

export function createTailKernel(memory: KernelMemory): TailKernel {
  const kernel = instantiate(memory) as KernelExports;
  return {
    fillMissing(from, count, { lossesUsd, columnAddresses, notionalsUsd, positionCount }) {
      kernel.fillMissing(
        from,
        count,
        lossesUsd.byteOffset,
        columnAddresses.byteOffset,
        notionalsUsd.byteOffset,
        positionCount,
      );
    },
    addWhole({ lossesUsd, columnAddresses, notionalsUsd, positionCount }) {
      kernel.addWhole(
        lossesUsd.length,
        lossesUsd.byteOffset,
        columnAddresses.byteOffset,
        notionalsUsd.byteOffset,
        positionCount,
      );
    },
    gatherColumn(row, scenarios, count, returns, range) {
      kernel.gatherColumn(row.byteOffset, scenarios.byteOffset, count, returns.byteOffset, range.byteOffset);
    },
    settle(book, returns, changeUsd, order, values, scenarios, movesSpare) {
      const { lossesUsd, columnAddresses, notionalsUsd, positionCount } = book;
      const settled = kernel.settle(
        lossesUsd.byteOffset,
        returns.byteOffset,
        changeUsd,
        order.byteOffset,
        order.length,
        values.byteOffset,
        scenarios.byteOffset,
        columnAddresses.byteOffset,
        notionalsUsd.byteOffset,
        positionCount,
        movesSpare,
      );
      return settled === 1;
    },
    keepReaching(lossesUsd, returns, changeUsd, leastUsd, count, { keptValues, keptIndices }) {
      return kernel.keepReaching(
        lossesUsd.byteOffset,
        returns.byteOffset,
        changeUsd,
        leastUsd,
        count,
        keptValues.byteOffset,
        keptIndices.byteOffset,
      );
    },
    sortKept(kept, leastUsd, order, { values, keptValues, keptIndices }, scenarios, buckets) {
      const sorted = kernel.sortKept(
        kept,
        leastUsd,
        order.byteOffset,
        order.length,
        values.byteOffset,
        keptValues.byteOffset,
        keptIndices.byteOffset,
        scenarios.byteOffset,
        buckets.byteOffset,
      );
      return sorted === 1;
    },
    findMoved(lossesUsd, far, otherUsd, returns, movedUsd, leastUsd, found) {
      return kernel.findMoved(
        lossesUsd.byteOffset,
        far.byteOffset,
        otherUsd,
        returns.byteOffset,
        movedUsd,
        leastUsd,
        lossesUsd.length,
        found.byteOffset,
      );
    },
    largestOf(lossesUsd) {
      return kernel.largestOf(lossesUsd.byteOffset, lossesUsd.length);
    },
    levelReached(lossesUsd, count, wanted, buckets) {
      return kernel.levelReached(lossesUsd.byteOffset, count, wanted, buckets.byteOffset);
    },
  };
}
