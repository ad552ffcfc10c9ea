import type { BatchResponse, MonitorResponse, ValidateResponse } from "../contracts/generated/types.ts";
import { writeBatchResponse, writeMonitorResponse, writeValidateResponse } from "./generated/json-writers.ts";
import { lastPlaceOf, replaceAt, textUpTo } from "./json-bytes.ts";

const LATENCY = '"latency_ms":';

/**
 * The body's JSON text with meta.latency_ms filled in last, so that the number covers the rendering of the text as
 * well. The body carries 0 in its place.
 *
 * Units:  milliseconds, rounded to a tenth of a microsecond
 */
export function jsonWithLatency(body: ValidateResponse, elapsedMs: () => number): string {
  const end = writeValidateResponse(body, 0);
  const at = lastPlaceOf(`${LATENCY}0`, end) + LATENCY.length;
  return textUpTo(replaceAt(at, at + 1, Math.max(0, elapsedMs()).toFixed(4), end));
}

export function batchJson(body: BatchResponse): string {
  return textUpTo(writeBatchResponse(body, 0));
}

export function monitorJson(body: MonitorResponse): string {
  return textUpTo(writeMonitorResponse(body, 0));
}
