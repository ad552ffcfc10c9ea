import { type ExchangeFailure, IS_TRANSIENT } from "../../domain/errors.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";
import type { Parsed } from "./field-reader.ts";
import { parseErrorText } from "./field-reader.ts";
import { OpenWaits } from "./open-waits.ts";
import type { Timers, Uniform } from "./timers.ts";
import { backOffMs } from "./timers.ts";
import type { HyperliquidTransport, InfoRequest } from "./transport.ts";
import type { BudgetPriority, WeightBudget } from "./weight-budget.ts";

export interface InfoClientDeps {
  readonly transport: HyperliquidTransport;
  readonly budget: WeightBudget;
  readonly timers: Timers;
  readonly uniform: Uniform;
}

export interface InfoCall<T> {
  readonly body: InfoRequest;
  readonly weight: number;
  readonly priority: BudgetPriority;
  readonly parse: (json: unknown) => Parsed<T>;
  /** The client's own unless said. */
  readonly patience?: InfoPatience;
}

export interface InfoPatience {
  /** One attempt. */
  readonly timeoutMs: number;
  readonly attemptsMax: number;
  /** How long an attempt may wait for its weight. */
  readonly budgetWaitMsMax: number;
}

const BACK_OFF_BASE_MS = 250;
/** A spent budget refills over a minute. */
const RATE_LIMITED_BASE_MS = 2_000;
const BACK_OFF_CEILING_MS = 30_000;

/** Info requests inside the weight budget, each attempt with its own timeout and its own weight. */
export class InfoClient {
  readonly #deps: InfoClientDeps;
  readonly #patience: InfoPatience;
  readonly #rests: OpenWaits;
  #isClosed = false;

  constructor(deps: InfoClientDeps, patience: InfoPatience) {
    this.#deps = deps;
    this.#patience = patience;
    this.#rests = new OpenWaits(deps.timers);
  }

  /** The parsed answer; repeats transient failures with jittered back-off, never a permanent refusal. */
  async call<T>(call: InfoCall<T>): Promise<Result<T, ExchangeFailure>> {
    const { budget, uniform } = this.#deps;
    const { timeoutMs, attemptsMax, budgetWaitMsMax } = call.patience ?? this.#patience;
    for (let attempt = 0; ; attempt++) {
      if (!(await budget.take(call.weight, call.priority, budgetWaitMsMax))) {
        return err(this.#ungranted(call.body.type));
      }
      const reply = await this.#post(call.body, timeoutMs);
      if (reply.ok) return parseReply(call, reply.value);
      const isLast = this.#isClosed || attempt + 1 >= attemptsMax;
      if (isLast || !IS_TRANSIENT[reply.error.code]) return reply;
      const baseMs = reply.error.code === "rate_limited" ? RATE_LIMITED_BASE_MS : BACK_OFF_BASE_MS;
      await this.#rests.add(backOffMs(attempt, baseMs, BACK_OFF_CEILING_MS, uniform));
    }
  }

  /** No attempt is begun any more, and none waited for: a thread that ends would stay for what the budget puts off. */
  close(): void {
    this.#isClosed = true;
    this.#deps.budget.close();
    this.#rests.endAll();
  }

  #ungranted(type: string): ExchangeFailure {
    return this.#isClosed
      ? { code: "unreachable", detail: `${type}: closed` }
      : { code: "rate_limited", detail: `${type}: no weight left in our own budget` };
  }

  async #post(body: InfoRequest, timeoutMs: number): Promise<Result<unknown, ExchangeFailure>> {
    const abort = new AbortController();
    const cancel = this.#deps.timers.after(timeoutMs, () => {
      abort.abort();
    });
    const reply = await this.#deps.transport.postInfo(body, abort.signal);
    cancel();
    return reply;
  }
}

function parseReply<T>(call: InfoCall<T>, json: unknown): Result<T, ExchangeFailure> {
  const parsed = call.parse(json);
  if (parsed.ok) return ok(parsed.value);
  return err({ code: "unparseable", detail: `${call.body.type}: ${parseErrorText(parsed.error)}` });
}
