import type { SelectionMemory } from "../../../math/order-statistics.ts";
import { createKernelMemory, type KernelMemory } from "./kernel-memory.ts";
import type { TailOrder } from "./tail-order.ts";

/** A cache line: a block of eight losses is one. */
const ALIGNMENT_BYTES = 64;
const PAGE_BYTES = 65_536;
/** The least that is asked for at a time. */
const GROWTH_PAGES = 16;

/**
 * The memory of one workspace's tails, which kernel and plain code read alike. It is no part of the language's heap: what
 * is not needed any more is given back by hand, and taken again by whatever is as long.
 *
 * Holds:  what is taken is all 0 the first time only
 */
export class TailArena {
  readonly memory: KernelMemory = createKernelMemory();
  /** By length in bytes: where memory that was given back begins. */
  readonly #spare = new Map<number, number[]>();
  #end = 0;

  doubles(length: number): Float64Array {
    const address = this.#take(8 * length);
    return new Float64Array(this.memory.buffer, address, length);
  }

  singles(length: number): Float32Array {
    const address = this.#take(4 * length);
    return new Float32Array(this.memory.buffer, address, length);
  }

  integers(length: number): Uint32Array {
    const address = this.#take(4 * length);
    return new Uint32Array(this.memory.buffer, address, length);
  }

  order(length: number): TailOrder {
    const address = this.#take(2 * length);
    return new Uint16Array(this.memory.buffer, address, length);
  }

  /** Of samples of so many. */
  selection(sampleSizeMax: number): SelectionMemory {
    return {
      values: this.doubles(sampleSizeMax),
      keptValues: this.doubles(sampleSizeMax),
      keptIndices: this.integers(sampleSizeMax),
    };
  }

  /** Nobody may read it afterwards. */
  release({ byteOffset, byteLength }: Float64Array | Uint32Array | TailOrder): void {
    const bytes = wholeLines(byteLength);
    const spare = this.#spare.get(bytes);
    if (spare === undefined) this.#spare.set(bytes, [byteOffset]);
    else spare.push(byteOffset);
  }

  /** Where so much memory begins; the buffer is another when it had to grow. */
  #take(byteLength: number): number {
    const bytes = wholeLines(byteLength);
    const spare = this.#spare.get(bytes)?.pop();
    if (spare !== undefined) return spare;
    const address = this.#end;
    const lacking = address + bytes - this.memory.buffer.byteLength;
    if (lacking > 0) this.memory.grow(Math.max(GROWTH_PAGES, Math.ceil(lacking / PAGE_BYTES)));
    this.#end = address + bytes;
    return address;
  }
}

function wholeLines(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}
