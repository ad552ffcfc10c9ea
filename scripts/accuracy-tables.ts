import { readFileSync, writeFileSync } from "node:fs";
import { horizonText, orDash, percent, signed } from "../src/cli/backtest-report.ts";
import type { BacktestSummary, JudgedSeries } from "../src/cli/backtest-summary.ts";
import { PRODUCT, UNLEARNED } from "../src/cli/backtest-walk.ts";
import { JUDGED_LEVELS } from "../src/risk/backtest/asset-diagnostics.ts";
import { HORIZON_HOURS } from "../src/risk/scenarios/horizon.ts";

/**
 * Puts the figures of backtests into the tables of docs/accuracy.md:
 *
 *   npm run backtest -- --data candles --json run.json
 *   npx tsx scripts/accuracy-tables.ts "Seven coins=run.json" [SECTION=FILE …]
 *
 * A section is named by how its heading begins; its tables are known by their first columns and, where these are the
 * same, by the line before them. The text between them stays, and is to be read again.
 */
const DOCUMENT = "docs/accuracy.md";
const SIGNIFICANCE = 0.05;
/** Coins with fewer days than this share of the longest record were listed within the period. */
const NEW_SHARE = 0.9;

type Row = readonly string[];

const level = (value: number): string => `${String(100 * value)} %`;
const passes = (one: JudgedSeries): boolean => one.verdict.kupiec.pValue >= SIGNIFICANCE;
const covers = (one: JudgedSeries): boolean =>
  one.verdict.christoffersen.conditionalCoveragePValue >= SIGNIFICANCE;

function pooledOf(summary: BacktestSummary, hours: number, p: number): BacktestSummary["pooled"] {
  return summary.pooled.filter((one) => one.horizonHours === hours && one.level === p);
}

function seriesOf(summary: BacktestSummary, model: string, hours: number, p: number): JudgedSeries[] {
  return summary.assets.filter(
    ({ key, level: at }) => key.model === model && key.horizonHours === hours && at === p,
  );
}

function passesOf(share: number, series: number): string {
  return `${String(Math.round(share * series))}/${String(series)}`;
}

/** One line a horizon and level: ours, the baseline with the lowest loss, ours without lessons. */
function horizonRows(summary: BacktestSummary): Row[] {
  return HORIZON_HOURS.flatMap((hours) =>
    JUDGED_LEVELS.map((p) => {
      const models = pooledOf(summary, hours, p);
      const ours = models.find(({ model }) => model === PRODUCT)!.verdict;
      const untaught = models.find(({ model }) => model === UNLEARNED)!;
      const [closest] = models
        .filter(({ model }) => model !== PRODUCT && model !== UNLEARNED)
        .sort((a, b) => a.comparison!.fzLossDifference - b.comparison!.fzLossDifference);
      const against = ({ comparison }: typeof untaught): string =>
        `${signed(comparison!.fzLossDifference, 4)} (t ${signed(comparison!.statistic ?? 0, 1)})`;
      return [
        horizonText(hours),
        level(p),
        String(ours.series),
        String(ours.observations),
        percent(ours.rate),
        orDash(ours.rateStandardError, percent),
        `${percent(ours.rateMin)} - ${percent(ours.rateMax)}`,
        passesOf(ours.kupiecPassShare, ours.series),
        passesOf(ours.conditionalCoveragePassShare, ours.series),
        ours.fzLossMean.toFixed(4),
        `${closest!.model} ${against(closest!)}`,
        `${percent(untaught.verdict.rate)}, ${against(untaught)}`,
      ];
    }),
  );
}

/** One line a model and level. */
function modelRows(summary: BacktestSummary, hours: number): Row[] {
  return JUDGED_LEVELS.flatMap((p) =>
    pooledOf(summary, hours, p).map(({ model, verdict, comparison }) => [
      level(p),
      model,
      percent(verdict.rate),
      `${percent(verdict.rateMin)} - ${percent(verdict.rateMax)}`,
      passesOf(verdict.kupiecPassShare, verdict.series),
      passesOf(verdict.conditionalCoveragePassShare, verdict.series),
      verdict.fzLossMean.toFixed(4),
      comparison === null ? "" : signed(comparison.fzLossDifference, 4),
      comparison === null ? "" : signed(comparison.statistic ?? 0, 1),
    ]),
  );
}

