import { describe, expect, it } from "vitest";
import { breachDurationTest } from "../../../src/risk/backtest/breach-durations.ts";
import { christoffersenTest } from "../../../src/risk/backtest/christoffersen.ts";
import { dynamicQuantileTest } from "../../../src/risk/backtest/dynamic-quantile.ts";
import { eProcessesOf } from "../../../src/risk/backtest/e-process.ts";
import { mcNeilFreyTest, shortfallZ2 } from "../../../src/risk/backtest/es-tests.ts";
import { fzLoss, tickLoss } from "../../../src/risk/backtest/fz-loss.ts";
import { kupiecTest } from "../../../src/risk/backtest/kupiec.ts";
import { breachCount, breachesOf, type TailRecord } from "../../../src/risk/backtest/tail-record.ts";
import { trafficLight } from "../../../src/risk/backtest/traffic-light.ts";
import { z2CriticalValue, z2Distribution } from "../../../src/risk/backtest/z2-critical-value.ts";
import { hasVectors } from "../../support/shared-data.ts";
import { loadColumn, type VectorCase, forEachVector, vectorMismatches } from "../../support/vectors.ts";

describe.skipIf(!hasVectors)("coverage tests against R", () => {
  forEachVector("coverage_tests", (vector) => {
    const { n, hit_index_0based, p } = vector.input as { n: number; hit_index_0based: number[]; p: number };
    const breaches = new Uint8Array(n);
    for (const at of hit_index_0based) breaches[at] = 1;

    expect(vectorMismatches(vector, coverageFields(breaches, p))).toEqual([]);
  });

  forEachVector("traffic_light", (vector) => {
    const { n, p, x } = vector.input as { n: number; p: number; x: number[] };
    const lights = x.map((breaches) => trafficLight(breaches, n, p));

    expect(
      vectorMismatches(vector, {
        cum_prob: lights.map((light) => light.cumulativeProbability),
        zone: lights.map((light) => light.zone),
      }),
    ).toEqual([]);
  });

  forEachVector("full_backtest", (vector) => {
    const { record, sigma, betFraction } = recordOf(vector);
    const { tailProbability: p } = record;
    const n = record.loss.length;
    const breaches = breachesOf(record);
    const lossOf = (one: typeof fzLoss): number =>
      record.loss.reduce((sum, loss, t) => {
        return sum + one(loss, record.valueAtRisk[t]!, record.expectedShortfall[t]!, p) / n;
      }, 0);
    const { valueAtRisk, expectedShortfall } = eProcessesOf(record, betFraction, null);
    const quantile = dynamicQuantileTest(record);
    const duration = breachDurationTest(breaches);
    const mcNeilFrey = mcNeilFreyTest(record);

    expect(
      vectorMismatches(vector, {
        ...coverageFields(breaches, p),
        fz0_mean: lossOf(fzLoss),
        tick_mean: lossOf((loss, threshold) => tickLoss(loss, threshold, p)),
        // The severity alone: Z2 without the frequency.
        z1: 1 - ((1 - shortfallZ2(record)) * n * p) / breachCount(breaches),
        z2: shortfallZ2(record),
        mcneil_frey_t: mcNeilFrey?.statistic,
        mcneil_frey_p: mcNeilFrey?.pValue,
        mcneil_frey_scaled_t: mcNeilFreyTest(record, sigma)?.statistic,
        dq: quantile?.statistic,
        dq_p: quantile?.pValue,
        duration_b: duration?.shape,
        duration_lr: duration?.likelihoodRatio,
        duration_p: duration?.pValue,
        e_var_final: Math.exp(valueAtRisk.logCapital),
        e_var_max: Math.exp(valueAtRisk.logCapitalMax),
        e_es_final: Math.exp(expectedShortfall.logCapital),
        e_es_max: Math.exp(expectedShortfall.logCapitalMax),
      }),
    ).toEqual([]);
  });

  forEachVector("z2_critical", (vector) => {
    const table = vector.expected["table"] as { nu: number; p: number; n: number }[];

    expect(
      vectorMismatches(vector, {
        table: table.map(({ nu, p, n }) => ({
          nu,
          p,
          n,
          crit_5pct: z2CriticalValue(n, p, 0.05, nu),
          crit_1pct: z2CriticalValue(n, p, 0.01, nu),
        })),
      }),
    ).toEqual([]);
  });
});

