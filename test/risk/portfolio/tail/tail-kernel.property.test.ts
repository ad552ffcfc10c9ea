import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/math/random.ts";
import { TailArena } from "../../../../src/risk/portfolio/tail/tail-arena.ts";
import {
  bucketNumbersOf,
  createTailKernel,
  type KernelBook,
} from "../../../../src/risk/portfolio/tail/tail-kernel.ts";
import {
  bookLossUsd,
  type ChangedBook,
  changedLossUsd,
  isSettledWithin,
  settledOrder,
} from "../../../oracle/settled-tail.ts";

const BLOCK = 8;
const SLOTS = 64;
/** Fewer losses do not crowd, wherever they lie. */
const CROWDING_MIN = 32;

/** Returns that leave ties where they are coarse, positions of both sides, of nothing, and none at all. */
const givenBook = fc.record({
  seed: fc.nat(),
  positionCount: fc.integer({ min: 0, max: 7 }),
  isCoarse: fc.boolean(),
  changeUsd: fc.constantFrom(0, 0, 3, -250, 1e6),
  /** Share of the blocks whose losses are not known. */
  unknown: fc.constantFrom(0, 0.5, 1),
});
/** How many neighbours change places in an order that was sorted. */
const givenOrder = fc.record({
  length: fc.integer({ min: 0, max: SLOTS }),
  swaps: fc.constantFrom(0, 1, 5, 40, 400),
  movesSpare: fc.integer({ min: 0, max: 8 }),
});