/** Days that each coin was judged on, most first. */
function daysByCoin(summary: BacktestSummary): [string, number][] {
  const days = new Map<string, number>();
  for (const { key, verdict } of seriesOf(summary, PRODUCT, 24, 0.95))
    days.set(key.subject, verdict.observations);
  return [...days].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

function coinRows(summary: BacktestSummary): Row[] {
  return daysByCoin(summary).map(([coin, days]) => {
    const cells = JUDGED_LEVELS.flatMap((p) =>
      ["long", "short"].map((side) => {
        const one = seriesOf(summary, PRODUCT, 24, p).find(
          ({ key }) => key.subject === coin && key.side === side,
        )!;
        const { breaches, observations, shortfallZ2 } = one.verdict;
        const isDeep = shortfallZ2 < one.z2Critical;
        return percent(breaches / observations) + (passes(one) ? "" : " ✗") + (isDeep ? " z" : "");
      }),
    );
    return [coin, String(days), ...cells];
  });
}

function groupRows(summary: BacktestSummary): Row[] {
  const days = daysByCoin(summary);
  const isNew = new Set(days.filter(([, n]) => n < NEW_SHARE * days[0]![1]).map(([coin]) => coin));
  return ["new", "established"].flatMap((group) =>
    HORIZON_HOURS.flatMap((hours) =>
      JUDGED_LEVELS.map((p) => {
        const [ours, untaught] = [PRODUCT, UNLEARNED].map((model) =>
          seriesOf(summary, model, hours, p).filter(
            ({ key }) => isNew.has(key.subject) === (group === "new"),
          ),
        ) as [JudgedSeries[], JudgedSeries[]];
        const sum = (list: JudgedSeries[], field: "breaches" | "observations"): number =>
          list.reduce((total, { verdict }) => total + verdict[field], 0);
        const rate = (list: JudgedSeries[]): string =>
          percent(sum(list, "breaches") / sum(list, "observations"));
        const count = (list: JudgedSeries[], test: (one: JudgedSeries) => boolean): string =>
          `${String(list.filter(test).length)}/${String(list.length)}`;
        return [
          group,
          horizonText(hours),
          level(p),
          String(sum(ours, "observations")),
          rate(ours),
          count(ours, passes),
          count(ours, covers),
          rate(untaught),
          count(untaught, passes),
        ];
      }),
    ),
  );
}

function touchRows({ falls, rises }: BacktestSummary): Row[] {
  const rows = (name: string, list: BacktestSummary["falls"]): Row[] =>
    list.map(({ move, coinDays, predictedRate, observedRate, ratio }) => [
      `${name} of ${String(Math.round(100 * move))} %`,
      String(coinDays),
      percent(predictedRate),
      percent(observedRate),
      orDash(ratio, (known) => known.toFixed(2)),
    ]);
  return [...rows("fall", falls), ...rows("rise", rises)];
}

function portfolioRows(summary: BacktestSummary): Row[] {
  const names = [...new Set(summary.portfolios.map(({ key }) => key.subject))].sort();
  return names.flatMap((name) =>
    JUDGED_LEVELS.flatMap((p) =>
      summary.portfolios
        .filter(({ key, level: at }) => key.subject === name && at === p)
        .map(({ key, verdict }) => [
          name,
          level(p),
          key.model,
          String(verdict.observations),
          String(verdict.breaches),
          percent(verdict.breaches / verdict.observations),
          verdict.kupiec.pValue.toFixed(3),
          verdict.christoffersen.conditionalCoveragePValue.toFixed(3),
          verdict.zone,
          verdict.shortfallZ2.toFixed(2),
          verdict.fzLossMean.toFixed(4),
        ]),
    ),
  );
}

/** The rows of the table that begins with these columns, after this line of text. */
function rowsOf(summary: BacktestSummary, columns: string, caption: string): Row[] {
  if (columns.startsWith("horizon")) return horizonRows(summary);
  if (columns.startsWith("level model")) {
    const [count, unit] = caption.split(" ");
    return modelRows(summary, Number(count) * (unit === "d," ? 24 : 1));
  }
  if (columns.startsWith("coin")) return coinRows(summary);
  if (columns.startsWith("group")) return groupRows(summary);
  if (columns.startsWith("move")) return touchRows(summary);
  if (columns.startsWith("portfolio")) return portfolioRows(summary);
  throw new Error(`${DOCUMENT}: a table of unknown columns: ${columns}`);
}

/** A section's text with the rows of each table made anew; prettier lines them up. */
function updated(section: string, summary: BacktestSummary): string {
  let caption = "";
  return section
    .split(/((?:^\|.*\n)+)/m)
    .map((part) => {
      if (!part.startsWith("|")) {
        caption = part.trim().split("\n").at(-1) ?? "";
        return part;
      }
      const [head, rule] = part.split("\n");
      const columns = head!.split("|").map((cell) => cell.trim());
      const rows = rowsOf(summary, columns.filter((cell) => cell !== "").join(" "), caption);
      return [head, rule, ...rows.map((row) => `| ${row.join(" | ")} |`), ""].join("\n");
    })
    .join("");
}

let sections = readFileSync(DOCUMENT, "utf8").split(/^(?=## )/m);
for (const argument of process.argv.slice(2)) {
  const [name, file] = argument.split("=");
  const summary = JSON.parse(readFileSync(file!, "utf8")) as BacktestSummary;
  sections = sections.map((section) =>
    section.startsWith(`## ${name!}`) ? updated(section, summary) : section,
  );
}
writeFileSync(DOCUMENT, sections.join(""));
