import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { hasVectors, VECTORS_DIR } from "./shared-data.ts";

/** What an expected number allows: see the README beside the vectors. `rule` is prose and needs the test's own check. */
export type Tolerance =
  | { readonly rel: number; readonly abs?: number }
  | { readonly min: number; readonly max: number }
  | { readonly max_above_optimum: number }
  | { readonly within_se: number }
  | { readonly rule: string };

export interface VectorCase {
  readonly id: string;
  readonly fn: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly tolerance: Readonly<Record<string, unknown>>;
}

/** Every case in the folder, whatever its file is called; none where the vectors are absent. */
export function allVectors(): readonly VectorCase[] {
  if (!hasVectors) return [];
  return readdirSync(VECTORS_DIR)
    .filter((file) => file.endsWith(".json"))
    .flatMap(
      (file) => (JSON.parse(readFileSync(`${VECTORS_DIR}/${file}`, "utf8")) as { cases: VectorCase[] }).cases,
    );
}

/**
 * One test a case of this function; it passes only when every expected field of the case was compared. A folder
 * without such a case leaves one skipped test, because further folders need not hold every function.
 */
export function forEachVector(fn: string, check: (vector: VectorCase) => void): void {
  const cases = allVectors().filter((vector) => vector.fn === fn);
  if (cases.length === 0) {
    it.skip(`${fn}: no case in ${VECTORS_DIR}`);
    return;
  }
  it.each(cases)("$id", (vector) => {
    compared.set(vector, new Set());
    check(vector);
    const missed = Object.keys(vector.expected).filter(
      (field) => !SETTING_FIELDS.has(field) && !compared.get(vector)!.has(field),
    );
    expect(missed, "expected fields that were not compared").toEqual([]);
  });
}

/** What says where and in which unit other fields are measured: no result of its own. */
const SETTING_FIELDS = new Set(["h_index_1based", "h_forecast_steps", "std_errors"]);

const compared = new WeakMap<VectorCase, Set<string>>();

/** For a field whose tolerance is prose: the test itself has asserted it. */
export function markCompared(vector: VectorCase, ...fields: readonly string[]): void {
  for (const field of fields) compared.get(vector)?.add(field);
}

/** The text columns of a series file, by header name. */
export function loadSeries(relativePath: string): Readonly<Record<string, readonly string[]>> {
  const [header = "", ...rows] = readFileSync(`${VECTORS_DIR}/${relativePath}`, "utf8").trimEnd().split("\n");
  const cells = rows.map((row) => row.split(","));
  return Object.fromEntries(header.split(",").map((name, i) => [name, cells.map((row) => row[i] ?? "")]));
}

/** One numeric column of a series file. */
export function loadColumn(relativePath: string, column: string): Float64Array {
  const cells = loadSeries(relativePath)[column];
  if (cells === undefined) throw new Error(`${relativePath} has no column ${column}`);
  return Float64Array.from(cells, Number);
}

/**
 * Whether one number is close enough to its oracle. {rel,abs}: |a-e| <= abs + rel |e|. {min,max}: inside.
 * {max_above_optimum}: a <= e + tolerance, for a minimised objective. {within_se}: |a-e| <= k standard errors.
 */
export function withinTolerance(
  actual: number | null | undefined,
  expected: number | null | undefined,
  tolerance: Tolerance,
  standardError?: number,
): boolean {
  if (expected === null || expected === undefined) return actual === null || actual === undefined;
  if (actual === null || actual === undefined || !Number.isFinite(actual)) return false;
  if ("min" in tolerance) return actual >= tolerance.min && actual <= tolerance.max;
  if ("max_above_optimum" in tolerance) return actual <= expected + tolerance.max_above_optimum;
  if ("within_se" in tolerance) {
    if (standardError === undefined) throw new Error("within_se needs the parameter's standard error");
    return Math.abs(actual - expected) <= tolerance.within_se * standardError;
  }
  if ("rel" in tolerance) {
    return Math.abs(actual - expected) <= (tolerance.abs ?? 0) + tolerance.rel * Math.abs(expected);
  }
  throw new Error(`a rule in prose is checked by the test itself: ${tolerance.rule}`);
}

const EXACT: Tolerance = { rel: 0, abs: 0 };

/**
 * The fields of `actual` that differ from the case's expected values by more than their tolerance, as readable lines:
 * a passing test expects []. Fields that a null is expected for must be null or absent. Only the fields that `actual`
 * names are compared; forEachVector sees to it that all are, over however many calls. A number without a
 * tolerance in the case or in `unstated` is a count and must be met exactly.
 */
export function vectorMismatches(
  vector: VectorCase,
  actual: Readonly<Record<string, unknown>>,
  unstated: Readonly<Record<string, unknown>> = {},
): string[] {
  const lines: string[] = [];
  const errors = (vector.expected["std_errors"] ?? {}) as Record<string, number>;
  for (const [field, value] of Object.entries(actual)) {
    if (!(field in vector.expected)) continue;
    markCompared(vector, field);
    compare(
      field,
      value,
      vector.expected[field],
      vector.tolerance[field] ?? vector.tolerance["default"] ?? unstated[field] ?? EXACT,
      errors,
      lines,
    );
  }
  return lines;
}

function compare(
  path: string,
  actual: unknown,
  expected: unknown,
  tolerance: unknown,
  errors: Record<string, number>,
  lines: string[],
): void {
  if (Array.isArray(expected)) {
    const values = ArrayBuffer.isView(actual) ? Array.from(actual as Float64Array) : actual;
    if (!Array.isArray(values) || values.length !== expected.length) {
      lines.push(`${path}: not an array of ${String(expected.length)}`);
      return;
    }
    expected.forEach((e, i) => {
      compare(`${path}[${String(i)}]`, values[i], e, tolerance, errors, lines);
    });
    return;
  }
  if (typeof expected === "object" && expected !== null) {
    for (const [key, e] of Object.entries(expected)) {
      compare(
        `${path}.${key}`,
        (actual as Record<string, unknown> | null)?.[key],
        e,
        tolerance,
        errors,
        lines,
      );
    }
    return;
  }
  if (typeof expected === "string" || typeof expected === "boolean") {
    if (actual !== expected) lines.push(`${path}: ${String(actual)}, expected ${String(expected)}`);
    return;
  }
  // A parameter held at a fixed value (mu = 0, gamma = 0) has no standard error and must be met exactly.
  const name = path.slice(path.lastIndexOf(".") + 1);
  const isFixed = "within_se" in (tolerance as Tolerance) && errors[name] === undefined;
  const rule = isFixed ? EXACT : (tolerance as Tolerance);
  if (!withinTolerance(actual as number, expected as number | null, rule, errors[name])) {
    lines.push(`${path}: ${String(actual)}, expected ${String(expected)} within ${JSON.stringify(rule)}`);
  }
}
