import { describe, expect, it } from "vitest";
import {
  aggregateStatus,
  type CalibrationStatus,
  calibrationStatus,
  confirmedCritical,
  type JudgedAsset,
  type SideEvidence,
  understatementPValue,
} from "../../../src/risk/backtest/calibration-status.ts";
import { judgeTail, type TailVerdict } from "../../../src/risk/backtest/tail-verdict.ts";
import { z2CriticalValue } from "../../../src/risk/backtest/z2-critical-value.ts";

// Mutants that these kill: the Z2 test with the wrong sign; too few counted as critical; hourly breaches judged without
// an effect; clustering judged without one; 30 % exclusive; untested assets counted among the many; the pooled rate judged
// without its interval; no factor for the number of tests; a line of the rule moved; other failures confirmed as critical.

const RIGHT = evidence({});

describe("calibrationStatus", () => {
  it("passes a model that is breached as often and as deeply as it said", () => {
    expect(calibrationStatus([evidence({}), evidence({})])).toBe("pass");
  });

  it("names the worst of both sides", () => {
    const tooMany = evidence({ day99: verdict(0.01, 500, everyNth(500, 20)) });
    const tooFew = evidence({ day95: verdict(0.05, 500, []) });

    expect(calibrationStatus([tooFew, tooMany])).toBe("too_many_breaches");
    expect(calibrationStatus([tooFew, evidence({})])).toBe("too_few_breaches");
  });

  it("sees breaches that come in clusters though their number is right", () => {
    const clustered = verdict(
      0.05,
      500,
      Array.from({ length: 25 }, (_, k) => 100 + k),
    );

    expect(calibrationStatus([evidence({ day95: clustered })])).toBe("clustered_breaches");

    const run = Array.from({ length: 40 }, (_, k) => 100 + k);
    expect(calibrationStatus([evidence({ hour99: verdict(0.01, 4_000, run) })])).toBe("clustered_breaches");
  });

  it("sees losses beyond the VaR that are larger than the shortfall, though their number is right", () => {
    const deep = verdict(0.01, 500, everyNth(500, 100), 2.5);

    expect(calibrationStatus([evidence({ day99: deep })])).toBe("es_understated");
  });

  it("judges hours by the size of the effect, days by chance alone", () => {
    const hours = 20_000;
    const slightlyMany = verdict(0.01, hours, everyNth(hours, 80)); // 1.25 %, p < 0.001
    const tooMany = verdict(0.01, hours, everyNth(hours, 60)); // 1.67 %

    expect(slightlyMany.kupiec.tooManyPValue).toBeLessThan(0.001);
    expect(calibrationStatus([evidence({ hour99: slightlyMany })])).toBe("pass");
    expect(calibrationStatus([evidence({ hour99: tooMany })])).toBe("too_many_breaches");
  });

  it("fails on evidence of a hundred to one that gathered in a month, of the VaR and of the shortfall", () => {
    const gathered = (name: "logEvidenceVar" | "logEvidenceShortfall", eValue: number) =>
      calibrationStatus([evidence({ day99: { ...evidence({}).day99, [name]: Math.log(eValue) } })]);

    expect(gathered("logEvidenceVar", 101)).toBe("too_many_breaches");
    expect(gathered("logEvidenceVar", 99)).toBe("pass");
    expect(gathered("logEvidenceShortfall", 101)).toBe("es_understated");
    expect(gathered("logEvidenceShortfall", 99)).toBe("pass");
  });

  it("calls breaches too many wherever the supervisor's light is red", () => {
    const red = { ...verdict(0.05, 500, everyNth(500, 20)), zone: "red" as const };

    expect(calibrationStatus([evidence({ day95: red })])).toBe("too_many_breaches");
  });

  it.each<[what: string, side: Partial<SideEvidence>, status: CalibrationStatus]>([
    ["99 days", { day99: { ...RIGHT.day99, observations: 99 } }, "insufficient_data"],
    ["100 days", { day99: { ...RIGHT.day99, observations: 100 } }, "pass"],
    ["999 hours beside 99 days", shortWith(999), "insufficient_data"],
    ["1,000 hours beside 99 days", shortWith(1_000), "pass"],
    ["days as bad by one chance in 199", { day95: tooManyAt(RIGHT.day95, 1 / 199) }, "pass"],
    ["days as bad by one chance in 201", { day95: tooManyAt(RIGHT.day95, 1 / 201) }, "too_many_breaches"],
    ["days as calm by one chance in 199", { day95: tooFewAt(RIGHT.day95, 1 / 199) }, "pass"],
    ["days as calm by one chance in 201", { day95: tooFewAt(RIGHT.day95, 1 / 201) }, "too_few_breaches"],
    ["1.30 % of the hours", { hour99: tooManyAt(hoursOf(10_000, 130), 1e-9) }, "pass"],
    ["1.31 % of the hours", { hour99: tooManyAt(hoursOf(10_000, 131), 1e-9) }, "too_many_breaches"],
    ["hours as bad by one chance in 999", { hour99: tooManyAt(hoursOf(10_000, 131), 1 / 999) }, "pass"],
    [
      "hours as bad by one in 1,001",
      { hour99: tooManyAt(hoursOf(10_000, 131), 1 / 1_001) },
      "too_many_breaches",
    ],
    ["days 2.9 times as bad after a breach", { day95: clusteredAt(RIGHT.day95, 2.9, 1e-9) }, "pass"],
    ["days 3.1 times as bad", { day95: clusteredAt(RIGHT.day95, 3.1, 1e-9) }, "clustered_breaches"],
    ["such days by one chance in 199", { day95: clusteredAt(RIGHT.day95, 3.1, 1 / 199) }, "pass"],
    ["such hours by one in 201", { hour99: clusteredAt(hoursOf(10_000, 100), 3.1, 1 / 201) }, "pass"],
  ])("draws its lines as published: %s", (_what, side, status) => {
    expect(calibrationStatus([{ ...RIGHT, ...side }])).toBe(status);
  });

  it("says nothing of a short record", () => {
    const short = { day95: verdict(0.05, 60, [3, 30]), day99: verdict(0.01, 60, [1, 2, 3, 4]) };

    expect(calibrationStatus([evidence(short)])).toBe("insufficient_data");
  });
});

