import type { BookFrame, BookLevels, BookSource } from "../../domain/book.ts";
import { tickerOf } from "../../domain/ids.ts";
import { isBeyondMarket } from "../../domain/market-bounds.ts";
import type { Parsed } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";

/** Fifty times what the exchange shows of a side: every level is copied, merged and summed ten times a second. */
const LEVELS_MAX = 1_000;

/**
 * A book frame from an l2Book message, or why it is not one; null when the exchange has no such coin.
 *
 * Holds:   sides sorted best first, strictly; prices and sizes positive, and of a market's order; best bid below best ask
 */
export function parseBook(value: unknown, source: BookSource, arrivedAtMs: number): Parsed<BookFrame | null> {
  const reader = new FieldReader();
  if (value === null) return reader.finish(null);
  const book = reader.record(value, "book");
  const levels = reader.list(book["levels"], "levels");
  if (levels.length !== 2) reader.fail("wrong_type", "levels", levels);
  return finishFrame(reader, {
    ticker: tickerOf(reader.text(book["coin"], "coin")),
    source,
    exchangeTimeMs: reader.count(book["time"], "time"),
    arrivedAtMs,
    bids: parseSide(reader, reader.list(levels[0], "levels[0]"), -1, "levels[0]"),
    asks: parseSide(reader, reader.list(levels[1], "levels[1]"), 1, "levels[1]"),
  });
}

/** The best bid and offer as a book of at most one level a side. */
export function parseTouch(value: unknown, arrivedAtMs: number): Parsed<BookFrame> {
  const reader = new FieldReader();
  const touch = reader.record(value, "bbo");
  const sides = reader.list(touch["bbo"], "bbo");
  if (sides.length !== 2) reader.fail("wrong_type", "bbo", sides);
  const side = (level: unknown): readonly unknown[] => (level === null ? [] : [level]);
  return finishFrame(reader, {
    ticker: tickerOf(reader.text(touch["coin"], "coin")),
    source: "touch",
    exchangeTimeMs: reader.count(touch["time"], "time"),
    arrivedAtMs,
    bids: parseSide(reader, side(sides[0]), -1, "bbo[0]"),
    asks: parseSide(reader, side(sides[1]), 1, "bbo[1]"),
  });
}

function finishFrame(reader: FieldReader, frame: BookFrame): Parsed<BookFrame> {
  const bestBid = frame.bids.prices[0];
  const bestAsk = frame.asks.prices[0];
  if (bestBid !== undefined && bestAsk !== undefined && bestBid >= bestAsk) {
    reader.fail("crossed", "levels", `${String(bestBid)} >= ${String(bestAsk)}`);
  }
  return reader.finish(frame);
}

/** worsening: -1 where prices must fall (bids), +1 where they must rise (asks). */
function parseSide(
  reader: FieldReader,
  rows: readonly unknown[],
  worsening: 1 | -1,
  path: string,
): BookLevels {
  const prices = new Float64Array(rows.length);
  const sizesBase = new Float64Array(rows.length);
  const [pricePath, sizePath] = [`${path}.px`, `${path}.sz`];
  let last = worsening === 1 ? 0 : Number.POSITIVE_INFINITY;
  if (rows.length > LEVELS_MAX) reader.fail("mismatch", path, `${String(rows.length)} levels`);
  for (const [i, row] of rows.entries()) {
    if (reader.isFaulty) break;
    const level = reader.record(row, path);
    const price = reader.positive(level["px"], pricePath);
    const sizeBase = reader.positive(level["sz"], sizePath);
    if (isBeyondMarket(price, price)) reader.fail("mismatch", pricePath, level["px"]);
    if (isBeyondMarket(sizeBase, price * sizeBase)) reader.fail("mismatch", sizePath, level["sz"]);
    sizesBase[i] = sizeBase;
    if ((price - last) * worsening <= 0) reader.fail("out_of_order", `${path}[${String(i)}]`, price);
    prices[i] = price;
    last = price;
  }
  return { prices, sizesBase };
}
