import type { BatchResponse, MonitorResponse, ValidateResponse } from "../contracts/generated/types.ts";
import { writeBatchResponse, writeMonitorResponse, writeValidateResponse } from "./generated/json-writers.ts";
import { lastPlaceOf, replaceAt, standsAt, TEXT_MEMORY } from "./json-bytes.ts";

const LATENCY = '"latency_ms":0';
/** What followed the latency in the text before: as a rule as much follows it in the next. */
let afterLatency = 0;

/**
 * The body's JSON text in UTF-8, valid until the next text is written, with meta.latency_ms filled in last, so that the
 * number covers the rendering of the text as well. The body carries 0 in its place.
 *
 * Units:  milliseconds, rounded to a tenth of a microsecond
 */
export function jsonWithLatency(body: ValidateResponse, elapsedMs: () => number): Uint8Array {
  return written(body, () => {
    const end = writeValidateResponse(body, 0);
    const guess = end - afterLatency - LATENCY.length;
    const at = standsAt(LATENCY, guess) ? guess : lastPlaceOf(LATENCY, end);
    afterLatency = end - at - LATENCY.length;
    const zeroAt = at + LATENCY.length - 1;
    return replaceAt(zeroAt, zeroAt + 1, Math.max(0, elapsedMs()).toFixed(4), end);
  });
}

/** JSON text in UTF-8, valid until the next text is written. */
export function batchJson(body: BatchResponse): Uint8Array {
  return written(body, () => writeBatchResponse(body, 0));
}

/** JSON text in UTF-8, valid until the next text is written. */
export function monitorJson(body: MonitorResponse): Uint8Array {
  return written(body, () => writeMonitorResponse(body, 0));
}

/** What does not fit into the memory is written by JSON.stringify. */
function written(body: object, write: () => number): Uint8Array {
  try {
    const end = write();
    if (end <= TEXT_MEMORY.byteLength) return new Uint8Array(TEXT_MEMORY, 0, end);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  return Buffer.from(JSON.stringify(body));
}
