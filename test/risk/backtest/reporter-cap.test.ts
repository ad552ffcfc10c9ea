import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REPORTER_CAP, withinReporterCap } from "../../../src/risk/backtest/reporter-cap.ts";
import "../../support/property.ts";

// Mutants that these kill: a sole reporter cut; the oldest kept; the cap without the others' number; every reporter
// measured against all outcomes.

/** Reporters in turn, as many of each as said. */
const reports = (...counts: readonly number[]): Uint32Array =>
  Uint32Array.from(counts.flatMap((count, reporter) => new Array<number>(count).fill(reporter)));
const countedOf = (reporters: Uint32Array, reporter: number): number =>
  withinReporterCap(reporters).reduce((sum, flag, i) => sum + (reporters[i] === reporter ? flag : 0), 0);

describe("withinReporterCap", () => {
  it("lets a sole reporter speak, and several of which none is more than the rest", () => {
    expect(withinReporterCap(reports(9_000)).every(Boolean)).toBe(true);
    expect(withinReporterCap(reports(700, 400, 300)).every(Boolean)).toBe(true);
    expect(withinReporterCap(new Uint32Array(0))).toHaveLength(0);
  });

  it("cuts one that would drown out the others to their number, its newest", () => {
    const reporters = reports(2_000, 600);
    const flags = withinReporterCap(reporters);

    expect(flags.subarray(0, 1_400).some(Boolean)).toBe(false);
    expect(flags.subarray(1_400).every(Boolean)).toBe(true);
  });

  it("always counts the newest 500 of each", () => {
    expect(countedOf(reports(2_000, 1), 0)).toBe(500);
    expect(countedOf(reports(500, 1), 0)).toBe(500);
  });

  it("gives no reporter more than half beyond the floor, and cuts at most one", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 2, maxLength: 6 }), (counts) => {
        const reporters = reports(...counts);
        const total = withinReporterCap(reporters).reduce((sum, flag) => sum + flag, 0);
        const counted = counts.map((_, reporter) => countedOf(reporters, reporter));

        for (const count of counted) expect(count <= REPORTER_CAP.value || count <= total - count).toBe(true);
        expect(counted.filter((count, reporter) => count < counts[reporter]!).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });
});
