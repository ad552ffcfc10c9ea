import type { Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ExchangeFailure } from "../../src/domain/errors.ts";
import { err, ok, type Result } from "../../src/domain/result.ts";
import { pollStream } from "../../src/ingest/poll-stream.ts";
import { reportingInto } from "../support/ingest-deps.ts";

// Mutants killed by hand: pauses that begin shorter or grow without end; a refusal asked again before its period, or
// not told of; polls that overlap; a first poll a period late; a first value that must be had left to the next period.

const PERIOD_S = 50;

describe("pollStream", () => {
  let askedAtS: number[];
  let got: number[];
  let problems: string[];
  let polling: Subscription;

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
    [askedAtS, got, problems] = [[], [], []];
  });
  afterEach(() => {
    polling.unsubscribe();
    vi.useRealTimers();
  });

  it("asks again what may succeed by itself, after pauses that double up to half a minute, and polls no more meanwhile", async () => {
    const DOWN = err({ code: "unreachable", detail: "HTTP 502" } as const);

    await poll((count) => (count >= 9 ? ok(count) : DOWN), 220);

    expect(askedAtS).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121, 150, 200]);
    expect(got).toEqual([9, 10, 11]);
    expect(problems[0]).toBe("caps: FetchFailed: unreachable: HTTP 502");
  });

  it("leaves what was refused to the next period, and says so", async () => {
    await poll((count) => (count === 1 ? err({ code: "refused", detail: "null" }) : ok(count)), 120);

    expect(askedAtS).toEqual([0, PERIOD_S, 2 * PERIOD_S]);
    expect(got).toEqual([2, 3]);
    expect(problems).toEqual(["caps: given up: FetchFailed: refused: null"]);
  });

  it("asks again whatever failed until it has a first value that must be had, and not of later ones", async () => {
    const NONSENSE = err({ code: "unparseable", detail: "<html>" } as const);

    await poll((count) => (count === 4 || count === 7 ? ok(count) : NONSENSE), 170, true);

    expect(askedAtS).toEqual([0, 1, 3, 7, 50, 100, 150]);
    expect(got).toEqual([4, 7]);
    expect(problems[0]).toBe("caps: FetchFailed: unparseable: <html>");
    expect(problems.at(-1)).toBe("caps: given up: FetchFailed: unparseable: <html>");
  });

  async function poll(
    answerOf: (count: number) => Result<number, ExchangeFailure>,
    seconds: number,
    mustFirstBeHad = false,
  ): Promise<void> {
    const fetch = (): Promise<Result<number, ExchangeFailure>> =>
      Promise.resolve(answerOf(askedAtS.push(Date.now() / 1_000)));
    const polled$ = pollStream("caps", fetch, PERIOD_S * 1_000, reportingInto(problems), mustFirstBeHad);
    polling = polled$.subscribe((value) => got.push(value));
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
  }
});
