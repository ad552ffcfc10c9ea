/** RFC 8259, 8.1: not to be written before JSON, and may be passed over where it is. */
const BYTE_ORDER_MARK = "\ufeff";

/** The text's JSON, with or without a byte order mark; undefined, which JSON itself cannot say, when it is not JSON. */
export function jsonValueOf(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object: neither an array nor null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
