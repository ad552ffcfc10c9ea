import { err } from "../../domain/result.ts";
import type { Parsed, ParseError } from "./field-reader.ts";
import { FieldReader } from "./field-reader.ts";

/** The rows of a list that make sense. */
export interface ReadRows<T> {
  readonly rows: readonly T[];
  /** What was wrong with each of the others. */
  readonly rejected: readonly ParseError[];
  /** Of the list as it came. */
  readonly sentCount: number;
}

/** A list read row by row: one that makes no sense costs itself alone. Errors: no list, or no row at all makes sense. */
export function readRows<T>(
  value: unknown,
  name: string,
  readRow: (reader: FieldReader, row: unknown, path: string) => T,
): Parsed<ReadRows<T>> {
  const list = new FieldReader();
  const sent = list.list(value, name);
  const rows: T[] = [];
  const rejected: ParseError[] = [];
  for (const [i, row] of sent.entries()) {
    const reader = new FieldReader();
    const read = reader.finish(readRow(reader, row, `[${String(i)}]`));
    if (read.ok) rows.push(read.value);
    else rejected.push(read.error);
  }
  if (rows.length === 0 && rejected[0] !== undefined) return err(rejected[0]);
  return list.finish({ rows, rejected, sentCount: sent.length });
}
