import { TAIL_KERNEL_CODE_BASE64 } from "./generated/tail-kernel-code.ts";
import type { TailOrder } from "./tail-order.ts";

/** Memory that a kernel reads. Views of it stay valid when it grows, since it is shared. */
export interface KernelMemory {
  readonly buffer: SharedArrayBuffer;
  /** By pages of 64 kB. Throws a RangeError where there is no more. */
  grow(pages: number): number;
}

/** What is used of WebAssembly, whose types come with those of browsers only. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => KernelMemory;
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly tails: { readonly memory: KernelMemory } },
  ) => { readonly exports: unknown };
};

/** As in tail-kernel.wat: 1 MB, and at most 2 GB. 128 wallets with a position in each of 230 assets take half of it. */
const PAGES_FIRST = 16;
const PAGES_MAX = 32_768;

export function createKernelMemory(): KernelMemory {
  return new WebAssembly.Memory({ initial: PAGES_FIRST, maximum: PAGES_MAX, shared: true });
}

/** The book whose losses are made as they are needed, in the kernel's memory. */
export interface KernelBook {
  /** By slot, with room for a last block; NaN where it was not needed yet. */
  readonly lossesUsd: Float64Array;
  /** By position: where its column of returns is, and what it holds. */
  readonly columnAddresses: Uint32Array;
  readonly notionalsUsd: Float64Array;
  readonly positionCount: number;
}

/**
 * The loops that a tail spends its time in, as WebAssembly. V8 looks at each element of a typed array whether its map is
 * still the same and its memory still there, and sums one loss at a time; here an element is one load, and vectors sum
 * two.
 *
 * Shapes:  every array lies in the memory that the kernel was made with; columns are whole blocks of eight slots
 * Holds:   to the last bit what the plain loops of test/oracle/settled-tail.ts say
 */
export interface TailKernel {
  /** Makes the losses of slots [from, count) that are not known, in whole blocks. Shapes: `from` begins a block */
  fillMissing(from: number, count: number, book: KernelBook): void;
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
    book: KernelBook,
    returns: Float64Array,
    changeUsd: number,
    leastUsd: number,
    count: number,
    into: KeptLosses,
  ): number;
}

/** Shapes: as long as there are slots, in the kernel's memory */
export interface KeptLosses {
  readonly keptValues: Float64Array;
  readonly keptIndices: Uint32Array;
}

/** tail-kernel.wat, by addresses. */
interface KernelExports {
  readonly fillMissing: (
    from: number,
    count: number,
    losses: number,
    columns: number,
    notionals: number,
    positions: number,
  ) => void;
  readonly settle: (
    losses: number,
    returns: number,
    change: number,
    order: number,
    length: number,
    values: number,
    scenarios: number,
    columns: number,
    notionals: number,
    positions: number,
    spare: number,
  ) => number;
  readonly keepReaching: (
    losses: number,
    returns: number,
    change: number,
    least: number,
    count: number,
    values: number,
    slots: number,
  ) => number;
}

const kernelModule = new WebAssembly.Module(Buffer.from(TAIL_KERNEL_CODE_BASE64, "base64"));

export function createTailKernel(memory: KernelMemory): TailKernel {
  const instance = new WebAssembly.Instance(kernelModule, { tails: { memory } });
  const { fillMissing, settle, keepReaching } = instance.exports as KernelExports;
  return {
    fillMissing(from, count, { lossesUsd, columnAddresses, notionalsUsd, positionCount }) {
      fillMissing(
        from,
        count,
        lossesUsd.byteOffset,
        columnAddresses.byteOffset,
        notionalsUsd.byteOffset,
        positionCount,
      );
    },
    settle(book, returns, changeUsd, order, values, scenarios, movesSpare) {
      const settled = settle(
        book.lossesUsd.byteOffset,
        returns.byteOffset,
        changeUsd,
        order.byteOffset,
        order.length,
        values.byteOffset,
        scenarios.byteOffset,
        book.columnAddresses.byteOffset,
        book.notionalsUsd.byteOffset,
        book.positionCount,
        movesSpare,
      );
      return settled === 1;
    },
    keepReaching({ lossesUsd }, returns, changeUsd, leastUsd, count, { keptValues, keptIndices }) {
      return keepReaching(
        lossesUsd.byteOffset,
        returns.byteOffset,
        changeUsd,
        leastUsd,
        count,
        keptValues.byteOffset,
        keptIndices.byteOffset,
      );
    },
  };
}
