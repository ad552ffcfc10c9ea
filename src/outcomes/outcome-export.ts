import type { RecordedOutcome } from "../domain/trade-outcome.ts";
import { publishedHashes } from "./calibration-table.ts";
import { outcomesAfter } from "./outcome-table.ts";
import type { RecordQueries } from "./record-database.ts";

export type ExportFormat = "csv" | "jsonl";

const PAGE = 1_000;

/**
 * The whole record as text, page by page, in the order of recording: the fields as they were reported, then when each
 * was recorded, whether its calibration is known, who reported it and what the market said of it. CSV by RFC 4180 with a
 * header; JSON lines one object a line.
 */
export async function* exportedOutcomes(
  queries: RecordQueries,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  const known = await publishedHashes(queries);
  for (let sequence = 0; ;) {
    const page = await outcomesAfter(queries, sequence, PAGE);
    const rows = page.map((outcome) => exportRow(outcome, known.has(outcome.calibrationHash)));
    if (format === "jsonl") {
      yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    } else {
      const header = sequence === 0 ? csvLine(COLUMNS.map(([field]) => field)) : "";
      yield header + rows.map((row) => csvLine(Object.values(row))).join("");
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    sequence = last.sequence;
  }
}

type Cell = string | number | boolean | null;

/** The columns in their order, and what an outcome has in each. */
const COLUMNS = Object.entries<(outcome: RecordedOutcome, isCalibrationKnown: boolean) => Cell>({
  trade_id: ({ tradeId }) => tradeId,
  asset: ({ asset }) => asset,
  action: ({ action }) => action,
  entry_price: ({ entryPrice }) => entryPrice,
  exit_price: ({ exitPrice }) => exitPrice,
  size: ({ sizeUsd }) => sizeUsd,
  leverage: ({ leverage }) => leverage,
  risk_score_at_entry: ({ riskScoreAtEntry }) => riskScoreAtEntry,
  calibration_hash: ({ calibrationHash }) => calibrationHash,
  pnl_usd: ({ pnlUsd }) => pnlUsd,
  pnl_pct: ({ pnlPct }) => pnlPct,
  holding_period_hours: ({ holdingPeriodHours }) => holdingPeriodHours,
  fees_paid_usd: ({ feesPaidUsd }) => feesPaidUsd,
  funding_paid_usd: ({ fundingPaidUsd }) => fundingPaidUsd,
  recorded_at: ({ recordedAtMs }) => new Date(recordedAtMs).toISOString(),
  calibration_known: (_outcome, isCalibrationKnown) => isCalibrationKnown,
  reported_by: ({ reportedBy }) => reportedBy,
  price_finding: ({ check }) => check?.prices ?? null,
  var_99_pct: ({ check }) => percentOf(check?.var99Fraction ?? null),
});

function exportRow(outcome: RecordedOutcome, isCalibrationKnown: boolean): Readonly<Record<string, Cell>> {
  return Object.fromEntries(COLUMNS.map(([field, cellOf]) => [field, cellOf(outcome, isCalibrationKnown)]));
}

/** Percent, as in every answer; 12 digits, so that 0.07 is 7 and not 7.000000000000001. */
function percentOf(fraction: number | null): number | null {
  return fraction === null ? null : Number((100 * fraction).toPrecision(12));
}

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: Cell): string {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
