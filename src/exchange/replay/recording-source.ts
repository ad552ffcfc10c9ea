import type { ExchangeFailure } from "../../domain/errors.ts";
import { isRecord, jsonValueOf } from "../../domain/json-value.ts";
import { OnwardClock } from "../../domain/onward-clock.ts";
import type { Result } from "../../domain/result.ts";
import { err, ok } from "../../domain/result.ts";
import type { WireRecord } from "../hyperliquid/field-reader.ts";
import { parseUniverse } from "../hyperliquid/parse-universe.ts";
import type { InfoRequest } from "../hyperliquid/transport.ts";
import type { RecordedLine } from "../recording/record-log.ts";
import { readRecording } from "../recording/recording-reader.ts";
import { candleAnswer, fundingAnswer, historyCoin } from "./replay-rows.ts";
import { emptyAccountAnswer } from "./recorded-wallets.ts";
import type { ReplaySource, TimedFrame } from "./replay-source.ts";

/** What a recording answered, read once before it is played. */
interface RecordedAnswers {
  readonly startMs: number;
  /** How far the exchange's clock was ahead of the recorder's; 0 where both were right. */
  readonly exchangeAheadMs: number;
  /** The first answer to each request; the playing itself brings the later ones. */
  readonly latest: Map<string, unknown>;
  /** Rows of all history answers, by request type, coin and time. */
  readonly rows: ReadonlyMap<string, Map<number, WireRecord>>;
}

/** History requests differ in their window each time, so their rows are pooled instead of matched. */
const ROW_TIME_FIELD: Readonly<Record<string, string>> = { candleSnapshot: "t", fundingHistory: "time" };
/** A moment at which nobody is sent anything. */
const NO_FRAME: WireRecord = {};
/** A book arrives within this of its time where both clocks are right. */
const AGREED_MS = 3_000;

/**
 * Opens a recording that the recording transport wrote; undefined where no assets can be read from it. Its times are the
 * exchange's: by a recorder's clock that was hours ahead every book would be as old.
 */
export async function openRecording(directory: string): Promise<ReplaySource | undefined> {
  const answers = await readAnswers(directory);
  const { latest } = answers;
  if (!parseUniverse(latest.get(requestKey({ type: "metaAndAssetCtxs" })), 0).ok) return undefined;
  return {
    startMs: answers.startMs + answers.exchangeAheadMs,
    async *frames(): AsyncGenerator<TimedFrame> {
      let recordedAtMs = answers.startMs;
      // Where the recorder's clock was set back the playing goes on, too.
      const clock = new OnwardClock({ nowMs: () => recordedAtMs });
      for await (const line of readRecording(directory)) {
        recordedAtMs = line.at;
        const atMs = clock.nowMs() + answers.exchangeAheadMs;
        if ("reply" in line) {
          // Its time is waited for, also where no frame came for a while.
          yield { atMs, frame: NO_FRAME };
          latest.set(requestKey(line.request), line.reply);
        }
        const frame = frameOf(line);
        if (frame !== null) yield { atMs, frame };
      }
    },
    answer: (body, nowMs) => answerOf(answers, body, nowMs),
  };
}

async function readAnswers(directory: string): Promise<RecordedAnswers> {
  const latest = new Map<string, unknown>();
  const rows = new Map<string, Map<number, WireRecord>>();
  let startMs: number | undefined;
  let aheadMs: number | undefined;
  for await (const line of readRecording(directory)) {
    startMs ??= line.at;
    aheadMs ??= exchangeAheadMsOf(line);
    if (!("reply" in line)) continue;
    const key = requestKey(line.request);
    if ((latest.get(key) ?? null) === null) latest.set(key, line.reply);
    if (isRecord(line.request)) addRows(rows, line.request, line.reply);
  }
  return { startMs: startMs ?? 0, exchangeAheadMs: aheadMs ?? 0, latest, rows };
}

/** 0 where both clocks were right; undefined where the line is no book. */
function exchangeAheadMsOf(line: RecordedLine): number | undefined {
  const frame = frameOf(line);
  const data = frame?.["channel"] === "l2Book" ? frame["data"] : null;
  if (!isRecord(data) || typeof data["time"] !== "number") return undefined;
  const aheadMs = data["time"] - line.at;
  return Math.abs(aheadMs) > AGREED_MS ? aheadMs : 0;
}

function addRows(pool: Map<string, Map<number, WireRecord>>, request: WireRecord, reply: unknown): void {
  const type = String(request["type"]);
  const timeField = ROW_TIME_FIELD[type];
  if (timeField === undefined || !Array.isArray(reply)) return;
  const key = `${type} ${historyCoin(request as InfoRequest)}`;
  const rows = pool.get(key) ?? new Map<number, WireRecord>();
  for (const row of reply as unknown[]) {
    if (isRecord(row) && typeof row[timeField] === "number") rows.set(row[timeField], row);
  }
  pool.set(key, rows);
}

function answerOf(
  answers: RecordedAnswers,
  body: InfoRequest,
  nowMs: number,
): Result<unknown, ExchangeFailure> {
  if (body.type === "exchangeStatus") return ok({ time: Math.floor(nowMs), specialStatuses: null });
  if (ROW_TIME_FIELD[body.type] !== undefined) {
    // A coin that was not recorded has no past here, like one that has just been listed: no failure of anything.
    const pool = answers.rows.get(`${body.type} ${historyCoin(body)}`) ?? [];
    const rows = [...pool].sort(([a], [b]) => a - b).map(([, row]) => row);
    return ok(body.type === "candleSnapshot" ? candleAnswer(rows, body) : fundingAnswer(rows, body));
  }
  const reply = answers.latest.get(requestKey(body)) ?? emptyAccountAnswer(body, nowMs);
  return reply === undefined
    ? err({ code: "refused", detail: `${body.type}: not in the recording` })
    : ok(reply);
}

function frameOf(line: RecordedLine): WireRecord | null {
  const frame = "text" in line ? jsonValueOf(line.text) : null;
  return isRecord(frame) ? frame : null;
}

/** Requests are flat and written by one client, so their fields come in one order. */
function requestKey(request: unknown): string {
  return JSON.stringify(request);
}
