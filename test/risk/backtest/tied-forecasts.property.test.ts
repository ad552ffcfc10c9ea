import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitPlatt } from "../../../src/risk/backtest/platt.ts";
import { tiedForecasts, TiedOutcomeCounter } from "../../../src/risk/backtest/tied-forecasts.ts";

const forecasts = fc
  .array(fc.tuple(fc.constantFrom(0.0005, 0.013, 0.1, 0.25, 0.5, 0.99), fc.integer({ min: 0, max: 1 })), {
    minLength: 2,
    maxLength: 60,
    size: "max",
  })
  .map((rows) => ({
    probabilities: Float64Array.from(rows, ([p]) => p),
    outcomes: Uint8Array.from(rows, ([, outcome]) => outcome),
  }));

// Mutants that these tests caught: counting begun anew; an outcome counted twice; values that no forecast had so far
// kept; counts left out of the likelihood, its gradient or its curvature.
describe("outcomes counted by what was forecast", () => {
  it("are those of each value among the first forecasts, however often it is asked", () => {
    fc.assert(
      fc.property(
        forecasts,
        fc.array(fc.nat({ max: 60 }), { maxLength: 5 }),
        ({ probabilities, outcomes }, ends) => {
          const counter = new TiedOutcomeCounter(tiedForecasts(probabilities), outcomes);
          for (const end of ends.map((one) => Math.min(one, outcomes.length)).sort((a, b) => a - b)) {
            const first = Array.from(probabilities.subarray(0, end));
            const values = [...new Set(first)].sort((a, b) => a - b);
            const { values: made, counts, events } = counter.upTo(end);

            expect(Array.from(made)).toEqual(values);
            expect(Array.from(counts)).toEqual(values.map((p) => first.filter((one) => one === p).length));
            expect(Array.from(events)).toEqual(
              values.map((p) => first.filter((one, i) => one === p && outcomes[i] === 1).length),
            );
          }
        },
      ),
    );
  });

  it("give the Platt map that they give one by one", () => {
    fc.assert(
      fc.property(
        forecasts,
        fc.double({ min: 0.5, max: 20, noNaN: true }),
        ({ probabilities, outcomes }, weight) => {
          const { values, events, counts } = new TiedOutcomeCounter(
            tiedForecasts(probabilities),
            outcomes,
          ).upTo(outcomes.length);
          const tied = fitPlatt(values, events, counts, weight);
          const single = fitPlatt(probabilities, outcomes, null, weight);

          expect(tied.intercept).toBeCloseTo(single.intercept, 6);
          expect(tied.slope).toBeCloseTo(single.slope, 6);
        },
      ),
    );
  });
});
