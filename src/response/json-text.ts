import { writeBatchResponse, writeMonitorResponse, writeValidateResponse } from "./generated/json-writers.ts";
import type { BatchResult } from "./batch-body.ts";
import type { MonitorAnswer } from "./monitor-body.ts";
import { beginText, textUpTo } from "./text-memory.ts";
import type { AssessedTrade } from "./validate-body.ts";

/**
 * The answer's JSON text in UTF-8, valid until the next text is written. meta.latency_ms is asked for when the text has
 * come to it, right before its end, so that the number covers the writing as well.
 */
export function jsonWithLatency(trade: AssessedTrade, latencyMs: () => number): Uint8Array {
  beginText();
  const { assessment, ticker, requestId, modelVersion } = trade;
  return textUpTo(writeValidateResponse({ assessment, ticker, requestId, modelVersion, latencyMs }, 0));
}

/** JSON text in UTF-8, valid until the next text is written. */
export function batchJson(results: readonly BatchResult[]): Uint8Array {
  beginText();
  return textUpTo(writeBatchResponse(results, 0));
}

/** JSON text in UTF-8, valid until the next text is written. */
export function monitorJson(answer: MonitorAnswer): Uint8Array {
  beginText();
  return textUpTo(writeMonitorResponse(answer, 0));
}
