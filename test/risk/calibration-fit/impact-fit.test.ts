import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import { fitImpactCoefficient } from "../../../src/risk/calibration-fit/impact-fit.ts";

// Mutants seen to fail: sigma of a step for that of the window, unsigned flow, the answer read from after the order,
// adopted without days of orders.

const random = createRandom(7);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(random.uniform())) * Math.cos(2 * Math.PI * random.uniform());

describe("fitImpactCoefficient", () => {
  it("finds the slope that the price was moved with, and does not adopt what minutes cannot show", () => {
    const coefficient = 0.8;
    const stepMs = 60_000;
    const steps = 400;
    const orders = Array.from({ length: steps }, () => normal());
    const volume = orders.reduce((sum, size) => sum + Math.abs(size), 0);
    // The price moves by coefficient × sign √(|Q|/V) in units of a sigma that is then what the window shows.
    const moves = orders.map((size) => Math.sign(size) * Math.sqrt(Math.abs(size) / volume));
    const noise = orders.map(() => normal());
    const impactPart = moves.reduce((sum, move) => sum + (coefficient * move) ** 2, 0);
    const noiseScale = Math.sqrt((1 - impactPart) / noise.reduce((sum, value) => sum + value * value, 0));
    const sigma = 0.02;
    let log = 0;
    const mids = [{ timeMs: 0, midPrice: 1 }];
    const trades = orders.map((size, i) => {
      log += sigma * (coefficient * moves[i]! + noiseScale * noise[i]!);
      mids.push({ timeMs: (i + 1) * stepMs, midPrice: Math.exp(log) });
      return {
        timeMs: i * stepMs + 1000,
        notionalUsd: 1e6 * Math.abs(size),
        direction: size > 0 ? (1 as const) : (-1 as const),
      };
    });

    const { fitted, standardError, isAdopted, evidence } = fitImpactCoefficient([
      { asset: "A", trades, mids },
    ]);
    const answers = evidence["answerTo1OrderAfterSecondsSlopes"] as number[];

    expect(Math.abs(fitted - coefficient)).toBeLessThan(4 * standardError!);
    expect(standardError).toBeLessThan(0.2);
    // The price answers at the end of the minute: nothing after ten seconds, all of it after sixty.
    expect(answers[1]).toBe(0);
    expect(answers[2]).toBeCloseTo(fitted, 2);
    expect(isAdopted).toBe(false);
    expect(evidence["orders"]).toBe(steps);
  });
});