describe("understatementPValue", () => {
  it("is the best test's, times the tests it is the best of", () => {
    const tooMany = evidence({ day99: verdict(0.01, 500, everyNth(500, 20)) });

    const p = understatementPValue([tooMany, evidence({})]);

    expect(p).toBeCloseTo(12 * tooMany.day99.kupiec.tooManyPValue, 15);
    expect(understatementPValue([])).toBe(1);
    expect(understatementPValue([evidence({ day99: verdict(0.01, 500, []) })])).toBe(1);
  });

  it("takes hours only where their effect matters, and an e-value of c as 1/c", () => {
    const hours = verdict(0.01, 20_000, everyNth(20_000, 80));
    const proven = { ...verdict(0.01, 500, everyNth(500, 100)), logEvidenceVar: Math.log(6_000) };

    expect(understatementPValue([evidence({ hour99: hours })])).toBe(understatementPValue([evidence({})]));
    expect(understatementPValue([evidence({ day99: proven })])).toBeCloseTo(6 / 6_000, 12);
  });
});

describe("aggregateStatus", () => {
  const asset = (status: CalibrationStatus, understatementPValue = 1): JudgedAsset => ({
    status,
    understatementPValue,
  });
  const pass = new Array<JudgedAsset>(7).fill(asset("pass"));
  const critical = asset("too_many_breaches", 1e-4);
  const unknown = asset("insufficient_data");

  it("is degraded by any critical asset and miscalibrated from 30 % of those tested", () => {
    expect(aggregateStatus([], null)).toBe("insufficient_data");
    expect(aggregateStatus([...pass.slice(3), unknown], null)).toBe("insufficient_data");
    expect(aggregateStatus([...pass.slice(2), unknown], null)).toBe("healthy");
    expect(aggregateStatus([...pass, asset("too_few_breaches"), asset("clustered_breaches")], null)).toBe(
      "healthy",
    );
    expect(aggregateStatus([...pass, asset("es_understated", 1e-3)], null)).toBe("degraded");
    expect(aggregateStatus([...pass, critical, critical], null)).toBe("degraded");
    expect(aggregateStatus([...pass, critical, critical, critical, unknown], null)).toBe("miscalibrated");
  });

  it("counts no failure that chance brings about among so many", () => {
    const many = new Array<JudgedAsset>(199).fill(asset("pass"));
    const lucky = asset("too_many_breaches", 0.02);

    expect(confirmedCritical([...many, lucky])).toEqual(new Array(200).fill(false));
    expect(aggregateStatus([...many, lucky], null)).toBe("healthy");
    expect(aggregateStatus([...many, asset("too_many_breaches", 4e-4)], null)).toBe("degraded");
    // What is surely something else than an understatement is not critical.
    expect(confirmedCritical([...many, asset("clustered_breaches", 1e-6)]).at(-1)).toBe(false);
    // What was not tested is not one of so many.
    expect(confirmedCritical([...new Array<JudgedAsset>(199).fill(unknown), lucky]).at(-1)).toBe(true);
  });

  it.each([
    [0.0124, 0.0105, 0.0145, "healthy"],
    [0.0126, 0.0105, 0.015, "degraded"],
    [0.0126, 0.0099, 0.015, "healthy"],
    [0.0151, 0.0105, 0.02, "miscalibrated"],
    [0.0081, 0.006, 0.0095, "healthy"],
    [0.0079, 0.006, 0.0095, "degraded"],
    [0.0069, 0.005, 0.0095, "miscalibrated"],
  ])("calls a pooled rate of %d between %d and %d %s", (rate, low, high, status) => {
    const pooled = { dates: 180, observations: 36_000, rate, interval: { low, high } };

    expect(aggregateStatus(pass, pooled)).toBe(status);
  });
});

