import type { Logger } from "pino";
import { isRecord } from "../domain/json-value.ts";
import { err } from "../domain/result.ts";
import type { AssessmentDeps } from "../handlers/trade-assessment.ts";
import type { WalletReader } from "../snapshot/wallet-store.ts";
import { type TradeAnswers, tradeAnswers } from "./gateway-endpoints.ts";
import { unheardRequest } from "./rehearsal.ts";
import { withWallets } from "./trade-reading.ts";

/** After the last order: who asks less often than once a minute does not wait for microseconds. */
const WARM_FOR_MS = 60_000;
/** Of the thread's time, at most, whatever an answer costs: the next order may have to wait for the end of one. */
const SHARE_MAX = 0.05;

/**
 * Answers the last order once more, for nobody, whenever none came for a period. Between two orders the kernel, the engine
 * and other programs have the processor's caches, and an answer takes many times what it takes right after another. It is
 * made from its text to the answer's, from the live state and the wallet as it is known; no use is counted, the exchange is
 * not asked, and nothing is kept but what any answer leaves in this thread's memories. A failure ends it and is logged.
 *
 * Holds:  what is answered does not depend on it
 */
export class CacheWarming {
  readonly #periodMs: number;
  readonly #logger: Logger;
  readonly #validate: TradeAnswers["validate"];
  #body: unknown;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #restUntilMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #isEnded: boolean;

  /** A period of 0 is none at all. */
  constructor(deps: AssessmentDeps, periodMs: number, logger: Logger) {
    this.#periodMs = periodMs;
    this.#logger = logger;
    this.#validate = tradeAnswers(withWallets(deps, uncounted(deps.wallets), deps.sizings, null)).validate;
    this.#isEnded = periodMs === 0;
  }

  /** The same answers; the last order that was answered at once is the one to be repeated. */
  after(answers: TradeAnswers): TradeAnswers {
    return {
      ...answers,
      validate: (request) => {
        const result = answers.validate(request);
        if (!this.#isEnded && !(result instanceof Promise) && result.ok) {
          this.#body = request.body;
          this.#askedAtMs = request.receivedAtMs;
          this.#timer ??= setInterval(this.#warm, this.#periodMs).unref();
        }
        return result;
      },
    };
  }

  end(): void {
    this.#isEnded = true;
    this.#rest();
  }

  readonly #warm = (): void => {
    const beganMs = performance.now();
    const sinceMs = beganMs - this.#askedAtMs;
    if (sinceMs < this.#periodMs || beganMs < this.#restUntilMs) return;
    if (sinceMs > WARM_FOR_MS) {
      this.#rest();
      return;
    }
    try {
      const result = this.#validate(unheardRequest(repeatable(this.#body)));
      if (!(result instanceof Promise) && result.ok) result.value.json();
    } catch (cause) {
      this.end();
      this.#logger.error({ event: "warming.failed", err: cause }, "the last order cannot be answered again");
    }
    const endedMs = performance.now();
    this.#restUntilMs = endedMs + (endedMs - beganMs) * (1 / SHARE_MAX - 1);
  };

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#body = undefined;
  }
}

/**
 * The order without an explanation, which assesses up to 25 orders more, and without what no field of an order is: what is
 * ignored may be nested more deeply than JSON can be written.
 */
function repeatable(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const fields = Object.entries(body).filter(([, value]) => value === null || typeof value !== "object");
  const order = Object.fromEntries(fields);
  if (order["explain"] === true) order["explain"] = false;
  return order;
}

/** Wallets as they are known, looked at without being asked about. */
function uncounted(wallets: WalletReader): WalletReader {
  return {
    peek: (wallet) => {
      const reading = wallets.lastKnown(wallet);
      return reading === null ? undefined : { state: reading.state, ageMs: 0, isStale: false };
    },
    load: () => Promise.resolve(err({ code: "unreachable", detail: "not asked" })),
    lastKnown: () => null,
    isAnswerable: () => false,
  };
}
