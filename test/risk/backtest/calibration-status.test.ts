import { describe, expect, it } from "vitest";
import {
  aggregateStatus,
  calibrationStatus,
  type SideEvidence,
} from "../../../src/risk/backtest/calibration-status.ts";
import { judgeTail, type TailVerdict } from "../../../src/risk/backtest/tail-verdict.ts";
import { z2CriticalValue } from "../../../src/risk/backtest/z2-critical-value.ts";

// Mutants that these kill: the Z2 test with the wrong sign; too few counted as critical; hourly breaches judged without
// an effect; clustering judged without one; 30 % exclusive.

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

  it("says nothing of a short record", () => {
    const short = { day95: verdict(0.05, 60, [3, 30]), day99: verdict(0.01, 60, [1, 2, 3, 4]) };

    expect(calibrationStatus([evidence(short)])).toBe("insufficient_data");
  });
});

describe("aggregateStatus", () => {
  it("is degraded by any critical asset and miscalibrated from 30 % of those tested", () => {
    const pass = new Array<"pass">(7).fill("pass");

    expect(aggregateStatus([])).toBe("insufficient_data");
    expect(aggregateStatus(["insufficient_data"])).toBe("insufficient_data");
    expect(aggregateStatus([...pass, "too_few_breaches", "clustered_breaches"])).toBe("healthy");
    expect(aggregateStatus([...pass, "es_understated"])).toBe("degraded");
    expect(aggregateStatus([...pass, "too_many_breaches", "es_understated"])).toBe("degraded");
    expect(
      aggregateStatus([
        ...pass,
        "too_many_breaches",
        "too_many_breaches",
        "es_understated",
        "insufficient_data",
      ]),
    ).toBe("miscalibrated");
  });
});

function evidence(over: Partial<SideEvidence>): SideEvidence {
  return {
    day95: verdict(0.05, 500, everyNth(500, 20)),
    day99: verdict(0.01, 500, everyNth(500, 100)),
    hour99: null,
    day99Z2Critical: z2CriticalValue(500, 0.01, 0.01),
    ...over,
  };
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
