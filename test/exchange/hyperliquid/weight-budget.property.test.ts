import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BudgetLimit, BudgetPriority } from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { rowWeight, WeightBudget } from "../../../src/exchange/hyperliquid/weight-budget.ts";
import { ManualTimers, settle } from "../../support/manual-timers.ts";

// Mutants tried: back-fill served first; weight not clamped (never granted);
// reserve ignored; wait computed from the newest grant; a grant that stays one window longer in the sums; sums kept in the
// first window only; a weight that never leaves them; grants dropped with their places in the windows left as they were;
// nobody served when the first in the queue gives up. Each fails below.

const CAPACITY = 100;
const WINDOW_MS = 1_000;

interface Take {
  readonly gapMs: number;
  readonly weight: number;
  readonly priority: BudgetPriority;
}

const takes = fc.array(
  fc.record({
    gapMs: fc.integer({ min: 0, max: 400 }),
    weight: fc.integer({ min: 1, max: 130 }),
    priority: fc.constantFrom<BudgetPriority>("live", "backfill"),
  }),
  { maxLength: 30 },
);

describe("WeightBudget", () => {
  it("never grants more than its capacity in any window, and grants everything in the end", async () => {
    await fc.assert(
      fc.asyncProperty(takes, async (list) => {
        const grants = await run(list);

        expect(grants).toHaveLength(list.length);
        for (const { atMs } of grants) {
          const held = grants.filter((other) => other.atMs > atMs - WINDOW_MS && other.atMs <= atMs);
          expect(held.reduce((sum, grant) => sum + grant.weight, 0)).toBeLessThanOrEqual(CAPACITY);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("leaves back-fill a part, so that a live poll is never kept waiting by it alone", async () => {
    const timers = new ManualTimers();
    const budget = new WeightBudget([{ capacity: CAPACITY, windowMs: WINDOW_MS }], timers);
    for (let i = 0; i < 20; i++) void budget.take(10, "backfill");
    await settle();

    const isGranted = await budget.take(30, "live", 1);

    expect(isGranted).toBe(true);
    const more = budget.take(1, "live", 1);
    await timers.advance(1);
    expect(await more).toBe(false);
  });

  it("serves waiting live requests before waiting back-fill", async () => {
    const timers = new ManualTimers();
    const budget = new WeightBudget([{ capacity: CAPACITY, windowMs: WINDOW_MS }], timers);
    const order: string[] = [];
    await budget.take(CAPACITY, "live");
    void budget.take(50, "backfill").then(() => order.push("backfill"));
    void budget.take(50, "live").then(() => order.push("live"));

    await timers.advance(3 * WINDOW_MS);

    expect(order).toEqual(["live", "backfill"]);
  });

  it("grants at the moment the window has room: exactly one window after the spending", async () => {
    const timers = new ManualTimers(0);
    const budget = new WeightBudget([{ capacity: CAPACITY, windowMs: WINDOW_MS }], timers);
    let grantedAtMs = -1;
    await budget.take(CAPACITY);
    void budget.take(1).then(() => (grantedAtMs = timers.nowMs()));

    await timers.advance(WINDOW_MS - 1);
    expect(grantedAtMs).toBe(-1);
    await timers.advance(1);
    expect(grantedAtMs).toBe(WINDOW_MS);
  });

  it("keeps every limit: a pace inside a minute's budget", async () => {
    const timers = new ManualTimers(0);
    const limits = [
      { capacity: 50, windowMs: 60_000 },
      { capacity: 20, windowMs: 100 },
    ];
    const budget = new WeightBudget(limits, timers);
    const grantedAtMs: number[] = [];
    for (let i = 0; i < 60; i++) void budget.take(1).then(() => grantedAtMs.push(timers.nowMs()));

    await timers.advance(120_000);

    expect([0, 19, 20, 39, 40, 49, 50, 59].map((i) => grantedAtMs[i])).toEqual([
      0, 0, 100, 100, 200, 200, 60_000, 60_000,
    ]);
  });

  it("grants each at the first moment by definition, whatever the limits and the weights", async () => {
    const limits = [
      { capacity: 60, windowMs: 50 },
      { capacity: CAPACITY, windowMs: 400 },
    ];
    const weights = fc.array(fc.record({ gapMs: fc.nat(60), weight: fc.integer({ min: 1, max: 60 }) }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(weights, async (list) => {
        const timers = new ManualTimers(0);
        const budget = new WeightBudget(limits, timers);
        const grantedAtMs: number[] = [];
        for (const { gapMs, weight } of list) {
          await timers.advance(gapMs);
          void budget.take(weight).then(() => grantedAtMs.push(timers.nowMs()));
        }
        await timers.advance(list.length * 400);

        expect(grantedAtMs).toEqual(grantsByDefinition(list, limits));
      }),
      { numRuns: 50 },
    );
  });

  it("makes nobody wait for the time by which the clock was set back", async () => {
    const timers = new ManualTimers();
    const budget = new WeightBudget([{ capacity: CAPACITY, windowMs: WINDOW_MS }], timers);
    await budget.take(CAPACITY);
    timers.setBack(7_200_000);
    let isGranted = false;
    void budget.take(1).then(() => (isGranted = true));

    await timers.advance(WINDOW_MS - 1);
    expect(isGranted).toBe(false);
    await timers.advance(1);
    expect(isGranted).toBe(true);
  });

  it("leaves no timer behind of a request that waited and was granted", async () => {
    const timers = new ManualTimers(0);
    const budget = new WeightBudget([{ capacity: CAPACITY, windowMs: WINDOW_MS }], timers);
    await budget.take(CAPACITY);
    const waited = budget.take(50, "live", 60_000);

    await timers.advance(WINDOW_MS);

    expect(await waited).toBe(true);
    expect(timers.waitingCount).toBe(0);
  });

  it("gives up a request that waits longer than it may, without spending", async () => {
    const timers = new ManualTimers(0);
    const budget = new WeightBudget([{ capacity: CAPACITY, windowMs: WINDOW_MS }], timers);
    await budget.take(CAPACITY);
    const late = budget.take(50, "live", 200);

    await timers.advance(300);

    expect(await late).toBe(false);
    await timers.advance(WINDOW_MS);
    const whole = budget.take(CAPACITY, "live", 1);
    await timers.advance(1);
    expect(await whole).toBe(true);
  });

  it.each(["live", "backfill"] as const)(
    "serves a %s request at once when the one that held it up gives up",
    async (behind) => {
      const timers = new ManualTimers(0);
      const budget = new WeightBudget([{ capacity: 30, windowMs: 60_000 }], timers);
      await budget.take(18);
      const verdicts: unknown[] = [];
      void budget.take(20, "live", 1_500).then((isGranted) => verdicts.push([20, isGranted, timers.nowMs()]));
      void budget.take(2, behind, 1_500).then((isGranted) => verdicts.push([2, isGranted, timers.nowMs()]));

      await timers.advance(1_500);

      expect(verdicts).toEqual([
        [20, false, 1_500],
        [2, true, 1_500],
      ]);
    },
  );
});

describe("rowWeight", () => {
  it("is 20 and one for every started group of rows", () => {
    expect(rowWeight(5000, 60)).toBe(104);
    expect(rowWeight(500, 20)).toBe(45);
    expect(rowWeight(0, 20)).toBe(20);
  });
});

/** Millisecond by millisecond: each takes its turn when every window behind that moment has room. */
function grantsByDefinition(
  list: readonly { readonly gapMs: number; readonly weight: number }[],
  limits: readonly BudgetLimit[],
): number[] {
  const grants: { atMs: number; weight: number }[] = [];
  let comesAtMs = 0;
  for (const { gapMs, weight } of list) {
    comesAtMs += gapMs;
    let atMs = Math.max(comesAtMs, grants.at(-1)?.atMs ?? 0);
    const heldIn = (windowMs: number): number =>
      grants.reduce((sum, grant) => (grant.atMs > atMs - windowMs ? sum + grant.weight : sum), 0);
    while (limits.some(({ capacity, windowMs }) => heldIn(windowMs) + weight > capacity)) atMs++;
    grants.push({ atMs, weight });
  }
  return grants.map(({ atMs }) => atMs);
}

async function run(list: readonly Take[]): Promise<{ atMs: number; weight: number }[]> {
  const timers = new ManualTimers(0);
  const budget = new WeightBudget([{ capacity: CAPACITY, windowMs: WINDOW_MS }], timers);
  const grants: { atMs: number; weight: number }[] = [];
  for (const { gapMs, weight, priority } of list) {
    await timers.advance(gapMs);
    const most = priority === "live" ? CAPACITY : 0.7 * CAPACITY;
    void budget.take(weight, priority).then(() => {
      grants.push({ atMs: timers.nowMs(), weight: Math.min(weight, most) });
    });
  }
  await timers.advance(list.length * 2 * WINDOW_MS);
  return grants;
}