describe("z2Distribution", () => {
  it.each([
    [180, 0.01],
    [1000, 0.05],
    [30_000, 0.01],
  ])("knows the probability of what it calls critical, %i observations at %d", (observations, p) => {
    const { lowerTail, criticalValue } = z2Distribution(observations, p);

    for (const significance of [0.0001, 0.01, 0.2])
      expect(lowerTail(criticalValue(significance))).toBeCloseTo(significance, 10);
    expect(lowerTail(1)).toBe(1);
    expect(lowerTail(-1e6)).toBeCloseTo(0, 10);
    expect(lowerTail(-1)).toBeLessThan(lowerTail(-0.5));
  });

  it.each([250, 20_000])("has mean 0 where the model is right, of %i observations", (observations) => {
    const { lowerTail } = z2Distribution(observations, 0.05);
    const lowest = -3 - 12 / Math.sqrt(observations * 0.05);
    const steps = 20_000;
    const width = (1 - lowest) / steps;
    let below = 0;
    for (let i = 0; i < steps; i++) below += lowerTail(lowest + (i + 0.5) * width) * width;

    expect(1 - below).toBeCloseTo(0, 4);
  });
});

describe("z2CriticalValue", () => {
  it("is about −0.7 for 2.5 % and 250 observations, the only setting the quoted −0.70 holds for", () => {
    expect(z2CriticalValue(250, 0.025, 0.05, 10)).toBeCloseTo(-0.7, 1);
    expect(z2CriticalValue(1000, 0.01, 0.05, 10)).toBeGreaterThan(-0.6);
  });
});

describe("kupiecTest", () => {
  it("accepts 1 to 6 breaches of 250 at 1 %: a record that short proves little", () => {
    const accepted = Array.from({ length: 12 }, (_, x) => x).filter(
      (x) => kupiecTest(x, 250, 0.01).pValue >= 0.05,
    );

    expect(accepted).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("breachDurationTest", () => {
  it("needs two breaches", () => {
    expect(breachDurationTest(Uint8Array.of(0, 0, 1, 0))).toBeNull();
  });

  it("finds no memory in breaches drawn without memory, and clusters in clusters", () => {
    const clusters = new Uint8Array(1000);
    for (const start of [100, 350, 360, 700]) clusters.fill(1, start, start + 5);
    const clustered = breachDurationTest(clusters)!;

    expect(clustered.shape).toBeLessThan(0.7);
    expect(clustered.pValue).toBeLessThan(0.001);
  });
});

function coverageFields(breaches: Uint8Array, p: number): Record<string, unknown> {
  const n = breaches.length;
  const hits = breachCount(breaches);
  const kupiec = kupiecTest(hits, n, p);
  const christoffersen = christoffersenTest(breaches, p);
  const light = trafficLight(hits, n, p);
  return {
    n,
    hits,
    rate: hits / n,
    lr_pof: kupiec.likelihoodRatio,
    p_pof: kupiec.pValue,
    ...christoffersen.transitions,
    lr_ind: christoffersen.independenceRatio,
    p_ind: christoffersen.independencePValue,
    lr_cc: christoffersen.conditionalCoverageRatio,
    p_cc: christoffersen.conditionalCoveragePValue,
    cum_prob: light.cumulativeProbability,
    zone: light.zone,
    binom_upper_p: kupiec.tooManyPValue,
  };
}

function recordOf(vector: VectorCase): { record: TailRecord; sigma: Float64Array; betFraction: number } {
  const { csv, p, e_process_lambda } = vector.input as { csv: string; p: number; e_process_lambda: number };
  return {
    record: {
      tailProbability: p,
      loss: loadColumn(csv, "y").map((y) => -y),
      valueAtRisk: loadColumn(csv, "q").map((q) => -q),
      expectedShortfall: loadColumn(csv, "e").map((e) => -e),
    },
    sigma: loadColumn(csv, "sigma"),
    betFraction: e_process_lambda,
  };
}
