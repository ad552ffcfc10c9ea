import type { BatchEntry, BatchResponse, ValidateResponse } from "../../src/contracts/generated/types.ts";
import type { BatchResult } from "../../src/response/batch-body.ts";
import { batchJson, jsonWithLatency } from "../../src/response/json-text.ts";
import type { AssessedTrade } from "../../src/response/validate-body.ts";

/** What a client reads of an answer, with a latency of 0. */
export function readValidate(trade: AssessedTrade): ValidateResponse {
  return JSON.parse(Buffer.from(jsonWithLatency(trade, () => 0)).toString()) as ValidateResponse;
}

export function readBatch(results: readonly BatchResult[]): readonly BatchEntry[] {
  return (JSON.parse(Buffer.from(batchJson(results)).toString()) as BatchResponse).results;
}
