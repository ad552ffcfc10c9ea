import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ForecastColumns } from "../../../src/risk/backtest/outcome-columns.ts";
import { fitRecalibration } from "../../../src/risk/backtest/recalibration-map.ts";
import { recalibrate } from "../../../src/risk/backtest/recalibration.ts";
import {
  tiedForecasts,
  TiedOutcomeCounter,
  type TiedOutcomes,
} from "../../../src/risk/backtest/tied-forecasts.ts";

/** Forecasts on a fixed spread, and events that truly have probability `truth(p)`: low-discrepancy, so no luck. */
function simulated(count: number, truth: (p: number) => number): ForecastColumns {
  const probabilities = Float64Array.from(
    { length: count },
    (_, i) => 0.01 + 0.6 * ((i * 0.618033988749895) % 1),
  );
  const outcomes = Uint8Array.from(probabilities, (p, i) =>
    Number((i * 0.7548776662466927 + 0.3) % 1 < truth(p)),
  );
  return { probabilities, outcomes };
}

/** 500 outcomes, of which the first so many are events. */
const withEvents = (events: number): ForecastColumns => ({
  ...simulated(500, () => 0),
  outcomes: Uint8Array.from({ length: 500 }, (_, i) => Number(i < events)),
});

const tied = ({ probabilities, outcomes }: ForecastColumns): TiedOutcomes =>
  new TiedOutcomeCounter(tiedForecasts(probabilities), outcomes).upTo(outcomes.length);

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
const logit = (p: number): number => Math.log(p / (1 - p));
/** Forecasts that are too extreme and too low. */
const flattened = (p: number): number => logistic(0.5 + 0.5 * logit(p));
/** A shape that no straight line in log-odds can take. */
const stepped = (p: number): number => (p < 0.3 ? 0.05 : 0.7);

