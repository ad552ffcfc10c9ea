import { describe, expect, it } from "vitest";
import { type MorningSheet, ProductForecaster } from "../../src/cli/backtest-forecaster.ts";
import { Ledger } from "../../src/cli/backtest-ledger.ts";
import { PORTFOLIO_MODELS, PortfolioBacktest } from "../../src/cli/backtest-portfolios.ts";
import { PRODUCT } from "../../src/cli/backtest-walk.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { JUDGED_LEVELS, type JudgedLevel } from "../../src/risk/backtest/asset-diagnostics.ts";
import type { CandleSeries } from "../../src/risk/backtest/hourly-candles.ts";
import { fillPortfolioLosses } from "../../src/risk/portfolio/portfolio-losses.ts";
import { POOL_WINDOW_HOURS } from "../../src/risk/scenarios/residual-pool.ts";
import { FIRST_HOUR, wanderingCandles } from "../support/candle-series.ts";

const HOURS = 70 * 24;
/** The last hour before a midnight, 64 days after the first. */
const MORNING = FIRST_HOUR + 64 * 24 - 1;
const ALL = ["BTC", "ETH", "SOL", "XRP"].map((asset, i) => wanderingCandles(asset, i + 1, HOURS));

/** What each name says, by hand. */
const WEIGHTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "equal-weight long": { BTC: 0.25, ETH: 0.25, SOL: 0.25, XRP: 0.25 },
  "equal-weight short": { BTC: -0.25, ETH: -0.25, SOL: -0.25, XRP: -0.25 },
  "BTC-ETH": { BTC: 0.5, ETH: -0.5 },
  "BTC vs alts": { BTC: 0.5, ETH: -1 / 6, SOL: -1 / 6, XRP: -1 / 6 },
  mixed: { BTC: 0.25, ETH: 0.25, SOL: -0.25, XRP: 0.25 },
};

function morningOf(series: readonly CandleSeries[], hour: number): MorningSheet {
  const forecaster = new ProductForecaster();
  for (const one of series) {
    const bars = Array.from({ length: hour + 1 - one.firstHour }, (_, i) => one.barAt(one.firstHour + i)!);
    forecaster.load(one.asset, bars);
  }
  forecaster.fit();
  return forecaster.draw(hour * HOUR_MS, false)!;
}

function lossOf(weights: Readonly<Record<string, number>>, hour: number): number {
  return ALL.reduce((loss, { asset, closeAt }) => {
    return loss - (weights[asset] ?? 0) * (closeAt(hour + 24) / closeAt(hour) - 1);
  }, 0);
}

/** The baselines' sigma: 0.94 a day, from the mean square on. */
function ewmaOf(losses: readonly number[]): number {
  const first = losses.reduce((sum, loss) => sum + loss * loss, 0) / losses.length;
  return Math.sqrt(losses.reduce((variance, loss) => 0.94 * variance + 0.06 * loss * loss, first));
}

