import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/domain/bar.ts";
import { tickerOf } from "../../../src/domain/ids.ts";
import { diagnose, type JudgedForecasts } from "../../../src/risk/backtest/asset-diagnostics.ts";
import { type AssetHealth, calibrationHealthOf } from "../../../src/risk/backtest/calibration-findings.ts";
import { UNCORRECTED } from "../../../src/risk/scenarios/sigma-recalibration.ts";
import { NOW_MS } from "../../support/builders.ts";
import { forecastRow, returned } from "../../support/forecast-rows.ts";

// Mutants killed: critical by status alone, the unjudged among the tested, findings in the order of the assets, the
// evidence of passing assets not looked at, or that of other horizons and levels too.

describe("calibrationHealthOf", () => {
  it("counts the assets that fail beyond chance, and names each of them critical", () => {
    const assets = ["A", "B", "C", "D", "E", "F"].map((asset, i) => assetOf(asset, i < 2 ? 20 : 0));

    const health = calibrationHealthOf(assets);

    expect([health.tested, health.passing, health.critical, health.status]).toEqual([
      6,
      4,
      2,
      "miscalibrated",
    ]);
    expect(health.findings.map(({ asset, severity }) => [asset, severity])).toEqual([
      ["A", "critical"],
      ["B", "critical"],
    ]);
  });

  it("warns where chance explains a failure, as one of so many, and finds nothing where a record passes", () => {
    const unlucky = assetOf("U", 6);
    const many = Array.from({ length: 60 }, (_, i) => assetOf(`P${String(i)}`, 0));

    const among = calibrationHealthOf([...many, unlucky]);
    const alone = calibrationHealthOf([unlucky]);

    expect(among.critical).toBe(0);
    expect(among.findings.map(({ asset, severity }) => [asset, severity])).toEqual([["U", "warning"]]);
    expect(alone.findings.map(({ severity }) => severity)).toEqual(["critical"]);
  });

  it("warns of a passing asset by the best bet of the month against its days at 99 %, and by no other", () => {
    const safe = assetOf("SAFE", 0).diagnostics!;
    const isDay = ({ horizonHours, level }: JudgedForecasts): boolean =>
      horizonHours === 24 && level === 0.99;
    const right = safe.results.find(isDay)!.verdict!;
    const findingsWith = (
      over: "logEvidenceVar" | "logEvidenceShortfall",
      eValue: number,
      isBetOn: (result: JudgedForecasts) => boolean,
    ): unknown =>
      calibrationHealthOf([
        {
          asset: "SAFE",
          diagnostics: {
            ...safe,
            results: safe.results.map((result) =>
              isBetOn(result)
                ? { ...result, verdict: { ...(result.verdict ?? right), [over]: Math.log(eValue) } }
                : result,
            ),
          },
        },
      ]).findings.map(({ issue, severity, evidence }) => [issue, severity, Math.round(evidence)]);

    for (const over of ["logEvidenceVar", "logEvidenceShortfall"] as const) {
      expect(findingsWith(over, 21, isDay)).toEqual([["pass", "warning", 21]]);
      expect(findingsWith(over, 19, isDay)).toEqual([]);
      expect(findingsWith(over, 1_000, (result) => !isDay(result))).toEqual([]);
    }
    expect(calibrationHealthOf([{ asset: "NEW", diagnostics: null }]).findings).toMatchObject([
      { evidence: 1 },
    ]);
  });

  it("puts the severe first and tests only what was judged", () => {
    const unknown: AssetHealth = { asset: "NEW", diagnostics: null };

    const health = calibrationHealthOf([unknown, assetOf("SAFE", 0), assetOf("WILD", 20)]);

    expect([health.tested, health.passing]).toEqual([2, 1]);
    expect(health.findings.map(({ asset, severity }) => [asset, severity])).toEqual([
      ["WILD", "critical"],
      ["NEW", "info"],
    ]);
  });
});

/** 200 days with as many moves beyond VaRs of 2 and 4 % on either side as there should be, and so many falls more. */
function assetOf(asset: string, extraFalls: number): AssetHealth {
  const changeOf = (day: number): number => {
    const size = [43, 53, 143, 153].includes(day) ? 0.041 : 0.021;
    if (day % 20 === 3) return -size;
    if (day % 20 === 13) return size;
    return day % 9 === 5 && day < 9 * extraFalls ? -0.041 : 0;
  };
  const rows = Array.from({ length: 200 }, (_, day) =>
    forecastRow({ timeMs: NOW_MS + (day - 201) * DAY_MS, outcome: returned(changeOf(day)) }),
  );
  const diagnostics = diagnose({
    ticker: tickerOf(asset),
    computedAtMs: NOW_MS,
    rows,
    multipliers: UNCORRECTED,
    quantileLosses: [],
  });
  return { asset, diagnostics };
}
