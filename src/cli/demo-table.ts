import type { ErrorBody, ValidateResponse } from "../contracts/generated/types.ts";

/** What the service says of one trade now, with the mark when it first said something, or why it says nothing. */
export type DemoRow =
  | { readonly asset: string; readonly answer: ValidateResponse; readonly firstMarkPrice: number }
  | { readonly asset: string; readonly refusal: ErrorBody };

/** Those first that a narrow terminal must show. */
const COLUMNS = [
  "asset",
  "mark",
  "change",
  "score",
  "recommendation",
  "VaR 99 24h",
  "safe size",
  "liquidated",
  "vol p.a.",
  "slippage",
  "regime",
  "flags",
] as const;
/** Names and sentences stand at the left of their column, numbers at the right. */
const LEFT: ReadonlySet<string> = new Set(["asset", "regime", "recommendation", "flags"]);
const NONE = "–";
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const PRICE = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/**
 * A line an asset under a line of headings, cut at a width; an asset that is not answered yet has the reason in place of
 * numbers.
 *
 * Units:   width in characters; what is no terminal has none, and one whose size nobody set says 0: neither cuts
 */
export function demoTable(rows: readonly DemoRow[], width: number | undefined): string {
  const cells = rows.map((row) =>
    "refusal" in row
      ? [row.asset, reasonOf(row.refusal)]
      : [row.asset, ...cellsOf(row.answer, row.firstMarkPrice)],
  );
  const widths = COLUMNS.map((name, i) => {
    const answered = cells.filter((row) => i === 0 || row.length === COLUMNS.length);
    return Math.max(name.length, ...answered.map((row) => row[i]!.length));
  });
  return [[...COLUMNS], ...cells]
    .map((row) =>
      row
        .map((cell, i) => (LEFT.has(COLUMNS[i]!) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join("  ")
        .trimEnd()
        .slice(0, width || undefined),
    )
    .join("\n");
}

function cellsOf(answer: ValidateResponse, firstMarkPrice: number): string[] {
  const { meta, var: loss, slippage, liquidation } = answer;
  const change = meta.mark_price / firstMarkPrice - 1;
  return [
    PRICE.format(meta.mark_price),
    `${change < 0 ? "" : "+"}${(100 * change).toFixed(2)} %`,
    answer.risk_score.toFixed(1),
    answer.recommendation,
    textOf(loss.dollar_99_24h, dollars),
    textOf(answer.sizing?.max_safe_size_usd, dollars),
    liquidation.price === 0 ? NONE : PRICE.format(liquidation.price),
    textOf(loss.volatility_forecast?.sigma_1d, (sigma) => `${(100 * sigma).toFixed(1)} %`),
    textOf(slippage.bps, (bps) => `${bps.toFixed(2)} bps`),
    answer.regime?.state ?? NONE,
    answer.flags.join(" "),
  ];
}

function textOf(value: number | null | undefined, write: (value: number) => string): string {
  return value === null || value === undefined ? NONE : write(value);
}

function dollars(value: number): string {
  return `$${WHOLE.format(value)}`;
}

function reasonOf(refusal: ErrorBody): string {
  return ("detail" in refusal ? refusal.detail : undefined) ?? refusal.error;
}
