/** What a tail is sorted from: one book's positions on candidates, changed in one row. */
export interface ChangedBook {
  /** By position, then by slot. */
  readonly returns: readonly (readonly number[])[];
  readonly notionalsUsd: readonly number[];
  readonly changedReturns: readonly number[];
  readonly changeUsd: number;
  /** By slot. */
  readonly scenarios: readonly number[];
}

/** A slot's loss, position by position. */
export function bookLossUsd({ returns, notionalsUsd }: ChangedBook, slot: number): number {
  let lossUsd = 0;
  notionalsUsd.forEach((notionalUsd, i) => (lossUsd -= notionalUsd * returns[i]![slot]!));
  return lossUsd;
}

export function changedLossUsd(book: ChangedBook, slot: number): number {
  return bookLossUsd(book, slot) - book.changeUsd * book.changedReturns[slot]!;
}

/** The slots, largest loss first, ties by scenario. */
export function settledOrder(book: ChangedBook, slots: readonly number[]): readonly number[] {
  return [...slots].sort((a, b) => (isBefore(book, a, b) ? -1 : 1));
}

/** Whether insertion sorts them with so many moves to spare beside one for each slot it has come to. */
export function isSettledWithin(book: ChangedBook, slots: readonly number[], movesSpare: number): boolean {
  let moves = movesSpare;
  return slots.every((slot, rank) => {
    const overtaken = slots.slice(0, rank).filter((earlier) => isBefore(book, slot, earlier));
    moves += 1 - overtaken.length;
    return moves >= 0;
  });
}

function isBefore(book: ChangedBook, slot: number, other: number): boolean {
  const lossUsd = changedLossUsd(book, slot);
  const otherUsd = changedLossUsd(book, other);
  return lossUsd > otherUsd || (lossUsd === otherUsd && book.scenarios[slot]! < book.scenarios[other]!);
}
