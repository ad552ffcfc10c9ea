import type { BacktestSummary, JudgedSeries, PooledModel } from "./backtest-summary.ts";
import type { TouchRow } from "./backtest-touches.ts";

type Cell = string | number;

/** Everything as text: one table an asset, then the pool, the portfolios and the touches. */
export function reportText(summary: BacktestSummary): string {
  const subjects = [...new Set(summary.assets.map(({ key }) => key.subject))];
  return [
    ...subjects.map((subject) => {
      const rows = summary.assets.filter(({ key }) => key.subject === subject);
      return `## ${subject}\n\n${seriesTable(rows, false)}`;
    }),
    `## All assets\n\n${pooledTable(summary.pooled)}`,
    `## Portfolios, 24 h\n\n${seriesTable(summary.portfolios, true)}`,
    `## Touched within 24 h: predicted and observed\n\n${touchTable(summary.falls, summary.rises)}`,
  ].join("\n\n");
}

function seriesTable(rows: readonly JudgedSeries[], isPortfolio: boolean): string {
  const ordered = rows.toSorted(
    (a, b) =>
      a.key.horizonHours - b.key.horizonHours ||
      (isPortfolio ? a.key.subject.localeCompare(b.key.subject) : a.key.side.localeCompare(b.key.side)) ||
      a.level - b.level,
  );
  const header = [
    ...(isPortfolio ? ["portfolio"] : ["horizon", "side"]),
    ...["level", "model", "n", "breaches", "expected", "rate", "Kupiec p", "CC p", "pi11", "Basel"],
    ...["Z2", "Z2 5 %", "McNeil-Frey p", "FZ0"],
  ];
  return table(
    header,
    ordered.map(({ key, level, verdict, z2Critical }) => [
      ...(isPortfolio ? [key.subject] : [horizonText(key.horizonHours), key.side]),
      percent(level, 0),
      key.model,
      verdict.observations,
      verdict.breaches,
      verdict.expected.toFixed(1),
      percent(verdict.breaches / verdict.observations),
      verdict.kupiec.pValue.toFixed(3),
      verdict.christoffersen.conditionalCoveragePValue.toFixed(3),
      orDash(verdict.christoffersen.breachAfterBreach, (share) => percent(share, 1)),
      verdict.zone,
      verdict.shortfallZ2.toFixed(2),
      z2Critical.toFixed(2),
      orDash(verdict.mcNeilFreyPValue, (p) => p.toFixed(3)),
      verdict.fzLossMean.toFixed(4),
    ]),
  );
}

function pooledTable(rows: readonly PooledModel[]): string {
  return table(
    [
      "horizon",
      "level",
      "model",
      "series",
      "n",
      "rate",
      "± s.e.",
      "range",
      "Kupiec pass",
      "CC pass",
      "FZ0",
      "FZ0 minus ours",
      "DM t",
    ],
    rows.map(({ horizonHours, level, model, verdict, comparison }) => [
      horizonText(horizonHours),
      percent(level, 0),
      model,
      verdict.series,
      verdict.observations,
      percent(verdict.rate),
      orDash(verdict.rateStandardError, percent),
      `${percent(verdict.rateMin)} - ${percent(verdict.rateMax)}`,
      `${String(Math.round(verdict.kupiecPassShare * verdict.series))}/${String(verdict.series)}`,
      `${String(Math.round(verdict.conditionalCoveragePassShare * verdict.series))}/${String(verdict.series)}`,
      verdict.fzLossMean.toFixed(4),
      comparison === null ? "" : signed(comparison.fzLossDifference, 4),
      comparison === null ? "" : orDash(comparison.statistic, (t) => signed(t, 1)),
    ]),
  );
}

function touchTable(falls: readonly TouchRow[], rises: readonly TouchRow[]): string {
  const rows = (name: string, all: readonly TouchRow[]): Cell[][] =>
    all.map((row) => [
      `${name} of ${percent(row.move, 0)}`,
      row.coinDays,
      percent(row.predictedRate),
      percent(row.observedRate),
      orDash(row.ratio, (ratio) => ratio.toFixed(2)),
    ]);
  const header = ["move", "coin-days", "predicted", "observed", "ratio"];
  return table(header, [...rows("fall", falls), ...rows("rise", rises)]);
}

function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const all = [header, ...rows.map((row) => row.map(String))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [line(header), rule, ...all.slice(1).map(line)].join("\n");
}

export function horizonText(hours: number): string {
  return hours === 168 ? "7 d" : `${String(hours)} h`;
}

export function percent(fraction: number, digits = 2): string {
  return Number.isNaN(fraction) ? "-" : `${(fraction * 100).toFixed(digits)} %`;
}

export function signed(value: number, digits: number): string {
  return `${value >= 0 ? "+" : ""}${value.toFixed(digits)}`;
}

export function orDash(value: number | null, text: (value: number) => string): string {
  return value === null ? "-" : text(value);
}
