/**
 * Everything a request can be refused for. A closed union: http/error-status.ts gives each code its status, and a
 * code without one does not compile.
 */
export type RequestError =
  | { readonly code: "not_utf8" }
  | { readonly code: "not_json" }
  | { readonly code: "invalid_field"; readonly field: string; readonly expected: string }
  | { readonly code: "misspelt_field"; readonly field: string; readonly meant: string }
  | { readonly code: "unknown_asset"; readonly asset: string }
  | { readonly code: "invalid_wallet"; readonly wallet: string }
  | { readonly code: "agent_wallet"; readonly wallet: string }
  | { readonly code: "size_not_positive"; readonly size: number }
  | { readonly code: "size_too_large"; readonly size: number; readonly maximumUsd: number }
  | { readonly code: "leverage_too_high"; readonly leverage: number; readonly maxLeverage: number }
  | { readonly code: "asset_delisted"; readonly asset: string }
  | { readonly code: "isolated_only"; readonly asset: string }
  | { readonly code: "batch_empty" }
  | { readonly code: "batch_too_large"; readonly maximumTrades: number }
  | { readonly code: "missing_key" }
  | { readonly code: "invalid_key" }
  | { readonly code: "not_found"; readonly detail: string }
  | { readonly code: "method_not_allowed"; readonly allowed: string }
  | { readonly code: "conflict"; readonly detail: string }
  | { readonly code: "payload_too_large"; readonly maximum: number; readonly unit: "bytes" | "characters" }
  | {
      readonly code: "unsupported_media_type";
      readonly header: "Content-Type" | "Content-Encoding";
      readonly expected: string;
    }
  | { readonly code: "rate_limited"; readonly retryAfterSeconds: number }
  | { readonly code: "internal_error"; readonly requestId: string }
  | { readonly code: "upstream_failed"; readonly detail: string }
  | { readonly code: "starting_up"; readonly retryAfterSeconds: number }
  | { readonly code: "market_unavailable"; readonly asset: string; readonly detail: string }
  | { readonly code: "unavailable"; readonly detail: string }
  | { readonly code: "timeout"; readonly detail: string };

/** Why the exchange did not give what was asked. */
export type ExchangeFailure =
  | { readonly code: "timeout"; readonly detail: string }
  | { readonly code: "rate_limited"; readonly detail: string }
  /** The exchange answers this input with a permanent refusal (its 500 with a null body, 422, …). */
  | { readonly code: "refused"; readonly detail: string }
  | { readonly code: "unreachable"; readonly detail: string }
  | { readonly code: "unparseable"; readonly detail: string };

/** Failures that may be over in a moment, so that another attempt may succeed. */
export const IS_TRANSIENT: Readonly<Record<ExchangeFailure["code"], boolean>> = {
  timeout: true,
  rate_limited: true,
  unreachable: true,
  refused: false,
  unparseable: false,
};
