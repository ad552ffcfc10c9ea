/**
 * Writes src/contracts/generated/ from schemas/: types, standalone validators of what clients send, and their type
 * guards; and src/response/generated/: writers of the bodies' JSON text. With --check it writes nothing and exits 1 naming the stale files.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { compile } from "json-schema-to-typescript";
import { type Encoders, generateJsonWriters } from "./json-writers.ts";

const SCHEMAS_DIR = fileURLToPath(new URL("../schemas", import.meta.url));
const SOURCE_DIR = fileURLToPath(new URL("../src", import.meta.url));
const BANNER =
  "// Generated from schemas/ by scripts/generate-contracts.ts. Do not edit: run `npm run generate`.\n";

/** What clients send, and so what production validates. Responses are typed always and validated in tests. */
const VALIDATED = ["validate-request", "batch-envelope", "batch-trade", "outcome-request", "alert-config"];

/** Bodies whose text is written by generated code: those asked for often. */
const WRITTEN = ["validate-response", "batch-response", "monitor"];

/** Their parts that are not made before they are written. */
const ENCODERS: Encoders = {
  files: {
    "batch-body": ["BatchResponse"],
    "distribution-blocks": [
      "DrawdownBlock",
      "EvtBlock",
      "MonteCarloBlock",
      "RegimeBlock",
      "VarBlock",
      "VolatilityForecast",
    ],
    "explanation-body": ["ExplainedComponent", "Explanation", "NextBetterBand"],
    "monitor-body": ["MonitorResponse", "MonitoredPosition"],
    "portfolio-blocks": [
      "AttributionEntry",
      "PortfolioAttribution",
      "PortfolioMonteCarlo",
      "PortfolioMonteCarloPosition",
      "PortfolioRisk",
      "PortfolioStress",
      "TailDependenceEntry",
    ],
    "trade-blocks": [
      "CostAnalysis",
      "FeesBlock",
      "FundingBlock",
      "GreeksBlock",
      "ImpactBlock",
      "LiquidationBlock",
      "OiBlock",
      "SizingBlock",
      "SlippageBlock",
      "StressEntry",
    ],
    "validate-body": ["MetaBlock", "ValidateResponse"],
  },
  indexed: { StressEntry: ["scenario", "description"] },
};

interface Schema {
  readonly $id: string;
  readonly title: string;
}

const SUFFIX = ".schema.json";
const schemas = new Map(
  readdirSync(SCHEMAS_DIR)
    .filter((file) => file.endsWith(SUFFIX))
    .sort()
    .map((file) => [
      file.slice(0, -SUFFIX.length),
      JSON.parse(readFileSync(join(SCHEMAS_DIR, file), "utf8")) as Schema,
    ]),
);

const generated = {
  "contracts/generated/types.ts": await generateTypes(),
  "contracts/generated/validators.ts": await generateValidators(),
  "contracts/generated/contract-validators.ts": generateGuards(),
  "response/generated/json-writers.ts": generateJsonWriters(schemas, WRITTEN, ENCODERS, BANNER),
};

if (process.argv.includes("--check")) {
  const stale = Object.entries(generated)
    .filter(([file, text]) => committedText(file) !== text)
    .map(([file]) => file);
  if (stale.length > 0) {
    console.error(`stale: ${stale.map((file) => `src/${file}`).join(", ")}; run npm run generate`);
    process.exit(1);
  }
} else {
  for (const [file, text] of Object.entries(generated)) {
    const path = join(SOURCE_DIR, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** One bundle, so that a definition shared by several bodies is one type. The root that holds it together is cut off. */
async function generateTypes(): Promise<string> {
  const bodies = [...schemas.keys()].filter((name) => name !== "units");
  const root = {
    title: "EveryBody",
    type: "object" as const,
    properties: Object.fromEntries(bodies.map((name) => [name, { $ref: `${name}${SUFFIX}` }])),
  };
  const source = await compile(root, "EveryBody", {
    cwd: SCHEMAS_DIR,
    additionalProperties: false,
    bannerComment: BANNER.trimEnd(),
    style: { printWidth: 110 },
  });
  return source.replace(/export interface EveryBody \{[\s\S]*?\n\}\n/, "");
}

/** Ajv's standalone output still requires its runtime helpers; bundling makes it run in plain ESM. */
async function generateValidators(): Promise<string> {
  const ajv = new Ajv2020({
    strict: true,
    schemas: [...schemas.values()].map(valueBeforeNull),
    code: { source: true, esm: true, lines: true },
  });
  const exports = Object.fromEntries(VALIDATED.map((name) => [guardNameOf(name), schemaOf(name).$id]));
  const emit = standalone as unknown as typeof standalone.default;
  const bundled = await build({
    stdin: { contents: emit(ajv, exports), resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["main"],
    target: "node20",
    write: false,
    legalComments: "none",
  });
  const code = bundled.outputFiles[0]?.text ?? "";
  return `// @ts-nocheck\n${BANNER}${code}`;
}

/**
 * A schema whose nullables try the value first: a value that is there costs no error object for the null that it is not,
 * and of a wrong one the first error is about the value. The two exclude each other, so anyOf takes what oneOf does.
 */
function valueBeforeNull(schema: Schema): object {
  type Node = { readonly oneOf?: readonly { readonly type?: string }[] } | null;
  return JSON.parse(JSON.stringify(schema), (_key, node: Node) => {
    if (node?.oneOf?.[0]?.type !== "null") return node;
    const { oneOf, ...rest } = node;
    const [none, ...values] = oneOf;
    return { ...rest, anyOf: [...values, none] };
  }) as object;
}

function generateGuards(): string {
  const titles = VALIDATED.map((name) => schemaOf(name).title).sort();
  const guards = VALIDATED.map((name) => {
    const guard = guardNameOf(name);
    return `export const ${guard} = validators.${guard} as unknown as ContractGuard<${schemaOf(name).title}>;`;
  });
  return `${BANNER}import type { ErrorObject } from "ajv";
import type { ${titles.join(", ")} } from "./types.ts";
import * as validators from "./validators.ts";

/** True for a value of the contract; otherwise errors holds the first violation until the next call. */
export interface ContractGuard<T> {
  (value: unknown): value is T;
  readonly errors?: readonly ErrorObject[] | null;
}

${guards.join("\n")}
`;
}

function guardNameOf(name: string): string {
  return `is${schemaOf(name).title}`;
}

function schemaOf(name: string): Schema {
  const schema = schemas.get(name);
  if (schema === undefined) throw new Error(`no schema named ${name}`);
  return schema;
}

function committedText(file: string): string | undefined {
  const path = join(SOURCE_DIR, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