function evidence(over: Partial<SideEvidence>): SideEvidence {
  return {
    day95: verdict(0.05, 500, everyNth(500, 20)),
    day99: verdict(0.01, 500, everyNth(500, 100)),
    hour99: null,
    day99Z2Critical: z2CriticalValue(500, 0.01, 0.01),
    day99Z2PValue: 0.5,
    ...over,
  };
}

function shortWith(hours: number): Partial<SideEvidence> {
  const [day95, day99] = [RIGHT.day95, RIGHT.day99].map((day) => ({ ...day, observations: 99 }));
  return { day95: day95!, day99: day99!, hour99: hoursOf(hours, hours / 100) };
}

function hoursOf(observations: number, breaches: number): TailVerdict {
  return { ...RIGHT.day99, observations, breaches };
}

function tooManyAt(of: TailVerdict, tooManyPValue: number): TailVerdict {
  return { ...of, kupiec: { ...of.kupiec, tooManyPValue } };
}

function tooFewAt(of: TailVerdict, tooFewPValue: number): TailVerdict {
  return { ...of, kupiec: { ...of.kupiec, tooFewPValue } };
}

function clusteredAt(of: TailVerdict, ratio: number, independencePValue: number): TailVerdict {
  const rates = { breachAfterBreach: 0.05 * ratio, breachAfterCalm: 0.05 };
  return { ...of, christoffersen: { ...of.christoffersen, ...rates, independencePValue } };
}

/** VaR 1 and ES 1.2; each breach loses `depth`, the other periods nothing. */
function verdict(
  tailProbability: number,
  length: number,
  breaches: readonly number[],
  depth = 1.2,
): TailVerdict {
  const loss = new Float64Array(length);
  for (const at of breaches) loss[at] = depth;
  return judgeTail({
    tailProbability,
    loss,
    valueAtRisk: new Float64Array(length).fill(1),
    expectedShortfall: new Float64Array(length).fill(1.2),
  });
}

function everyNth(length: number, n: number): readonly number[] {
  return Array.from({ length: Math.floor(length / n) }, (_, k) => (k + 1) * n - 1);
}