// Mutants that these tests caught: fit on the outcomes to be forecast; identity taken as soon as 200 are there; slope
// not held; equal forecasts split over two blocks; blocks of one; the worse of two; the choice by each method's own sample
// instead of the shared one; the rest behind the last block left out; a prior of another weight.
describe("recalibrate", () => {
  it("leaves the published probability alone before 200 outcomes with 30 of each kind", () => {
    for (const forecasts of [
      simulated(0, flattened),
      simulated(199, flattened),
      simulated(1_500, () => 0.015),
      simulated(1_500, () => 0.985),
      withEvents(29),
    ]) {
      expect(recalibrate(forecasts)).toMatchObject({ method: "identity", evidence: [] });
    }
    expect(recalibrate(withEvents(30)).evidence).toHaveLength(1);
  });

  it("leaves a well calibrated probability alone, and shows why", () => {
    const result = recalibrate(simulated(1_900, (p) => p));

    expect(result.method).toBe("identity");
    expect(result.map(0.123)).toBe(0.123);
    expect(result.evidence.map(({ method }) => method)).toEqual(["platt"]);
  });

  it("takes no map for a gain that its own error could explain", () => {
    let within = 0;
    for (let bend = 0; bend < 0.4; bend += 0.02) {
      const { method, evidence } = recalibrate(simulated(600, (p) => logistic(bend + (1 - bend) * logit(p))));
      const [platt] = evidence;
      const gain = platt!.publishedLogLoss - platt!.recalibratedLogLoss;

      expect(method).toBe(gain > platt!.standardError ? "platt" : "identity");
      if (gain > 0 && gain < platt!.standardError) within++;
    }
    expect(within).toBeGreaterThan(0);
  });

  it("finds a straight distortion of the log-odds, out of sample", () => {
    const result = recalibrate(simulated(1_900, flattened));

    expect(result.method).toBe("platt");
    const [evidence] = result.evidence;
    expect(evidence!.observations).toBeGreaterThan(1_600);
    expect(evidence!.publishedLogLoss - evidence!.recalibratedLogLoss).toBeGreaterThan(
      evidence!.standardError,
    );
    for (const p of [0.02, 0.1, 0.3, 0.5]) expect(Math.abs(result.map(p) - flattened(p))).toBeLessThan(0.05);
  });

  it("takes isotonic where no straight line fits, from 2,000 outcomes on", () => {
    expect(recalibrate(simulated(1_990, stepped)).method).toBe("platt");
    const result = recalibrate(simulated(6_000, stepped));

    expect(result.method).toBe("isotonic");
    expect(result.map(0.1)).toBeCloseTo(0.05, 1);
    expect(result.map(0.5)).toBeCloseTo(0.7, 1);
  });

  it("takes of two methods the one that did better on the outcomes that both have forecast", () => {
    // 2,000 outcomes that only a straight line has forecast, and well; then 2,500 that need a step.
    const straight = simulated(2_000, (p) => logistic(2 + logit(p)));
    const bent = simulated(2_500, (p) => (p < 0.3 ? 0.02 : 0.97));
    const result = recalibrate({
      probabilities: Float64Array.of(...straight.probabilities, ...bent.probabilities),
      outcomes: Uint8Array.of(...straight.outcomes, ...bent.outcomes),
    });

    const totals = result.evidence.map(
      ({ observations, publishedLogLoss, recalibratedLogLoss }) =>
        observations * (publishedLogLoss - recalibratedLogLoss),
    );
    expect(result.evidence.map(({ method }) => method)).toEqual(["platt", "isotonic"]);
    expect(totals[0]).toBeGreaterThan(totals[1]!);
    expect(result.method).toBe("isotonic");
  });

  it("forecasts each outcome by a fit on those before it, renewed at every tenth more", () => {
    const { probabilities, outcomes } = simulated(400, flattened);
    const losses = { published: 0, recalibrated: 0 };
    const gains: number[] = [];
    const sizes = [200, 220, 242, 267, 294, 324, 357, 393, 400];
    for (const [fit, size] of sizes.slice(0, -1).entries()) {
      const before = { probabilities: probabilities.slice(0, size), outcomes: outcomes.slice(0, size) };
      const map = fitRecalibration("platt", tied(before));
      for (let i = size; i < sizes[fit + 1]!; i += 1) {
        const loss = (p: number): number => -Math.log(outcomes[i] === 1 ? p : 1 - p) / 200;
        losses.published += loss(probabilities[i]!);
        losses.recalibrated += loss(map(probabilities[i]!));
        gains.push(200 * (loss(probabilities[i]!) - loss(map(probabilities[i]!))));
      }
    }

    const [evidence] = recalibrate({ probabilities, outcomes }).evidence;

    expect(evidence).toMatchObject({ method: "platt", observations: 200 });
    expect(evidence!.publishedLogLoss).toBeCloseTo(losses.published, 12);
    expect(evidence!.recalibratedLogLoss).toBeCloseTo(losses.recalibrated, 12);
    // Of the mean of 200: the sum of squares of all pairs' differences is 2 n times that about the mean.
    const squares = gains
      .flatMap((a) => gains.map((b) => (a - b) ** 2))
      .reduce((sum, value) => sum + value, 0);
    expect(evidence!.standardError).toBeCloseTo(Math.sqrt(squares / (2 * 200) / 199 / 200), 12);
  });
});

describe.each(["platt", "isotonic"] as const)("a %s map", (method) => {
  const forecasts = fc
    .array(
      fc.tuple(
        fc.constantFrom(0.0005, 0.01, 0.02, 0.1, 0.25, 0.5, 0.9, 0.99),
        fc.integer({ min: 0, max: 1 }),
      ),
      {
        minLength: 1,
        maxLength: 120,
        size: "max",
      },
    )
    .map((drawn): ForecastColumns => {
      const rows = [
        ...drawn,
        [0.3, 0] as const,
        [0.3, 1] as const,
        ...Array.from({ length: 25 }, () => [0.2, 0] as const),
      ];
      return {
        probabilities: Float64Array.from(rows, ([p]) => p),
        outcomes: Uint8Array.from(rows, ([, outcome]) => outcome),
      };
    });

  it("never decreases and stays inside (0, 1)", () => {
    fc.assert(
      fc.property(forecasts, (drawn) => {
        const map = fitRecalibration(method, tied(drawn));
        let last = 0;
        for (let p = 0.0005; p < 0.995; p += 0.0101) {
          const value = map(p);
          expect(value).toBeGreaterThan(0);
          expect(value).toBeLessThan(1);
          expect(value).toBeGreaterThanOrEqual(last);
          last = value;
        }
      }),
      { numRuns: 50 },
    );
  });

  it("gives forecasts the mean of what happened, within what holds it back", () => {
    const drawn = simulated(3_000, flattened);
    const map = fitRecalibration(method, tied(drawn));
    const mean = (values: ArrayLike<number>): number =>
      Array.from(values).reduce((a, b) => a + b, 0) / values.length;

    expect(mean(drawn.probabilities.map(map))).toBeCloseTo(mean(drawn.outcomes), 2);
  });
});

