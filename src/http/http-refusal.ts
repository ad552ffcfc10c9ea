import type { RequestError } from "../domain/errors.ts";
import type { ReadRequest, TextSink } from "./answer-turn.ts";
import type { ResponseWriter } from "./response-writer.ts";

/**
 * A request that is refused before any endpoint was asked. It takes its turn like one that is answered: told at once, all
 * that one client has sent ahead would be, in one go, while everyone else on the thread waits.
 */
export class HttpRefusal implements ReadRequest, TextSink {
  /** One at a time of a connection, so none is ever put off. */
  readonly keptBytes = 0;
  readonly #writer: ResponseWriter;
  readonly #error: RequestError;

  constructor(writer: ResponseWriter, error: RequestError) {
    this.#writer = writer;
    this.#error = error;
  }

  get sink(): TextSink {
    return this;
  }

  /** Sends what it is told by itself, since where the end is unclear that is done later than in its turn. */
  answer(): null {
    this.#writer.sendError(this.#error);
    return null;
  }

  send(): void {
    // It makes no text that would be collected.
  }
}
