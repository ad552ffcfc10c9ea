import type { Calibrated } from "../../domain/calibrated.ts";

export const REPORTER_CAP: Calibrated = {
  value: 500,
  unit: "outcomes of one key that always count",
  source: "chosen: enough for every statistic; beyond it no key outweighs all others together",
  fittedOn: "not fitted: chosen 2026-11",
};

/**
 * Which outcomes count, so that no reporter speaks for more than half: of one with more than 500 and more than all
 * others together, the newest count, as many as the larger of the two. A sole reporter has nobody to drown out.
 *
 * Shapes:  reporters as small whole numbers, in the order of the record; one flag each, 1 counts
 * Holds:   at most one reporter is cut; the others' outcomes all count
 */
export function withinReporterCap(reporters: Uint32Array): Uint8Array {
  const flags = new Uint8Array(reporters.length).fill(1);
  const counts = new Map<number, number>();
  for (const reporter of reporters) counts.set(reporter, (counts.get(reporter) ?? 0) + 1);
  if (counts.size < 2) return flags;
  for (const [reporter, count] of counts) {
    let excess = count - Math.max(REPORTER_CAP.value, reporters.length - count);
    for (let i = 0; excess > 0; i++) {
      if (reporters[i] !== reporter) continue;
      flags[i] = 0;
      excess--;
    }
  }
  return flags;
}
