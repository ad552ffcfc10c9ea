import { describeRequestError } from "../domain/error-description.ts";
import type { RequestError } from "../domain/errors.ts";

/** Every expected error's HTTP status line; a new code without a row does not compile. */
export const STATUS_LINES = {
  not_utf8: "400 Bad Request",
  not_json: "400 Bad Request",
  invalid_field: "400 Bad Request",
  misspelt_field: "400 Bad Request",
  unknown_asset: "400 Bad Request",
  invalid_wallet: "400 Bad Request",
  agent_wallet: "400 Bad Request",
  size_not_positive: "400 Bad Request",
  size_too_large: "400 Bad Request",
  leverage_too_high: "400 Bad Request",
  asset_delisted: "400 Bad Request",
  isolated_only: "400 Bad Request",
  batch_empty: "400 Bad Request",
  batch_too_large: "400 Bad Request",
  missing_key: "401 Unauthorized",
  invalid_key: "401 Unauthorized",
  not_found: "404 Not Found",
  method_not_allowed: "405 Method Not Allowed",
  conflict: "409 Conflict",
  payload_too_large: "413 Payload Too Large",
  unsupported_media_type: "415 Unsupported Media Type",
  rate_limited: "429 Too Many Requests",
  internal_error: "500 Internal Server Error",
  upstream_failed: "502 Bad Gateway",
  starting_up: "503 Service Unavailable",
  market_unavailable: "503 Service Unavailable",
  unavailable: "503 Service Unavailable",
  timeout: "504 Gateway Timeout",
} as const satisfies Record<RequestError["code"], string>;

/** The header by which an error's answer says what to do next; undefined where none does. */
export function headerOf(error: RequestError): readonly [name: string, value: string] | undefined {
  switch (error.code) {
    case "missing_key":
    case "invalid_key":
      return ["WWW-Authenticate", "Bearer"];
    case "method_not_allowed":
      return ["Allow", error.allowed];
    case "rate_limited":
    case "starting_up":
      return ["Retry-After", String(error.retryAfterSeconds)];
    case "upstream_failed":
    case "market_unavailable":
    case "unavailable":
    case "timeout":
      return ["Retry-After", "1"];
    default:
      return undefined;
  }
}

/** The error's JSON text. A 429 also carries retry_after_secs, the same integer as the Retry-After header. */
export function errorBody(error: RequestError): string {
  const description = describeRequestError(error);
  return JSON.stringify(
    error.code === "rate_limited"
      ? { ...description, retry_after_secs: error.retryAfterSeconds }
      : description,
  );
}
