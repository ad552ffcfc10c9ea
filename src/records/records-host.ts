import type { Logger } from "pino";
import type { LogLevel } from "../config.ts";
import type { IssuedKey } from "../domain/issued-key.ts";
import { err, ok, type Result } from "../domain/result.ts";
import { BACKGROUND_MEMORY } from "../domain/thread-memory.ts";
import type { Outcome } from "../domain/trade-outcome.ts";
import type { OutcomeStatisticsSource } from "../handlers/outcomes-stats.ts";
import type { OutcomeRecorder, RecordsUnavailable } from "../outcomes/outcome-recorder.ts";
import type { RecordVerdict } from "../outcomes/outcome-table.ts";
import type { RecordLocation } from "../outcomes/record-location.ts";
import { PendingReplies } from "../process/pending-replies.ts";
import { RestartingThread } from "../process/restarting-thread.ts";
import { SilenceWatch } from "../process/silence-watch.ts";
import { threadUrl } from "../process/thread-url.ts";
import type { AccuracyReport, OutcomeStatistics } from "../risk/backtest/accuracy-report.ts";
import type { AccuracyReply, AccuracyRequest, AccuracyThreadData } from "./accuracy-thread.ts";
import type { RecordsReply, RecordsRequest, RecordsThreadData } from "./records-thread.ts";

export interface RecordsHostOptions {
  readonly location: RecordLocation;
  /** Where the engine keeps candles and forecasts, by which outcomes are checked. */
  readonly dataDir: string;
  /** Since when those are of this machine's hours; null where they are not, and nothing can be checked. */
  readonly marketSinceMs: number | null;
  readonly retentionDays: number | null;
  readonly logLevel: LogLevel;
  readonly logger: Logger;
}

/** Below the 10 s that any answer may take. */
const ANSWER_TIMEOUT_MS = 6_000;
/** The writer speaks once a second; silent for so many looks it stands still. */
const SILENT_LOOKS_MAX = 10;

/**
 * The records as the gateway sees them: the writer's thread and the reader's. Whatever happens to them, what was asked
 * is answered in time, if only with "unavailable". A writer that stands still is not ended: mostly it waits for the disk,
 * which would keep it from ending, too.
 */
export class RecordsHost implements OutcomeRecorder, OutcomeStatisticsSource {
  readonly #records: RestartingThread<RecordsRequest, RecordsReply>;
  readonly #accuracy: RestartingThread<AccuracyRequest, AccuracyReply>;
  readonly #recordings = new PendingReplies<RecordVerdict>(ANSWER_TIMEOUT_MS);
  readonly #questions = new PendingReplies<OutcomeStatistics>(ANSWER_TIMEOUT_MS);
  #report: AccuracyReport | null | undefined;
  #isWritable = false;
  /** Has been read since the start of the process. */
  #isKnown = false;
  readonly #watch: SilenceWatch;

  constructor(
    { location, dataDir, marketSinceMs, retentionDays, logLevel, logger }: RecordsHostOptions,
    onKeys: (keys: readonly IssuedKey[]) => void,
  ) {
    this.#watch = new SilenceWatch(
      SILENT_LOOKS_MAX,
      (forMs) =>
        logger.error(
          { event: "records.silent", forMs },
          "the records stand still, as they do with their disk",
        ),
      () => logger.info({ event: "records.heard" }, "the records go on"),
    );
    this.#watch.start();
    const located = (): RecordLocation =>
      location.kind === "sqlite" ? { ...location, isKnown: this.#isKnown } : location;
    this.#records = new RestartingThread({
      name: "records",
      url: threadUrl("records/records-thread"),
      workerOptions: () => ({
        workerData: { location: located(), retentionDays, logLevel } satisfies RecordsThreadData,
        resourceLimits: BACKGROUND_MEMORY,
      }),
      logger,
      onReply: (reply) => {
        this.#watch.heard();
        if (reply.type === "keys") {
          this.#isKnown = true;
          onKeys(reply.keys);
        } else if (reply.type === "writable") this.#isWritable = reply.isWritable;
        else if (reply.type === "recorded") this.#recordings.settle(reply.id, reply.verdict);
      },
      onEnd: () => {
        this.#watch.forget();
        this.#isWritable = false;
        this.#recordings.abandon();
      },
    });
    this.#accuracy = new RestartingThread({
      name: "accuracy",
      url: threadUrl("records/accuracy-thread"),
      workerOptions: () => ({
        workerData: { location: located(), dataDir, marketSinceMs, logLevel } satisfies AccuracyThreadData,
        resourceLimits: BACKGROUND_MEMORY,
      }),
      logger,
      onReply: (reply) => {
        if (reply.type === "accuracy") this.#report = reply.report;
        else this.#questions.settle(reply.id, reply.statistics);
      },
      onEnd: () => this.#questions.abandon(),
    });
  }

  async record(outcome: Outcome): Promise<Result<RecordVerdict, RecordsUnavailable>> {
    const verdict = await this.#recordings.ask((id) => this.#records.ask({ type: "record", id, outcome }));
    return verdict === null ? err({ code: "records_unavailable" }) : ok(verdict);
  }

  async statistics(): Promise<Result<OutcomeStatistics, RecordsUnavailable>> {
    const statistics = await this.#questions.ask((id) => this.#accuracy.ask({ type: "statistics", id }));
    return statistics === null ? err({ code: "records_unavailable" }) : ok(statistics);
  }

  get accuracy(): AccuracyReport | null | undefined {
    return this.#report;
  }

  /** Whether outcomes can be recorded, as far as is known. */
  get isWritable(): boolean {
    return this.#isWritable && !this.#watch.isSilent;
  }

  noteKeyUse(lastUsedAtMs: ReadonlyMap<string, number>): void {
    if (lastUsedAtMs.size > 0) this.#records.ask({ type: "keys.used", lastUsedAtMs });
  }

  async stop(): Promise<void> {
    this.#watch.stop();
    await Promise.all([this.#records.stop(), this.#accuracy.stop()]);
  }
}
