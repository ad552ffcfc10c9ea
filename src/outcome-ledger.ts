import { publishedCalibrations } from "./outcomes/calibration-table.ts";
import { outcomesAfter } from "./outcomes/outcome-table.ts";
import { type RecordQueries, revisionOf } from "./outcomes/record-database.ts";
import type { RecordedOutcome } from "./domain/trade-outcome.ts";
import type { OutcomeColumns } from "./risk/backtest/outcome-columns.ts";
import { forecastOfOutcome, isAdverseOutcome } from "./risk/backtest/outcome-judgement.ts";
import type { Ramp } from "./risk/scoring/ramp.ts";

const PAGE = 2_000;
const FIRST_CAPACITY = 1_024;

/**
 * The record's outcomes, judged, as columns in memory: read once, then only what is new. Starts over when outcomes
 * were deleted or a calibration became known, since either changes what older rows say.
 */
export class OutcomeLedger {
  readonly #queries: RecordQueries;
  #lastSequence = 0;
  #deletions = -1;
  #curves: ReadonlyMap<string, Ramp> = new Map();
  #columns = emptyColumns(FIRST_CAPACITY);
  #count = 0;
  #calibrations: { hash: string; isKnown: boolean }[] = [];
  #calibrationOf = new Map<string, number>();

  constructor(queries: RecordQueries) {
    this.#queries = queries;
  }

  /** Reads what the record has gained, and gives all of it. The columns are valid until the next call. */
  async read(): Promise<OutcomeColumns> {
    const deletions = await revisionOf(this.#queries, "deletions");
    const curves = await publishedCalibrations(this.#queries);
    if (deletions !== this.#deletions || curves.size !== this.#curves.size) {
      this.#startOver();
      this.#deletions = deletions;
      this.#curves = curves;
    }
    for (;;) {
      const page = await outcomesAfter(this.#queries, this.#lastSequence, PAGE);
      for (const outcome of page) this.#add(outcome);
      if (page.length < PAGE) return this.#view();
    }
  }

  #add(outcome: RecordedOutcome): void {
    const i = this.#count;
    if (i === this.#columns.riskScore.length) this.#columns = grown(this.#columns);
    const { riskScore, pnlUsd, pnlFraction, isAdverse, forecast, recordedAtMs, calibration } = this.#columns;
    riskScore[i] = outcome.riskScoreAtEntry;
    pnlUsd[i] = outcome.pnlUsd;
    pnlFraction[i] = outcome.pnlPct / 100;
    isAdverse[i] = Number(isAdverseOutcome(outcome));
    forecast[i] = forecastOfOutcome(outcome, this.#curves.get(outcome.calibrationHash)) ?? Number.NaN;
    recordedAtMs[i] = outcome.recordedAtMs;
    calibration[i] = this.#calibrationIndex(outcome.calibrationHash);
    this.#count += 1;
    this.#lastSequence = outcome.sequence;
  }

  #calibrationIndex(hash: string): number {
    const known = this.#calibrationOf.get(hash);
    if (known !== undefined) return known;
    const index = this.#calibrations.push({ hash, isKnown: this.#curves.has(hash) }) - 1;
    this.#calibrationOf.set(hash, index);
    return index;
  }

  #startOver(): void {
    this.#lastSequence = 0;
    this.#count = 0;
    this.#columns = emptyColumns(FIRST_CAPACITY);
    this.#calibrations = [];
    this.#calibrationOf = new Map();
  }

  #view(): OutcomeColumns {
    const end = this.#count;
    const columns = this.#columns;
    return {
      riskScore: columns.riskScore.subarray(0, end),
      pnlUsd: columns.pnlUsd.subarray(0, end),
      pnlFraction: columns.pnlFraction.subarray(0, end),
      isAdverse: columns.isAdverse.subarray(0, end),
      forecast: columns.forecast.subarray(0, end),
      recordedAtMs: columns.recordedAtMs.subarray(0, end),
      calibration: columns.calibration.subarray(0, end),
      calibrations: this.#calibrations,
    };
  }
}

type NumericColumns = Omit<OutcomeColumns, "calibrations">;

function emptyColumns(capacity: number): NumericColumns {
  return {
    riskScore: new Float64Array(capacity),
    pnlUsd: new Float64Array(capacity),
    pnlFraction: new Float64Array(capacity),
    isAdverse: new Uint8Array(capacity),
    forecast: new Float64Array(capacity),
    recordedAtMs: new Float64Array(capacity),
    calibration: new Uint32Array(capacity),
  };
}

function grown(columns: NumericColumns): NumericColumns {
  const larger = emptyColumns(columns.riskScore.length * 2);
  for (const name of Object.keys(columns) as (keyof NumericColumns)[]) larger[name].set(columns[name]);
  return larger;
}
