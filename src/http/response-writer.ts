import type { HttpResponse } from "uWebSockets.js";
import type { RequestError } from "../domain/errors.ts";
import type { Result } from "../domain/result.ts";
import type { AnswerText, ApiAnswer } from "./endpoint.ts";
import { errorBody, headerOf, STATUS_LINES } from "./error-status.ts";
import type { RequestHead } from "./request-head.ts";
import type { SlidingWindow } from "./rate-limit.ts";

const OK = "200 OK";
const CLOSE = "close";
const CLOSE_IN_LIST = /(^|,)\s*close\s*(,|$)/i;
/** The library closes a connection on which nothing was asked for 8 to 12 seconds: clients that read this let go before. */
const KEEP_ALIVE = "timeout=7";

/** What of its window an answer tells a key. */
interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** As the window is now; more requests may be counted before the answer is written. */
export function windowState(window: SlidingWindow, nowMs: number): WindowState {
  return {
    limit: window.limit,
    remaining: window.remaining,
    resetSeconds: window.secondsUntilFree(nowMs),
  };
}

export function writeRateLimit(
  response: HttpResponse,
  { limit, remaining, resetSeconds }: WindowState,
): void {
  response
    .writeHeader("RateLimit-Limit", String(limit))
    .writeHeader("RateLimit-Remaining", String(remaining))
    .writeHeader("RateLimit-Reset", String(resetSeconds));
}

/** What an answer has to do with the server that it is of. */
export interface AnsweringServer {
  readonly isClosing: boolean;
  readonly onDone: (writer: ResponseWriter) => void;
}

/** One answer on one socket: written once, in one piece, never after an abort. */
export class ResponseWriter {
  /** The answer goes without its body. */
  readonly isHead: boolean;
  readonly #response: HttpResponse;
  readonly #server: AnsweringServer;
  #isDone = false;
  #isAborted = false;
  #isAnswering = false;
  #isLast = false;
  #isCloseAsked = false;
  #isEndUnclear = false;
  #statusLine = OK;
  #errorHeader: readonly [name: string, value: string] | undefined;
  #window: WindowState | undefined;

  /** Must be made before the handler returns: it attaches the abort callback that uWebSockets.js insists on. */
  constructor(response: HttpResponse, isHead: boolean, server: AnsweringServer) {
    this.#response = response;
    this.isHead = isHead;
    this.#server = server;
    response.onAborted(() => {
      this.#isAborted = true;
      this.#finish();
    });
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether the answer is being made: not while the request's body is still to come. */
  get isAnswering(): boolean {
    return this.#isAnswering;
  }

  /** From here on the answer carries the key's RateLimit headers, as the window is now. */
  countAgainst(window: SlidingWindow, nowMs: number): void {
    this.#window = windowState(window, nowMs);
  }

  /** All was read that the answer is made from. */
  beginAnswering(): void {
    this.#isAnswering = true;
  }

  /** Nothing more is wanted on this connection: it is closed when the answer has been sent. */
  becomeLast(): void {
    this.#isLast = true;
  }

  /**
   * Where the end of the body is unclear, what follows on the connection is not read. A client whose Connection header is
   * close asks nothing more. The library closes then by itself and leaves it to us to say so: a client that goes by the
   * answer would send its next request into the closing connection. Of close in a list it knows nothing.
   * Source: RFC 9112, 9.6.
   */
  closeAfter({ unclearEnd, connection, furtherConnection }: RequestHead): void {
    if (unclearEnd !== undefined) this.#isEndUnclear = this.#isLast = true;
    if (connection === "" && furtherConnection === "") return;
    this.#isCloseAsked = connection.toLowerCase() === CLOSE;
    if (!this.#isCloseAsked && CLOSE_IN_LIST.test(connection + furtherConnection)) this.#isLast = true;
  }

  /** The text of an answer or refusal, whose status and headers are kept for the write. */
  render(result: Result<ApiAnswer, RequestError>): AnswerText {
    if (!result.ok) return this.#renderError(result.error);
    const { statusLine, json } = result.value;
    if (statusLine !== undefined) this.#statusLine = statusLine;
    return json();
  }

  sendError(error: RequestError): void {
    const text = this.#renderError(error);
    // What was read with this request and looks like another would be answered behind it: the library drops it, and the
    // connection, only where the answer is still to come.
    if (this.#isEndUnclear) setImmediate(() => this.write(text));
    else this.write(text);
  }

  write(json: AnswerText): void {
    if (this.#isDone) return;
    // A client that is told that its connection is kept asks on it again, and may be left without that answer.
    if (this.#server.isClosing) this.#isLast = true;
    // An answer may be made after its request was read: its writes are then not collected by themselves.
    this.#response.cork(() => this.#put(json));
    this.#finish();
  }

  #renderError(error: RequestError): string {
    this.#statusLine = STATUS_LINES[error.code];
    this.#errorHeader = headerOf(error);
    return errorBody(error);
  }

  #put(json: AnswerText): void {
    const response = this.#response;
    // The status of every good answer is what is written when none is.
    if (this.#statusLine !== OK) response.writeStatus(this.#statusLine);
    response.writeHeader("Content-Type", "application/json; charset=utf-8");
    if (this.#errorHeader !== undefined) response.writeHeader(...this.#errorHeader);
    if (this.#window !== undefined) writeRateLimit(response, this.#window);
    if (this.#isCloseAsked) response.writeHeader("Connection", CLOSE);
    else if (!this.#isLast) response.writeHeader("Keep-Alive", KEEP_ALIVE);
    if (this.isHead) this.#endHead(Buffer.byteLength(json));
    else response.end(json, this.#isLast);
  }

  /**
   * The answer to a HEAD tells the length of the body that it must not carry. The library waits for the bytes of a length
   * that it is told itself, without end, and drops the connection with the next request: it is told one only where there is
   * none, and the connection is closed here, when the head has left.
   */
  #endHead(lengthBytes: number): void {
    const response = this.#response;
    if (!this.#isLast) {
      response.writeHeader("Content-Length", String(lengthBytes)).endWithoutBody();
      return;
    }
    if (!this.#isCloseAsked) response.writeHeader("Connection", CLOSE);
    response.tryEnd("", lengthBytes);
    setImmediate(() => {
      if (!this.#isAborted) response.close();
    });
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#server.onDone(this);
  }
}
