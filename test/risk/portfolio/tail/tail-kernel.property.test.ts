import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../../src/math/random.ts";
import { TailArena } from "../../../../src/risk/portfolio/tail/tail-arena.ts";
import { createTailKernel, type KernelBook } from "../../../../src/risk/portfolio/tail/tail-kernel.ts";
import {
  bookLossUsd,
  type ChangedBook,
  changedLossUsd,
  isSettledWithin,
  settledOrder,
} from "../../../oracle/settled-tail.ts";

const BLOCK = 8;
const SLOTS = 64;

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

          const found = kernel.keepReaching(book, returns, facts.changeUsd, leastUsd, count, kept);

          expect(Array.from(kept.keptIndices.subarray(0, found))).toEqual(wanted);
          expect(Array.from(kept.keptValues.subarray(0, found))).toEqual(wanted.map(lossOf));
        }
      }),
    );
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
