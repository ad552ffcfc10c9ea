import type { BatchEnvelope } from "../contracts/generated/types.ts";
import { changedAccount, type WalletState } from "../domain/account.ts";
import type { RequestError } from "../domain/errors.ts";
import type { Ticker } from "../domain/ids.ts";
import { isRecord } from "../domain/json-value.ts";
import type { ProposedTrade } from "../domain/trade.ts";
import type { BatchResult } from "../response/batch-body.ts";
import { failedEntry } from "../response/failed-entry.ts";
import { accountMarginOf } from "../risk/margin/account-margin.ts";
import { assess } from "../risk/assess.ts";
import type { Assessment } from "../risk/assessment.ts";
import { withoutLiquidity } from "../risk/liquidity/book-consumption.ts";
import { withOpened } from "../risk/liquidity/open-interest.ts";
import type { ScenarioAccess } from "../risk/portfolio/scenario-access.ts";
import type { AppliedTrade } from "../risk/trade/trade-application.ts";
import { type AssetSnapshot, withParts } from "../snapshot/asset-snapshot.ts";
import type { WalletReading } from "../snapshot/wallet-store.ts";
import { type AssessmentDeps, hasStaleMark, marketTrustOf } from "./trade-assessment.ts";
import { parseTradeRequest } from "./trade-request.ts";

/** Evaluated at once of a batch: all of a short one, as an exit's is. */
const FIRST_SLICE_MS = 2;
/** What other requests wait for the rest of it at a time; each slice goes on to the end of the trade that passes it. */
const SLICE_MS = 0.5;

/** Source: interface specification, 504; the contract makes it 10 s. */
const COMPUTATION_MS_MAX = 10_000;

/** One call, and how long it has been running. */
export interface BatchCall {
  readonly requestId: string;
  readonly elapsedMs: () => number;
  /** Nobody waits for the answer any more. */
  readonly isAbandoned: () => boolean;
}

/** The state that the trades of one batch hand on: the account, and the books with what was taken from them. */
export class BatchRun {
  readonly results: BatchResult[] = [];
  readonly #batch: BatchEnvelope;
  readonly #call: BatchCall;
  readonly #deps: AssessmentDeps;
  readonly #isWalletStale: boolean;
  /** Why nothing can be opened: the service is starting, or the wallet has nothing to be measured against. */
  readonly #openingRefusal: RequestError | undefined;
  /** One draw for the whole batch. */
  readonly #scenarios: ScenarioAccess | null;
  /** Each asset as the batch first saw it, less what its trades took. */
  readonly #markets = new Map<Ticker, AssetSnapshot>();
  #account: WalletState | null;
  /** Margin that was assumed for earlier trades and is still bound in what they opened. */
  #lentUsd = 0;

  constructor(
    batch: BatchEnvelope,
    call: BatchCall,
    deps: AssessmentDeps,
    reading: WalletReading | null,
    openingRefusal: RequestError | undefined,
  ) {
    this.#batch = batch;
    this.#call = call;
    this.#deps = deps;
    this.#scenarios = deps.scenarios();
    this.#account = reading?.state ?? null;
    this.#isWalletStale = reading?.isStale ?? false;
    this.#openingRefusal = openingRefusal;
  }

  get isDone(): boolean {
    return this.results.length === this.#batch.trades.length;
  }

