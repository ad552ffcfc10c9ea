import { readFileSync, readdirSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { assertMatchesSchema, SCHEMAS, SCHEMAS_DIR } from "../support/closed-schema.ts";
import { uncoveredBy } from "../support/schema-coverage.ts";

const openAjv = new Ajv2020({ strict: true, allErrors: true, schemas: [...SCHEMAS.values()] });
const bodies = [...SCHEMAS.keys()].filter((name) => name !== "units");
/** Examples that show that a server ignores what it does not know: valid, yet not closed. */
const SHOWS_UNKNOWN_FIELDS = /^valid-unknown-field/;

describe.each(bodies)("the schema of %s", (name) => {
  const files = readdirSync(`${SCHEMAS_DIR}/examples/${name}`);
  const valid = files.filter((file) => file.startsWith("valid-"));
  const invalid = files.filter((file) => file.startsWith("invalid-"));
  const isOpenMatch = openAjv.getSchema(String(SCHEMAS.get(name)?.["$id"]))!;

  it("has examples of both kinds and nothing else", () => {
    expect(valid).not.toHaveLength(0);
    expect(invalid).not.toHaveLength(0);
    expect(valid.length + invalid.length).toBe(files.length);
  });

  it.each(valid)("accepts %s", (file) => {
    const body = exampleOf(name, file);

    expect(isOpenMatch(body), JSON.stringify(isOpenMatch.errors)).toBe(true);
    if (!SHOWS_UNKNOWN_FIELDS.test(file)) assertMatchesSchema(name, body);
  });

  it.each(invalid)("refuses %s, in one place", (file) => {
    expect(isOpenMatch(exampleOf(name, file))).toBe(false);
    // A condition that is not met is told of beside what broke it.
    const errors = (isOpenMatch.errors ?? []).filter(({ keyword }) => keyword !== "if");
    // Of several allowed forms each is refused in a place of its own.
    if (errors.some(({ keyword }) => keyword === "oneOf" || keyword === "anyOf")) return;
    expect(new Set(errors.map(({ instancePath }) => instancePath)).size, JSON.stringify(errors)).toBe(1);
  });

  it("is shown whole by its valid examples: every enum value, null and optional field", () => {
    const samples = valid.map((file) => exampleOf(name, file));

    expect(uncoveredBy(name, samples)).toEqual([]);
  });
});

it("has no examples of a schema that does not exist", () => {
  expect(readdirSync(`${SCHEMAS_DIR}/examples`).sort()).toEqual([...bodies].sort());
});

// Mutants tried by hand and caught: open alert thresholds; closed() that closes nothing; a description beside a $ref;
// coverage that reports what is shown; a check that exits 0 when stale; wallets of 39 digits.
describe("assertMatchesSchema", () => {
  const wallet = `0x${"ab".repeat(20)}`;

  it("names the field that the schema does not declare", () => {
    expect(() => assertMatchesSchema("alert-subscribed", { subscribed: wallet, at: 1 })).toThrow(
      'must NOT have additional properties {"additionalProperty":"at"}',
    );
  });

  it("closes nested objects too", () => {
    const body = exampleOf("validate-response", "valid-long-empty-wallet.json") as { regime: object };

    const extended = { ...body, regime: { ...body.regime, crisis_probability: 0.01 } };

    expect(() => assertMatchesSchema("validate-response", extended)).toThrow("/regime");
  });

  it("refuses a number that JSON cannot carry", () => {
    const body = exampleOf("fees", "valid-long-empty-wallet.json") as object;

    expect(() => assertMatchesSchema("fees", { ...body, estimated_fee_usd: Number.NaN })).toThrow(
      "/estimated_fee_usd",
    );
    expect(() => assertMatchesSchema("fees", { ...body, estimated_fee_usd: Infinity })).toThrow(
      "/estimated_fee_usd",
    );
  });

  it("does not pass a schema that does not exist", () => {
    expect(() => assertMatchesSchema("slipage", {})).toThrow("no schema named slipage");
  });
});

describe("uncoveredBy", () => {
  it("names the enum value, the null and the optional field that no sample shows", () => {
    expect(uncoveredBy("regime", [{ state: "normal", confidence: 0.9 }])).toEqual([
      "RegimeBlock.state is never stressed",
      "RegimeBlock.state is never crisis",
    ]);
    expect(uncoveredBy("rate-limit-error", [{ error: "rate_limited", retry_after_secs: 1 }])).toEqual([
      "RateLimitError.detail is never present",
    ]);
    const entry = { asset: "BTC", marginal_var: 1, component_var: 1, component_var_pct: 100 };
    expect(uncoveredBy("attribution-entry", [entry])).toEqual([
      "AttributionEntry.component_var_pct|null is never present",
    ]);
  });
});

function exampleOf(name: string, file: string): unknown {
  return JSON.parse(readFileSync(`${SCHEMAS_DIR}/examples/${name}/${file}`, "utf8"));
}
