import { isBatchEnvelope } from "../contracts/generated/contract-validators.ts";
import type { WalletState } from "../domain/account.ts";
import type { RequestError } from "../domain/errors.ts";
import { type Ticker, walletAddressOf } from "../domain/ids.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { ProposedTrade } from "../domain/trade.ts";
import type { BatchResult } from "../response/batch-body.ts";
import { failedEntry } from "../response/failed-entry.ts";
import { assess } from "../risk/assess.ts";
import { withoutLiquidity } from "../risk/book-consumption.ts";
import { type AssetSnapshot, withParts } from "../snapshot/asset-snapshot.ts";
import type { WalletReading } from "../snapshot/wallet-store.ts";
import { contractViolationOf } from "./contract-violation.ts";
import { misspeltFieldOf } from "./field-names.ts";
import { startingErrorOf } from "./readiness.ts";
import { type AssessmentDeps, marketTrustOf, walletErrorOf } from "./trade-assessment.ts";
import { parseTradeRequest } from "./trade-request.ts";

export const MAXIMUM_BATCH_TRADES = 50;
const BATCH_FIELDS = ["wallet", "trades"];

type Answer = Result<readonly BatchResult[], RequestError>;

/** One call, and how long it has been running. */
export interface BatchCall {
  readonly requestId: string;
  readonly elapsedMs: () => number;
}

/**
 * POST /v1/validate/batch. Each trade meets the wallet and the books that the earlier ones left behind; one that fails
 * carries its message and changes nothing for the next.
 *
 * Errors:  invalid_field, misspelt_field, invalid_wallet, batch_empty, batch_too_large; starting_up, and upstream_failed
 *          or timeout for a wallet that cannot be read, where no trade is an exit: those are answered with what is known
 */
export function handleValidateBatch(
  body: unknown,
  call: BatchCall,
  deps: AssessmentDeps,
): Answer | Promise<Answer> {
  const misspelt = misspeltFieldOf(body, BATCH_FIELDS);
  if (misspelt !== undefined) return err(misspelt);
  if (!isBatchEnvelope(body)) return err(batchErrorOf(body));
  const wallet = walletAddressOf(body.wallet);
  if (wallet === undefined) return err({ code: "invalid_wallet", wallet: body.wallet });
  const { trades } = body;
  const hasExit = trades.some(isExit);
  const starting = startingErrorOf(deps.snapshots);
  if (starting !== undefined && !hasExit) return err(starting);

  const evaluate = (reading: WalletReading | null, openingRefusal: RequestError | undefined): Answer => {
    const run = new BatchRun(call, deps, reading, openingRefusal);
    return ok(trades.map((trade, i) => run.next(trade, i, body.wallet)));
  };
  const warm = deps.wallets.peek(wallet, deps.clock.nowMs());
  if (warm !== undefined) return evaluate(warm, starting);
  return deps.wallets.load(wallet).then((loaded) => {
    if (loaded.ok) return evaluate(loaded.value, starting);
    const error = walletErrorOf(loaded.error);
    return hasExit ? evaluate(deps.wallets.lastKnown(wallet), starting ?? error) : err(error);
  });
}

/** The state that the trades of one batch hand on: the account, and the books with what was taken from them. */
class BatchRun {
  readonly #call: BatchCall;
  readonly #deps: AssessmentDeps;
  readonly #isWalletStale: boolean;
  /** Why nothing can be opened now: the service is starting, or the wallet has nothing to be measured against. */
  readonly #openingRefusal: RequestError | undefined;
  /** Each asset as the batch first saw it, less what its trades took: one state of the market for the whole batch. */
  readonly #markets = new Map<Ticker, AssetSnapshot>();
  #account: WalletState | null;

  constructor(
    call: BatchCall,
    deps: AssessmentDeps,
    reading: WalletReading | null,
    openingRefusal: RequestError | undefined,
  ) {
    this.#call = call;
    this.#deps = deps;
    this.#account = reading?.state ?? null;
    this.#isWalletStale = reading?.isStale ?? false;
    this.#openingRefusal = openingRefusal;
  }

  next(entry: unknown, index: number, wallet: string): BatchResult {
    const { snapshots } = this.#deps;
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
      return this.#failed(entry, {
        code: "invalid_field",
        field: `trades.${index}`,
        expected: "of type object",
      });
    }
    // Written into the parsed entry, which is this call's own: a clone of each would have a hidden class of its own.
    const request = Object.assign(entry, { wallet });
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
    const trust = marketTrustOf(snapshot, trade.action, this.#deps.clock.nowMs());
    if (!trust.isUsable) return this.#failed(entry, trust.refusal);
    return this.#assessed(trade, snapshot, trust.isStale);
  }

  #assessed(trade: ProposedTrade, snapshot: AssetSnapshot, isMarketStale: boolean): BatchResult {
    const { modelVersion } = this.#deps;
    const assessment = assess({
      trade,
      asset: snapshot,
      account: this.#account,
      viewOf: (ticker) => this.#marketOf(ticker),
      scenarios: this.#deps.scenarios(),
      isMarketStale,
      isWalletStale: this.#isWalletStale,
    });
    const { applied, trade: resolved } = assessment;
    if (this.#account !== null) this.#account = applied.account;
    if (snapshot.book !== null && applied.tradedBase !== 0) {
      const book = withoutLiquidity(snapshot.book, resolved.direction, resolved.notionalUsd);
      this.#markets.set(trade.ticker, withParts(snapshot, { book }));
    }
    const { requestId } = this.#call;
    const latencyMs = this.#call.elapsedMs();
    return { assessment, ticker: trade.ticker, requestId, modelVersion, latencyMs: () => latencyMs };
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

function isExit(trade: unknown): boolean {
  return typeof trade === "object" && trade !== null && "action" in trade && trade.action === "close";
}

function batchErrorOf(body: unknown): RequestError {
  const violation = contractViolationOf(isBatchEnvelope.errors, body);
  if (violation.code !== "invalid_field" || typeof body !== "object" || body === null) return violation;
  const trades: unknown = "trades" in body ? body.trades : undefined;
  if (!Array.isArray(trades)) return violation;
  if (trades.length === 0) return { code: "batch_empty" };
  if (trades.length > MAXIMUM_BATCH_TRADES) {
    return { code: "batch_too_large", maximumTrades: MAXIMUM_BATCH_TRADES };
  }
  return violation;
}
