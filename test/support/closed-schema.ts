import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

export const SCHEMAS_DIR = fileURLToPath(new URL("../../schemas", import.meta.url));

/** Every published schema by name: "validate-response" is schemas/validate-response.schema.json. */
export const SCHEMAS: ReadonlyMap<string, JsonSchema> = new Map(
  readdirSync(SCHEMAS_DIR)
    .filter((file) => file.endsWith(".schema.json"))
    .map((file) => [
      file.replace(".schema.json", ""),
      JSON.parse(readFileSync(`${SCHEMAS_DIR}/${file}`, "utf8")) as JsonSchema,
    ]),
);

const BODY_CHARACTERS_SHOWN = 2000;

const closedAjv = new Ajv2020({ strict: true, allErrors: true, schemas: [...SCHEMAS.values()].map(closed) });

/** Throws when a body breaks its schema or carries a field that the schema does not declare. */
export function assertMatchesSchema(name: string, body: unknown): void {
  const validate = closedValidator(name);
  if (validate(body)) return;
  const violations = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `  ${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
  );
  throw new Error(
    `not a ${name}:\n${violations.join("\n")}\nin ${JSON.stringify({ body }).slice(0, BODY_CHARACTERS_SHOWN)}`,
  );
}

function closedValidator(name: string): ValidateFunction {
  const validate = closedAjv.getSchema(String(SCHEMAS.get(name)?.["$id"]));
  if (validate === undefined) throw new Error(`no schema named ${name}`);
  return validate;
}

/** The schema with every object closed that declares its properties. Published bodies are open, ours must not be. */
function closed(schema: JsonSchema): JsonSchema {
  return close(schema) as JsonSchema;
}

function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (typeof node !== "object" || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) copy[key] = close(value);
  if (copy["type"] === "object" && "properties" in copy) copy["additionalProperties"] ??= false;
  return copy;
}
