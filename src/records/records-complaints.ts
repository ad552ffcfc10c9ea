import type { Logger } from "pino";
import { recordsFailure } from "../outcomes/record-failures.ts";

const PERIOD_MS = 10_000;

/** Why the records cannot be used, in the log: a store that is away fails many times a second. */
export class RecordsComplaints {
  readonly #logger: Pick<Logger, "error">;
  readonly #loggedAtMs = new Map<string, number>();

  constructor(logger: Pick<Logger, "error">) {
    this.#logger = logger;
  }

  /** Each event at most every ten seconds. */
  log(event: string, cause: unknown): void {
    const nowMs = performance.now();
    const lastMs = this.#loggedAtMs.get(event);
    if (lastMs !== undefined && nowMs - lastMs < PERIOD_MS) return;
    this.#loggedAtMs.set(event, nowMs);
    this.#logger.error({ event, ...recordsFailure(cause) }, "the records cannot be used");
  }
}
