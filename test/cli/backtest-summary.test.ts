import { describe, expect, it } from "vitest";
import { Ledger } from "../../src/cli/backtest-ledger.ts";
import { PORTFOLIO_MODELS } from "../../src/cli/backtest-portfolios.ts";
import { horizonText, reportText } from "../../src/cli/backtest-report.ts";
import { summarise } from "../../src/cli/backtest-summary.ts";
import { TouchTable } from "../../src/cli/backtest-touches.ts";
import { MODELS, PRODUCT } from "../../src/cli/backtest-walk.ts";
import { DAY_HOURS, HOUR_MS } from "../../src/domain/bar.ts";
import { createRandom } from "../../src/math/random.ts";
import { comparePooled } from "../../src/risk/backtest/pooled-verdict.ts";
import { z2CriticalValue } from "../../src/risk/backtest/z2-critical-value.ts";

const ASSETS = ["BTC", "ETH"] as const;
const PERIODS = 200;
/** Newey–West lags of a week of days and of two days of hours. */
const LAGS = { 1: 48, 24: 7 } as const;

/** Losses that every model is asked about, each saying the less the later it stands in the list. */
function ledgerOf(): Ledger {
  const ledger = new Ledger();
  const random = createRandom(5);
  for (const horizonHours of [1, DAY_HOURS] as const) {
    for (let t = 0; t < PERIODS; t++) {
      const timeMs = t * horizonHours * HOUR_MS;
      for (const subject of ASSETS) {
        const logReturn = 0.02 * random.normal();
        MODELS.forEach((model, place) => {
          const tail = tailOf(0.034 - 0.002 * place);
          ledger.addReturn({ subject, model, horizonHours }, timeMs, logReturn, { long: tail, short: tail });
        });
      }
      if (horizonHours === 1) continue;
      const loss = 0.02 * random.normal();
      for (const model of PORTFOLIO_MODELS) {
        ledger.add({ subject: "mixed", model, horizonHours, side: "long" }, timeMs, loss, tailOf(0.02));
      }
    }
  }
  return ledger;
}

function tailOf(var95: number) {
  return {
    var95,
    var99: 1.4 * var95,
    expectedShortfall95: 1.2 * var95,
    expectedShortfall99: 1.6 * var95,
  };
}

const ledger = ledgerOf();
const touches = new TouchTable();
touches.add(
  { logReturn: 0, logLow: Math.log(0.94), logHigh: Math.log(1.03) },
  () => 0.5,
  () => 0.125,
);
const summary = summarise({ ledger, touches });

describe("the summary of a backtest", () => {
  it("judges every series of an asset, and portfolios by themselves", () => {
    const named = (rows: typeof summary.assets): string[] =>
      rows.map(({ key, level }) =>
        [key.horizonHours, level, key.model, key.subject, key.side].map(String).join(" "),
      );
    const expected = [1, 24].flatMap((hours) =>
      [0.95, 0.99].flatMap((level) =>
        MODELS.flatMap((model) =>
          ASSETS.flatMap((asset) =>
            ["long", "short"].map((side) => `${hours} ${level} ${model} ${asset} ${side}`),
          ),
        ),
      ),
    );

    expect(named(summary.assets)).toEqual(expected);
    expect(named(summary.portfolios)).toEqual(
      [0.95, 0.99].flatMap((level) => PORTFOLIO_MODELS.map((model) => `24 ${level} ${model} mixed long`)),
    );
    const criticals = new Map([0.05, 0.01].map((p) => [1 - p, z2CriticalValue(PERIODS, p, 0.05)]));
    for (const { level, z2Critical, verdict } of [...summary.assets, ...summary.portfolios]) {
      expect(verdict.observations).toBe(PERIODS);
      expect(verdict.expected).toBeCloseTo(PERIODS * (1 - level), 9);
      expect(z2Critical).toBe(criticals.get(level));
    }
  });

  it("pools a model's assets and both sides, and compares each with the service's own", () => {
    expect(summary.pooled.length).toBe(2 * 2 * MODELS.length);
    for (const { horizonHours, level, model, verdict, comparison } of summary.pooled) {
      const recordsOf = (by: string) =>
        ledger.records(
          (key) => key.horizonHours === horizonHours && key.model === by && key.subject !== "mixed",
          level,
        );
      const records = recordsOf(model);
      const breaches = records.reduce(
        (sum, { record }) => sum + record.loss.filter((loss, t) => loss > record.valueAtRisk[t]!).length,
        0,
      );
      expect(verdict).toMatchObject({ series: 4, observations: 4 * PERIODS, breaches });
      const ours = recordsOf(PRODUCT);
      const lags = LAGS[horizonHours as keyof typeof LAGS];
      expect(comparison).toEqual(model === PRODUCT ? null : comparePooled(ours, records, lags));
    }
  });

  it("has the touches of either side", () => {
    expect(summary.falls.map(({ observedRate }) => observedRate)).toEqual([1, 1, 0, 0, 0, 0]);
    expect(summary.rises.map(({ observedRate }) => observedRate)).toEqual([1, 0, 0, 0, 0, 0]);
  });
});

