import type { Logger } from "pino";
import { SYSTEM_CLOCK } from "../domain/clock.ts";
import { LateAnswers } from "../handlers/late-answers.ts";
import { SlicedWork } from "../handlers/sliced-work.ts";
import type { AssessmentDeps } from "../handlers/trade-assessment.ts";
import { ENGINE_VERSION } from "../process/engine-version.ts";
import { CALIBRATION_HASH } from "../risk/calibration/calibration-hash.ts";
import { AnswerMemory } from "../response/answer-memory.ts";
import { createSizingMemory, type SizingMemory } from "../risk/sizing/sizing-memory.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import type { WalletReader } from "../snapshot/wallet-store.ts";
import { scenarioReader } from "./scenario-reader.ts";

/** What a thread reads trades' answers from, with memory and a queue of its own. */
export function tradeReading(
  snapshots: SnapshotStore,
  wallets: WalletReader,
  logger: Logger,
): AssessmentDeps {
  return {
    snapshots,
    wallets,
    clock: SYSTEM_CLOCK,
    scenarios: scenarioReader(snapshots),
    sizings: createSizingMemory(),
    answers: new AnswerMemory(),
    modelVersion: { engine_version: ENGINE_VERSION, calibration_hash: CALIBRATION_HASH },
    slices: new SlicedWork(),
    onDefect: (requestId, cause) =>
      logger.error({ event: "trade.failed", requestId, err: cause }, "a trade of a batch failed"),
    lateAnswers: new LateAnswers(() => performance.now()),
  };
}

/** The same with other wallets. Field by field, in the order of tradeReading: of another shape the code would be compiled for both. */
export function withWallets(
  { snapshots, clock, scenarios, modelVersion, slices, onDefect, lateAnswers }: AssessmentDeps,
  wallets: WalletReader,
  sizings: SizingMemory,
  answers: AnswerMemory | null,
): AssessmentDeps {
  return {
    snapshots,
    wallets,
    clock,
    scenarios,
    sizings,
    answers,
    modelVersion,
    slices,
    onDefect,
    lateAnswers,
  };
}
