import type { ReadRequest, TextSink } from "./answer-turn.ts";
import type { AnswerText, ApiRequest, Endpoint } from "./endpoint.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** Told of what was thrown while a request was answered. */
export type OnInternalError = (requestId: string, path: string, cause: unknown) => void;

/** One request of an endpoint with the socket that waits for the answer. What is thrown becomes a 500 with its id. */
export class HttpCall implements ReadRequest, TextSink {
  /** One at a time of a connection, so none is ever put off. */
  readonly keptBytes = 0;
  readonly #endpoint: Endpoint;
  readonly #request: ApiRequest;
  readonly #writer: ResponseWriter;
  readonly #onInternalError: OnInternalError;

  constructor(
    endpoint: Endpoint,
    request: ApiRequest,
    writer: ResponseWriter,
    onInternalError: OnInternalError,
  ) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#writer = writer;
    this.#onInternalError = onInternalError;
  }

  get sink(): TextSink {
    return this;
  }

  answer(): AnswerText | null {
    try {
      const result = this.#endpoint.answer(this.#request);
      if (!(result instanceof Promise)) return this.#writer.render(result);
      result
        .then((late) => this.#writer.write(this.#writer.render(late)))
        .catch((cause: unknown) => this.#fail(cause));
    } catch (cause) {
      this.#fail(cause);
    }
    return null;
  }

  send([text]: readonly AnswerText[]): void {
    try {
      this.#writer.write(text!);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #fail(cause: unknown): void {
    const { requestId } = this.#request;
    this.#onInternalError(requestId, this.#endpoint.path, cause);
    this.#writer.sendError({ code: "internal_error", requestId });
  }
}
