import { writeBatchResponse, writeMonitorResponse, writeValidateResponse } from "./generated/json-writers.ts";
import { keepAnswer, type KeptAnswer } from "./answer-memory.ts";
import type { BatchResult } from "./batch-body.ts";
import type { MonitorAnswer } from "./monitor-body.ts";
import { writeNumber } from "./number-text.ts";
import { writeString } from "./string-text.ts";
import { beginText, TEXT_MEMORY, textUpTo, writeAscii } from "./text-memory.ts";
import type { AnsweredTrade, AssessedTrade } from "./validate-body.ts";

const bytes = new Uint8Array(TEXT_MEMORY);
const view = new DataView(TEXT_MEMORY);

/**
 * The answer's JSON text in UTF-8, valid until the next text is written. meta.latency_ms is asked for when the text has
 * come to it, right before its end, so that the number covers the writing as well.
 */
export function jsonWithLatency(trade: AssessedTrade, latencyMs: () => number): Uint8Array {
  beginText();
  const { assessment, ticker, requestId, modelVersion } = trade;
  return textUpTo(writeValidateResponse({ assessment, ticker, requestId, modelVersion, latencyMs }, 0));
}

/** The same bytes, from memory where the order was asked about twice before, and kept where it was once. */
export function answerJson(trade: AnsweredTrade, latencyMs: () => number): Uint8Array {
  const { repeated, assessment, requestId } = trade;
  if (repeated === null) return jsonWithLatency(trade, latencyMs);
  if (repeated.kept !== null) return keptJson(repeated.kept, requestId, latencyMs);
  const text = jsonWithLatency(trade, latencyMs);
  keepAnswer(repeated, assessment, text);
  return text;
}

function keptJson(kept: KeptAnswer, requestId: string, latencyMs: () => number): Uint8Array {
  const { untilLatency, afterRequestId } = kept;
  beginText();
  bytes.set(untilLatency, 0);
  let at = untilLatency.length;
  view.setFloat64(at, latencyMs(), true);
  at = writeAscii(',"request_id":', writeNumber(at));
  at = writeString(requestId, at);
  bytes.set(afterRequestId, at);
  return textUpTo(at + afterRequestId.length);
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
