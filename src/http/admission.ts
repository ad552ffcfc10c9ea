import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ApiKey, KeyRing } from "./key-ring.ts";
import { type RequestHead, unsupportedMediaType } from "./request-head.ts";
import type { SlidingWindow } from "./rate-limit.ts";
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
    const refusal = countedRefusal(presented.value, writer, nowMs);
    if (refusal !== undefined) return err(refusal);
    keyId = presented.value.id;
  }
  if (head.unclearEnd !== undefined) return err(head.unclearEnd);
  if (head.parameter === undefined) {
    return err({ code: "invalid_field", field: "path parameter", expected: "valid percent-encoding" });
  }
  const unsupported = endpoint.method === "POST" ? unsupportedMediaType(head) : undefined;
  return unsupported === undefined ? ok(keyId) : err(unsupported);
}

/**
 * Why a request that no endpoint takes is not even told so. A valid key that comes with it is counted as everywhere, or
 * keys could be tried here for nothing.
 */
export function refusalWithoutEndpoint(
  authorization: string,
  keys: KeyRing,
  writer: ResponseWriter,
): RequestError | undefined {
  const presented = keys.presentedIn(authorization);
  return presented.ok ? countedRefusal(presented.value, writer, performance.now()) : undefined;
}

function countedRefusal({ window }: ApiKey, writer: ResponseWriter, nowMs: number): RequestError | undefined {
  const refusal = refusalByRate(window, nowMs);
  writer.countAgainst(window, nowMs);
  return refusal;
}

/** Counts a request, or says why it is not answered. */
export function refusalByRate(window: SlidingWindow, nowMs: number): RequestError | undefined {
  if (window.accept(nowMs)) return undefined;
  return { code: "rate_limited", retryAfterSeconds: window.secondsUntilFree(nowMs) };
}
