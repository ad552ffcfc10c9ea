import type { RequestError } from "../domain/errors.ts";
import { isRecord, jsonValueOf } from "../domain/json-value.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { isExit } from "../handlers/trade-request.ts";
import {
  type SocketClient,
  type SocketConnection,
  type SocketLimits,
  UTF8_BYTES_MAX,
} from "./client-socket.ts";
import { refusalByRate } from "./admission.ts";
import { ClientSockets, type ClientSocketsOptions } from "./client-sockets.ts";
import type { AnswerText, ApiAnswer, Endpoint } from "./endpoint.ts";
import { errorBody, STATUS_LINES } from "./error-status.ts";
import type { ApiKey, KeyRing } from "./key-ring.ts";
import { readHead } from "./request-head.ts";
import { newRequestId } from "./request-id.ts";

export const VALIDATE_SOCKET_PATH = "/v1/validate/ws";

/** Characters; thirty times as many as a request has with every field. */
const MESSAGE_LENGTH_MAX = 16 * 1024;

export const VALIDATE_SOCKET_LIMITS: SocketLimits = {
  socketsMax: 1_000,
  messageBytesMax: UTF8_BYTES_MAX * MESSAGE_LENGTH_MAX,
  // The key's rate limit bounds what is answered; the backlog bounds what is refused.
  messagesPerPingMax: Infinity,
  backlogBytesMax: 16 * 1024 * 1024,
  backlogTotalBytesMax: 128 * 1024 * 1024,
  pingPeriodMs: 15_000,
};

interface ValidateSocketsOptions extends Omit<ClientSocketsOptions, "path" | "admit"> {
  readonly keys: KeyRing;
  /** The endpoint whose requests and answers the messages carry. */
  readonly endpoint: Endpoint;
  readonly onFailure: (requestId: string, cause: unknown) => void;
}

/**
 * GET /v1/validate/ws: the requests of POST /v1/validate on one socket, each with an id of the client's choice that its
 * answer carries. The upgrade needs a key, which may have half of the sockets, and counts as a request, and so does every
 * message. Answers come in the order of the messages, but for those that have to ask the exchange first: these come when
 * they can.
 */
export function validateSockets(options: ValidateSocketsOptions): ClientSockets {
  const { keys, endpoint, onFailure, ...rest } = options;
  const sockets = new ClientSockets({
    ...rest,
    path: VALIDATE_SOCKET_PATH,
    admit: (request) => {
      const presented = keys.presentedIn(readHead(request, false).authorization);
      if (!presented.ok) return err({ error: presented.error });
      const key = presented.value;
      const refusal = refusalByRate(key.window, performance.now());
      if (refusal !== undefined) return err({ error: refusal, window: key.window });
      return ok({
        connect: (client) => new ValidateConnection(client, key, { keys, endpoint, onFailure }),
        key,
      });
    },
  });
  keys.onReplaced(() => sockets.checkAll());
  return sockets;
}

/** Requests of one socket that wait for the exchange at a time. */
const WAITING_MAX = 1_000;

type ConnectionDeps = Pick<ValidateSocketsOptions, "keys" | "endpoint" | "onFailure">;
type MessageId = string | number | null;

class ValidateConnection implements SocketConnection {
  readonly #client: SocketClient;
  readonly #deps: ConnectionDeps;
  #key: ApiKey;
  #waiting = 0;

  constructor(client: SocketClient, key: ApiKey, deps: ConnectionDeps) {
    this.#client = client;
    this.#key = key;
    this.#deps = deps;
  }

  reply(text: string | null, receivedAtMs: number): AnswerText | null {
    if (!this.#isAllowed()) return null;
    this.#deps.keys.noteUse(this.#key);
    const message = text === null ? undefined : jsonValueOf(text);
    const id = idOf(message);
    const refusal =
      refusalByRate(this.#key.window, performance.now()) ??
      oversizeOf(text) ??
      violationOf(text, message, id) ??
      this.#crowdingOf(requestIn(message));
    if (refusal !== undefined) return errorText(id, refusal);
    const requestId = newRequestId();
    try {
      const result = this.#deps.endpoint.answer({
        body: requestIn(message),
        isHead: false,
        parameter: "",
        requestId,
        keyId: this.#key.id,
        receivedAtMs,
        reply: null,
      });
      if (!(result instanceof Promise)) return answerText(id, result);
      this.#waiting++;
      this.#client.sendLater(
        result
          .then(
            (late) => () => this.#lateAnswer(id, requestId, late),
            (cause: unknown) => () => this.#failed(id, requestId, cause),
          )
          .finally(() => this.#waiting--),
      );
      return null;
    } catch (cause) {
      return this.#failed(id, requestId, cause);
    }
  }

