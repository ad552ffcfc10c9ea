import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import {
  newRecordPlan,
  nextRecord,
  type RecordPlan,
  standingResults,
} from "../../src/engine/forecast-schedule.ts";
import { BTC, ETH } from "../support/builders.ts";

const SOL = tickerOf("SOL");
const NOW_MS = 1_000 * HOUR_MS;

describe("nextRecord", () => {
  it("finishes what has begun, then judges what changed, then reads the most traded of the rest", () => {
    const replaying = planOf({ phase: "replaying" });
    const changed = planOf({ phase: "current", isChanged: true, judgedAtMs: NOW_MS - HOUR_MS });
    const unread = planOf({});

    expect(nextOf([BTC, unread], [ETH, changed], [SOL, replaying])).toBe(SOL);
    expect(nextOf([BTC, unread], [ETH, changed])).toBe(ETH);
    expect(nextOf([BTC, unread], [ETH, planOf({})], [SOL, planOf({})])).toBe(ETH);
  });

  it("judges nothing that did not change, or that was judged within the hour, or is not complete", () => {
    const due = { phase: "current", isChanged: true, judgedAtMs: NOW_MS - HOUR_MS } as const;

    expect(nextOf([BTC, planOf(due)])).toBe(BTC);
    expect(nextOf([BTC, planOf({ ...due, isChanged: false })])).toBeUndefined();
    expect(nextOf([BTC, planOf({ ...due, judgedAtMs: NOW_MS - HOUR_MS + 1 })])).toBeUndefined();
  });

  it("leaves what failed alone until its pause is over, and keeps no other waiting with it", () => {
    const failed = planOf({ phase: "replaying", retryAtMs: NOW_MS + 1 });

    expect(nextOf([BTC, failed])).toBeUndefined();
    expect(nextOf([BTC, failed], [ETH, planOf({})])).toBe(ETH);
    expect(nextOf([BTC, planOf({ phase: "replaying", retryAtMs: NOW_MS })], [ETH, planOf({})])).toBe(BTC);
  });
});

describe("standingResults", () => {
  it("keeps a comparison with the baselines for a day", () => {
    const comparedAt = (comparedAtMs: number) =>
      standingResults(planOf({ comparedAtMs, results: [] }), NOW_MS);

    expect(comparedAt(NOW_MS - 24 * HOUR_MS + 1)).toEqual([]);
    expect(comparedAt(NOW_MS - 24 * HOUR_MS)).toBeNull();
  });
});

function planOf(changes: Partial<RecordPlan>): RecordPlan {
  return { ...newRecordPlan(), ...changes };
}

/** Of three assets ETH is traded most, then SOL. */
function nextOf(...plans: readonly (readonly [typeof BTC, RecordPlan])[]): typeof BTC | undefined {
  const volumes = new Map([
    [BTC, 1],
    [ETH, 3],
    [SOL, 2],
  ]);
  return nextRecord(new Map(plans), NOW_MS, (ticker) => volumes.get(ticker)!)?.[0];
}
