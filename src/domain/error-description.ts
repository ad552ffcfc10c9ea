import type { RequestError } from "./errors.ts";

/** What a client reads of an error: the short identifier and, where it helps, a sentence. */
export interface ErrorDescription {
  readonly error: string;
  readonly detail?: string;
}

const invalid = (detail: string): ErrorDescription => ({ error: "validation_error", detail });

/** The published wording of every error; clients and the batch's meta.error read the same text. */
export function describeRequestError(error: RequestError): ErrorDescription {
  switch (error.code) {
    case "not_utf8":
      return invalid("body is not valid UTF-8");
    case "not_json":
      return invalid("body is not valid JSON");
    case "invalid_field":
      return invalid(`${error.field} must be ${error.expected}`);
    case "misspelt_field":
      return invalid(`unknown field ${error.field}: did you mean ${error.meant}?`);
    case "unknown_asset":
      return invalid(`invalid asset: ${error.asset}`);
    case "invalid_wallet":
      return invalid(`invalid wallet address: ${error.wallet}`);
    case "agent_wallet":
      return invalid(
        `wallet ${error.wallet} is an agent (API) wallet, which holds nothing: send the address of the account it signs for`,
      );
    case "size_not_positive":
      return invalid(`size must be positive, got ${error.size}`);
    case "size_too_large":
      return invalid(`size ${error.size} exceeds maximum allowed ${error.maximumUsd}`);
    case "leverage_too_high":
      return invalid(`leverage ${error.leverage} exceeds maximum ${error.maxLeverage}`);
    case "asset_delisted":
      return invalid(`asset ${error.asset} is delisted and cannot be traded`);
    case "isolated_only":
      return invalid(`asset ${error.asset} only supports isolated margin mode`);
    case "batch_empty":
      return invalid("trades array is empty");
    case "batch_too_large":
      return { error: "batch_too_large", detail: `max ${error.maximumTrades} trades per batch` };
    case "missing_key":
      return { error: "missing or invalid Authorization header" };
    case "invalid_key":
      return { error: "invalid API key" };
    case "not_found":
      return { error: "not_found", detail: error.detail };
    case "method_not_allowed":
      return { error: "method_not_allowed", detail: `this path answers ${error.allowed}` };
    case "conflict":
      return { error: "conflict", detail: error.detail };
    case "payload_too_large":
      return { error: "payload_too_large", detail: `at most ${error.maximum} ${error.unit}` };
    case "unsupported_media_type":
      return { error: "unsupported_media_type", detail: `${error.header} must be ${error.expected}` };
    case "rate_limited":
      return {
        error: "rate_limited",
        detail: `too many requests: try again in ${error.retryAfterSeconds} s`,
      };
    case "internal_error":
      return { error: "internal_error", detail: `request ${error.requestId} failed; the log has the cause` };
    case "upstream_failed":
      return { error: "upstream_error", detail: error.detail };
    case "starting_up":
      return { error: "unavailable", detail: "the service is starting: market data is still warming up" };
    case "market_unavailable":
      return { error: "unavailable", detail: `${error.asset}: ${error.detail}` };
    case "unavailable":
      return { error: "unavailable", detail: error.detail };
    case "timeout":
      return { error: "timeout", detail: error.detail };
  }
}