describe("the report of a backtest", () => {
  const sections = new Map(
    reportText(summary)
      .split("## ")
      .slice(1)
      .map((section) => {
        const [title, , ...lines] = section.trim().split("\n");
        const cells = lines.map((line) =>
          line
            .split("|")
            .slice(1, -1)
            .map((cell) => cell.trim()),
        );
        return [title!, { header: cells[0]!, rows: cells.slice(2) }];
      }),
  );
  const rowOf = (title: string, ...first: readonly string[]): Record<string, string> => {
    const { header, rows } = sections.get(title)!;
    const [row, ...more] = rows.filter((cells) => first.every((cell, i) => cells[i] === cell));
    expect(more).toEqual([]);
    return Object.fromEntries(header.map((name, i) => [name, row![i]!]));
  };
  const percent = (share: number, digits: number): string => `${(100 * share).toFixed(digits)} %`;

  it("has a table an asset, the pool, the portfolios and the touches", () => {
    expect([...sections].map(([title, { rows }]) => [title, rows.length])).toEqual([
      ["BTC", 8 * MODELS.length],
      ["ETH", 8 * MODELS.length],
      ["All assets", 4 * MODELS.length],
      ["Portfolios, 24 h", 2 * PORTFOLIO_MODELS.length],
      ["Touched within 24 h: predicted and observed", 12],
    ]);
    const orderOf = (title: string): string[] => [
      ...new Set(sections.get(title)!.rows.map((cells) => cells.slice(0, 3).join(" "))),
    ];
    expect(orderOf("BTC")).toEqual(
      ["1 h", "24 h"].flatMap((horizon) =>
        ["long", "short"].flatMap((side) => ["95 %", "99 %"].map((level) => `${horizon} ${side} ${level}`)),
      ),
    );
  });

  it("shows each verdict under its own heading", () => {
    const { verdict, z2Critical } = summary.assets.find(
      ({ key, level }) =>
        key.subject === "ETH" && key.side === "short" && key.horizonHours === 24 && level === 0.95,
    )!;
    expect(verdict.mcNeilFreyPValue).not.toBeNull();
    expect(rowOf("ETH", "24 h", "short", "95 %", PRODUCT)).toEqual({
      horizon: "24 h",
      side: "short",
      level: "95 %",
      model: PRODUCT,
      n: "200",
      breaches: String(verdict.breaches),
      expected: "10.0",
      rate: percent(verdict.breaches / 200, 2),
      "Kupiec p": verdict.kupiec.pValue.toFixed(3),
      "CC p": verdict.christoffersen.conditionalCoveragePValue.toFixed(3),
      pi11: percent(verdict.christoffersen.breachAfterBreach!, 1),
      Basel: verdict.zone,
      Z2: verdict.shortfallZ2.toFixed(2),
      "Z2 5 %": z2Critical.toFixed(2),
      "McNeil-Frey p": verdict.mcNeilFreyPValue!.toFixed(3),
      FZ0: verdict.fzLossMean.toFixed(4),
    });
    const mixed = summary.portfolios.find(({ key, level }) => key.model === PRODUCT && level === 0.99)!;
    expect(rowOf("Portfolios, 24 h", "mixed", "99 %", PRODUCT)).toMatchObject({
      breaches: String(mixed.verdict.breaches),
      expected: "2.0",
    });
  });

  it("shows the pool with what it was compared with", () => {
    const pooled = summary.pooled.filter(({ horizonHours, level }) => horizonHours === 1 && level === 0.99);
    const [ours, other] = [pooled[0]!, pooled.at(-1)!];
    expect(other.comparison!.fzLossDifference).toBeGreaterThan(0);
    const passed = (share: number): string => `${String(4 * share)}/4`;
    expect(rowOf("All assets", "1 h", "99 %", other.model)).toEqual({
      horizon: "1 h",
      level: "99 %",
      model: other.model,
      series: "4",
      n: "800",
      rate: percent(other.verdict.rate, 2),
      "± s.e.": percent(other.verdict.rateStandardError!, 2),
      range: `${percent(other.verdict.rateMin, 2)} - ${percent(other.verdict.rateMax, 2)}`,
      "Kupiec pass": passed(other.verdict.kupiecPassShare),
      "CC pass": passed(other.verdict.conditionalCoveragePassShare),
      FZ0: other.verdict.fzLossMean.toFixed(4),
      "FZ0 minus ours": `+${other.comparison!.fzLossDifference.toFixed(4)}`,
      "DM t": `+${other.comparison!.statistic!.toFixed(1)}`,
    });
    expect(rowOf("All assets", "1 h", "99 %", ours.model)).toMatchObject({
      "FZ0 minus ours": "",
      "DM t": "",
    });
  });

  it("names the week in days", () => {
    expect([1, 4, 24, 168].map(horizonText)).toEqual(["1 h", "4 h", "24 h", "7 d"]);
  });

  it("shows how often a move was expected and how often it came", () => {
    const title = "Touched within 24 h: predicted and observed";
    expect(rowOf(title, "fall of 5 %")).toEqual({
      move: "fall of 5 %",
      "coin-days": "1",
      predicted: "50.00 %",
      observed: "100.00 %",
      ratio: "0.50",
    });
    expect(rowOf(title, "rise of 5 %")).toMatchObject({
      predicted: "12.50 %",
      observed: "0.00 %",
      ratio: "-",
    });
  });
});
