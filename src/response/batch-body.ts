import type { BatchResponse, FailedEntry } from "../contracts/generated/types.ts";
import type { Encoded } from "./encoded.ts";
import type { ValidateAnswer } from "./validate-body.ts";

/** A trade of a batch: assessed, or why not. */
export type BatchResult = ValidateAnswer | FailedEntry;

export function batchResponse(
  results: readonly BatchResult[],
): Encoded<BatchResponse, { readonly results: readonly BatchResult[] }> {
  return { results };
}
