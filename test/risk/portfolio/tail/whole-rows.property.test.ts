import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/math/random.ts";
import { TailArena } from "../../../../src/risk/portfolio/tail/tail-arena.ts";
import { bucketNumbersOf, createTailKernel } from "../../../../src/risk/portfolio/tail/tail-kernel.ts";
import { WholeRows } from "../../../../src/risk/portfolio/tail/whole-rows.ts";
import { buildScenarioSheet } from "../../../../src/risk/scenarios/sheet-builder.ts";
import { testAsset, testInputs } from "../../../support/scenarios.ts";

const { sheet: small } = buildScenarioSheet(testInputs(5, [testAsset(1)]));
const [day] = small.days;
const ROWS = 6;

/** Rows of so many scenarios, whole blocks and lanes or not, and returns that are alike where they are coarse. */
const givenRows = fc.record({
  seed: fc.nat(),
  scenarios: fc.integer({ min: 1, max: 70 }),
  rowCount: fc.integer({ min: 1, max: 6 }),
  isCoarse: fc.boolean(),
});
const amountUsd = fc.constantFrom<number>(0, 3, -250, 1e6);

describe("WholeRows and the kernel's loops over them", () => {
  it("hold the returns of the day last asked for", () => {
    const arena = new TailArena();
    const rows = new WholeRows(arena, createTailKernel(arena.memory));
    const [first, second] = [0.5, 0.25].map((each) => ({ ...day!, returns: new Float32Array(9).fill(each) }));
    for (const asked of [first!, first!, second!, first!]) {
      expect(Array.from(rows.returnsOf(3, asked))).toEqual(Array.from(asked.returns));
    }
    expect(Array.from(rows.returnsOf(0, second!))).toEqual(Array.from(second!.returns));
    expect(rows.returnsOf(3, first!)).not.toEqual(rows.returnsOf(0, second!));
  });

  it("add what positions lose to every scenario's loss, position by position", () => {
    const held = fc.array(fc.record({ row: fc.nat(ROWS - 1), notionalUsdSigned: amountUsd }), {
      maxLength: 70,
    });
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 70 }), held, (seed, scenarios, positions) => {
        const random = createRandom(seed);
        const days = Array.from({ length: ROWS }, () => ({
          ...day!,
          returns: Float32Array.from({ length: scenarios }, () => random.uniform() - 0.5),
        }));
        const sheet = { ...small, rows: ROWS, scenarios, days };
        const arena = new TailArena();
        const rows = new WholeRows(arena, createTailKernel(arena.memory));
        const before = Array.from({ length: scenarios }, () => random.normal());
        const lossesUsd = doublesOf(before, arena);

        rows.addLosses(sheet, positions, lossesUsd);

        const lossOf = (beforeUsd: number, scenario: number): number =>
          positions.reduce(
            (lossUsd, { row, notionalUsdSigned }) =>
              lossUsd - notionalUsdSigned * days[row]!.returns[scenario]!,
            beforeUsd,
          );
        expect(Array.from(lossesUsd)).toEqual(before.map(lossOf));
      }),
    );
  });

  it("gather a column, its lowest and its highest return", () => {
    fc.assert(
      fc.property(givenRows, fc.nat(), (given, drawn) => {
        const { arena, kernel, rows, random } = kernelRowsOf(given);
        const count = drawn % (given.scenarios + 1);
        const chosen = Array.from({ length: count }, () => Math.floor(given.scenarios * random.uniform()));
        // What stands behind the last must not be read as a scenario that counts.
        const scenarios = arena.integers(count + 1);
        scenarios.set([...chosen, 0]);
        const returns = arena.doubles(count + 1).fill(9);
        const range = arena.doubles(2);

        kernel.gatherColumn(rows[0]!, scenarios, count, returns, range);

        const wanted = chosen.map((scenario) => rows[0]![scenario]!);
        expect(Array.from(returns)).toEqual([...wanted, 9]);
        expect(Array.from(range)).toEqual([Math.min(...wanted), Math.max(...wanted)]);
      }),
    );
  });

  it("find the scenarios that two changes carry to a level", () => {
    fc.assert(
      fc.property(givenRows, amountUsd, amountUsd, fc.nat(), (given, otherUsd, movedUsd, drawn) => {
        const { arena, kernel, rows, random } = kernelRowsOf(given);
        const [far, row] = [rows.at(-1)!, rows[0]!];
        // A candidate's loss is left out of any search.
        const lossesUsd = doublesOf(
          Array.from(row, () => (random.uniform() < 0.3 ? Number.NEGATIVE_INFINITY : random.uniform())),
          arena,
        );
        const found = arena.integers(given.scenarios);
        const lossOf = (scenario: number): number =>
          lossesUsd[scenario]! - otherUsd * far[scenario]! - movedUsd * row[scenario]!;
        const tying = lossOf(drawn % given.scenarios);
        for (const leastUsd of [tying, 0.99, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
          const count = kernel.findMoved(lossesUsd, far, otherUsd, row, movedUsd, leastUsd, found);

          const every = Array.from(row, (_, scenario) => scenario);
          const wanted = every.filter((scenario) => lossOf(scenario) >= leastUsd);
          expect(Array.from(found.subarray(0, count))).toEqual(wanted);
        }
      }),
    );
  });

  it("name the largest loss, and a level that so many reach and that fewer would a step above it", () => {
    const given = fc.record({
      seed: fc.nat(),
      size: fc.integer({ min: 1, max: 800 }),
      share: fc.double({ min: 0.01, max: 1, noNaN: true }),
      meanUsd: fc.constantFrom(-9, -1, 0, 1, 50),
      isCoarse: fc.boolean(),
    });
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(given, ({ seed, size, share, meanUsd, isCoarse }) => {
        const random = createRandom(seed);
        const drawn = (): number => meanUsd + (isCoarse ? Math.round(random.normal()) : random.normal());
        const arena = new TailArena();
        const lossesUsd = doublesOf(Array.from({ length: size }, drawn), arena);
        const wanted = Math.ceil(size * share);
        const buckets = arena.integers(bucketNumbersOf(size));
        buckets.fill(7);

        const kernel = createTailKernel(arena.memory);
        const levelUsd = kernel.levelReached(lossesUsd, size, wanted, buckets);

        expect(kernel.largestOf(lossesUsd)).toBe(Math.max(...lossesUsd));

        const stepUsd = Math.max(0, ...lossesUsd) / STEPS;
        const reaching = (leastUsd: number): number => lossesUsd.filter((loss) => loss >= leastUsd).length;
        seen.add(Number.isFinite(levelUsd));
        if (levelUsd === Number.NEGATIVE_INFINITY) {
          expect(stepUsd === 0 || reaching(stepUsd * (1 + ROUNDING)) < wanted).toBe(true);
        } else {
          expect(levelUsd).toBeGreaterThan(0);
          expect(reaching(levelUsd * (1 - ROUNDING))).toBeGreaterThanOrEqual(wanted);
          expect(reaching((levelUsd + stepUsd) * (1 + ROUNDING))).toBeLessThan(wanted);
        }
      }),
    );
    expect(seen.size).toBe(2);
  });
});

/** A level lies on one of so many steps up to the largest loss. */
const STEPS = 255.5;
const ROUNDING = 1e-12;

function kernelRowsOf({
  seed,
  scenarios,
  rowCount,
  isCoarse,
}: {
  readonly seed: number;
  readonly scenarios: number;
  readonly rowCount: number;
  readonly isCoarse: boolean;
}) {
  const random = createRandom(seed);
  const arena = new TailArena();
  const rows = Array.from({ length: rowCount }, () => {
    const row = arena.singles(scenarios);
    for (let scenario = 0; scenario < scenarios; scenario++) {
      row[scenario] = isCoarse ? Math.round(4 * random.uniform()) / 64 : random.uniform() - 0.5;
    }
    return row;
  });
  return { arena, kernel: createTailKernel(arena.memory), rows, random };
}

function doublesOf(values: readonly number[], arena: TailArena): Float64Array {
  const doubles = arena.doubles(values.length);
  doubles.set(values);
  return doubles;
}
