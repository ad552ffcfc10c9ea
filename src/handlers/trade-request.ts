import { isValidateRequest } from "../contracts/generated/contract-validators.ts";
import type { ValidateRequest } from "../contracts/generated/types.ts";
import type { AssetListing } from "../domain/asset.ts";
import type { RequestError } from "../domain/errors.ts";
import { checkedWalletAddress, tickerOf } from "../domain/ids.ts";
import { isRecord } from "../domain/json-value.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { ProposedTrade } from "../domain/trade.ts";
import { contractViolationOf } from "./contract-violation.ts";
import { spellingCheckOf } from "./field-names.ts";

/** USD; smaller sizes are assessed as this one, where a cost and the share it is of the size are still numbers. */
const SMALLEST_SIZE_USD = 1e-6;

const VALIDATE_FIELDS = [
  "asset",
  "action",
  "size",
  "leverage",
  "wallet",
  "mode",
  "monte_carlo",
  "explain",
] as const satisfies readonly (keyof ValidateRequest)[];

const TERMS_UNREAD = "the exchange's margin terms of it cannot be read, so that it can only be closed";

/** What an exit consists of. */
const EXIT_FIELDS = [
  "asset",
  "action",
  "size",
  "wallet",
] as const satisfies readonly (keyof ValidateRequest)[];

const misspeltOrderFieldOf = spellingCheckOf(VALIDATE_FIELDS);
const misspeltExitFieldOf = spellingCheckOf(EXIT_FIELDS);

/**
 * Body of a validate call to a checked trade. First the shape, then, for an opening trade only, what the asset
 * allows: an exit is never refused for leverage, margin mode or delisting, nor for how these are written.
 *
 * Errors:  invalid_field, misspelt_field, invalid_wallet, size_not_positive,
 *          size_too_large, unknown_asset, asset_delisted, market_unavailable, leverage_too_high, isolated_only
 */
export function parseTradeRequest(
  body: unknown,
  listingOf: (asset: string) => AssetListing | undefined,
): Result<ProposedTrade, RequestError> {
  const misspelt = isExit(body) ? misspeltExitFieldOf(body) : misspeltOrderFieldOf(body);
  if (misspelt !== undefined) return err(misspelt);
  const trade = isValidateRequest(body) ? body : exitOf(body);
  if (trade === undefined) return err(contractViolationOf(isValidateRequest.errors, body));
  const listing = listingOf(trade.asset);
  if (listing === undefined) return err({ code: "unknown_asset", asset: trade.asset });
  const refusal = trade.action === "close" ? undefined : openingRefusalOf(trade, listing);
  if (refusal !== undefined) return err(refusal);
  return ok({
    ticker: tickerOf(trade.asset),
    action: trade.action,
    notionalUsd: Math.max(SMALLEST_SIZE_USD, trade.size),
    // An exit posts no margin: what it is sent as leverage means nothing.
    leverage: trade.action === "close" ? undefined : (trade.leverage ?? undefined),
    wallet: checkedWalletAddress(trade.wallet),
    marginMode: trade.mode ?? "cross",
    wantsMonteCarlo: trade.monte_carlo ?? false,
    wantsExplanation: trade.explain ?? false,
  });
}

/** An exit is answered whatever is wrong with its other fields. */
export function isExit(body: unknown): body is Readonly<Record<string, unknown>> {
  return isRecord(body) && body["action"] === "close";
}

/** An exit whose other fields cannot be used, without them; undefined where what it consists of is at fault. */
function exitOf(body: unknown): ValidateRequest | undefined {
  if (!isExit(body)) return undefined;
  const { asset, action, size, wallet, monte_carlo, explain } = body;
  const exit: unknown = {
    asset,
    action,
    size,
    wallet,
    monte_carlo: monte_carlo === true,
    explain: explain === true,
  };
  return isValidateRequest(exit) ? exit : undefined;
}

function openingRefusalOf(trade: ValidateRequest, listing: AssetListing): RequestError | undefined {
  const { asset } = trade;
  const leverage = trade.leverage ?? null;
  if (listing.isDelisted) return { code: "asset_delisted", asset };
  if (listing.isCloseOnly) return { code: "market_unavailable", asset, detail: TERMS_UNREAD };
  if (leverage !== null) {
    if (leverage < 1) return { code: "invalid_field", field: "leverage", expected: "at least 1" };
    if (leverage > listing.maxLeverage) {
      return { code: "leverage_too_high", leverage, maxLeverage: listing.maxLeverage };
    }
  }
  if (listing.isIsolatedOnly && (trade.mode ?? "cross") === "cross") return { code: "isolated_only", asset };
  return undefined;
}
