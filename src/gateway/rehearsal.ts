import type { Logger } from "pino";
import { mostTraded } from "../domain/asset.ts";
import { ok } from "../domain/result.ts";
import type { AssessmentDeps } from "../handlers/trade-assessment.ts";
import type { ApiRequest } from "../http/endpoint.ts";
import { AnswerMemory } from "../response/answer-memory.ts";
import { createSizingMemory } from "../risk/sizing/sizing-memory.ts";
import type { AssetSnapshot } from "../snapshot/asset-snapshot.ts";
import type { WalletReader, WalletReading } from "../snapshot/wallet-store.ts";
import { tradeAnswers } from "./gateway-endpoints.ts";
import { madeUpAccount, madeUpTrade } from "./made-up-trades.ts";
import { withWallets } from "./trade-reading.ts";

/** By then an account's first answer takes what it takes later but for its own work; src/DECISIONS.md 189. */
const ANSWERS = 3_000;
/** Of one account, before the next. */
const ANSWERS_PER_ACCOUNT = 16;
/** Of one turn of the event loop; it goes on to the end of the answer that passes it. */
const SLICE_MS = 1;
/** Of ten orders the last three are one, whose third answer is looked up. */
const ORDERS = { period: 10, others: 7 };
/** Between two turns, for the engine and the models, which have the most to do then. */
const REST_MS = 3;
/** What an answer needs comes some seconds after the thread's start. */
const LOOKS_EVERY_MS = 100;
/** The most traded, which clients will ask about. */
const ASSETS = 12;

/**
 * Answers made-up trades of made-up accounts, once, from the live state as soon as there is one and between requests, so
 * that the code is compiled before clients' orders come. Nobody sees these answers, the exchange is not asked, and nothing
 * is kept of them but the code. A failure ends it and is logged, and what is returned ends it: a thread that ends waits
 * for V8's helpers to have nothing to compile, whichever thread they compile for.
 */
export function rehearseTrades(deps: AssessmentDeps, logger: Logger, answers = ANSWERS): () => void {
  const ending = new AbortController();
  const looking = setInterval(() => {
    if (!deps.snapshots.hasBeenReady || deps.scenarios() === null) return;
    clearInterval(looking);
    const assets = rehearsedAssets(deps);
    if (assets.length > 0) rehearse(new Rehearsal(deps, assets), logger, answers, ending.signal);
  }, LOOKS_EVERY_MS).unref();
  return () => {
    clearInterval(looking);
    ending.abort();
  };
}

function rehearse(rehearsal: Rehearsal, logger: Logger, answers: number, ending: AbortSignal): void {
  const turn = (): void => {
    if (ending.aborted) return;
    const untilMs = performance.now() + SLICE_MS;
    try {
      do rehearsal.answerNext();
      while (rehearsal.answered < answers && performance.now() < untilMs);
    } catch (cause) {
      logger.error({ event: "rehearsal.failed", err: cause }, "made-up trades cannot be answered");
      return;
    }
    if (rehearsal.answered < answers) setTimeout(turn, REST_MS).unref();
    else logger.info({ event: "rehearsal.done", answers }, "answers are compiled");
  };
  turn();
}

function rehearsedAssets({ snapshots }: AssessmentDeps): readonly AssetSnapshot[] {
  const open = snapshots.assets().filter(({ lifecycle, listing }) => {
    return lifecycle === "live" && !listing.isIsolatedOnly && !listing.isCloseOnly;
  });
  return mostTraded(open, ASSETS);
}

/** One trade after the other through all that answers a client's, from its text to the answer's. */
class Rehearsal {
  answered = 0;
  readonly #assets: readonly AssetSnapshot[];
  readonly #clock: AssessmentDeps["clock"];
  readonly #validate: ReturnType<typeof tradeAnswers>["validate"];
  #reading: WalletReading;

  constructor(deps: AssessmentDeps, assets: readonly AssetSnapshot[]) {
    this.#assets = assets;
    this.#clock = deps.clock;
    this.#reading = this.#nextReading();
    const wallets: WalletReader = {
      peek: () => this.#reading,
      load: () => Promise.resolve(ok(this.#reading)),
      lastKnown: () => this.#reading,
      isAnswerable: () => true,
    };
    this.#validate = tradeAnswers(
      withWallets(deps, wallets, createSizingMemory(), new AnswerMemory()),
    ).validate;
  }

  answerNext(): void {
    if (this.answered % ANSWERS_PER_ACCOUNT === 0) this.#reading = this.#nextReading();
    const repeats = Math.max(0, (this.answered % ORDERS.period) - ORDERS.others);
    const trade = madeUpTrade(this.answered - repeats, this.#assets, this.#reading.state.wallet);
    this.answered += 1;
    const result = this.#validate(unheardRequest(trade));
    // A refusal is an answer as well: a market can have become stale.
    if (!(result instanceof Promise) && result.ok) result.value.json();
  }

  #nextReading(): WalletReading {
    const account = Math.floor(this.answered / ANSWERS_PER_ACCOUNT);
    return {
      state: madeUpAccount(account, this.#assets, this.#clock.nowMs()),
      ageMs: 0,
      isStale: false,
    };
  }
}

/** A request for a trade that came from nobody, read from its text as all are. */
export function unheardRequest(trade: unknown): ApiRequest {
  return {
    body: JSON.parse(JSON.stringify(trade)),
    isHead: false,
    parameter: "",
    requestId: "unheard",
    keyId: "unheard",
    receivedAtMs: performance.now(),
    reply: null,
  };
}
