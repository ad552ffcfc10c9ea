import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { type JsonSchema, SCHEMAS } from "../support/closed-schema.ts";

/** One node of a schema file with the keys that lead to it. */
interface SchemaNode {
  readonly path: string;
  readonly node: JsonSchema;
}

const FORBIDDEN = ["prefixItems", "minLength", "maxLength", "format", "nullable", "definitions", "not"];
/** Each of these says what a value may be. */
const TYPING = ["type", "$ref", "oneOf", "anyOf", "allOf"];

describe.each([...SCHEMAS])("schemas/%s.schema.json", (name, schema) => {
  const nodes = nodesOf(schema, "");
  const patterns = nodes.flatMap(({ node }) =>
    typeof node["pattern"] === "string" ? [node["pattern"]] : [],
  );

  it("declares the draft, its own address and a title", () => {
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(schema["$id"]).toMatch(new RegExp(`^https://[^/]+/schemas/v1/${name}\\.schema\\.json$`));
    expect(schema["title"]).toMatch(/^[A-Z][A-Za-z]+$/);
  });

  it("puts nothing beside a $ref", () => {
    const crowded = nodes.filter(({ node }) => "$ref" in node && Object.keys(node).length > 1);

    expect(crowded).toEqual([]);
  });

  it("refers to files beside it", () => {
    const references = nodes.flatMap(({ node }) => ("$ref" in node ? [String(node["$ref"])] : []));

    for (const reference of references)
      expect(reference).toMatch(/^[a-z-]+\.schema\.json(#\/\$defs\/[a-z_]+)?$/);
  });

  it("uses no keyword that the generators get wrong", () => {
    const used = nodes.flatMap(({ node, path }) =>
      FORBIDDEN.filter((keyword) => keyword in node).map((keyword) => `${path} ${keyword}`),
    );

    expect(used).toEqual([]);
  });

  it("writes patterns that Go's, Python's and Rust's regular expressions compile, too", () => {
    const escapes = patterns.flatMap((pattern) => pattern.match(/\\(x[0-9a-f]{2}|.)/g) ?? []);

    expect(escapes.filter((escape) => !/\\([.sS]|x[0-9a-f]{2})/.test(escape))).toEqual([]);
  });

  it("repeats no group that repeats, which validators wary of slow patterns refuse", () => {
    expect(patterns.filter((pattern) => /\([^()]*[*+?}][^()]*\)[*+?{]/.test(pattern))).toEqual([]);
  });

  it("titles and describes every object", () => {
    const anonymous = nodes.filter(
      ({ node }) => node["type"] === "object" && !("title" in node && "description" in node),
    );

    expect(anonymous).toEqual([]);
  });

  it("titles every list of words, which generated types are named by", () => {
    const anonymous = nodes.filter(
      ({ node }) => node["type"] === "string" && ("enum" in node || "const" in node) && !("title" in node),
    );

    expect(anonymous).toEqual([]);
  });

  it("describes every field or refers to what describes it", () => {
    const mute = nodes
      .flatMap(({ node, path }) =>
        Object.entries((node["properties"] ?? {}) as Record<string, JsonSchema>).map(
          ([field, target]) => [`${path}.${field}`, target] as const,
        ),
      )
      .filter(([, target]) => !("description" in target) && !("$ref" in target))
      .map(([path]) => path);

    expect(mute).toEqual([]);
  });

  it("says of the whole what it is, or the type that a generator makes of it does not compile in Go", () => {
    expect(Object.keys(schema)).toEqual(expect.arrayContaining([expect.toBeOneOf(TYPING)]));
  });

  it("says of every field what it may be, or type generators would take it for an object", () => {
    const untyped = nodes
      .flatMap(({ node, path }) =>
        Object.entries((node["properties"] ?? {}) as Record<string, JsonSchema>).map(
          ([field, target]) => [`${path}.${field}`, target] as const,
        ),
      )
      .filter(([, target]) => !TYPING.some((keyword) => keyword in target))
      .map(([path]) => path);

    expect(untyped).toEqual([]);
  });

  it("writes a nullable as a oneOf whose first branch is null", () => {
    const unions = nodes.filter(({ node }) => Array.isArray(node["type"]));

    expect(unions).toEqual([]);
  });
});

it("gives every title to one schema only", () => {
  const titles = [...SCHEMAS.values()].flatMap((schema) =>
    nodesOf(schema, "").flatMap(({ node }) => (typeof node["title"] === "string" ? [node["title"]] : [])),
  );

  expect(titles).toEqual([...new Set(titles)]);
});

it("compiles in ajv's strict mode", () => {
  const ajv = new Ajv2020({ strict: true, schemas: [...SCHEMAS.values()] });

  for (const schema of SCHEMAS.values()) expect(ajv.getSchema(String(schema["$id"]))).toBeDefined();
});

describe("the alert thresholds", () => {
  type Thresholds = JsonSchema & { properties: Record<string, JsonSchema> };
  const config = SCHEMAS.get("alert-config") as {
    properties: { thresholds: { oneOf: [JsonSchema, Thresholds] } };
  };
  const [, thresholds] = config.properties.thresholds.oneOf;

  it("are closed, optional one by one, and carry the published defaults", () => {
    expect(thresholds["additionalProperties"]).toBe(false);
    expect(thresholds["required"]).toBeUndefined();
    expect(Object.entries(thresholds.properties).map(([name, { default: value }]) => [name, value])).toEqual([
      ["max_risk_score", 70],
      ["min_liquidation_distance_pct", 5],
      ["max_portfolio_var_pct", 50],
      ["max_funding_drag_daily_pct", 1],
    ]);
  });

  it("take the risk score as an unsigned 8-bit integer", () => {
    expect(thresholds.properties["max_risk_score"]).toMatchObject({
      oneOf: [{ type: "null" }, { type: "integer", minimum: 0, maximum: 255 }],
    });
  });
});

/** Every schema in a schema; keys of properties and $defs are names, not keywords. */
function nodesOf(schema: JsonSchema, path: string): SchemaNode[] {
  const named = ["properties", "$defs"].flatMap((keyword) =>
    Object.entries((schema[keyword] ?? {}) as Record<string, JsonSchema>).flatMap(([name, part]) =>
      nodesOf(part, `${path}.${name}`),
    ),
  );
  const listed = ["oneOf", "anyOf", "allOf"].flatMap((keyword) =>
    ((schema[keyword] ?? []) as JsonSchema[]).flatMap((part, index) => nodesOf(part, `${path}|${index}`)),
  );
  const items = schema["items"] === undefined ? [] : nodesOf(schema["items"] as JsonSchema, `${path}[]`);
  return [{ path, node: schema }, ...named, ...listed, ...items];
}
