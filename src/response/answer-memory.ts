import type { AssessInput } from "../risk/assess.ts";
import type { Assessment } from "../risk/assessment.ts";
import type { AssetView } from "../risk/asset-view.ts";
import type { ScenarioSheet } from "../risk/scenarios/sheet.ts";

/** At once: wallets, assets, sides and sizes that take turns. Their texts are half a megabyte. */
export const ORDERS_REMEMBERED = 64;
/** Of an account with many positions; a longer text is written anew each time. */
const TEXT_BYTES_MAX = 48 * 1024;
/** No order is as large, and no leverage. */
const [NOTIONAL_USD_END, LEVERAGE_END] = [2 ** 28, 2 ** 8];

/** The last of their names in a text: whatever else an answer says comes before its meta. */
const LATENCY_NAME = '"latency_ms":';
const AFTER_META = '},"model_version":';

/** An answer with its text, but for what is each request's own: meta.latency_ms and meta.request_id. */
export interface KeptAnswer {
  readonly assessment: Assessment;
  readonly untilLatency: Uint8Array;
  readonly afterRequestId: Uint8Array;
}

/** Of an order that was asked about again: its answer, once it is made. */
export interface RepeatedAnswer {
  kept: KeptAnswer | null;
}

/**
 * The orders that were asked about last: an agent whose orders are alike and closer together than the changes of market
 * and wallet is answered with the text that it was answered with. Made once per thread. States are told apart by identity,
 * since none changes in place.
 *
 * Holds:  an answer is to the byte what it would be without a memory, but for meta.latency_ms and meta.request_id
 */
export class AnswerMemory {
  /** Of each order a number that most others do not have, side by side: what is compared with every order is one array. */
  readonly #signatures = Array.from({ length: ORDERS_REMEMBERED }, () => Number.NaN);
  /** Made once and written into: what is kept of each request for a while is dear to collect. */
  readonly #orders = Array.from({ length: ORDERS_REMEMBERED }, () => new RememberedOrder());
  /** Where the next replaces the oldest. */
  #next = 0;
  /** Of the order asked about last. Not held: orders of a sheet before would keep its memory, 80 MB with 230 assets. */
  #sheet: WeakRef<ScenarioSheet> | null = null;
  /** Of the sheets that were met, counted. */
  #sheetNumber = 0;

  /** What is known of the order; null at its first time, and for an account that is not known. */
  find(input: AssessInput): RepeatedAnswer | null {
    if (input.account === null) return null;
    this.#noteSheet(input.scenarios === null ? null : input.scenarios.sheet);
    const signature = signatureOf(input);
    for (let i = 0; i < ORDERS_REMEMBERED; i++) {
      if (this.#signatures[i] !== signature) continue;
      const order = this.#orders[i]!;
      if (order.isOf(input, this.#sheetNumber)) return (order.answer ??= { kept: null });
    }
    this.#signatures[this.#next] = signature;
    this.#orders[this.#next]!.become(input, this.#sheetNumber);
    this.#next = (this.#next + 1) % ORDERS_REMEMBERED;
    return null;
  }

  #noteSheet(sheet: ScenarioSheet | null): void {
    const last = this.#sheet?.deref() ?? null;
    if (sheet === last) return;
    this.#sheet = sheet === null ? null : new WeakRef(sheet);
    this.#sheetNumber += 1;
  }
}

/** Keeps what was answered at the second time. Most orders have none. */
export function keepAnswer(repeated: RepeatedAnswer, assessment: Assessment, text: Uint8Array): void {
  if (text.length > TEXT_BYTES_MAX) return;
  const copy = Buffer.from(text);
  repeated.kept = {
    assessment,
    untilLatency: copy.subarray(0, copy.lastIndexOf(LATENCY_NAME) + LATENCY_NAME.length),
    afterRequestId: copy.subarray(copy.lastIndexOf(AFTER_META)),
  };
}

function signatureOf({ trade, asset }: AssessInput): number {
  const { action, leverage = 0, notionalUsd } = trade;
  const whole = asset.listing.assetIndex * LEVERAGE_END + leverage;
  const signature = whole * NOTIONAL_USD_END + notionalUsd;
  return action === "short" ? -signature : signature;
}

/** An order in one state of market and account. */
class RememberedOrder {
  answer: RepeatedAnswer | null = null;
  #asset: AssetView | null = null;
  #account: AssessInput["account"] = null;
  #sheetNumber = 0;
  #isMarketStale = false;
  #isWalletStale = false;
  #action: AssessInput["trade"]["action"] = "close";
  #notionalUsd = 0;
  #leverage: number | undefined = undefined;
  #marginMode: AssessInput["trade"]["marginMode"] = "cross";
  #wantsMonteCarlo = false;
  #wantsExplanation = false;
  /** Of the assets of the account's positions, in their order. */
  readonly #views: (AssetView | undefined)[] = [];

  isOf(input: AssessInput, sheetNumber: number): boolean {
    const { trade, account } = input;
    return (
      this.#asset === input.asset &&
      this.#account === account &&
      this.#sheetNumber === sheetNumber &&
      this.#isMarketStale === input.isMarketStale &&
      this.#isWalletStale === input.isWalletStale &&
      this.#action === trade.action &&
      this.#notionalUsd === trade.notionalUsd &&
      this.#leverage === trade.leverage &&
      this.#marginMode === trade.marginMode &&
      this.#wantsMonteCarlo === trade.wantsMonteCarlo &&
      this.#wantsExplanation === trade.wantsExplanation &&
      this.#hasSameViews(input)
    );
  }

  become(
    { trade, asset, account, viewOf, isMarketStale, isWalletStale }: AssessInput,
    sheetNumber: number,
  ): void {
    this.answer = null;
    this.#asset = asset;
    this.#account = account;
    this.#sheetNumber = sheetNumber;
    this.#isMarketStale = isMarketStale;
    this.#isWalletStale = isWalletStale;
    this.#action = trade.action;
    this.#notionalUsd = trade.notionalUsd;
    this.#leverage = trade.leverage;
    this.#marginMode = trade.marginMode;
    this.#wantsMonteCarlo = trade.wantsMonteCarlo;
    this.#wantsExplanation = trade.wantsExplanation;
    const positions = account?.positions ?? [];
    // Set only where it changes: setting it is a call of the runtime.
    if (this.#views.length !== positions.length) this.#views.length = positions.length;
    for (let i = 0; i < positions.length; i++) this.#views[i] = viewOf(positions[i]!.ticker);
  }

  #hasSameViews({ account, viewOf }: AssessInput): boolean {
    const positions = account?.positions ?? [];
    for (let i = 0; i < positions.length; i++) {
      if (this.#views[i] !== viewOf(positions[i]!.ticker)) return false;
    }
    return true;
  }
}
