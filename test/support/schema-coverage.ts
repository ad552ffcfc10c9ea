import { Ajv2020 } from "ajv/dist/2020.js";
import { type JsonSchema, SCHEMAS } from "./closed-schema.ts";

const ajv = new Ajv2020({ strict: true, schemas: [...SCHEMAS.values()] });
let branchCount = 0;

/** What of a schema no sample shows: an enum value, a null or other branch of a union, an optional field. */
export function uncoveredBy(name: string, samples: readonly unknown[]): string[] {
  return visit(SCHEMAS.get(name)!, samples, name);
}

function visit(schema: JsonSchema, samples: readonly unknown[], path: string): string[] {
  if (samples.length === 0) return [`${path} is never present`];
  const { $ref, enum: values, allOf, oneOf, anyOf, properties, items, title } = schema;
  const target = typeof $ref === "string" ? visit(referenced($ref), samples, path) : [];
  const enumValues = listOf(values)
    .filter((value) => !samples.includes(value))
    .map((value) => `${path} is never ${String(value)}`);
  const parts = listOf(allOf).flatMap((part) => visit(part as JsonSchema, samples, path));
  const branches = [...listOf(oneOf), ...listOf(anyOf)].flatMap((branch) =>
    visit(
      branch as JsonSchema,
      samples.filter(isBranch(branch as JsonSchema)),
      `${path}|${branchName(branch)}`,
    ),
  );
  const fields = Object.entries(properties ?? {}).flatMap(([field, part]) =>
    visit(part as JsonSchema, valuesOf(samples, field), `${String(title)}.${field}`),
  );
  const entries = items === undefined ? [] : visit(items as JsonSchema, samples.flat(), `${path}[]`);
  return [...new Set([...target, ...enumValues, ...parts, ...branches, ...fields, ...entries])];
}

function valuesOf(samples: readonly unknown[], field: string): unknown[] {
  return samples.map((sample) => (sample as JsonSchema)[field]).filter((value) => value !== undefined);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function branchName(branch: unknown): string {
  const { $ref, title, type } = branch as JsonSchema;
  return String($ref ?? title ?? type).replace(/^.*\/|\.schema\.json$/g, "");
}

function isBranch(branch: JsonSchema): (sample: unknown) => boolean {
  const validate = ajv.compile({ $id: siblingOf("units", `branch-${branchCount++}`), ...branch });
  return (sample) => validate(sample);
}

function siblingOf(name: string, file: string): string {
  return new URL(file, String(SCHEMAS.get(name)!["$id"])).href;
}

function referenced(reference: string): JsonSchema {
  const [file = "", pointer = ""] = reference.split("#");
  const schema = SCHEMAS.get(file.replace(".schema.json", ""))!;
  const definitions = schema["$defs"] as Readonly<Record<string, JsonSchema>> | undefined;
  return pointer === "" ? schema : definitions![pointer.replace("/$defs/", "")]!;
}
