import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hasVectors } from "../support/shared-data.ts";
import { allVectors, vectorMismatches } from "../support/vectors.ts";

const TEST_DIR = fileURLToPath(new URL("..", import.meta.url));
const DECLARATION = /forEachVector\(\s*"(\w+)"/g;

/** The functions whose cases a suite runs: every suite says so itself, by forEachVector("name", …). */
function declaredFunctions(): string[] {
  return readdirSync(TEST_DIR, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts") && !path.endsWith("vector-coverage.test.ts"))
    .flatMap((path) => [...readFileSync(`${TEST_DIR}/${path}`, "utf8").matchAll(DECLARATION)])
    .map(([, fn]) => fn!);
}

describe.skipIf(!hasVectors)("oracle vectors", () => {
  it("have a suite for every function, and only one", () => {
    const declared = declaredFunctions();
    const wanted = new Set(allVectors().map((vector) => vector.fn));

    expect([...wanted].filter((fn) => !declared.includes(fn))).toEqual([]);
    expect(declared.filter((fn, i) => declared.indexOf(fn) !== i)).toEqual([]);
    expect(wanted.size).toBeGreaterThan(0);
  });

  it("have ids of their own within each function", () => {
    const ids = allVectors().map(({ fn, id }) => `${fn} ${id}`);

    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("vectorMismatches", () => {
  const vector = {
    id: "case",
    fn: "none",
    input: {},
    expected: { exact: 3, near: 1, list: [1, 2], absent: null },
    tolerance: { near: { rel: 0, abs: 0.1 }, list: { rel: 1e-9 }, absent: { rel: 0 } },
  };

  it("names what differs, down to the element", () => {
    const good = { exact: 3, near: 1.05, list: Float64Array.of(1, 2), absent: null };

    expect(vectorMismatches(vector, good)).toEqual([]);
    expect(vectorMismatches(vector, { ...good, exact: 3.0000001 })).toHaveLength(1);
    expect(vectorMismatches(vector, { ...good, near: 1.2, absent: 0 })).toHaveLength(2);
    expect(vectorMismatches(vector, { ...good, list: [1] })).toEqual(["list: not an array of 2"]);
    expect(vectorMismatches(vector, { ...good, list: [1, Number.NaN] })).toHaveLength(1);
    expect(vectorMismatches(vector, { exact: undefined })).toHaveLength(1);
  });
});
