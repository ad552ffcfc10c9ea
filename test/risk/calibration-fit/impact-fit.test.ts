import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/math/random.ts";
import {
  fitImpactCoefficient,
  type ImpactWindow,
  type RecordedMid,
  type RecordedTrade,
} from "../../../src/risk/calibration-fit/impact-fit.ts";

// Mutants seen to fail: sigma of a step for that of the window, unsigned flow, the answer read from after the order,
// adopted without days of orders; any window or step longer or shorter; trades outside the books counted; the trades of
// one instant taken for several orders; the exponent of the law's own root; each point a cluster; adopted for less than
// two errors, or outside the published range.

const random = createRandom(1);

describe("fitImpactCoefficient", () => {
  it("finds the slope that the price was moved with, and does not adopt what minutes cannot show", () => {
    const coefficient = 0.8;
    const stepMs = 60_000;
    const steps = 400;
    const orders = Array.from({ length: steps }, () => random.normal());
    const volume = orders.reduce((sum, size) => sum + Math.abs(size), 0);
    // The price moves by coefficient × sign √(|Q|/V) in units of a sigma that is then what the window shows.
    const moves = orders.map((size) => Math.sign(size) * Math.sqrt(Math.abs(size) / volume));
    const noise = orders.map(() => random.normal());
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
    // The price answers at the end of the minute: nothing after ten seconds, all of it after sixty, but for the last order's.
    expect(answers[1]).toBe(0);
    expect(Math.abs(answers[2]! - fitted)).toBeLessThan(standardError! / 4);
    expect(isAdopted).toBe(false);
    expect(evidence["orders"]).toBe(steps);
  });

  it("reads answers and flows at their own times, of the orders that the books cover", () => {
    const { fitted, standardError, data, evidence } = fitImpactCoefficient([lawful(180_000, 1, 0)]);

    expect(evidence).toMatchObject({
      answerTo1OrderAfterSeconds: [1, 10, 60],
      netFlowOverSeconds: [10, 60, 180],
      orders: ORDERS_USD.length,
    });
    for (const name of ["answerTo1OrderAfterSeconds", "netFlowOverSeconds"]) {
      for (const slope of evidence[`${name}Slopes`] as number[]) expect(slope).toBeCloseTo(1, 9);
      for (const error of evidence[`${name}StandardErrors`] as number[]) expect(error).toBeLessThan(1e-9);
    }
    expect(fitted).toBeCloseTo(1, 9);
    expect(standardError).toBeLessThan(1e-9);
    expect(data).toBe("trades and books of A, 183 minutes each");
    expect(evidence["exponentOfOrderSize"]).toBeCloseTo(0.5, 9);
  });

  it("takes what happens within a minute, of one asset or of several, for one observation", () => {
    const window = lawful(180_000, 0.8, 0.2);
    const alone = fitImpactCoefficient([window]);
    const twice = fitImpactCoefficient([window, { ...window, asset: "B" }]);
    expect(alone.standardError).toBeGreaterThan(0.01);
    expect(twice.standardError).toBeCloseTo(alone.standardError!, 12);

    // The first order of a minute moves the price by too much, the second by as much too little.
    const log = { now: 0 };
    const mids: RecordedMid[] = [{ timeMs: 0, midPrice: 1 }];
    const orders = Array.from({ length: 40 }, (_, minute) => {
      const size = (1 + (minute % 5)) * (minute % 2 === 0 ? 1 : -1);
      return [1.3, 0.7].map((share, i) => {
        const timeMs = minute * 60_000 + (i + 1) * 10_000;
        log.now += share * size * 1e-4;
        mids.push({ timeMs, midPrice: Math.exp(log.now) });
        return { timeMs, usd: Math.sign(size) * size ** 2 };
      });
    }).flat();
    mids.push({ timeMs: 2_400_000, midPrice: Math.exp(log.now) });
    const { evidence } = fitImpactCoefficient([{ asset: "A", trades: tradesOf(orders), mids }]);
    expect((evidence["netFlowOverSecondsStandardErrors"] as number[])[0]).toBeLessThan(1e-9);
    expect((evidence["answerTo1OrderAfterSecondsStandardErrors"] as number[])[0]).toBeLessThan(1e-9);
  });

  it("adopts what a month of orders clearly shows within the published range, and says what contradicts it", () => {
    const few = ORDERS_USD.slice(0, 6);
    const [lasting, short, vague, low] = [
      lawful(370_440_000, 0.8, 0.1, few),
      lawful(369_000_000, 0.8, 0.1, few),
      lawful(370_440_000, 0.97, 0.1, few),
      lawful(370_440_000, 0.3, 0.1, few),
    ].map((window) => fitImpactCoefficient([window]));

    expect(lasting!.fitted).toBeCloseTo(0.8, 1);
    expect([lasting!.isAdopted, short!.isAdopted, vague!.isAdopted, low!.isAdopted]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(short!.verdict).toContain("43050 minutes show no metaorder");
    expect(short!.verdict).toContain("does not contradict the published 0.5 to 1.5");
    expect(low!.verdict).toMatch(/, contradicts the published/);
  });

  it("calls a slope outside the published range a contradiction beyond two errors only", () => {
    const { fitted, standardError, verdict } = fitImpactCoefficient([lawful(180_000, 0.45, 0.4)]);

    expect(fitted).toBeLessThan(0.5);
    expect(fitted + 2 * standardError!).toBeGreaterThan(0.5);
    expect(verdict).toContain("does not contradict the published");
  });

  it("does not adopt more than the published range either, however clearly shown", () => {
    const month = lawful(370_440_000, 1, 0.1, ORDERS_USD.slice(0, 6));
    // Bought and sold within the minute, three times what the orders are: volume, of which no flow is left.
    const volumeUsd = month.trades.reduce((sum, { notionalUsd }) => sum + notionalUsd, 0) - 2e9;
    const churn = [1, -1].map((side) => ({ timeMs: 90_000, usd: (side * 3 * volumeUsd) / 2 }));
    const churned = { ...month, trades: [...month.trades, ...tradesOf(churn)] };

    const { fitted, standardError, isAdopted, verdict } = fitImpactCoefficient([churned]);

    // A quarter of the volume moves the price by the root of the whole.
    expect(fitted).toBeCloseTo(2, 1);
    expect(fitted - 2 * standardError!).toBeGreaterThan(1.5);
    expect(isAdopted).toBe(false);
    expect(verdict).toMatch(/, contradicts the published/);
  });
});

const SIGMA = 0.02;
/** Threes of one size and side, then as many to the other side, so that the price comes back. */
const ORDERS_USD = Array.from({ length: 10 }, (_, size) => 1e4 * (size + 1) ** 2).flatMap((usd) => [
  usd,
  usd,
  usd,
  -usd,
  -usd,
  -usd,
]);

/** One order every `gapMs`, moving the price at once by the law times a coefficient, by the wobble more and less in turn. */
function lawful(gapMs: number, coefficient: number, wobble: number, ordersUsd = ORDERS_USD): ImpactWindow {
  const volumeUsd = ordersUsd.reduce((sum, usd) => sum + Math.abs(usd), 0);
  const moves = ordersUsd.map((usd, i) => {
    const own = coefficient + (i % 2 === 0 ? wobble : -wobble);
    return own * SIGMA * Math.sign(usd) * Math.sqrt(Math.abs(usd) / volumeUsd);
  });
  // What the orders do not explain of sigma happens between them, there and back.
  const explained = moves.reduce((sum, move) => sum + move * move, 0);
  const silent = Math.sqrt(Math.max(0, SIGMA ** 2 - explained) / (2 * moves.length));
  const mids: RecordedMid[] = [{ timeMs: 0, midPrice: 1 }];
  let log = 0;
  const orders = ordersUsd.map((usd, i) => {
    const timeMs = (i + 1) * gapMs;
    mids.push({ timeMs: timeMs - 1, midPrice: Math.exp(log) });
    log += moves[i]!;
    for (const afterMs of [0, 1_000, ...Array.from({ length: 17 }, (_, ten) => (ten + 1) * 10_000)]) {
      // Nothing is measured by an order's side at 90 seconds, and sigma is.
      const shift = afterMs === 90_000 ? silent : 0;
      mids.push({ timeMs: timeMs + afterMs, midPrice: Math.exp(log + shift) });
      // A look at any other time sees another price.
      mids.push({ timeMs: timeMs + afterMs + 1, midPrice: 0.97 * Math.exp(log) });
    }
    mids.push({ timeMs: timeMs + 179_998, midPrice: Math.exp(log) });
    return { timeMs, usd };
  });
  const endMs = (orders.length + 1) * gapMs;
  mids.push({ timeMs: endMs, midPrice: Math.exp(log) });
  const unseen = [-1, endMs + 1].map((timeMs) => ({ timeMs, usd: 1e9 }));
  return { asset: "A", trades: tradesOf([...orders, ...unseen]), mids };
}

/** What a taker took at one instant comes as two trades. */
function tradesOf(orders: readonly { readonly timeMs: number; readonly usd: number }[]): RecordedTrade[] {
  return orders.flatMap(({ timeMs, usd }) =>
    [0.25, 0.75].map((share) => ({
      timeMs,
      notionalUsd: share * Math.abs(usd),
      direction: usd > 0 ? 1 : -1,
    })),
  );
}
