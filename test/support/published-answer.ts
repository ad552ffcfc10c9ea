import { assertMatchesSchema } from "./closed-schema.ts";

/** What a 200 of the path is. */
const SCHEMAS_OF_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/validate$/, "validate-response"],
  [/^\/v1\/validate\/batch$/, "batch-response"],
  [/^\/v1\/assets$/, "assets"],
  [/^\/v1\/model-info$/, "model-info"],
  [/^\/v1\/monitor\/[^/]+$/, "monitor"],
  [/^\/v1\/outcome$/, "outcome-response"],
  [/^\/v1\/outcomes\/stats$/, "outcomes-stats"],
  [/^\/v1\/accuracy$/, "accuracy"],
  [/^\/v1\/calibration\/health$/, "calibration-health"],
  [/^\/v1\/backtest\/[^/]+$/, "backtest"],
];

const SCHEMAS_OF_STATUSES: Readonly<Record<number, string>> = {
  400: "validation-error",
  401: "authentication-error",
  429: "rate-limit-error",
};

/** Throws when what the service answered is not what is published for the path and status, field by field. */
export function assertPublished(path: string, status: number, body: unknown): void {
  assertMatchesSchema(schemaOf(path, status), body);
}

function schemaOf(path: string, status: number): string {
  if (path === "/health" && (status === 200 || status === 503)) return "health";
  if (status !== 200) return SCHEMAS_OF_STATUSES[status] ?? "service-error";
  const [, schema] = SCHEMAS_OF_PATHS.find(([pattern]) => pattern.test(path)) ?? [];
  if (schema === undefined) throw new Error(`nothing is published at ${path}`);
  return schema;
}
