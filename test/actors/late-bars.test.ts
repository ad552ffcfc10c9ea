import { describe, expect, it } from "vitest";
import { hasLateBars } from "../../src/actors/late-bars.ts";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { barAt } from "../support/ingest-deps.ts";

// Mutants killed by hand: late only where all that was fetched is; one that the model stands at, or one without trades,
// taken for late; a bar known without trades, or at another high or low, taken for known.

const KNOWN = [0, 1, 2, 4].map(barAt);
const STEPPED_TO_MS = 4 * HOUR_MS;

describe("fetched bars", () => {
  it.each<[string, boolean, readonly Bar[]]>([
    ["nothing", false, []],
    ["what is known", false, KNOWN],
    ["a later one", false, [barAt(5)]],
    ["what is known and a later one", false, [...KNOWN, barAt(5)]],
    ["the missing one among known ones", true, [...KNOWN.slice(0, 3), barAt(3), barAt(4)]],
    ["the missing one without trades", false, [{ ...barAt(3), volumeBase: 0 }]],
    ["one before all", true, [barAt(-1), barAt(0)]],
    ["the last one at another close", true, [{ ...barAt(4), close: 105 }]],
    ["one at another open", true, [{ ...barAt(1), open: 95 }, barAt(2)]],
    ["one at another high", true, [{ ...barAt(1), high: 120 }, barAt(2)]],
    ["one at another low", true, [{ ...barAt(1), low: 80 }, barAt(2)]],
    ["one of another volume", false, [{ ...barAt(1), volumeBase: 7 }, barAt(2)]],
  ])("of %s are late: %s", (_what, isLate, fetched) => {
    expect(hasLateBars(barColumnsOf(KNOWN), barColumnsOf(fetched), STEPPED_TO_MS)).toBe(isLate);
  });

  it("are late where the bar was known without trades", () => {
    const known = [barAt(0), { ...barAt(1), volumeBase: 0 }, barAt(2)];

    expect(hasLateBars(barColumnsOf(known), barColumnsOf([barAt(1)]), STEPPED_TO_MS)).toBe(true);
  });
});
