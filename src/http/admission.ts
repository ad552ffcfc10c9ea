import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Endpoint } from "./endpoint.ts";
import type { KeyRing } from "./key-ring.ts";
import { isJsonType, type RequestHead } from "./request-head.ts";
import type { ResponseWriter } from "./response-writer.ts";

/**
 * Whether a request may be answered, by its head alone: the id of the key that asks, null where none is needed. The
 * request is counted against its key, and its answer tells how the key stands.
 */
export function admittedKeyOf(
  endpoint: Endpoint,
  head: RequestHead,
  keys: KeyRing,
  writer: ResponseWriter,
  nowMs: number,
): Result<string | null, RequestError> {
  let keyId: string | null = null;
  if (!endpoint.isPublic) {
    const presented = keys.presentedIn(head.authorization);
    if (!presented.ok) return presented;
    const { id, window } = presented.value;
    const isAccepted = window.accept(nowMs);
    writer.countAgainst(window, nowMs);
    if (!isAccepted) {
      return err({ code: "rate_limited", retryAfterSeconds: window.secondsUntilFree(nowMs) });
    }
    keyId = id;
  }
  if (head.hasTwoLengths) {
    return err({ code: "invalid_field", field: "Content-Length", expected: "given once" });
  }
  if (head.parameter === undefined) {
    return err({ code: "invalid_field", field: "path parameter", expected: "valid percent-encoding" });
  }
  if (endpoint.method === "POST" && !isJsonType(head.contentType))
    return err({ code: "unsupported_media_type" });
  return ok(keyId);
}
