import type { FailedEntry } from "../contracts/generated/types.ts";
import { describeRequestError } from "../domain/error-description.ts";
import type { RequestError } from "../domain/errors.ts";
import { isRecord } from "../domain/json-value.ts";
import { rounded } from "./units.ts";

/** A batch entry that could not be assessed, with the words and the error of the refusal that it would have been alone. */
export function failedEntry(
  entry: unknown,
  error: RequestError,
  requestId: string,
  latencyMs: number,
): FailedEntry {
  const { error: identifier, detail } = describeRequestError(error);
  return {
    recommendation: "abort",
    flags: [],
    meta: {
      asset: assetNameOf(entry),
      latency_ms: rounded(latencyMs),
      request_id: requestId,
      error: detail ?? identifier,
      error_code: identifier,
    },
  };
}

function assetNameOf(entry: unknown): string | null {
  return isRecord(entry) && typeof entry["asset"] === "string" ? entry["asset"] : null;
}
