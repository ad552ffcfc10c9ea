import type { RequestError } from "../domain/errors.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { AnsweredTrade } from "../response/validate-body.ts";
import { assess, type AssessInput } from "../risk/assess.ts";
import type { AssetSnapshot } from "../snapshot/asset-snapshot.ts";
import type { WalletReading } from "../snapshot/wallet-store.ts";
import { startingErrorOf } from "./readiness.ts";
import {
  agentRefusalOf,
  answerLate,
  type AssessmentDeps,
  hasStaleMark,
  marketTrustOf,
} from "./trade-assessment.ts";
import { parseTradeRequest } from "./trade-request.ts";

type Answer = Result<AnsweredTrade, RequestError>;

/**
 * POST /v1/validate. Answers at once when the wallet is warm; a promise only where the exchange has to be asked.
 *
 * Errors:  those of parseTradeRequest; starting_up, market_unavailable, agent_wallet, and for a cold wallet
 *          upstream_failed or timeout. An exit of a known asset is answered whatever is stale or missing.
 */
export function handleValidate(
  body: unknown,
  requestId: string,
  deps: AssessmentDeps,
): Answer | Promise<Answer> {
  const { snapshots, wallets, clock, answers, modelVersion } = deps;
  const starting = startingErrorOf(snapshots);
  const parsed = parseTradeRequest(body, (name) => snapshots.assetOf(name)?.listing);
  if (!parsed.ok) {
    const isUnlistedYet = starting !== undefined && parsed.error.code === "unknown_asset";
    return err(isUnlistedYet ? starting : parsed.error);
  }
  const trade = parsed.value;
  const isClose = trade.action === "close";
  if (starting !== undefined && !isClose) return err(starting);
  const snapshot = snapshots.assetOf(trade.ticker);
  if (snapshot === undefined) return err({ code: "unknown_asset", asset: trade.ticker });
  const nowMs = clock.nowMs();
  const trust = marketTrustOf(snapshot, trade.action, nowMs);
  if (!trust.isUsable) return err(trust.refusal);

  const answer = (
    reading: WalletReading | null,
    asset: AssetSnapshot,
    isAssetStale: boolean,
    atMs: number,
  ): Answer => {
    const refusal = reading === null || isClose ? undefined : agentRefusalOf(reading);
    if (refusal !== undefined) return err(refusal);
    const account = reading?.state ?? null;
    const input: AssessInput = {
      trade,
      asset,
      account,
      viewOf: (ticker) => snapshots.assetOf(ticker),
      scenarios: deps.scenarios(),
      isMarketStale: isAssetStale || hasStaleMark(account, snapshots, atMs),
      isWalletStale: reading?.isStale ?? false,
      sizings: deps.sizings,
    };
    const repeated = answers === null ? null : answers.find(input);
    const known = repeated === null ? null : repeated.kept;
    const assessment = known === null ? assess(input) : known.assessment;
    return ok({ assessment, ticker: trade.ticker, requestId, modelVersion, repeated });
  };
  const warm = wallets.peek(trade.wallet, nowMs);
  if (warm !== undefined) return answer(warm, snapshot, trust.isStale, nowMs);
  return answerLate(deps, trade.wallet, isClose, (reading) => {
    // The market has moved on for as long as the exchange was waited for.
    const asset = snapshots.assetOf(trade.ticker)!;
    const atMs = clock.nowMs();
    const trustNow = marketTrustOf(asset, trade.action, atMs);
    return trustNow.isUsable ? answer(reading, asset, trustNow.isStale, atMs) : err(trustNow.refusal);
  });
}
