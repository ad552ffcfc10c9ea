import type { OrderBook } from "../../src/domain/book.ts";
import { orderBook } from "./builders.ts";
import { sharedText } from "./shared-data.ts";

interface WireLevel {
  px: string;
  sz: string;
}

const levels = (side: readonly WireLevel[]): [number, number][] =>
  side.map(({ px, sz }) => [Number(px), Number(sz)]);

/** Twenty-level books as recorded every half second for 35 minutes, thinned to every `stride`-th. */
export function recordedBooks(coin: string, stride: number): OrderBook[] {
  return sharedText(`books/hl_l2book_${coin}_20250904.jsonl.gz`)
    .trimEnd()
    .split("\n")
    .filter((_line, i) => i % stride === 0)
    .map((line) => {
      const wire = JSON.parse(line) as { levels: [WireLevel[], WireLevel[]] };
      return orderBook(levels(wire.levels[0]), levels(wire.levels[1]));
    });
}
