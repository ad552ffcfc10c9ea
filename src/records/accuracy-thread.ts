import { parentPort, workerData } from "node:worker_threads";
import type { LogLevel } from "../config.ts";
import { SYSTEM_CLOCK } from "../domain/clock.ts";
import { lowerPriority, NICER } from "../domain/thread-priority.ts";
import { openCandleStore } from "../ingest/candle-store.ts";
import { openForecastStore } from "../ingest/forecast-store.ts";
import type { RecordDatabase } from "../outcomes/record-database.ts";
import { recordsFailure } from "../outcomes/record-failures.ts";
import { openRecords, type RecordLocation } from "../outcomes/record-location.ts";
import { createLogger } from "../process/logger.ts";
import {
  type AccuracyReport,
  accuracyReport,
  type OutcomeStatistics,
  outcomeStatistics,
} from "../risk/backtest/accuracy-report.ts";
import type { OutcomeColumns } from "../risk/backtest/outcome-columns.ts";
import { SCORE } from "../risk/calibration/calibration.ts";
import { checkOutcomes, type MarketRecords } from "./outcome-checker.ts";
import { NextAnswer } from "./next-answer.ts";
import { OutcomeLedger } from "./outcome-ledger.ts";
import { RecordsComplaints } from "./records-complaints.ts";

export interface AccuracyThreadData {
  readonly location: RecordLocation;
  readonly dataDir: string;
  readonly marketSinceMs: number | null;
  readonly logLevel: LogLevel;
}

export type AccuracyRequest =
  { readonly type: "statistics"; readonly id: number } | { readonly type: "stop" };

export type AccuracyReply =
  /** Null: the record cannot be read. */
  | { readonly type: "statistics"; readonly id: number; readonly statistics: OutcomeStatistics | null }
  /** Null likewise. */
  | { readonly type: "accuracy"; readonly report: AccuracyReport | null };

/** The published refresh. */
const REFRESH_MS = 300_000;
const RETRY_MS = 2_000;

/** Worker entry: reads the record by a connection of its own and computes, beside the requests and the writer. */
if (parentPort !== null) {
  const parent = parentPort;
  lowerPriority(NICER.accuracy);
  const { location, dataDir, marketSinceMs, logLevel } = workerData as AccuracyThreadData;
  const logger = createLogger(logLevel);
  const complaints = new RecordsComplaints(logger);
  const stopping = new AbortController();
  const reply = (message: AccuracyReply): void => parent.postMessage(message);
  // The engine writes these files, by appending and replacing whole; here they are only read.
  const marketRecords: MarketRecords | null =
    marketSinceMs === null
      ? null
      : {
          sinceMs: marketSinceMs,
          candles: openCandleStore(dataDir),
          forecasts: openForecastStore(dataDir),
        };
  let opened: { readonly database: RecordDatabase; readonly ledger: OutcomeLedger } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | undefined;
  let counted: { readonly columns: OutcomeColumns; readonly statistics: OutcomeStatistics } | undefined;

  const refreshIn = (delayMs: number): void => {
    clearTimeout(timer);
    if (!stopping.signal.aborted) timer = setTimeout(() => enqueue(refresh), delayMs);
  };

  /** Whatever was reported before: from now on the answer is that the record cannot be read. */
  const noteUnread = (cause: unknown): void => {
    // A reading that was stopped is no failure.
    if (stopping.signal.aborted) return;
    complaints.log("accuracy.unread", cause);
    reply({ type: "accuracy", report: null });
    refreshIn(RETRY_MS);
  };

  const open = async (): Promise<NonNullable<typeof opened>> => {
    if (opened !== undefined) return opened;
    const database = await openRecords(location, () => undefined);
    opened = { database, ledger: new OutcomeLedger(database.queries, stopping.signal) };
    return opened;
  };

  const statistics = async (): Promise<OutcomeStatistics | null> => {
    try {
      const columns = await (await open()).ledger.read();
      // Counting a million outcomes takes most of a second; whoever asks again before there is one more need not wait.
      if (counted?.columns !== columns) counted = { columns, statistics: outcomeStatistics(columns) };
      return counted.statistics;
    } catch (cause) {
      noteUnread(cause);
      return null;
    }
  };

  const report = async (): Promise<RecordDatabase> => {
    const { database, ledger } = await open();
    const columns = await ledger.read();
    const nowMs = SYSTEM_CLOCK.nowMs();
    reply({ type: "accuracy", report: accuracyReport(columns, SCORE.adverseCurve.value, nowMs) });
    return database;
  };

  /** Beside the questions, which need not wait for it; what cannot be checked now is tried at the next report. */
  const check = async (database: RecordDatabase, market: MarketRecords): Promise<void> => {
    try {
      const checked = await checkOutcomes(database, market, SYSTEM_CLOCK.nowMs(), stopping.signal);
      if (checked === 0) return;
      enqueue(async () => {
        await report().catch(noteUnread);
      });
    } catch (cause) {
      logger.warn({ event: "accuracy.unchecked", ...recordsFailure(cause) }, "outcomes cannot be checked");
    } finally {
      checking = undefined;
    }
  };

  /** Reports, checks what is new, and comes back after 5 minutes, or soon where the record could not be read. */
  const refresh = async (): Promise<void> => {
    try {
      const database = await report();
      if (marketRecords !== null) checking ??= check(database, marketRecords);
      refreshIn(REFRESH_MS);
    } catch (cause) {
      noteUnread(cause);
    }
  };

  /** The first reading is the long one: who asked meanwhile is answered before the report is made. */
  const begin = async (): Promise<void> => {
    await open()
      .then(({ ledger }) => ledger.read())
      .catch(() => undefined);
    if (!stopping.signal.aborted) enqueue(refresh);
  };

  // One reader of the ledger at a time.
  let task: Promise<void> = Promise.resolve();
  const enqueue = (next: () => Promise<void>): void => {
    task = task.then(next);
  };
  const current = new NextAnswer(statistics, enqueue);
  parent.on("message", (request: AccuracyRequest) => {
    if (request.type === "statistics") {
      const { id } = request;
      current.ask((answer) => reply({ type: "statistics", id, statistics: answer }));
      return;
    }
    stopping.abort();
    clearTimeout(timer);
    enqueue(async () => {
      await checking;
      await opened?.database.close();
      parent.close();
    });
  });
  enqueue(begin);
}