describe("TailKernel", () => {
  it("settles an order as sorting it does, and says where that takes too many moves", () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(givenBook, givenOrder, (given, { length, swaps, movesSpare }) => {
        const { arena, kernel, changed, book, returns, scenarios } = kernelBookOf(given);
        const random = createRandom(given.seed + 1);
        const slots = [...settledOrder(changed, shuffled(SLOTS, random)).slice(0, length)];
        for (let n = 0; n < swaps && length > 1; n++) {
          const at = Math.floor(random.uniform() * (length - 1));
          [slots[at], slots[at + 1]] = [slots[at + 1]!, slots[at]!];
        }
        const before = Array.from(book.lossesUsd);
        const order = arena.order(length);
        order.set(slots);
        const values = arena.doubles(SLOTS);

        const isSettled = kernel.settle(book, returns, given.changeUsd, order, values, scenarios, movesSpare);

        expect(isSettled).toBe(isSettledWithin(changed, slots, movesSpare));
        seen.add(isSettled);
        if (!isSettled) return;
        const sorted = settledOrder(changed, slots);
        expect(Array.from(order)).toEqual(sorted);
        expect(Array.from(values.subarray(0, length))).toEqual(
          sorted.map((slot) => changedLossUsd(changed, slot)),
        );
        const needed = new Set(slots.map(blockOf));
        expect(Array.from(book.lossesUsd)).toEqual(
          before.map((was, slot) => (needed.has(blockOf(slot)) ? bookLossUsd(changed, slot) : was)),
        );
      }),
    );
    expect(seen.size).toBe(2);
  });

  it("keeps the losses that reach a level, and their slots", () => {
    const given = fc.tuple(
      givenBook,
      fc.nat(SLOTS),
      fc.double({ min: -200, max: 200, noNaN: true }),
      fc.nat(SLOTS - 1),
    );
    fc.assert(
      fc.property(given, ([facts, count, level, tying]) => {
        const { arena, kernel, changed, book, returns } = kernelBookOf({ ...facts, unknown: 0 });
        const kept = arena.selection(SLOTS);
        const slots = Array.from({ length: count }, (_, slot) => slot);
        const lossOf = (slot: number): number => changedLossUsd(changed, slot);
        for (const leastUsd of [level, lossOf(tying), -Infinity, Infinity]) {
          const wanted = slots.filter((slot) => lossOf(slot) >= leastUsd);

          const found = kernel.keepReaching(book.lossesUsd, returns, facts.changeUsd, leastUsd, count, kept);

          expect(Array.from(kept.keptIndices.subarray(0, found))).toEqual(wanted);
          expect(Array.from(kept.keptValues.subarray(0, found))).toEqual(wanted.map(lossOf));
        }
      }),
    );
  });

  it("sorts the largest of kept losses, or says that they crowd and leaves all as it was", () => {
    const seen = new Set<boolean>();
    const given = fc.record({
      seed: fc.nat(),
      leastUsd: fc.constantFrom(-1, 0, 0.5, 10),
      /** How far losses lie from the level: many alike, some equal, in the shape of a tail, or with one far from all. */
      shape: fc.constantFrom("alike", "equal", "tail", "outlier"),
      kept: fc.integer({ min: 1, max: SLOTS }),
      share: fc.double({ min: 0.01, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(given, ({ seed, leastUsd, shape, kept, share }) => {
        const random = createRandom(seed);
        const drawn = (): number => {
          const beyond = 1 / Math.cbrt(random.uniform() + 1e-9);
          if (shape === "alike") return 1 + random.uniform() / 1_000;
          return shape === "equal" ? Math.ceil(beyond) : beyond;
        };
        const lossesUsd = Array.from({ length: SLOTS }, () => leastUsd + Math.abs(leastUsd) * (drawn() - 1));
        if (shape === "outlier") lossesUsd[0] = Number.POSITIVE_INFINITY;
        const slots = shuffled(SLOTS, random).slice(0, kept);
        const arena = new TailArena();
        const scenarios = arena.integers(SLOTS);
        scenarios.set(shuffled(SLOTS, random));
        const selection = arena.selection(SLOTS);
        selection.keptValues.set(slots.map((slot) => lossesUsd[slot]!));
        selection.keptIndices.set(slots);
        const order = arena.order(Math.ceil(share * kept));
        const buckets = arena.integers(bucketNumbersOf(SLOTS));
        buckets.fill(7);

        const kernel = createTailKernel(arena.memory);
        const isSorted = kernel.sortKept(kept, leastUsd, order, selection, scenarios, buckets);

        const isBefore = (a: number, b: number): boolean =>
          lossesUsd[a]! > lossesUsd[b]! || (lossesUsd[a] === lossesUsd[b] && scenarios[a]! < scenarios[b]!);
        const wanted = [...slots].sort((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, order.length);
        seen.add(isSorted);
        expect(Array.from(order)).toEqual(isSorted ? wanted : wanted.map(() => 0));
        expect(Array.from(selection.values.subarray(0, order.length))).toEqual(
          wanted.map((slot) => (isSorted ? lossesUsd[slot] : 0)),
        );
        if (isSorted) expect(leastUsd).toBeGreaterThan(0);
        else expect(leastUsd <= 0 || kept > CROWDING_MIN).toBe(true);
      }),
    );
    expect(seen.size).toBe(2);
  });

  it("makes the losses that are missing from a block on, and no others", () => {
    fc.assert(
      fc.property(givenBook, fc.nat(SLOTS / BLOCK), fc.nat(SLOTS), (given, fromBlock, count) => {
        const { kernel, changed, book } = kernelBookOf(given);
        const from = fromBlock * BLOCK;
        const before = Array.from(book.lossesUsd);

        kernel.fillMissing(from, count, book);

        const isAsked = (slot: number): boolean =>
          blockOf(slot) >= fromBlock && blockOf(slot) * BLOCK < count && slot < SLOTS;
        expect(Array.from(book.lossesUsd)).toEqual(
          before.map((was, slot) => (isAsked(slot) ? bookLossUsd(changed, slot) : was)),
        );
      }),
    );
  });
});

function kernelBookOf({
  seed,
  positionCount,
  isCoarse,
  changeUsd,
  unknown,
}: {
  readonly seed: number;
  readonly positionCount: number;
  readonly isCoarse: boolean;
  readonly changeUsd: number;
  readonly unknown: number;
}) {
  const random = createRandom(seed);
  const drawn = (): number => (isCoarse ? Math.round(4 * random.uniform()) / 64 : random.uniform() - 0.5);
  const column = (): number[] => Array.from({ length: SLOTS }, drawn);
  const changed: ChangedBook = {
    returns: Array.from({ length: positionCount }, column),
    notionalsUsd: Array.from({ length: positionCount }, () => Math.round(2_000 * (random.uniform() - 0.5))),
    changedReturns: column(),
    changeUsd,
    scenarios: shuffled(SLOTS, random),
  };
  const arena = new TailArena();
  const doublesOf = (values: readonly number[]): Float64Array => {
    const doubles = arena.doubles(values.length);
    doubles.set(values);
    return doubles;
  };
  const columnAddresses = arena.integers(positionCount);
  columnAddresses.set(changed.returns.map((each) => doublesOf(each).byteOffset));
  const scenarios = arena.integers(SLOTS);
  scenarios.set(changed.scenarios);
  const lossesUsd = doublesOf(Array.from({ length: SLOTS + BLOCK }, () => Number.NaN));
  for (let first = 0; first < SLOTS; first += BLOCK) {
    if (random.uniform() < unknown) continue;
    for (let slot = first; slot < first + BLOCK; slot++) lossesUsd[slot] = bookLossUsd(changed, slot);
  }
  const notionalsUsd = doublesOf(changed.notionalsUsd);
  const book: KernelBook = { lossesUsd, columnAddresses, notionalsUsd, positionCount };
  const returns = doublesOf(changed.changedReturns);
  return { arena, kernel: createTailKernel(arena.memory), changed, book, returns, scenarios };
}

function blockOf(slot: number): number {
  return Math.floor(slot / BLOCK);
}

function shuffled(count: number, random: ReturnType<typeof createRandom>): number[] {
  const keyed = Array.from({ length: count }, (_, value) => ({ value, key: random.uniform() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
