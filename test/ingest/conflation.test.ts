import { Subject, VirtualTimeScheduler } from "rxjs";
import { describe, expect, it } from "vitest";
import { tickerOf } from "../../src/domain/ids.ts";
import { conflateByTicker } from "../../src/ingest/conflation.ts";
import { marbles } from "../support/marbles.ts";

// Mutants killed by hand: no leading value; no trailing value; one throttle for all assets; the oldest instead of the
// newest value of a period; the source not left.

const PERIOD_MS = 5;
const assetOf = (value: string): ReturnType<typeof tickerOf> => tickerOf(value.toUpperCase());

describe("conflateByTicker", () => {
  it("delivers the first value at once and then the newest, once a period", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const source$ = cold("  a b a a a ------a-", { a: "a1", b: "b1" });
      const conflated$ = conflateByTicker(source$, (value) => assetOf(value[0]!), PERIOD_MS, scheduler);

      expectObservable(conflated$, "^---------------").toBe("a b---a-----a---", { a: "a1", b: "b1" });
    });
  });

  it("keeps the newest value of a burst", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const source$ = cold("  xyz------", { x: "a1", y: "a2", z: "a3" });
      const conflated$ = conflateByTicker(source$, (value) => assetOf(value[0]!), PERIOD_MS, scheduler);

      expectObservable(conflated$, "^--------").toBe("x----z---", { x: "a1", z: "a3" });
    });
  });

  it("does not let one asset delay another", () => {
    marbles(({ cold, expectObservable }, scheduler) => {
      const source$ = cold("  (ab)ab---", { a: "a1", b: "b1" });
      const conflated$ = conflateByTicker(source$, (value) => assetOf(value[0]!), PERIOD_MS, scheduler);

      expectObservable(conflated$, "^---------").toBe("(ab)-(ab)", { a: "a1", b: "b1" });
    });
  });

  it("leaves the source, and no timer behind, when nobody listens", () => {
    const scheduler = new VirtualTimeScheduler();
    const source$ = new Subject<string>();
    const subscription = conflateByTicker(
      source$,
      (value) => assetOf(value[0]!),
      PERIOD_MS,
      scheduler,
    ).subscribe();
    for (const value of ["a1", "b1", "a2"]) source$.next(value);

    subscription.unsubscribe();

    expect(source$.observed).toBe(false);
    expect(scheduler.actions.filter(({ closed }) => !closed)).toEqual([]);
  });
});
