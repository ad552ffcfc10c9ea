import type { RequestError } from "../domain/errors.ts";
import { walletAddressOf } from "../domain/ids.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { MonitorAnswer } from "../response/monitor-body.ts";
import type { MonitoredAccount } from "../risk/alerts.ts";
import { assessAccount } from "../risk/assess-account.ts";
import type { WalletReading } from "../snapshot/wallet-store.ts";
import { startingErrorOf } from "./readiness.ts";
import { agentRefusalOf, type AssessmentDeps, marketTrustOf, walletErrorOf } from "./trade-assessment.ts";

export interface MonitorDeps extends AssessmentDeps {
  /** Told of every account found, before the answer leaves: the one trigger of alerts. */
  readonly onMonitored: (monitored: MonitoredAccount) => void;
}

type Answer = Result<MonitorAnswer, RequestError>;

/**
 * GET /v1/monitor/{wallet}. Every open position and all of them together, scored as if held on.
 *
 * Errors:  invalid_wallet, agent_wallet, starting_up; upstream_failed or timeout for a wallet that cannot be read and
 *          has no last state young enough to be served with its flag
 */
export function handleMonitor(address: string, deps: MonitorDeps): Answer | Promise<Answer> {
  const { snapshots, wallets, clock } = deps;
  const wallet = walletAddressOf(address);
  if (wallet === undefined) return err({ code: "invalid_wallet", wallet: address });
  const starting = startingErrorOf(snapshots);
  if (starting !== undefined) return err(starting);

  const answer = (reading: WalletReading): Answer => {
    const refusal = agentRefusalOf(reading);
    if (refusal !== undefined) return err(refusal);
    const { state, ageMs, isStale } = reading;
    const nowMs = clock.nowMs();
    const assessment = assessAccount({
      account: state,
      viewOf: (ticker) => snapshots.assetOf(ticker),
      scenarios: deps.scenarios(),
      isMarketStale: (ticker) => {
        const snapshot = snapshots.assetOf(ticker);
        if (snapshot === undefined) return true;
        // What is held is assessed however old its market is, as an exit would be.
        const trust = marketTrustOf(snapshot, "close", nowMs);
        return !trust.isUsable || trust.isStale;
      },
      isWalletStale: isStale,
    });
    deps.onMonitored({ wallet, assessment, evaluatedAtMs: nowMs });
    return ok({ wallet, assessment, stateAgeMs: ageMs });
  };
  const warm = wallets.peek(wallet, clock.nowMs());
  if (warm !== undefined) return answer(warm);
  return wallets.load(wallet).then((loaded) => {
    if (!loaded.ok) return err(walletErrorOf(loaded.error));
    return deps.lateAnswers.make(() => answer(loaded.value), false);
  });
}
