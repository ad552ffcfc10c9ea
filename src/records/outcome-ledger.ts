import { setImmediate as turn } from "node:timers/promises";
import type { OutcomeCheck } from "../domain/trade-outcome.ts";
import { publishedCalibrations } from "../outcomes/calibration-table.ts";
import { checksOf } from "../outcomes/outcome-checks.ts";
import {
  type CountedOutcome,
  countedAfter,
  OUTCOMES_PER_COMMIT_MAX,
  tradeIdAt,
} from "../outcomes/outcome-table.ts";
import { type RecordQueries, revisionOf } from "../outcomes/record-database.ts";
import type { OutcomeColumns } from "../risk/backtest/outcome-columns.ts";
import { forecastOfOutcome, isAdverseOutcome } from "../risk/backtest/outcome-judgement.ts";
import { withinReporterCap } from "../risk/backtest/reporter-cap.ts";
import type { Ramp } from "../math/ramp.ts";

const PAGE = 2_000;
const FIRST_CAPACITY = 1_024;

/**
 * The record's outcomes, judged, as columns in memory: read once, then only what is new. Starts over when outcomes
 * were deleted or a calibration became known, since either changes what older rows say, and when the last outcome read is
 * not there any more: a database that lost what it had (a stand-by that lagged, a copy put back) gives its numbers anew.
 * An outcome counts from the start; a check that is made later can take it out.
 */
export class OutcomeLedger {
  readonly #queries: RecordQueries;
  readonly #stopping: AbortSignal | undefined;
  #lastSequence = 0;
  #lastTradeId: string | null = null;
  #deletions = -1;
  #checks = -1;
  #curves: ReadonlyMap<string, Ramp> = new Map();
  #columns = emptyColumns(FIRST_CAPACITY);
  #count = 0;
  #calibrations: { hash: string; isKnown: boolean }[] = [];
  #calibrationOf = new Map<string, number>();
  #reporterOf = new Map<string | null, number>();
  /** By sequence number, where each stands. */
  #unchecked = new Map<number, { readonly index: number; readonly outcome: CountedOutcome }>();
  /** What was given last, as long as nothing is new. */
  #given: OutcomeColumns | undefined;

  constructor(queries: RecordQueries, stopping?: AbortSignal) {
    this.#queries = queries;
    this.#stopping = stopping;
  }

