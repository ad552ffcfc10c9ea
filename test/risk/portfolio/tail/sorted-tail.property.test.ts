import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSelection } from "../../../../src/math/order-statistics.ts";
import { createRandom } from "../../../../src/math/random.ts";
import {
  createAskedBook,
  forgetLosses,
  takePositions,
} from "../../../../src/risk/portfolio/tail/asked-book.ts";
import { admitCandidates, sortTail } from "../../../../src/risk/portfolio/tail/sorted-tail.ts";
import { TailArena } from "../../../../src/risk/portfolio/tail/tail-arena.ts";
import {
  addCandidate,
  columnOf,
  createTailCandidates,
  type TailCandidates,
} from "../../../../src/risk/portfolio/tail/tail-candidates.ts";
import { createTailMemory } from "../../../../src/risk/portfolio/tail/tail-memory.ts";
import { createTailSorter } from "../../../../src/risk/portfolio/tail/tail-order.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import type { ScenarioSheet } from "../../../../src/risk/scenarios/sheet.ts";
import { testAsset, testInputs } from "../../../support/scenarios.ts";

// Mutants killed: the growth of the others left out, candidates that came later forgotten, or looked at and left out.

const SCENARIOS = 1024;
const FIRST = 40;
const REACH = 10;
const HELD = { row: 0, notionalUsdSigned: 1_000 };
const CHANGE_USD = 50;
const { sheet: small } = buildScenarioSheet(testInputs(5, [testAsset(1)]));

/** Losses that lie further apart the larger they are, and a row that moves few scenarios, all alike. */
function sheetOf(seed: number): ScenarioSheet {
  const random = createRandom(seed);
  const returns = Float32Array.from({ length: SCENARIOS }, () => -0.05 / (0.05 + random.uniform()));
  const jumps = Float32Array.from({ length: SCENARIOS }, () => (random.uniform() < 0.05 ? -0.5 : 0));
  const days = [returns, jumps].map((each) => ({ ...small.days[0]!, returns: each }));
  return { ...small, rows: days.length, scenarios: SCENARIOS, days, pools: { ...small.pools } };
}

/** The jumping row grows a little at a time; candidates come one by one, or many at once, before a tail is sorted or after. */
const few = fc.constantFrom(0, 1, 1, 2);
const seldomMany = fc.oneof({ weight: 30, arbitrary: few }, { weight: 1, arbitrary: fc.constant(18) });
const step = fc.record({
  boughtUsd: fc.constantFrom(2, 4, 4, 8, -4),
  coming: seldomMany,
  later: seldomMany,
});
const steps = fc.array(step, { minLength: 1, maxLength: 40, size: "max" });

describe("sortTail and admitCandidates", () => {
  it("begin with the largest losses of the candidates, whatever was sorted and admitted before", () => {
    fc.assert(
      fc.property(fc.nat(), steps, (seed, asked) => {
        const sheet = sheetOf(seed);
        const arena = new TailArena();
        const candidates = createTailCandidates(SCENARIOS, arena);
        const book = createAskedBook(SCENARIOS, arena);
        const selection = createSelection(SCENARIOS, arena.selection(SCENARIOS));
        const sorter = createTailSorter(SCENARIOS, selection, arena);
        const likely = Uint16Array.from({ length: FIRST }, (_, slot) => slot);
        const memory = createTailMemory(likely, REACH, arena);
        let jumpingUsd = 0;
        // In the order of neither losses nor scenarios.
        const come = (count: number): void => {
          for (let n = 0; n < count; n++) addCandidate((candidates.count * 199) % SCENARIOS, candidates);
        };
        const expectLargest = (): void => {
          const largest = largestOf(sheet, jumpingUsd, candidates);
          expect(Array.from(memory.order.subarray(0, REACH))).toEqual(largest.map(({ slot }) => slot));
          const found = sorter.selection.values.subarray(0, REACH);
          expect(Array.from(found)).toEqual(largest.map(({ lossUsd }) => lossUsd));
        };
        come(FIRST);
        for (const { boughtUsd, coming, later } of asked) {
          come(coming);
          jumpingUsd += boughtUsd;
          takePositions(sheet, [HELD, { row: 1, notionalUsdSigned: jumpingUsd }], candidates, book);
          forgetLosses(0, candidates, book);
          const column = columnOf(sheet, 0, candidates, book);
          sortTail(book, column, CHANGE_USD, REACH, candidates, memory, likely, sorter);
          expectLargest();

          const known = candidates.count;
          come(later);
          if (later > 0) {
            forgetLosses(known, candidates, book);
            admitCandidates(book, column, CHANGE_USD, candidates, memory, sorter);
          }
          expectLargest();
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** By definition: every candidate's loss with the change, sorted. */
function largestOf(
  sheet: ScenarioSheet,
  jumpingUsd: number,
  { scenarios, count }: TailCandidates,
): readonly { readonly lossUsd: number; readonly slot: number }[] {
  const [returns, jumps] = sheet.days.map((day) => day.returns);
  const losses = Array.from(scenarios.subarray(0, count), (scenario, slot) => {
    const heldUsd = 0 - HELD.notionalUsdSigned * returns![scenario]! - jumpingUsd * jumps![scenario]!;
    return { lossUsd: heldUsd - CHANGE_USD * returns![scenario]!, slot, scenario };
  });
  return losses.sort((a, b) => b.lossUsd - a.lossUsd || a.scenario - b.scenario).slice(0, REACH);
}
