import { describe, expect, it } from "vitest";
import { OpenWaits } from "../../../src/exchange/hyperliquid/open-waits.ts";
import type { Timers } from "../../../src/exchange/hyperliquid/timers.ts";
import { ManualTimers } from "../../support/manual-timers.ts";

// Mutants killed: a wait that is over kept until its owner ends; one that the owner ends left to its timer, or to wait on.

describe("OpenWaits", () => {
  it("are over when their time has come, each its own", async () => {
    const { waits, timers } = bench();
    const over: number[] = [];
    for (const delayMs of [300, 100, 200]) void waits.add(delayMs).then(() => over.push(delayMs));

    await timers.advance(250);

    expect(over).toEqual([100, 200]);
    expect(timers.waitingCount).toBe(1);
  });

  it("are over at once when their owner ends, and leave no timer", async () => {
    const { waits, timers } = bench();
    const both = Promise.all([waits.add(1_000), waits.add(60_000)]);

    waits.endAll();
    await both;

    expect(timers.waitingCount).toBe(0);
  });

  it("leave nothing behind: a service waits for months", async () => {
    const { waits, timers, cancelled } = bench();
    for (let wait = 0; wait < 3; wait++) void waits.add(10);
    await timers.advance(10);
    const before = cancelled();

    void waits.add(10);
    waits.endAll();

    expect(cancelled() - before).toBe(1);
  });
});

/** Waits on a clock of their own, and how many timers they have cancelled. */
function bench() {
  const timers = new ManualTimers();
  let cancels = 0;
  const counted: Timers = {
    nowMs: () => timers.nowMs(),
    after: (delayMs, callback) => {
      const cancel = timers.after(delayMs, callback);
      return () => {
        cancels++;
        cancel();
      };
    },
  };
  return { waits: new OpenWaits(counted), timers, cancelled: () => cancels };
}
