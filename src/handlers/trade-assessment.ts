import type { WalletState } from "../domain/account.ts";
import type { Clock } from "../domain/clock.ts";
import type { ExchangeFailure, RequestError } from "../domain/errors.ts";
import type { WalletAddress } from "../domain/ids.ts";
import { err, type Result } from "../domain/result.ts";
import type { ModelVersion } from "../contracts/generated/types.ts";
import type { AnswerMemory } from "../response/answer-memory.ts";
import type { TradeAction } from "../domain/trade.ts";
import type { ScenarioAccess } from "../risk/portfolio/scenario-access.ts";
import { BOOK_MARK_GAP } from "../risk/scoring/age-limits.ts";
import { type AssetSnapshot, isBeingRead } from "../snapshot/asset-snapshot.ts";
import type { SizingMemory } from "../risk/sizing/sizing-memory.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import { isMarkStale, type SnapshotFreshness, snapshotFreshness } from "../snapshot/staleness.ts";
import type { WalletReader, WalletReading } from "../snapshot/wallet-store.ts";
import type { LateAnswers } from "./late-answers.ts";
import type { SlicedWork } from "./sliced-work.ts";

/** What the trade and account endpoints read. */
export interface AssessmentDeps {
  readonly snapshots: SnapshotStore;
  readonly wallets: WalletReader;
  readonly clock: Clock;
  /** The joint scenarios with this thread's memory to read them; null until the first are drawn. */
  readonly scenarios: () => ScenarioAccess | null;
  /** This thread's. */
  readonly sizings: SizingMemory;
  /** This thread's; null where every answer is to be made anew. */
  readonly answers: AnswerMemory | null;
  readonly modelVersion: ModelVersion;
  /** What this thread has to do that is too long for one turn. */
  readonly slices: SlicedWork;
  /** Told of what was thrown while one trade of a batch was evaluated. */
  readonly onDefect: (requestId: string, cause: unknown) => void;
  /** What this thread answers when the exchange has. */
  readonly lateAnswers: Pick<LateAnswers, "make">;
}

/** Whether a market may be answered from: a refusal for an opening past the hard limits, else how stale it is. */
export type MarketTrust =
  | { readonly isUsable: true; readonly isStale: boolean }
  | { readonly isUsable: false; readonly refusal: RequestError };

/** An exit may always be answered. */
export function marketTrustOf(snapshot: AssetSnapshot, action: TradeAction, nowMs: number): MarketTrust {
  const freshness = snapshotFreshness(snapshot, nowMs);
  if (freshness.overall !== "unusable" || action === "close") {
    const isStale = freshness.overall !== "fresh" || snapshot.listing.isCloseOnly;
    return { isUsable: true, isStale };
  }
  const asset = snapshot.listing.ticker;
  const detail = unusableBecause(snapshot, freshness);
  return { isUsable: false, refusal: { code: "market_unavailable", asset, detail } };
}

/** Whether what the account is worth, and can lose, rests on a mark of before. */
export function hasStaleMark(account: WalletState | null, snapshots: SnapshotStore, nowMs: number): boolean {
  if (account === null) return false;
  return account.positions.some(({ ticker }) => {
    const snapshot = snapshots.assetOf(ticker);
    return snapshot !== undefined && isMarkStale(snapshot.context, nowMs);
  });
}

/**
 * What is waited for a newer state of a wallet, of which a read takes some 100 ms in a calm market. An exit of which
 * nothing is known waits longer, because it is answered without its position then; an order, which is refused then, as
 * long as a read may take.
 */
const WAIT_MS = { exit: { known: 250, unknown: 1_000 }, order: { known: 1_000 } } as const;

/** As loading does, but no longer than whoever asks should wait. */
export function loadWallet(
  wallets: WalletReader,
  wallet: WalletAddress,
  isForExit: boolean,
): ReturnType<WalletReader["load"]> {
  if (isForExit) {
    const isKnown = wallets.lastKnown(wallet) !== null;
    return wallets.load(wallet, isKnown ? WAIT_MS.exit.known : WAIT_MS.exit.unknown);
  }
  return wallets.isAnswerable(wallet) ? wallets.load(wallet, WAIT_MS.order.known) : wallets.load(wallet);
}

/**
 * An answer that has to ask the exchange first, made in its turn: with the wallet's state or, an exit's where that cannot
 * be had, with what is known and why.
 */
export function answerLate<Answer>(
  { wallets, lateAnswers }: Pick<AssessmentDeps, "wallets" | "lateAnswers">,
  wallet: WalletAddress,
  isExit: boolean,
  answer: (reading: WalletReading | null, failure?: RequestError) => LateResult<Answer>,
): Promise<Result<Answer, RequestError>> {
  return loadWallet(wallets, wallet, isExit).then((loaded) => {
    const failure = loaded.ok ? undefined : walletErrorOf(loaded.error);
    if (failure !== undefined && !isExit) return err(failure);
    const reading = loaded.ok ? loaded.value : wallets.lastKnown(wallet);
    return lateAnswers.make(() => answer(reading, failure), isExit);
  });
}

type LateResult<Answer> = Result<Answer, RequestError> | Promise<Result<Answer, RequestError>>;

/** An agent signs for an account that has an address of its own: what its own address holds says nothing of that. */
export function agentRefusalOf({ state }: WalletReading): RequestError | undefined {
  return state.mode === "agent" ? { code: "agent_wallet", wallet: state.wallet } : undefined;
}

/** What a client reads when a wallet's state cannot be had. */
export function walletErrorOf(failure: ExchangeFailure): RequestError {
  const detail = "the exchange did not give the wallet's state";
  return failure.code === "timeout"
    ? { code: "timeout", detail: `${detail} in time` }
    : { code: "upstream_failed", detail };
}

function unusableBecause(
  { lifecycle }: AssetSnapshot,
  { bookAgeMs, markAgeMs, gapFraction }: SnapshotFreshness,
): string {
  if (markAgeMs === Number.POSITIVE_INFINITY) return "no mark price has been received";
  if (bookAgeMs === null) return "no order book has been received";
  if (isBeingRead(lifecycle)) return "its history is still being read";
  if (gapFraction > BOOK_MARK_GAP.value.hardFraction) {
    return `its order book and its mark price are ${Math.round(100 * gapFraction)} % apart`;
  }
  return `its market data is ${Math.round(Math.max(bookAgeMs, markAgeMs) / 1000)} s old`;
}
