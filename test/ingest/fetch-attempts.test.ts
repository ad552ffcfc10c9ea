import type { Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ExchangeFailure } from "../../src/domain/errors.ts";
import { err, ok, type Result } from "../../src/domain/result.ts";
import { type Attempted, FetchAttempts } from "../../src/ingest/fetch-attempts.ts";
import { reportingInto } from "../support/ingest-deps.ts";

// Mutants killed by hand: pauses that begin shorter, do not grow, or grow without end; a call that waits twice; one that
// throws left alone, or taken for one that may pass; nothing said; all at once, or one after the other; those that rest
// in the places of those that are due.

const DOWN = err({ code: "timeout", detail: "10 s" } as const);
type Answer = Result<number, ExchangeFailure>;

describe("FetchAttempts", () => {
  let attempts: FetchAttempts<number>;
  let got: number[];
  let problems: string[];
  let retried: Subscription;

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    problems = [];
    got = [];
    attempts = new FetchAttempts(reportingInto(problems));
    retried = attempts.retried$.subscribe((value) => got.push(value));
  });
  afterEach(() => {
    retried.unsubscribe();
    vi.useRealTimers();
  });

  it("makes a call again that may succeed by itself, after pauses that double up to two minutes", async () => {
    const askedAtS: number[] = [];
    const fetch = (): Promise<Answer> =>
      Promise.resolve(askedAtS.push(Date.now() / 1_000) === 8 ? ok(7) : DOWN);

    begin({ step: "bars", fetch });
    await vi.advanceTimersByTimeAsync(600_000);

    expect(askedAtS).toEqual([0, 5, 15, 35, 75, 155, 275, 395]);
    expect(got).toEqual([7]);
    expect(problems).toEqual(new Array(7).fill("bars: timeout: 10 s"));
  });

  it("has a call wait once, however often it is made meanwhile", async () => {
    let asked = 0;
    const call = { step: "bars", fetch: () => Promise.resolve(++asked === 4 ? ok(asked) : DOWN) };

    for (let i = 0; i < 3; i++) {
      begin(call);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(60_000);

    expect([asked, got]).toEqual([4, [4]]);
  });

  it("takes what throws for an answer that makes no sense: it is made again minutes later", async () => {
    const thrown = { fetch: vi.fn(() => Promise.reject(new Error("a defect"))), refused: () => -1 };
    const untaken = {
      fetch: () => Promise.resolve(ok(1)),
      take: vi.fn(() => Promise.reject(new Error("EIO"))),
    };

    begin({ step: "thrown", ...thrown });
    begin({ step: "untaken", ...untaken });
    await vi.advanceTimersByTimeAsync(299_000);

    expect(got).toEqual([-1]);
    expect([thrown.fetch, untaken.take].map((spy) => spy.mock.calls.length)).toEqual([1, 1]);
    expect(problems).toEqual(["thrown: Error: a defect", "untaken: Error: EIO"]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([thrown.fetch, untaken.take].map((spy) => spy.mock.calls.length)).toEqual([2, 2]);
  });

  it("counts refusals apart from what may pass by itself", async () => {
    const REFUSED = err({ code: "refused", detail: "null" } as const);
    const answers: Answer[] = [DOWN, REFUSED, DOWN, REFUSED, ok(7)];
    const fetch = (): Promise<Answer> => Promise.resolve(answers.shift()!);

    begin({ step: "deep bars", fetch, refused: (refusals) => -refusals });
    await vi.advanceTimersByTimeAsync(1_000_000);

    expect(got).toEqual([-1, -2, 7]);
  });

  it("has four calls under way again at a time, and none wait for those that rest", async () => {
    let underWay = 0;
    const refused = err({ code: "refused", detail: "null" } as const);
    for (let i = 0; i < 6; i++) begin({ step: `resting ${i}`, fetch: () => Promise.resolve(refused) });
    for (let i = 0; i < 6; i++) {
      let isFirst = true;
      begin({
        step: `due ${i}`,
        fetch: () => {
          if (!isFirst) return new Promise<Answer>(() => underWay++);
          isFirst = false;
          return Promise.resolve(DOWN);
        },
      });
    }

    await vi.advanceTimersByTimeAsync(6_000);

    expect(underWay).toBe(4);
  });

  /** Makes the call once; what comes of that and of later attempts is in `got`. */
  function begin(
    call: Pick<Attempted<number, number>, "step" | "fetch"> & Partial<Attempted<number, number>>,
  ): void {
    attempts
      .attempt(() => ({ take: (value: number) => Promise.resolve(value), ...call }))
      .subscribe((value) => got.push(value));
  }
});