  /**
   * Evaluates the next trades, for a slice of time; true when it is done, or given up: too late, or nobody waits. The
   * first slice is evaluated however late it is: a short batch, an exit's, is answered.
   */
  advance(): boolean {
    const { trades } = this.#batch;
    const elapsedMs = this.#call.elapsedMs();
    const isFirst = this.results.length === 0;
    if ((!isFirst && elapsedMs > COMPUTATION_MS_MAX) || this.#call.isAbandoned()) return true;
    const untilMs = elapsedMs + (isFirst ? FIRST_SLICE_MS : SLICE_MS);
    while (!this.isDone) {
      this.results.push(this.#next(trades[this.results.length], this.results.length));
      if (this.#call.elapsedMs() > untilMs) break;
    }
    return this.isDone;
  }

  /** A defect met by one trade is that trade's failure: an exit among the others is answered. */
  #next(entry: unknown, index: number): BatchResult {
    try {
      return this.#evaluated(entry, index);
    } catch (cause) {
      const { requestId } = this.#call;
      this.#deps.onDefect(requestId, cause);
      return this.#failed(entry, { code: "internal_error", requestId });
    }
  }

  #evaluated(entry: unknown, index: number): BatchResult {
    const { snapshots } = this.#deps;
    if (!isRecord(entry)) {
      return this.#failed(entry, {
        code: "invalid_field",
        field: `trades.${index}`,
        expected: "of type object",
      });
    }
    // Written into the parsed entry, which is this call's own: a clone of each would have a hidden class of its own.
    const request = Object.assign(entry, { wallet: this.#batch.wallet });
    const parsed = parseTradeRequest(request, (name) => snapshots.assetOf(name)?.listing);
    if (!parsed.ok) {
      const isUnlistedYet =
        parsed.error.code === "unknown_asset" && this.#openingRefusal?.code === "starting_up";
      return this.#failed(entry, isUnlistedYet ? this.#openingRefusal : parsed.error);
    }
    const trade = parsed.value;
    const snapshot = this.#marketOf(trade.ticker);
    if (snapshot === undefined) return this.#failed(entry, { code: "unknown_asset", asset: trade.ticker });
    if (this.#openingRefusal !== undefined && trade.action !== "close") {
      return this.#failed(entry, this.#openingRefusal);
    }
    const nowMs = this.#deps.clock.nowMs();
    const trust = marketTrustOf(snapshot, trade.action, nowMs);
    if (!trust.isUsable) return this.#failed(entry, trust.refusal);
    return this.#assessed(trade, snapshot, trust.isStale || hasStaleMark(this.#account, snapshots, nowMs));
  }

  #assessed(trade: ProposedTrade, snapshot: AssetSnapshot, isMarketStale: boolean): BatchResult {
    const { modelVersion } = this.#deps;
    const assessment = assess({
      trade,
      asset: snapshot,
      account: this.#account,
      viewOf: (ticker) => this.#marketOf(ticker),
      scenarios: this.#scenarios,
      isMarketStale,
      isWalletStale: this.#isWalletStale,
      // Each trade meets an account and a market of its own.
      sizings: null,
    });
    const { applied, trade: resolved } = assessment;
    const marketNext = applied.tradedBase === 0 ? snapshot : marketAfter(snapshot, resolved, applied);
    if (this.#account !== null) this.#account = this.#accountAfter(applied);
    this.#markets.set(trade.ticker, marketNext);
    const { requestId } = this.#call;
    const latencyMs = this.#call.elapsedMs();
    return { assessment, ticker: trade.ticker, requestId, modelVersion, latencyMs: () => latencyMs };
  }

  /** The account that a trade leaves, less the assumed margin that it set free: the wallet never had that. */
  #accountAfter({ account, assumedDepositUsd }: AppliedTrade): WalletState {
    const lentUsd = this.#lentUsd + assumedDepositUsd;
    if (lentUsd === 0) return account;
    // Valued anew: sums that were carried along can leave a flat account a rounding error below nothing.
    const { freeMarginUsd } = accountMarginOf(account, (ticker) => this.#marketOf(ticker));
    const returnedUsd = Math.min(lentUsd, Math.max(0, freeMarginUsd));
    this.#lentUsd = lentUsd - returnedUsd;
    return changedAccount(account, account.crossCashUsd - returnedUsd, account.positions);
  }

  #marketOf(ticker: Ticker): AssetSnapshot | undefined {
    const seen = this.#markets.get(ticker);
    if (seen !== undefined) return seen;
    const snapshot = this.#deps.snapshots.assetOf(ticker);
    if (snapshot !== undefined) this.#markets.set(ticker, snapshot);
    return snapshot;
  }

  #failed(entry: unknown, error: RequestError): BatchResult {
    return failedEntry(entry, error, this.#call.requestId, this.#call.elapsedMs());
  }
}

/** The market that a trade leaves: less of the side that it took from, more open interest. */
function marketAfter(
  snapshot: AssetSnapshot,
  { direction, notionalUsd }: Assessment["trade"],
  { openedBase }: AppliedTrade,
): AssetSnapshot {
  const { book, openInterest, context } = snapshot;
  return withParts(snapshot, {
    book: book === null ? null : withoutLiquidity(book, direction, notionalUsd),
    openInterest: withOpened(openInterest, openedBase * context.markPrice),
  });
}