describe("a platt map", () => {
  it("keeps its slope inside [0.2, 5], and the mean right when it had to", () => {
    const reversed = simulated(2_000, (p) => 0.7 - p);
    const map = fitRecalibration("platt", tied(reversed));

    expect((logit(map(0.5)) - logit(map(0.1))) / (logit(0.5) - logit(0.1))).toBeCloseTo(0.2, 6);
    const mean = (values: ArrayLike<number>): number =>
      Array.from(values).reduce((a, b) => a + b, 0) / values.length;
    expect(mean(reversed.probabilities.map(map))).toBeCloseTo(mean(reversed.outcomes), 9);
  });

  it("learns from the others beside forecasts of 0 and 1", () => {
    const { probabilities, outcomes } = simulated(2_000, flattened);
    const map = fitRecalibration(
      "platt",
      tied({
        probabilities: Float64Array.of(...probabilities, 0, 1),
        outcomes: Uint8Array.of(...outcomes, 0, 1),
      }),
    );

    for (const p of [0.02, 0.1, 0.3, 0.5]) expect(Math.abs(map(p) - flattened(p))).toBeLessThan(0.05);
  });

  it("is no steeper than 5, however sharply the outcomes part", () => {
    const parted = simulated(2_000, (p) => Number(p > 0.3));
    const map = fitRecalibration("platt", tied(parted));

    expect((logit(map(0.35)) - logit(map(0.25))) / (logit(0.35) - logit(0.25))).toBeCloseTo(5, 6);
  });

  it("is held at the identity as by four observations of a fair coin", () => {
    const drawn = simulated(60, flattened);
    const map = fitRecalibration("platt", tied(drawn));
    const intercept = logit(map(0.5));
    const excess = drawn.probabilities.reduce((sum, p, i) => sum + map(p) - drawn.outcomes[i]!, 0);

    // Where the penalised likelihood is largest: more is forecast than happened, by what the intercept pulls.
    expect(Math.abs(intercept)).toBeGreaterThan(0.1);
    expect(excess).toBeCloseTo(-intercept, 6);
  });
});

describe("an isotonic map", () => {
  const columns = (
    ...groups: readonly (readonly [p: number, misses: number, events: number])[]
  ): TiedOutcomes => {
    const rows = groups.flatMap(([p, misses, events]) => [
      ...Array.from({ length: misses }, () => [p, 0] as const),
      ...Array.from({ length: events }, () => [p, 1] as const),
    ]);
    return tied({
      probabilities: Float64Array.from(rows, ([p]) => p),
      outcomes: Uint8Array.from(rows, ([, outcome]) => outcome),
    });
  };

  it("makes no step of fewer than 25 outcomes", () => {
    const map = fitRecalibration("isotonic", columns([0.1, 24, 0], [0.2, 15, 15], [0.5, 10, 20]));

    expect(map(0.1)).toBeCloseTo(15 / 54, 12);
    expect(map(0.5)).toBeCloseTo(20 / 30, 12);
  });

  it("counts fewer than 25 outcomes that are left at the end to the last step", () => {
    const map = fitRecalibration("isotonic", columns([0.1, 40, 10], [0.4, 12, 18], [0.9, 2, 8]));

    expect(map(0.1)).toBeCloseTo(10 / 50, 12);
    expect(map(0.9)).toBeCloseTo(26 / 40, 12);
    // The step stands at the mean of its forecasts.
    expect(map((30 * 0.4 + 10 * 0.9) / 40)).toBeCloseTo(26 / 40, 12);
    expect(map(0.52)).toBeLessThan(26 / 40);
  });

  it("calls nothing impossible or certain of which a block of outcomes saw nothing else", () => {
    const map = fitRecalibration("isotonic", columns([0.1, 200, 0], [0.5, 0, 200]));

    expect(map(0.1)).toBeGreaterThanOrEqual(0.0005);
    expect(map(0.5)).toBeLessThanOrEqual(0.99);
  });

  it("gives equal forecasts one answer, whatever their order", () => {
    const map = fitRecalibration("isotonic", columns([0.1, 25, 15], [0.3, 10, 15]));

    expect([map(0.1), map(0.3)]).toEqual([15 / 40, 15 / 25]);
    expect(map(0.2)).toBeCloseTo((15 / 40 + 15 / 25) / 2, 12);
  });
});
