/** The pause after what failed for the nth time in a row, counted from 1. */
export function doublingPauseMs(failures: number, firstMs: number, capMs: number): number {
  return Math.min(capMs, firstMs * 2 ** (failures - 1));
}