describe("the portfolios of a backtest", () => {
  const morning = morningOf(ALL, MORNING);
  const ledgerOf = (series: readonly CandleSeries[], hour = MORNING): Ledger => {
    const ledger = new Ledger();
    new PortfolioBacktest(ledger).judgeDay(hour, morning, series);
    return ledger;
  };
  const whole = ledgerOf(ALL);
  const tailOf = (name: string, model: string, level: JudgedLevel): { var: number; es: number } => {
    const [one] = whole.records(({ subject, model: by }) => subject === name && by === model, level);
    return { var: one!.record.valueAtRisk[0]!, es: one!.record.expectedShortfall[0]! };
  };

  it("are one USD of gross exposure each, held for the day after the morning, and judged by every model", () => {
    const records = whole.records(() => true, 0.99);
    for (const { key, timeMs, record } of records) {
      expect(key).toMatchObject({ horizonHours: 24, side: "long" });
      expect([...timeMs]).toEqual([(MORNING + 1) * HOUR_MS]);
      expect(record.loss[0]).toBeCloseTo(lossOf(WEIGHTS[key.subject]!, MORNING), 12);
    }
    const judged = Object.keys(WEIGHTS).flatMap((name) => PORTFOLIO_MODELS.map((model) => [name, model]));
    expect(records.map(({ key }) => [key.subject, key.model])).toEqual(judged);
  });

  it("have baselines on what they would have lost on the days before", () => {
    for (const [name, weights] of Object.entries(WEIGHTS)) {
      const past = Array.from({ length: 63 }, (_, i) => lossOf(weights, MORNING - (63 - i) * 24));
      const worst = past.toSorted((a, b) => b - a);
      // 63 days hold 3.15 of the worst 5 % and 0.63 of the worst 1 %.
      expect(tailOf(name, "historical-simulation", 0.95).es).toBeCloseTo(
        (worst[0]! + worst[1]! + worst[2]! + 0.15 * worst[3]!) / 3.15,
        12,
      );
      expect(tailOf(name, "historical-simulation", 0.99).es).toBeCloseTo(worst[0]!, 12);
      const sigma = ewmaOf(past);
      for (const [level, quantile, shortfall] of [
        [0.95, 1.6448536, 2.0627128],
        [0.99, 2.3263479, 2.6652142],
      ] as const) {
        expect(tailOf(name, "ewma-normal", level).var / sigma).toBeCloseTo(quantile, 6);
        expect(tailOf(name, "ewma-normal", level).es / sigma).toBeCloseTo(shortfall, 6);
      }
    }
  });

  it("are forecast by the morning's joint scenarios, and these scaled for a dependence that has drifted", () => {
    const losses = new Float64Array(POOL_WINDOW_HOURS.value);
    for (const [name, weights] of Object.entries(WEIGHTS)) {
      const positions = morning.assets.flatMap((asset, row) =>
        asset in weights ? [{ row, notionalUsdSigned: weights[asset]! }] : [],
      );
      fillPortfolioLosses(morning.sheet, positions, losses);
      for (const level of JUDGED_LEVELS) {
        const drawn = tailOf(name, "without-drift-scale", level);
        const scaled = tailOf(name, PRODUCT, level);
        const beyond = losses.filter((loss) => loss > drawn.var);
        expect(beyond.length / losses.length).toBeCloseTo(1 - level, 2);
        expect(drawn.es / (beyond.reduce((sum, loss) => sum + loss, 0) / beyond.length)).toBeCloseTo(1, 1);
        const isHedged = !name.startsWith("equal-weight");
        expect(scaled.var / drawn.var === 1).toBe(!isHedged);
        expect(scaled.es / drawn.es).toBeCloseTo(scaled.var / drawn.var, 12);
      }
    }
  });

  it("leave out a coin without a past, and what needs a coin that is not there", () => {
    const young = { ...ALL[1]!, firstHour: MORNING - 61 * 24 + 1 };
    const oldest = { ...ALL[1]!, firstHour: MORNING - 61 * 24 };
    const namesOf = (series: readonly CandleSeries[]): string[] => [
      ...new Set(
        ledgerOf(series)
          .records(() => true, 0.99)
          .map(({ key }) => key.subject),
      ),
    ];

    expect(namesOf([ALL[0]!, young])).toEqual(["equal-weight long", "equal-weight short"]);
    expect(namesOf([ALL[0]!, oldest])).toEqual(["equal-weight long", "equal-weight short", "BTC-ETH"]);
    expect(namesOf(ALL.slice(1))).toEqual(["equal-weight long", "equal-weight short", "mixed"]);
    expect(namesOf(ALL.slice(0, 3))).toEqual(Object.keys(WEIGHTS));
    expect(namesOf([young])).toEqual([]);
    // The baselines want a price of every second of the 60 days.
    const sinceDay = (days: number): CandleSeries => ({
      ...ALL[0]!,
      closeAt: (hour) => (hour < MORNING - days * 24 ? Number.NaN : ALL[0]!.closeAt(hour)),
    });
    expect([namesOf([sinceDay(29)]).length, namesOf([sinceDay(30)]).length]).toEqual([0, 2]);
    // No price for the day after: nothing to judge by.
    expect(ledgerOf(ALL, FIRST_HOUR + HOURS - 2).records(() => true, 0.99)).toEqual([]);
  });
});
