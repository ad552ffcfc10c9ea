import type { ErrorObject } from "ajv";
import type { RequestError } from "../domain/errors.ts";
import { SIZING_LIMITS } from "../risk/calibration/calibration.ts";

/**
 * What a body breaks of its schema, as the error a client can act on: the wallet and the size have their own
 * published wording, everything else names the field and what was expected. An outcome's size has no published
 * maximum: Infinity there.
 */
export function contractViolationOf(
  errors: readonly ErrorObject[] | null | undefined,
  body: unknown,
  sizeUsdMax: number = SIZING_LIMITS.notionalMaxUsd.value,
): RequestError {
  const first = errors?.[0];
  if (first === undefined) return { code: "invalid_field", field: "body", expected: "as the schema says" };
  const path = first.instancePath.split("/").filter((part) => part !== "");
  const field = path.join(".") || "body";
  const given = valueAt(body, path);
  const leaf = path.at(-1);
  if (leaf === "wallet" && typeof given === "string") return { code: "invalid_wallet", wallet: given };
  if (leaf === "size" && typeof given === "number") {
    if (given > sizeUsdMax) return { code: "size_too_large", size: given, maximumUsd: sizeUsdMax };
    if (given <= 0) return { code: "size_not_positive", size: given };
  }
  const params: Readonly<Record<string, unknown>> = first.params;
  switch (first.keyword) {
    case "required": {
      const missing = [...path, String(params["missingProperty"])].join(".");
      return { code: "invalid_field", field: missing, expected: "present" };
    }
    case "type":
      // JSON.parse reads 1e999 as Infinity, which a field that takes a number refuses as well.
      if (params["type"] === "number" && typeof given === "number") {
        return { code: "invalid_field", field, expected: "a number that 64 bits can hold" };
      }
      return { code: "invalid_field", field, expected: `of type ${String(params["type"])}` };
    case "enum": {
      const allowed = Array.isArray(params["allowedValues"]) ? params["allowedValues"].join(", ") : "";
      return { code: "invalid_field", field, expected: `one of ${allowed}` };
    }
    case "pattern":
      return { code: "invalid_field", field, expected: textOf(String(params["pattern"])) };
    default:
      return {
        code: "invalid_field",
        field,
        expected: (first.message ?? "valid").replace(/^must be /, ""),
      };
  }
}

/** A pattern in words: those that a person can break by accident bound a length and leave control characters out. */
function textOf(pattern: string): string {
  const [, shortest, longest] = /^\^\[\^\\x00[^\]]*\]\{(\d+),(\d+)\}\$$/.exec(pattern) ?? [];
  if (shortest === undefined) return `text that matches ${pattern}`;
  return `text of ${shortest} to ${String(longest)} characters, none of them a control character`;
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
