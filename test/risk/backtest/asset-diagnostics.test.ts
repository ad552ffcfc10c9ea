import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/domain/bar.ts";
import type { ForecastRow } from "../../../src/domain/forecast-row.ts";
import {
  type AssetDiagnostics,
  dateCoverageOf,
  diagnose,
} from "../../../src/risk/backtest/asset-diagnostics.ts";
import { kupiecTest } from "../../../src/risk/backtest/kupiec.ts";
import { z2CriticalValue } from "../../../src/risk/backtest/z2-critical-value.ts";
import { UNCORRECTED } from "../../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC } from "../../support/builders.ts";
import { forecastRow, returned } from "../../support/forecast-rows.ts";

// Mutants killed by hand: sides swapped; horizons mixed; days judged as hours; the window ending with the last forecast's
// start.

const FIRST_MS = Date.UTC(2026, 0, 5);
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 8, 1);
/** TAIL says 2 and 4 %, with shortfalls of 3 and 5 %. */
const BEYOND_95 = 0.021;
const BEYOND_99 = 0.041;

describe("diagnose", () => {
  it("passes a record that was breached as often and as deeply as it said", () => {
    const judged = diagnosed(asExpected());

    expect(judged.status).toBe("pass");
    expect(judged.day99).toEqual({
      observations: 400,
      breaches: 4,
      kupiecPValue: kupiecTest(4, 400, 0.01).pValue,
    });
  });

  it("sees too many breaches of either side", () => {
    const falls = diagnosed(days(200, (day) => (day % 20 === 7 ? -BEYOND_99 : 0.001)));
    const rises = diagnosed(days(200, (day) => (day % 20 === 7 ? BEYOND_99 : 0.001)));

    expect([falls.status, rises.status]).toEqual(["too_many_breaches", "too_many_breaches"]);
    expect(verdictOf(falls, "long").breaches).toBe(10);
    expect(verdictOf(falls, "short").breaches).toBe(0);
    expect(verdictOf(rises, "short").breaches).toBe(10);
  });

  it("sees too few: a VaR that is never reached is no good VaR", () => {
    expect(diagnosed(days(200, () => 0.001)).status).toBe("too_few_breaches");
  });

  it("sees breaches that come in a run though their number is right", () => {
    const clustered = days(200, (day) =>
      day >= 100 && day < 110 ? -BEYOND_95 : day % 20 === 3 ? BEYOND_95 : 0,
    );

    expect(diagnosed(clustered).status).toBe("clustered_breaches");
  });

  it("sees losses far beyond the shortfall though breaches are few", () => {
    const deep = days(200, (day) =>
      day === 60 || day === 150 ? -0.2 : day % 25 === 3 ? -BEYOND_95 : day % 20 === 13 ? BEYOND_95 : 0,
    );

    expect(diagnosed(deep).status).toBe("es_understated");
  });

  it("judges hours when days are few, and nothing when both are", () => {
    const hours = Array.from({ length: 1_200 }, (_, hour) =>
      forecastRow({
        timeMs: FIRST_MS + hour * HOUR_MS,
        horizonHours: 1,
        outcome: returned(hour % 30 === 0 ? -BEYOND_99 : 0),
      }),
    );
    const someDays = days(50, (day) => (day % 10 === 3 ? -BEYOND_95 : day % 20 === 13 ? BEYOND_95 : 0));

    expect(diagnosed([...someDays, ...hours]).status).toBe("too_many_breaches");
    expect(diagnosed([...someDays, ...hours.slice(0, 900)]).status).toBe("insufficient_data");
    expect(diagnosed([]).status).toBe("insufficient_data");
  });

  it("leaves periods that are not over out of everything", () => {
    const open = forecastRow({ timeMs: FIRST_MS + 200 * DAY_MS });

    expect(diagnosed([...asExpected(), open])).toEqual(diagnosed(asExpected()));
  });

  it("tells what was forecast live from what was replayed, and the time both cover", () => {
    const rows = asExpected().map((row, i) => ({ ...row, isReplayed: i < 150 }));

    const judged = diagnosed(rows);

    expect([judged.periods, judged.replayedPeriods]).toEqual([200, 150]);
    expect(judged.window).toEqual({ fromMs: FIRST_MS, toMs: FIRST_MS + 200 * DAY_MS });
    expect(judged.days).toHaveLength(200);
  });

  it("keeps horizons apart: 16 series, each with its own periods", () => {
    const week = forecastRow({ horizonHours: 168, outcome: returned(-0.1) });

    const judged = diagnosed([...asExpected(), week]);

    expect(judged.results).toHaveLength(16);
    const observations = judged.results.map(({ horizonHours, verdict }) => [
      horizonHours,
      verdict?.observations ?? 0,
    ]);
    expect(new Set(observations.map(String))).toEqual(new Set(["1,0", "4,0", "24,200", "168,1"]));
    expect(
      judged.results.every(({ verdict, z2Critical }) => (verdict === null) === (z2Critical === null)),
    ).toBe(true);
    for (const { verdict, level, z2Critical } of judged.results) {
      if (verdict !== null)
        expect(z2Critical).toBe(z2CriticalValue(verdict.observations, level === 0.95 ? 0.05 : 0.01, 0.01));
    }
  });

  it("is finite on a record without any breach, and on one of nothing but breaches", () => {
    for (const change of [0, -0.3]) {
      for (const { verdict } of diagnosed(days(120, () => change)).results) {
        if (verdict === null) continue;
        const { kupiec, christoffersen, shortfallZ2, logEvidenceVar } = verdict;
        const numbers = [kupiec.pValue, christoffersen.independencePValue, shortfallZ2, logEvidenceVar];
        expect(numbers.every(Number.isFinite)).toBe(true);
      }
    }
  });

  it("judges a dead asset too, of which no loss at all was forecast", () => {
    const none = { var95: 0, var99: 0, expectedShortfall95: 0, expectedShortfall99: 0 };
    const dead = days(200, (day) => (day === 100 ? -0.01 : 0)).map((row) => ({
      ...row,
      long: none,
      short: none,
    }));

    expect(diagnosed(dead).status).toBe("es_understated");
    expect(Number.isFinite(verdictOf(diagnosed(dead), "long").shortfallZ2)).toBe(true);
  });

  it("measures the losses beyond the VaR of 99 % by the shortfall of 99 %", () => {
    // Two losses of 4.1 % in 200 days: 2 of 2 expected, of a depth of 4.1 of 5 %.
    expect(verdictOf(diagnosed(asExpected()), "long").shortfallZ2).toBeCloseTo(1 - 4.1 / 5, 12);
  });

  it("counts the breaches of a date by its simple return", () => {
    // VaR of 2 and 4 %: the logarithm of a rise of 4.05 % is below it, that of a fall of 3.95 % beyond it.
    const changes = [0.0405, -0.0395, 0.0395, -0.0405, 0.0201, -0.0199];
    const dates = dateCoverageOf(diagnosed(days(6, (day) => changes[day]!)));

    expect(dates.map(({ breaches99 }) => breaches99)).toEqual([1, 0, 0, 1, 0, 0]);
    expect(dates.map(({ breaches95 }) => breaches95)).toEqual([1, 1, 1, 1, 1, 0]);
  });
});

function diagnosed(rows: readonly ForecastRow[]): AssetDiagnostics {
  return diagnose({
    ticker: BTC,
    computedAtMs: NOW_MS,
    rows,
    multipliers: UNCORRECTED,
    quantileLosses: [],
  });
}

/** 200 days: ten breaches of 95 % a side, two of them of 99 %, well apart. */
function asExpected(): readonly ForecastRow[] {
  return days(200, (day) => {
    const size = day === 43 || day === 53 || day === 143 || day === 153 ? BEYOND_99 : BEYOND_95;
    if (day % 20 === 3) return -size;
    return day % 20 === 13 ? size : 0;
  });
}

function days(count: number, changeOf: (day: number) => number): readonly ForecastRow[] {
  return Array.from({ length: count }, (_, day) =>
    forecastRow({ timeMs: FIRST_MS + day * DAY_MS, outcome: returned(changeOf(day)) }),
  );
}

function verdictOf(
  { results }: AssetDiagnostics,
  side: "long" | "short",
): NonNullable<AssetDiagnostics["results"][number]["verdict"]> {
  return results.find((one) => one.side === side && one.horizonHours === 24 && one.level === 0.99)!.verdict!;
}
