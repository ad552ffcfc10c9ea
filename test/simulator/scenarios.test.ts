import { describe, expect, it } from "vitest";
import type { LiveAsset } from "../../src/simulator/live-asset.ts";
import { hourlyFundingRate } from "../../src/simulator/funding-clock.ts";
import { parseScenario, SCENARIO_KINDS, Scenarios } from "../../src/simulator/scenarios.ts";

const COINS = new Set(["BTC", "DOGE"]);
const NEUTRAL = { basisShift: 0, depthFactor: 1, spreadFactor: 1, bookIsOut: false };
const START_MS = 1_000_000;

const assetOf = (coin: string, beta: number): LiveAsset =>
  ({ spec: { coin, beta }, stress: { ...NEUTRAL } }) as unknown as LiveAsset;

function started(...bodies: readonly object[]): Scenarios {
  const scenarios = new Scenarios();
  for (const body of bodies) {
    const request = parseScenario(body, COINS);
    if (!request.ok) throw new Error(request.error);
    scenarios.start(request.value, START_MS);
  }
  return scenarios;
}

/** What scenarios add to an asset's log price from one second after their start to another, in steps of so many. */
function moved(scenarios: Scenarios, asset: LiveAsset, fromS: number, toS: number, stepS: number): number {
  let sum = 0;
  for (let at = fromS; at < toS; at += stepS) {
    sum += scenarios.stepAsset(asset, START_MS + at * 1000, START_MS + Math.min(at + stepS, toS) * 1000);
  }
  return sum;
}

function stressAt(scenarios: Scenarios, seconds: number, asset = assetOf("DOGE", 1)): LiveAsset["stress"] {
  scenarios.stepAsset(asset, START_MS + seconds * 1000, START_MS + seconds * 1000);
  return asset.stress;
}

describe("a price shock", () => {
  it.each([
    ["a crash, by the asset's beta", { type: "crash", magnitude: 0.2 }, 1.5 * Math.log(0.8)],
    [
      "a crash of one asset, by what was said",
      { type: "crash", magnitude: 0.2, asset: "DOGE" },
      Math.log(0.8),
    ],
    ["a squeeze of all", { type: "short_squeeze", magnitude: 0.6 }, Math.log(1.6)],
  ])(
    "moves the price by its size in its time and gives three tenths back in the next: %s",
    (_, body, size) => {
      for (const stepS of [0.54, 7, 100]) {
        const scenarios = started({ ...body, duration_s: 100 });
        const asset = assetOf("DOGE", 1.5);
        expect(moved(scenarios, asset, -5, 0, 1)).toBe(0);
        expect(moved(scenarios, asset, 0, 50, stepS)).toBeCloseTo(size / 2, 9);
        expect(moved(scenarios, asset, 50, 100, stepS)).toBeCloseTo(size / 2, 9);
        expect(moved(scenarios, asset, 100, 200, stepS)).toBeCloseTo(-0.3 * size, 9);
        expect(moved(scenarios, asset, 200, 300, stepS)).toBeCloseTo(0, 12);
      }
    },
  );

  it("empties books and widens spreads while it lasts, less and less over the recovery", () => {
    for (const [type, magnitude, depth, spread, size] of [
      ["crash", 0.2, 0.08, 12, Math.log(0.8)],
      ["short_squeeze", 0.6, 0.15, 6, Math.log(1.6)],
    ] as const) {
      const scenarios = started({ type, magnitude, duration_s: 100 });
      expect(stressAt(scenarios, -1)).toEqual(NEUTRAL);
      for (const [second, intensity] of [
        [0, 1],
        [99, 1],
        [150, 0.5],
        [200, 0],
      ] as const) {
        const stress = stressAt(scenarios, second);
        expect(stress.depthFactor).toBeCloseTo(depth ** intensity, 9);
        expect(stress.spreadFactor).toBeCloseTo(spread ** intensity, 9);
        expect(stress.basisShift).toBeCloseTo(0.05 * size * intensity, 9);
      }
    }
  });

  it("is of the asset that was named", () => {
    const scenarios = started({ type: "crash", asset: "BTC", duration_s: 100 });

    expect(moved(scenarios, assetOf("DOGE", 1), 0, 100, 10)).toBe(0);
    expect(stressAt(scenarios, 50)).toEqual(NEUTRAL);
  });
});

