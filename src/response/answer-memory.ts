import type { Ticker } from "../domain/ids.ts";
import type { AssessInput } from "../risk/assess.ts";
import type { Assessment } from "../risk/assessment.ts";
import type { AssetView } from "../risk/asset-view.ts";

/** Orders of an asset that are told apart at once: wallets, sides and sizes that take turns. */
export const REMEMBERED_PER_ASSET = 8;
/** Some half a megabyte of a thread; the text kept first is given up for the next. */
export const TEXTS_MAX = 64;
/** Of an account with many positions; a longer one is written anew each time. */
const TEXT_BYTES_MAX = 48 * 1024;

/** The last of their names in a text: whatever else an answer says comes before its meta. */
const LATENCY_NAME = '"latency_ms":';
const AFTER_META = '},"model_version":';

const NO_VIEWS: readonly (AssetView | undefined)[] = [];

/** An answer with its text, but for what is each request's own: meta.latency_ms and meta.request_id. */
export interface KeptAnswer {
  readonly assessment: Assessment;
  readonly untilLatency: Uint8Array;
  readonly afterRequestId: Uint8Array;
}

/** One order in one state of market and account, and its answer once it was asked about twice. */
export interface RememberedAnswer {
  readonly input: AssessInput;
  /** Of the assets of the account's positions, in their order. */
  readonly views: readonly (AssetView | undefined)[];
  isAskedAgain: boolean;
  kept: KeptAnswer | null;
}

/** Of one state of an asset; the next begins anew. */
interface AssetAnswers {
  readonly asset: AssetView;
  readonly remembered: RememberedAnswer[];
  /** Where the next replaces the oldest. */
  next: number;
}

/**
 * The orders that were asked about last: an agent whose orders are alike and closer together than the changes of market
 * and wallet is answered with the text that it was answered with. Made once per thread. States are told apart by identity,
 * since none changes in place.
 *
 * Holds:  an answer is to the byte what it would be without a memory, but for meta.latency_ms and meta.request_id
 */
export class AnswerMemory {
  readonly #byTicker = new Map<Ticker, AssetAnswers>();
  readonly #withText: RememberedAnswer[] = [];
  #nextText = 0;

  /** What is remembered of the order, from now on at the latest; null for an account that is not known. */
  find(input: AssessInput): RememberedAnswer | null {
    const { asset, account, viewOf } = input;
    if (account === null) return null;
    const answers = this.#of(asset);
    const { remembered } = answers;
    for (let i = 0; i < remembered.length; i++) {
      const candidate = remembered[i]!;
      if (isSameOrder(candidate.input, input) && hasSameViews(candidate, input)) {
        candidate.isAskedAgain = true;
        return candidate;
      }
    }
    const { positions } = account;
    const views = positions.length === 0 ? NO_VIEWS : positions.map(({ ticker }) => viewOf(ticker));
    const found: RememberedAnswer = { input, views, isAskedAgain: false, kept: null };
    remembered[answers.next] = found;
    answers.next = (answers.next + 1) % REMEMBERED_PER_ASSET;
    return found;
  }

  /** Keeps the answer of an order that was asked about before: most never are again. */
  keep(remembered: RememberedAnswer, assessment: Assessment, text: Uint8Array): void {
    if (!remembered.isAskedAgain || text.length > TEXT_BYTES_MAX) return;
    const copy = Buffer.from(text);
    remembered.kept = {
      assessment,
      untilLatency: copy.subarray(0, copy.lastIndexOf(LATENCY_NAME) + LATENCY_NAME.length),
      afterRequestId: copy.subarray(copy.lastIndexOf(AFTER_META)),
    };
    const givenUp = this.#withText[this.#nextText];
    if (givenUp !== undefined) givenUp.kept = null;
    this.#withText[this.#nextText] = remembered;
    this.#nextText = (this.#nextText + 1) % TEXTS_MAX;
  }

  #of(asset: AssetView): AssetAnswers {
    const { ticker } = asset.listing;
    const known = this.#byTicker.get(ticker);
    if (known?.asset === asset) return known;
    const answers = { asset, remembered: [], next: 0 };
    this.#byTicker.set(ticker, answers);
    return answers;
  }
}

function isSameOrder(a: AssessInput, b: AssessInput): boolean {
  return (
    a.account === b.account &&
    a.scenarios === b.scenarios &&
    a.isMarketStale === b.isMarketStale &&
    a.isWalletStale === b.isWalletStale &&
    a.trade.action === b.trade.action &&
    a.trade.notionalUsd === b.trade.notionalUsd &&
    a.trade.leverage === b.trade.leverage &&
    a.trade.marginMode === b.trade.marginMode &&
    a.trade.wantsMonteCarlo === b.trade.wantsMonteCarlo &&
    a.trade.wantsExplanation === b.trade.wantsExplanation
  );
}

function hasSameViews({ views }: RememberedAnswer, { account, viewOf }: AssessInput): boolean {
  const positions = account?.positions ?? [];
  for (let i = 0; i < views.length; i++) if (views[i] !== viewOf(positions[i]!.ticker)) return false;
  return true;
}
