import type { Subscription } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ExchangeFailure } from "../../src/domain/errors.ts";
import { err, ok, type Result } from "../../src/domain/result.ts";
import { pollStream } from "../../src/ingest/poll-stream.ts";
import { reportingInto } from "../support/ingest-deps.ts";

// Mutants killed by hand: pauses that begin shorter or grow without end; a refusal asked again before its period, or
// not told of; polls that overlap; a first poll a period late.

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

  async function poll(
    answerOf: (count: number) => Result<number, ExchangeFailure>,
    seconds: number,
  ): Promise<void> {
    const fetch = (): Promise<Result<number, ExchangeFailure>> =>
      Promise.resolve(answerOf(askedAtS.push(Date.now() / 1_000)));
    polling = pollStream("caps", fetch, PERIOD_S * 1_000, reportingInto(problems)).subscribe((value) =>
      got.push(value),
    );
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
  }
});
