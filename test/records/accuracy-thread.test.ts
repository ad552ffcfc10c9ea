import { mkdirSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { on, once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { tickerOf } from "../../src/domain/ids.ts";
import { openCandleStore } from "../../src/ingest/candle-store.ts";
import { recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import type {
  AccuracyReply,
  AccuracyRequest,
  AccuracyThreadData,
} from "../../src/records/accuracy-thread.ts";
import { builtProgram } from "../support/built-program.ts";
import { calmBars } from "../support/calm-bars.ts";
import { newSqlitePath, opened, outcomeWith } from "../support/record-backends.ts";

const NOON = Date.UTC(2026, 5, 10, 12);

it("reports the record as it is, then what the market says of it", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "breakwater-accuracy-"));
  await openCandleStore(dataDir).keepBars(tickerOf("BTC"), calmBars(101, NOON));
  const location = { kind: "sqlite", path: newSqlitePath() } as const;
  const database = await opened(location);
  const trade = { entryPrice: 100, holdingPeriodHours: 1 };
  await recordOutcomes(
    database,
    [
      outcomeWith({ ...trade, tradeId: "true", exitPrice: 101 }),
      outcomeWith({ ...trade, tradeId: "invented", exitPrice: 110 }),
    ],
    NOON + 60_000,
  );
  await database.close();

  const workerData: AccuracyThreadData = {
    ...{ location, dataDir, logLevel: "silent" },
    marketSinceMs: Number.NEGATIVE_INFINITY,
  };
  const worker = new Worker(builtProgram("records/accuracy-thread"), { workerData });
  const found: number[] = [];
  for await (const [reply] of on(worker, "message") as AsyncIterable<[AccuracyReply]>) {
    if (reply.type !== "accuracy") continue;
    found.push(reply.report!.statistics.leftOut.pricesOutsideMarket);
    if (found.length === 2) break;
  }
  const ended = once(worker, "exit");
  worker.postMessage({ type: "stop" } satisfies AccuracyRequest);

  expect(found).toEqual([0, 1]);
  expect(await ended).toEqual([0]);
});

it("says that a record cannot be read, and reports it once it can be", async () => {
  const path = newSqlitePath();
  mkdirSync(path);
  const workerData: AccuracyThreadData = {
    ...{ location: { kind: "sqlite", path }, dataDir: dirname(path), logLevel: "silent" },
    marketSinceMs: null,
  };
  const worker = new Worker(builtProgram("records/accuracy-thread"), { workerData });
  const [unread] = (await once(worker, "message")) as [AccuracyReply];
  rmdirSync(path);

  const [read] = (await once(worker, "message")) as [AccuracyReply];
  worker.postMessage({ type: "stop" } satisfies AccuracyRequest);
  await once(worker, "exit");

  expect(unread).toEqual({ type: "accuracy", report: null });
  expect(read).toMatchObject({ type: "accuracy", report: { statistics: {} } });
});
