import { isRecord } from "../../domain/json-value.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";

/** What a message from the exchange did not say, or said wrongly. */
export interface ParseError {
  readonly code:
    | "missing"
    | "wrong_type"
    | "not_decimal"
    | "not_positive"
    | "negative"
    | "out_of_order"
    | "crossed"
    | "mismatch";
  /** Where in the message, "universe[3].name". */
  readonly path: string;
  readonly found: string;
}

export type Parsed<T> = Result<T, ParseError>;

export type WireRecord = Readonly<Record<string, unknown>>;

/** No hexadecimal, blanks, infinities or empty text: everything Number() would forgive. */
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const FOUND_LENGTH_MAX = 60;

/**
 * Reads typed fields out of unknown JSON and remembers the first fault; `finish` gives the value only when there was
 * none, so a placeholder returned for a faulty field never leaves the parser.
 */
export class FieldReader {
  #fault: ParseError | null = null;

  get isFaulty(): boolean {
    return this.#fault !== null;
  }

  fail(code: ParseError["code"], path: string, found: unknown): void {
    this.#fault ??= { code: found === undefined ? "missing" : code, path, found: describe(found) };
  }

  /** A decimal string as a finite number. */
  decimal(value: unknown, path: string): number {
    if (typeof value === "string" && DECIMAL.test(value)) {
      const number = Number(value);
      if (Number.isFinite(number)) return number;
    }
    this.fail("not_decimal", path, value);
    return Number.NaN;
  }

  positive(value: unknown, path: string): number {
    const number = this.decimal(value, path);
    if (number <= 0) this.fail("not_positive", path, value);
    return number;
  }

  nonNegative(value: unknown, path: string): number {
    const number = this.decimal(value, path);
    if (number < 0) this.fail("negative", path, value);
    return number;
  }

  /** Null for nothing, null and "NaN", which the exchange says of dead coins; anything else must be a decimal string. */
  decimalOrNull(value: unknown, path: string): number | null {
    return value === undefined || value === null || value === "NaN" ? null : this.decimal(value, path);
  }

  /** A non-negative whole JSON number: an id, a time in ms, a count, a leverage. */
  count(value: unknown, path: string): number {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    this.fail("wrong_type", path, value);
    return 0;
  }

  /** A whole JSON number of at least 1. */
  positiveCount(value: unknown, path: string): number {
    const number = this.count(value, path);
    if (number < 1) this.fail("not_positive", path, value);
    return number;
  }

  text(value: unknown, path: string): string {
    if (typeof value === "string" && value !== "") return value;
    this.fail("wrong_type", path, value);
    return "";
  }

  list(value: unknown, path: string): readonly unknown[] {
    if (Array.isArray(value)) return value as readonly unknown[];
    this.fail("wrong_type", path, value);
    return [];
  }

  record(value: unknown, path: string): WireRecord {
    if (isRecord(value)) return value;
    this.fail("wrong_type", path, value);
    return {};
  }

  finish<T>(value: T): Parsed<T> {
    return this.#fault === null ? ok(value) : err(this.#fault);
  }
}

/** The fault with the place in which the reader found it before its path. */
export function under(place: string, error: ParseError): ParseError {
  return { ...error, path: `${place}: ${error.path}` };
}

export function parseErrorText(error: ParseError): string {
  return `${error.path}: ${error.code}, found ${error.found}`;
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "a record";
  return typeof value === "string" ? value.slice(0, FOUND_LENGTH_MAX) : JSON.stringify(value);
}
