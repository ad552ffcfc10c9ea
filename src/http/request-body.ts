import type { HttpResponse } from "uWebSockets.js";
import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";

/**
 * Reads a bounded JSON body and hands it over once. The usual body is one final chunk, parsed in place; a chunk's
 * memory is gone when its callback returns, so earlier ones are copied.
 */
export function readBody(
  response: HttpResponse,
  maximumBytes: number,
  onBody: (body: Result<unknown, RequestError>) => void,
): void {
  let copied: Buffer[] | undefined;
  let lengthBytes = 0;
  let isOver = false;
  response.onData((chunk, isLast) => {
    if (isOver) return;
    lengthBytes += chunk.byteLength;
    if (lengthBytes > maximumBytes) {
      isOver = true;
      onBody(err({ code: "payload_too_large", maximumBytes }));
      return;
    }
    if (isLast) {
      isOver = true;
      const last = Buffer.from(chunk);
      onBody(parsed(copied === undefined ? last : Buffer.concat([...copied, last])));
      return;
    }
    copied ??= [];
    copied.push(Buffer.from(chunk.slice(0)));
  });
}

function parsed(bytes: Buffer): Result<unknown, RequestError> {
  try {
    return ok(JSON.parse(bytes.toString()) as unknown);
  } catch {
    return err({ code: "not_json" });
  }
}
