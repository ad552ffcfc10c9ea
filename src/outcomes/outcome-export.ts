import type { RecordedOutcome } from "../domain/trade-outcome.ts";
import { publishedHashes } from "./calibration-table.ts";
import { outcomesAfter } from "./outcome-table.ts";
import type { RecordQueries } from "./record-database.ts";

export type ExportFormat = "csv" | "jsonl";

const PAGE = 1_000;

/**
 * The whole record as text, page by page, in the order of recording: the fields as they were reported, then when each
 * was recorded, whether its calibration is known, who reported it and what the market said of it. CSV by RFC 4180 with a header; JSON lines one object a line.
 */
export async function* exportedOutcomes(
  queries: RecordQueries,
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  const known = await publishedHashes(queries);
  let isFirst = true;
  for (let sequence = 0; ;) {
    const page = await outcomesAfter(queries, sequence, PAGE);
    const rows = page.map((outcome) => exportRow(outcome, known.has(outcome.calibrationHash)));
    if (format === "jsonl") {
      yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    } else {
      const header = isFirst ? `${EXPORT_FIELDS.join(",")}\r\n` : "";
      yield (
        header +
        rows.map((row) => `${EXPORT_FIELDS.map((field) => csvCell(row[field])).join(",")}\r\n`).join("")
      );
    }
    isFirst = false;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    sequence = last.sequence;
  }
}

const EXPORT_FIELDS = [
  "trade_id",
  "asset",
  "action",
  "entry_price",
  "exit_price",
  "size",
  "leverage",
  "risk_score_at_entry",
  "calibration_hash",
  "pnl_usd",
  "pnl_pct",
  "holding_period_hours",
  "fees_paid_usd",
  "funding_paid_usd",
  "recorded_at",
  "calibration_known",
  "reported_by",
  "price_finding",
  "var_99_pct",
] as const;

type ExportRow = Readonly<Record<(typeof EXPORT_FIELDS)[number], string | number | boolean | null>>;

function exportRow(outcome: RecordedOutcome, isCalibrationKnown: boolean): ExportRow {
  return {
    trade_id: outcome.tradeId,
    asset: outcome.asset,
    action: outcome.action,
    entry_price: outcome.entryPrice,
    exit_price: outcome.exitPrice,
    size: outcome.sizeUsd,
    leverage: outcome.leverage,
    risk_score_at_entry: outcome.riskScoreAtEntry,
    calibration_hash: outcome.calibrationHash,
    pnl_usd: outcome.pnlUsd,
    pnl_pct: outcome.pnlPct,
    holding_period_hours: outcome.holdingPeriodHours,
    fees_paid_usd: outcome.feesPaidUsd,
    funding_paid_usd: outcome.fundingPaidUsd,
    recorded_at: new Date(outcome.recordedAtMs).toISOString(),
    calibration_known: isCalibrationKnown,
    reported_by: outcome.reportedBy,
    price_finding: outcome.check?.prices ?? null,
    var_99_pct: percentOf(outcome.check?.var99Fraction ?? null),
  };
}

/** Percent, as in every answer; 12 digits, so that 0.07 is 7 and not 7.000000000000001. */
function percentOf(fraction: number | null): number | null {
  return fraction === null ? null : Number((100 * fraction).toPrecision(12));
}

function csvCell(value: string | number | boolean | null): string {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