describe("a stress of the book or of funding", () => {
  it.each([
    [
      { type: "liquidity_drain", magnitude: 0.75 },
      { ...NEUTRAL, depthFactor: 0.25 },
    ],
    [
      { type: "liquidity_drain", magnitude: 1 },
      { ...NEUTRAL, depthFactor: 0.001 },
    ],
    [{ type: "book_outage" }, { ...NEUTRAL, bookIsOut: true }],
    [{ type: "feed_silence" }, NEUTRAL],
  ])("%j lasts as long as it was said to", (body, expected) => {
    const scenarios = started({ ...body, duration_s: 10 });

    expect(stressAt(scenarios, 9.9)).toEqual(expected);
    expect(stressAt(scenarios, 10)).toEqual(NEUTRAL);
    expect(moved(scenarios, assetOf("DOGE", 1), 0, 10, 1)).toBe(0);
  });

  it("drives funding towards the rate that was asked for", () => {
    const scenarios = started({ type: "funding_spike", magnitude: 0.01, duration_s: 10 });

    expect(hourlyFundingRate(stressAt(scenarios, 5).basisShift)).toBeCloseTo(0.01, 9);
    expect(stressAt(scenarios, 10)).toEqual(NEUTRAL);
    expect(moved(scenarios, assetOf("DOGE", 1), 0, 10, 1)).toBe(0);
  });

  it("adds to one that runs already", () => {
    const drain = { type: "liquidity_drain", magnitude: 0.5, duration_s: 10 };

    expect(stressAt(started(drain, drain, { type: "book_outage", duration_s: 10 }), 5)).toEqual({
      ...NEUTRAL,
      depthFactor: 0.25,
      bookIsOut: true,
    });
  });
});

describe("the scenarios that run", () => {
  it("are listed until nothing of them is left, and in force until they end", () => {
    const scenarios = started(
      { type: "crash", duration_s: 10 },
      { type: "http_500", magnitude: 0.5, duration_s: 10 },
    );
    const listedAt = (seconds: number) => scenarios.active(START_MS + seconds * 1000).map(({ kind }) => kind);
    const inForceAt = (seconds: number) =>
      scenarios.inForce("http_500", START_MS + seconds * 1000)?.magnitude;

    expect([inForceAt(-1), inForceAt(0), inForceAt(9.9), inForceAt(10)]).toEqual([
      undefined,
      0.5,
      0.5,
      undefined,
    ]);
    expect(listedAt(9.9)).toEqual(["crash", "http_500"]);
    expect(listedAt(19.9)).toEqual(["crash"]);
    expect(listedAt(20)).toEqual([]);
  });
});

describe("a scenario that is asked for", () => {
  it("is as its kind says where nothing else is said", () => {
    for (const [type, { magnitude, durationS }] of Object.entries(SCENARIO_KINDS)) {
      expect(parseScenario({ type }, COINS)).toEqual({
        ok: true,
        value: { kind: type, magnitude, durationMs: 1000 * durationS },
      });
    }
  });

  it.each([
    ["crash", 0.949, 0.95],
    ["short_squeeze", 10, 10.001],
    ["funding_spike", 0.04, 0.0401],
    ["liquidity_drain", 1, 1.001],
    ["http_429", 1, 1.001],
    ["http_500", 1, 1.001],
    ["slow_replies", 86_400, 86_401],
  ])("may be as large as %s of %f and not of %f, nor of nothing", (type, largest, beyond) => {
    expect(parseScenario({ type, magnitude: largest }, COINS).ok).toBe(true);
    for (const magnitude of [beyond, 0, Infinity])
      expect(parseScenario({ type, magnitude }, COINS).ok).toBe(false);
  });

  it("is of no asset where it is of the connection or of every reply", () => {
    const ofOne = Object.keys(SCENARIO_KINDS).filter(
      (type) => parseScenario({ type, asset: "BTC" }, COINS).ok,
    );

    expect(ofOne).toEqual(["crash", "short_squeeze", "funding_spike", "liquidity_drain", "book_outage"]);
  });

  it("may last a day, a shock at least a second", () => {
    const isTaken = (type: string, duration_s: number): boolean =>
      parseScenario({ type, duration_s }, COINS).ok;

    expect([isTaken("crash", 86_400), isTaken("crash", 86_401), isTaken("book_outage", 0)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([isTaken("crash", 1), isTaken("short_squeeze", 0.9)]).toEqual([true, false]);
  });
});
