import { describe, expect, it } from "vitest";
import { FieldReader } from "../../../src/exchange/hyperliquid/field-reader.ts";

// Mutants killed by hand: what is negative, zero or infinite passed by the reader whose field must not be.

type Kind = "decimal" | "positive" | "nonNegative" | "decimalOrNull" | "count" | "positiveCount" | "text";

describe("a field", () => {
  it.each<[Kind, unknown, unknown]>([
    ["decimal", "-1.5e3", -1500],
    ["decimal", "1e400", "not_decimal"],
    ["decimal", 1, "not_decimal"],
    ["positive", "0.1", 0.1],
    ["positive", "0", "not_positive"],
    ["positive", "-0.1", "not_positive"],
    ["nonNegative", "0", 0],
    ["nonNegative", "-0.1", "negative"],
    ["decimalOrNull", "NaN", null],
    ["decimalOrNull", undefined, null],
    ["decimalOrNull", "", "not_decimal"],
    ["count", 0, 0],
    ["count", -1, "wrong_type"],
    ["count", 0.5, "wrong_type"],
    ["count", 2 ** 53, "wrong_type"],
    ["count", undefined, "missing"],
    ["positiveCount", 1, 1],
    ["positiveCount", 0, "not_positive"],
    ["text", "BTC", "BTC"],
    ["text", "", "wrong_type"],
  ])("read as %s from %j is %j", (kind, value, expected) => {
    const reader = new FieldReader();
    const read = reader[kind](value, "field");
    const result = reader.finish(read);

    expect(result.ok ? result.value : result.error.code).toEqual(expected);
  });

  it("that is faulty is described by the first fault, in few characters", () => {
    const reader = new FieldReader();
    reader.text(1, "a");
    reader.decimal("x".repeat(1_000), "b");

    expect(reader.finish(1)).toEqual({ ok: false, error: { code: "wrong_type", path: "a", found: "1" } });
    const long = new FieldReader();
    long.decimal("x".repeat(1_000), "b");
    expect(long.finish(1)).toMatchObject({ error: { found: "x".repeat(60) } });
  });
});