  check(): void {
    this.#isAllowed();
  }

  closed(): void {
    // What still waits for the exchange is sent to nobody.
  }

  #isAllowed(): boolean {
    const key = this.#deps.keys.current(this.#key);
    if (key === undefined) this.#client.refuse("the key is no longer valid");
    else this.#key = key;
    return key !== undefined;
  }

  /** An exit is answered however many wait. */
  #crowdingOf(request: unknown): RequestError | undefined {
    if (this.#waiting < WAITING_MAX || isExit(request)) return undefined;
    return { code: "unavailable", detail: `${WAITING_MAX} requests of this socket wait for the exchange` };
  }

  /** Made when it is sent, where nothing else of this socket catches what it throws. */
  #lateAnswer(id: MessageId, requestId: string, result: Result<ApiAnswer, RequestError>): AnswerText {
    try {
      return answerText(id, result);
    } catch (cause) {
      return this.#failed(id, requestId, cause);
    }
  }

  #failed(id: MessageId, requestId: string, cause: unknown): string {
    this.#deps.onFailure(requestId, cause);
    return errorText(id, { code: "internal_error", requestId });
  }
}

const ID_EXPECTED = "a text of 1 to 64 characters or an integer of at most 2^53 - 1";
const ID_TEXT = /^[\s\S]{1,64}$/u;

/** Null where there is none that could be given back. */
function idOf(message: unknown): MessageId {
  if (!isRecord(message)) return null;
  const { id } = message;
  if (typeof id === "string") return ID_TEXT.test(id) ? id : null;
  return Number.isSafeInteger(id) ? (id as number) : null;
}

function oversizeOf(text: string | null): RequestError | undefined {
  if (text === null || text.length <= MESSAGE_LENGTH_MAX) return undefined;
  return { code: "payload_too_large", maximum: MESSAGE_LENGTH_MAX, unit: "characters" };
}

function violationOf(text: string | null, message: unknown, id: MessageId): RequestError | undefined {
  if (text === null) return invalid("message", "valid UTF-8");
  if (message === undefined) return invalid("message", "valid JSON");
  if (!isRecord(message)) return invalid("message", "an object with id and request");
  if (id === null) return invalid("id", ID_EXPECTED);
  if (!("request" in message)) return invalid("request", "present");
  return undefined;
}

/** Of a message without a violation. */
function requestIn(message: unknown): unknown {
  return (message as { readonly request: unknown }).request;
}

function invalid(field: string, expected: string): RequestError {
  return { code: "invalid_field", field, expected };
}

/** What the next text is put together in, so that an answer costs no memory of its own. */
let frame = Buffer.alloc(64 * 1024);

/** {"id":…,"status":200,"body":…}; valid until the next. */
function answerText(id: MessageId, result: Result<ApiAnswer, RequestError>): AnswerText {
  if (!result.ok) return errorText(id, ofRequest(result.error));
  const { statusLine, json } = result.value;
  const body = json();
  const head = headOf(id, statusLine ?? "200 OK");
  if (typeof body === "string") return `${head}${body}}`;
  const bodyAt = Buffer.byteLength(head);
  const end = bodyAt + body.length + 1;
  if (end > frame.length) frame = Buffer.alloc(2 * end);
  frame.write(head);
  frame.set(body, bodyAt);
  frame[end - 1] = CLOSING_BRACE;
  return frame.subarray(0, end);
}

const CLOSING_BRACE = 0x7d;

/** What is the body over HTTP stands in the message's request; body is what a reply has. */
function ofRequest(error: RequestError): RequestError {
  return error.code === "invalid_field" && error.field === "body" ? { ...error, field: "request" } : error;
}

function errorText(id: MessageId, error: RequestError): string {
  return `${headOf(id, STATUS_LINES[error.code])}${errorBody(error)}}`;
}

function headOf(id: MessageId, statusLine: string): string {
  return `{"id":${JSON.stringify(id)},"status":${statusLine.slice(0, 3)},"body":`;
}