  /**
   * Reads what the record has gained, and gives all of it: the same object where nothing is new. The columns are valid
   * until the next call. Rejects at the next page when it is to stop: a million outcomes take longer than a thread may.
   * What was read before a failure is not read again.
   */
  async read(): Promise<OutcomeColumns> {
    const deletions = await revisionOf(this.#queries, "deletions");
    const checks = await revisionOf(this.#queries, "checks");
    const curves = await publishedCalibrations(this.#queries);
    const isLastThere =
      this.#lastSequence === 0 || (await tradeIdAt(this.#queries, this.#lastSequence)) === this.#lastTradeId;
    if (!isLastThere || deletions !== this.#deletions || curves.size !== this.#curves.size) {
      this.#startOver();
      this.#deletions = deletions;
      this.#curves = curves;
    }
    for (;;) {
      const page = await countedAfter(this.#queries, this.#lastSequence, PAGE);
      const last = page.at(-1);
      // Asked before the page is taken: whatever fails next, what was taken ends with an outcome that can be told.
      if (last !== undefined) {
        const lastTradeId = await tradeIdAt(this.#queries, last.sequence);
        for (const outcome of page) this.#add(outcome);
        this.#lastTradeId = lastTradeId;
      }
      if (page.length < PAGE) break;
      // A driver that blocks would keep what else the thread has to do, collecting its own leavings among it.
      await turn();
      this.#stopping?.throwIfAborted();
    }
    if (checks !== this.#checks) await this.#takeChecks();
    this.#checks = checks;
    return (this.#given ??= this.#view());
  }

  async #takeChecks(): Promise<void> {
    const waiting = [...this.#unchecked.keys()];
    for (let from = 0; from < waiting.length; from += OUTCOMES_PER_COMMIT_MAX) {
      const part = waiting.slice(from, from + OUTCOMES_PER_COMMIT_MAX);
      for (const [sequence, check] of await checksOf(this.#queries, part)) {
        const { index, outcome } = this.#unchecked.get(sequence)!;
        this.#judge(index, outcome, check);
        this.#unchecked.delete(sequence);
      }
    }
  }

  #judge(index: number, outcome: CountedOutcome, check: OutcomeCheck | null): void {
    this.#given = undefined;
    this.#columns.isAdverse[index] = Number(isAdverseOutcome(outcome, check?.var99Fraction ?? null));
    this.#columns.isOutside[index] = Number(check?.prices === "outside");
  }

  #add(outcome: CountedOutcome): void {
    const i = this.#count;
    if (i === this.#columns.riskScore.length) this.#columns = grown(this.#columns);
    const { riskScore, pnlUsd, pnlFraction, forecast, recordedAtMs, calibration, reporter } = this.#columns;
    riskScore[i] = outcome.riskScoreAtEntry;
    pnlUsd[i] = outcome.pnlUsd;
    pnlFraction[i] = outcome.pnlPct / 100;
    this.#judge(i, outcome, outcome.check);
    if (outcome.check === null) this.#unchecked.set(outcome.sequence, { index: i, outcome });
    forecast[i] = forecastOfOutcome(outcome, this.#curves.get(outcome.calibrationHash)) ?? Number.NaN;
    recordedAtMs[i] = outcome.recordedAtMs;
    calibration[i] = this.#calibrationIndex(outcome.calibrationHash);
    reporter[i] = this.#reporterIndex(outcome.reportedBy);
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

  #reporterIndex(keyId: string | null): number {
    const index = this.#reporterOf.get(keyId) ?? this.#reporterOf.size;
    this.#reporterOf.set(keyId, index);
    return index;
  }

  #startOver(): void {
    this.#lastSequence = 0;
    this.#count = 0;
    this.#columns = emptyColumns(FIRST_CAPACITY);
    this.#calibrations = [];
    this.#calibrationOf = new Map();
    this.#reporterOf = new Map();
    this.#unchecked = new Map();
    this.#given = undefined;
  }

  /** The outcomes that count: no copy where that is all of them. */
  #view(): OutcomeColumns {
    const read = slicedTo(this.#columns, this.#count);
    const inside = indicesWhere(read.isOutside, 0);
    const flags = withinReporterCap(
      inside.length === this.#count ? read.reporter : read.reporter.filter((_, i) => read.isOutside[i] === 0),
    );
    const counted = indicesWhere(flags, 1).map((i) => inside[i]!);
    return {
      ...(counted.length === this.#count ? read : picked(read, counted)),
      calibrations: this.#calibrations,
      leftOut: {
        pricesOutsideMarket: this.#count - inside.length,
        overKeyCap: inside.length - counted.length,
      },
    };
  }
}

type NumericColumns = Omit<OutcomeColumns, "calibrations" | "leftOut"> & {
  /** 1 where the market did not trade at the reported prices. */
  readonly isOutside: Uint8Array;
  readonly reporter: Uint32Array;
};

function emptyColumns(capacity: number): NumericColumns {
  return {
    riskScore: new Float64Array(capacity),
    pnlUsd: new Float64Array(capacity),
    pnlFraction: new Float64Array(capacity),
    isAdverse: new Uint8Array(capacity),
    forecast: new Float64Array(capacity),
    recordedAtMs: new Float64Array(capacity),
    calibration: new Uint32Array(capacity),
    isOutside: new Uint8Array(capacity),
    reporter: new Uint32Array(capacity),
  };
}

function grown(columns: NumericColumns): NumericColumns {
  const larger = emptyColumns(columns.riskScore.length * 2);
  for (const name of namesOf(columns)) larger[name].set(columns[name]);
  return larger;
}

function slicedTo(columns: NumericColumns, end: number): NumericColumns {
  return {
    riskScore: columns.riskScore.subarray(0, end),
    pnlUsd: columns.pnlUsd.subarray(0, end),
    pnlFraction: columns.pnlFraction.subarray(0, end),
    isAdverse: columns.isAdverse.subarray(0, end),
    forecast: columns.forecast.subarray(0, end),
    recordedAtMs: columns.recordedAtMs.subarray(0, end),
    calibration: columns.calibration.subarray(0, end),
    isOutside: columns.isOutside.subarray(0, end),
    reporter: columns.reporter.subarray(0, end),
  };
}

function picked(columns: NumericColumns, indices: Uint32Array): NumericColumns {
  const part = emptyColumns(indices.length);
  for (const name of namesOf(columns)) indices.forEach((from, to) => (part[name][to] = columns[name][from]!));
  return part;
}

function namesOf(columns: NumericColumns): readonly (keyof NumericColumns)[] {
  return Object.keys(columns) as (keyof NumericColumns)[];
}

function indicesWhere(flags: Uint8Array, flag: number): Uint32Array {
  return Uint32Array.from(flags.keys()).filter((i) => flags[i] === flag);
}
