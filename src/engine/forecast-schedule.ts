import type { BarColumns } from "../domain/bar-columns.ts";
import { DAY_MS, HOUR_MS } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import type { ReplayCursor } from "../refit/replay-job.ts";
import type { JudgedForecasts } from "../risk/backtest/asset-diagnostics.ts";
import { ForecastLedger } from "./forecast-ledger.ts";

/** A record that changed is judged anew at most this often, its losses against the baselines once a day. */
const DIAGNOSIS_PERIOD_MS = HOUR_MS;
const BASELINES_PERIOD_MS = DAY_MS;

/**
 * A replay under way. All of its jobs see the bars that it began with: a day that ended between two of them would be
 * closed by the second, and again by the ledger, which it was left open to.
 */
interface RecordReplay {
  readonly bars: BarColumns;
  /** Where it goes on. */
  readonly cursor: ReplayCursor;
}

/** An asset's record and what is to be done about it next. */
export interface RecordPlan {
  readonly ledger: ForecastLedger;
  /** unread: on disk; replaying: hours are missing; current: every bar is recorded as it closes. */
  phase: "unread" | "replaying" | "current";
  replay: RecordReplay | null;
  /** The record has reached the present once: what it taught is in force. */
  hasLesson: boolean;
  isChanged: boolean;
  judgedAtMs: number;
  comparedAtMs: number;
  results: readonly JudgedForecasts[] | null;
  /** After a failure nothing is tried before. */
  retryAtMs: number;
}

export function newRecordPlan(): RecordPlan {
  return {
    ledger: new ForecastLedger(),
    phase: "unread",
    replay: null,
    hasLesson: false,
    isChanged: false,
    judgedAtMs: Number.NEGATIVE_INFINITY,
    comparedAtMs: Number.NEGATIVE_INFINITY,
    results: null,
    retryAtMs: Number.NEGATIVE_INFINITY,
  };
}

/** The results whose comparison with the baselines still stands; null when it is to be made again. */
export function standingResults(plan: RecordPlan, nowMs: number): readonly JudgedForecasts[] | null {
  return nowMs - plan.comparedAtMs < BASELINES_PERIOD_MS ? plan.results : null;
}

/** What has begun is finished first; then records that changed; then the most traded of the rest. */
export function nextRecord(
  plans: ReadonlyMap<Ticker, RecordPlan>,
  nowMs: number,
  volumeOf: (ticker: Ticker) => number,
): readonly [Ticker, RecordPlan] | undefined {
  const ready = [...plans].filter(([, { retryAtMs }]) => retryAtMs <= nowMs);
  return (
    ready.find(([, { phase }]) => phase === "replaying") ??
    ready.find(([, plan]) => isDiagnosisDue(plan, nowMs)) ??
    ready
      .filter(([, { phase }]) => phase === "unread")
      .sort(([a], [b]) => volumeOf(b) - volumeOf(a))
      .at(0)
  );
}

function isDiagnosisDue({ phase, isChanged, judgedAtMs }: RecordPlan, nowMs: number): boolean {
  return phase === "current" && isChanged && nowMs - judgedAtMs >= DIAGNOSIS_PERIOD_MS;
}
