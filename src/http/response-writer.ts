import type { HttpResponse } from "uWebSockets.js";
import type { RequestError } from "../domain/errors.ts";
import type { Result } from "../domain/result.ts";
import type { ApiAnswer } from "./endpoint.ts";
import { errorBody, retryAfterSecondsOf, STATUS_LINES } from "./error-status.ts";
import type { SlidingWindow } from "./rate-limit.ts";

const OK = "200 OK";

/** One answer on one socket: written once, in one piece, never after an abort. */
export class ResponseWriter {
  readonly #response: HttpResponse;
  readonly #onDone: (writer: ResponseWriter) => void;
  readonly #isHead: boolean;
  #isDone = false;
  #isLate = false;
  #window: SlidingWindow | undefined;
  #windowNowMs = 0;

  /** Must be made before the handler returns: it attaches the abort callback that uWebSockets.js insists on. */
  constructor(response: HttpResponse, isHead: boolean, onDone: (writer: ResponseWriter) => void) {
    this.#response = response;
    this.#isHead = isHead;
    this.#onDone = onDone;
    response.onAborted(() => this.#finish());
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** From here on the answer carries the key's RateLimit headers. */
  countAgainst(window: SlidingWindow, nowMs: number): void {
    this.#window = window;
    this.#windowNowMs = nowMs;
  }

  /** The answer will be made after its request was read: its writes are then no longer collected by themselves. */
  becomeLate(): void {
    this.#isLate = true;
  }

  send(result: Result<ApiAnswer, RequestError>): void {
    if (this.#isDone) return;
    if (result.ok) {
      const { statusLine, json } = result.value;
      this.#write(statusLine ?? OK, json(), undefined, undefined);
    } else this.sendError(result.error);
  }

  sendError(error: RequestError): void {
    const allowed = error.code === "method_not_allowed" ? error.allowed : undefined;
    this.#write(STATUS_LINES[error.code], errorBody(error), retryAfterSecondsOf(error), allowed);
  }

  #write(
    statusLine: string,
    json: string | Uint8Array,
    retryAfterSeconds: number | undefined,
    allowed: string | undefined,
  ): void {
    if (this.#isDone) return;
    if (this.#isLate) this.#response.cork(() => this.#put(statusLine, json, retryAfterSeconds, allowed));
    else this.#put(statusLine, json, retryAfterSeconds, allowed);
    this.#finish();
  }

  #put(
    statusLine: string,
    json: string | Uint8Array,
    retryAfterSeconds: number | undefined,
    allowed: string | undefined,
  ): void {
    const response = this.#response;
    // The status of every good answer is what is written when none is.
    if (statusLine !== OK) response.writeStatus(statusLine);
    response.writeHeader("Content-Type", "application/json; charset=utf-8");
    if (retryAfterSeconds !== undefined) response.writeHeader("Retry-After", String(retryAfterSeconds));
    if (allowed !== undefined) response.writeHeader("Allow", allowed);
    const window = this.#window;
    if (window !== undefined) {
      response
        .writeHeader("RateLimit-Limit", String(window.limit))
        .writeHeader("RateLimit-Remaining", String(window.remaining))
        .writeHeader("RateLimit-Reset", String(window.secondsUntilFree(this.#windowNowMs)));
    }
    // The answer to a HEAD tells the length of the body that it must not carry.
    if (this.#isHead) response.endWithoutBody(Buffer.byteLength(json));
    else response.end(json);
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#onDone(this);
  }
}
