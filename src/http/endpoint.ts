import type { RequestError } from "../domain/errors.ts";
import type { Result } from "../domain/result.ts";

/** What the transport has read of a request before it asks for the answer. */
export interface ApiRequest {
  /** Parsed JSON of a POST; undefined for a GET. */
  readonly body: unknown;
  /** Only the head of the answer is asked for: nobody is to be told of anything. */
  readonly isHead: boolean;
  /** The decoded path parameter, "" when the path has none. */
  readonly parameter: string;
  readonly requestId: string;
  /** Id of the key that was presented; null where the endpoint is public. */
  readonly keyId: string | null;
  /** performance.now() when the request's head had been read: the start of latency_ms. */
  readonly receivedAtMs: number;
  /** Whether the asker has gone, or has its answer; null where that is not known. */
  readonly reply: { readonly isDone: boolean } | null;
}

/** JSON text of an answer; bytes are UTF-8. */
export type AnswerText = string | Uint8Array;

/**
 * The same text in memory of its own: bytes may be memory that the next text is written into, or a view of much more. Not
 * their slice, which of a Buffer would be a view.
 */
export function copiedText(text: AnswerText): AnswerText {
  return typeof text === "string" ? text : new Uint8Array(text);
}

export interface ApiAnswer {
  /** "200 OK" unless said. */
  readonly statusLine?: string;
  /** Called once; bytes may be memory that the next text is written into, so they are read out before it is. */
  readonly json: () => AnswerText;
}

/** One row of the route table. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  /** "/v1/monitor/:wallet" style; at most one parameter. */
  readonly path: string;
  readonly isPublic: boolean;
  /** Answers at once from warm state; a promise only where the exchange has to be asked. */
  readonly answer: (
    request: ApiRequest,
  ) => Result<ApiAnswer, RequestError> | Promise<Result<ApiAnswer, RequestError>>;
}
