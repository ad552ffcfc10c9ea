/** Of what is freed in parts of up to so much, glibc learns to keep as much again, and twice of it in every thread's arena. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;
const PAGE_BYTES = 4096;

/**
 * Shared memory for what comes and goes with a draw, zeros at first. It goes back to the system when it is released, and
 * teaches the allocator nothing: where it would be small enough to be kept it is made larger, by pages that nobody touches
 * and that therefore take no memory.
 *
 * Source:  glibc, malloc/malloc.c: DEFAULT_MMAP_THRESHOLD_MAX on 64-bit systems
 */
export function sharedBlock(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(Math.max(bytes, KEPT_BYTES_MAX + PAGE_BYTES));
}

/** Zeros of single precision that every thread reads where they are. */
export function sharedSingles(length: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(length * Float32Array.BYTES_PER_ELEMENT));
}
