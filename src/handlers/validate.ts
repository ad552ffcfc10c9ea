import type { ModelVersion, ValidateResponse } from "../contracts/generated/types.ts";
import type { WalletState } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import type { ExchangeFailure, RequestError } from "../domain/errors.ts";
import type { Ticker } from "../domain/ids.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { ProposedTrade } from "../domain/trade.ts";
import { validateBody } from "../response/validate-body.ts";
import { assess } from "../risk/assess.ts";
import type { AssetView } from "../risk/asset-view.ts";
import type { ScenarioAccess } from "../risk/portfolio-assessment.ts";
import type { AssetSnapshot } from "../snapshot/asset-snapshot.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import { snapshotFreshness, type Freshness } from "../snapshot/staleness.ts";
import type { WalletReading, WalletStore } from "../snapshot/wallet-store.ts";
import { startingErrorOf } from "./readiness.ts";
import { parseTradeRequest } from "./trade-request.ts";

export interface ValidateDeps {
  readonly snapshots: SnapshotStore;
  readonly wallets: WalletStore;
  readonly clock: Clock;
  /** The joint scenarios with this thread's memory to read them; null until the first are drawn. */
  readonly scenarios: () => ScenarioAccess | null;
  readonly modelVersion: ModelVersion;
}

type Answer = Result<ValidateResponse, RequestError>;

/**
 * POST /v1/validate. Answers at once when the wallet is warm; a promise only where the exchange has to be asked.
 *
 * Errors:  those of parseTradeRequest; starting_up, market_unavailable, and for a cold wallet upstream_failed or
 *          timeout. An exit of a known asset is answered whatever is stale or missing.
 */
export function handleValidate(
  body: unknown,
  requestId: string,
  deps: ValidateDeps,
): Answer | Promise<Answer> {
  const { snapshots, wallets, clock } = deps;
  const starting = startingErrorOf(snapshots);
  const parsed = parseTradeRequest(body, (name) => snapshots.assetOf(name)?.listing);
  if (!parsed.ok)
    return err(starting !== undefined && parsed.error.code === "unknown_asset" ? starting : parsed.error);
  const trade = parsed.value;
  const isClose = trade.action === "close";
  if (starting !== undefined && !isClose) return err(starting);
  const snapshot = snapshots.assetOf(trade.ticker);
  if (snapshot === undefined) return err({ code: "unknown_asset", asset: trade.ticker });

  const nowMs = clock.nowMs();
  const freshness = snapshotFreshness(snapshot, nowMs);
  if (freshness.overall === "unusable" && !isClose) {
    return err({
      code: "market_unavailable",
      asset: trade.ticker,
      detail: unusableBecause(snapshot, freshness.bookAgeMs, freshness.markAgeMs),
    });
  }
  const answer = (reading: WalletReading | null): Answer =>
    ok(assessed(trade, snapshot, freshness.overall, reading, requestId, deps));
  const warm = wallets.peek(trade.wallet, nowMs);
  if (warm !== undefined) return answer(warm);
  return wallets.load(trade.wallet).then((loaded) => {
    if (loaded.ok) return answer(loaded.value);
    return isClose ? answer(null) : err(walletErrorOf(loaded.error));
  });
}

function assessed(
  trade: ProposedTrade,
  snapshot: AssetSnapshot,
  freshness: Freshness,
  reading: WalletReading | null,
  requestId: string,
  deps: ValidateDeps,
): ValidateResponse {
  const account: WalletState | null = reading?.state ?? null;
  const assessment = assess({
    trade,
    asset: snapshot,
    account,
    viewOf: (ticker: Ticker): AssetView | undefined => deps.snapshots.assetOf(ticker),
    scenarios: deps.scenarios(),
    isMarketStale: freshness !== "fresh",
    isWalletStale: reading?.isStale ?? false,
  });
  return validateBody(assessment, {
    ticker: trade.ticker,
    requestId,
    modelVersion: deps.modelVersion,
  });
}

function unusableBecause(snapshot: AssetSnapshot, bookAgeMs: number | null, markAgeMs: number): string {
  const { lifecycle } = snapshot;
  if (lifecycle === "warming" || lifecycle === "listed") return "its history is still being read";
  if (bookAgeMs === null) return "no order book has been received";
  return `its market data is ${Math.round(Math.max(bookAgeMs, markAgeMs) / 1000)} s old`;
}

function walletErrorOf(failure: ExchangeFailure): RequestError {
  const detail = "the exchange did not give the wallet's state";
  return failure.code === "timeout"
    ? { code: "timeout", detail: `${detail} in time` }
    : { code: "upstream_failed", detail };
}
