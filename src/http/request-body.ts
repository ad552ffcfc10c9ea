import { isUtf8 } from "node:buffer";
import type { HttpResponse } from "uWebSockets.js";
import type { RequestError } from "../domain/errors.ts";
import { jsonValueOf } from "../domain/json-value.ts";
import { err, ok, type Result } from "../domain/result.ts";

/** Pieces of one body: twenty times as many as a network makes of the longest. */
const PIECES_MAX = 1_024;
const NO_BYTES = Buffer.alloc(0);

/**
 * Reads a bounded JSON body and hands it over once. The usual body is one final chunk, parsed in place; a chunk's
 * memory is gone when its callback returns, so earlier ones are copied, into memory that is as large as they are.
 */
export function readBody(
  response: HttpResponse,
  bytesMax: number,
  onBody: (body: Result<unknown, RequestError>) => void,
): void {
  let copied: Buffer = NO_BYTES;
  let lengthBytes = 0;
  let pieces = 0;
  let isOver = false;
  response.onData((chunk, isLast) => {
    if (isOver) return;
    const before = lengthBytes;
    lengthBytes += chunk.byteLength;
    const refusal = refusalOf(lengthBytes, bytesMax, ++pieces);
    isOver = isLast || refusal !== undefined;
    if (refusal !== undefined) {
      onBody(err(refusal));
      return;
    }
    if (isLast && before === 0) {
      onBody(parsed(Buffer.from(chunk)));
      return;
    }
    if (lengthBytes > copied.length) copied = grown(copied, before, Math.max(lengthBytes, 2 * before));
    copied.set(new Uint8Array(chunk), before);
    if (isLast) onBody(parsed(copied.subarray(0, lengthBytes)));
  });
}

function grown(bytes: Buffer, usedBytes: number, lengthBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(lengthBytes);
  bytes.copy(larger, 0, 0, usedBytes);
  return larger;
}

function refusalOf(lengthBytes: number, bytesMax: number, pieces: number): RequestError | undefined {
  if (lengthBytes > bytesMax) return { code: "payload_too_large", maximum: bytesMax, unit: "bytes" };
  if (pieces <= PIECES_MAX) return undefined;
  return { code: "invalid_field", field: "body", expected: `sent in at most ${PIECES_MAX} pieces` };
}

/** Bytes that are no UTF-8 would be replaced by one and the same character: two ids could become one. */
function parsed(bytes: Buffer): Result<unknown, RequestError> {
  if (!isUtf8(bytes)) return err({ code: "not_utf8" });
  const value = jsonValueOf(bytes.toString());
  return value === undefined ? err({ code: "not_json" }) : ok(value);
}
