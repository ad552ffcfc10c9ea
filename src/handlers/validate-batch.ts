import { isBatchEnvelope } from "../contracts/generated/contract-validators.ts";
import type { RequestError } from "../domain/errors.ts";
import { checkedWalletAddress } from "../domain/ids.ts";
import { isRecord } from "../domain/json-value.ts";
import { err, ok, type Result } from "../domain/result.ts";
import type { BatchResult } from "../response/batch-body.ts";
import type { WalletReading } from "../snapshot/wallet-store.ts";
import { type BatchCall, BatchRun } from "./batch-run.ts";
import { contractViolationOf } from "./contract-violation.ts";
import { spellingCheckOf } from "./field-names.ts";
import { startingErrorOf } from "./readiness.ts";
import { agentRefusalOf, answerLate, type AssessmentDeps } from "./trade-assessment.ts";
import { isExit } from "./trade-request.ts";

const BATCH_TRADES_MAX = 50;
const misspeltFieldOf = spellingCheckOf(["wallet", "trades"]);

const TOO_LATE: RequestError = { code: "timeout", detail: "the batch is not evaluated within 10 s" };

type Answer = Result<readonly BatchResult[], RequestError>;

/**
 * POST /v1/validate/batch. Each trade meets the wallet and the books that the earlier ones left behind; one that fails
 * carries its message and changes nothing for the next. A batch that takes long is evaluated in slices, with other
 * requests answered between them.
 *
 * Errors:  invalid_field, misspelt_field, invalid_wallet, batch_empty, batch_too_large; starting_up, agent_wallet, and
 *          upstream_failed or timeout for a wallet that cannot be read, where no trade is an exit: those are answered with
 *          what is known; timeout where other batches leave it no 10 s of the thread
 */
export function handleValidateBatch(
  body: unknown,
  call: BatchCall,
  deps: AssessmentDeps,
): Answer | Promise<Answer> {
  const misspelt = misspeltFieldOf(body);
  if (misspelt !== undefined) return err(misspelt);
  if (!isBatchEnvelope(body)) return err(batchErrorOf(body));
  const wallet = checkedWalletAddress(body.wallet);
  const hasExit = body.trades.some(isExit);
  const starting = startingErrorOf(deps.snapshots);
  if (starting !== undefined && !hasExit) return err(starting);

  const evaluate = (
    reading: WalletReading | null,
    failure: RequestError | undefined,
  ): Answer | Promise<Answer> => {
    const openingRefusal = failure ?? (reading === null ? undefined : agentRefusalOf(reading));
    if (openingRefusal !== undefined && !hasExit) return err(openingRefusal);
    const run = new BatchRun(body, call, deps, reading, openingRefusal);
    const answer = (): Answer => (run.isDone ? ok(run.results) : err(TOO_LATE));
    const rest = deps.slices.run(() => run.advance());
    return rest === undefined ? answer() : rest.then(answer);
  };
  const warm = deps.wallets.peek(wallet, deps.clock.nowMs());
  if (warm !== undefined) return evaluate(warm, starting);
  return answerLate(deps, wallet, hasExit, (reading, failure) => evaluate(reading, starting ?? failure));
}

function batchErrorOf(body: unknown): RequestError {
  const violation = contractViolationOf(isBatchEnvelope.errors, body);
  if (violation.code !== "invalid_field" || !isRecord(body)) return violation;
  const { trades } = body;
  if (!Array.isArray(trades)) return violation;
  if (trades.length === 0) return { code: "batch_empty" };
  if (trades.length > BATCH_TRADES_MAX) {
    return { code: "batch_too_large", maximumTrades: BATCH_TRADES_MAX };
  }
  return violation;
}
