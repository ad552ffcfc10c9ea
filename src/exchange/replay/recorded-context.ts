import type { BookFrame } from "../../domain/book.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { parseBook } from "../hyperliquid/parse-book.ts";
import { bucketedLevels, cutLevels } from "./recorded-levels.ts";

/** The prices of a context, which follow the market; the rest of it is kept as recorded. */
const PRICE_FIELDS = ["markPx", "oraclePx", "midPx", "prevDayPx"] as const;

/**
 * The context of an asset at a recorded book's mid: the last recorded context with every price moved by
 * book mid / recorded mid. A folder of books has no context stream, so funding, premium, open interest and volume stand
 * still at what was last recorded.
 */
export function contextAtMid(context: WireRecord, recordedMid: number, bookMid: number): WireRecord {
  const moved = (value: unknown): unknown =>
    typeof value === "string"
      ? String(Number(((Number(value) * bookMid) / recordedMid).toPrecision(10)))
      : value;
  const impact = context["impactPxs"];
  return {
    ...context,
    ...Object.fromEntries(PRICE_FIELDS.map((field) => [field, moved(context[field])])),
    impactPxs: Array.isArray(impact) ? (impact as unknown[]).map(moved) : impact,
  };
}

/** What the exchange would have sent at the moment of a recorded 20-level book: it, its top, its bucketed view. */
export function framesOfBook(book: WireRecord): readonly WireRecord[] {
  const levels = book["levels"];
  if (!Array.isArray(levels)) return [];
  const sides = levels as readonly (readonly WireRecord[])[];
  const [bid, ask] = [sides[0]?.[0] ?? null, sides[1]?.[0] ?? null];
  return [
    { channel: "l2Book", data: book },
    { channel: "l2Book", data: { ...book, levels: cutLevels(sides), fast: true } },
    { channel: "bbo", data: { coin: book["coin"], time: book["time"], bbo: [bid, ask] } },
    // Only what 20 levels hold: beyond them nothing was recorded, so merging it adds nothing.
    { channel: "l2Book", data: { ...book, levels: bucketedLevels(sides), spread: "0.0" } },
  ];
}

export function midOfBook(book: unknown): number | null {
  const parsed = parseBook(book, "slow", 0);
  return parsed.ok && parsed.value !== null ? midOf(parsed.value) : null;
}

/** The context rows of a recorded universe, each in its place, whatever it holds. */
export function contextRows(metaAndContexts: unknown): readonly unknown[] {
  const contexts: unknown = Array.isArray(metaAndContexts) ? metaAndContexts[1] : undefined;
  return Array.isArray(contexts) ? (contexts as unknown[]) : [];
}

function midOf(frame: BookFrame): number | null {
  const [bid, ask] = [frame.bids.prices[0], frame.asks.prices[0]];
  return bid === undefined || ask === undefined ? null : (bid + ask) / 2;
}
