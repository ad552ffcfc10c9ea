import { once } from "node:events";
import { Worker } from "node:worker_threads";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SlidingWindow } from "../../src/http/rate-limit.ts";

// Mutants tried by hand, each killed: no lock; a lock that looks and then takes; release without waking who sleeps;
// the count kept in the object instead of the shared memory; a time stored without its thread's origin;
// a thread's origin subtracted.

const THREADS = 3;
/** Enough that the threads meet: one is at it for milliseconds. */
const ATTEMPTS = 10_000;

/** Int32 each: the round under way, threads done with it, requests accepted in it, whether it was the last. */
const [ROUND, DONE, ACCEPTED, IS_OVER] = [0, 1, 2, 3];

/** In each round asks a window ATTEMPTS times at the round's time, as read by a clock that starts elsewhere. */
const CONTENDER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { rounds, timeMs, originMs, module } = workerData;
  import(module).then(({ SlidingWindow }) => {
    let window;
    parentPort.on("message", ({ limit, memory }) => {
      window = new SlidingWindow(limit, originMs, memory);
      let round = Atomics.load(rounds, 0);
      parentPort.postMessage("ready");
      for (;;) {
        // A wake meant for a sleeper may come late, to a thread that has had the round: only a new one counts.
        while (Atomics.load(rounds, 0) === round) Atomics.wait(rounds, 0, round);
        if (Atomics.load(rounds, 3) === 1) return parentPort.postMessage("over");
        round = Atomics.load(rounds, 0);
        let accepted = 0;
        for (let attempt = 0; attempt < ${ATTEMPTS}; attempt++) {
          if (window.accept(timeMs[0] - originMs)) accepted++;
        }
        Atomics.add(rounds, 2, accepted);
        Atomics.add(rounds, 1, 1);
        Atomics.notify(rounds, 1);
      }
    });
    parentPort.postMessage("loaded");
  });
`;

const rounds = new Int32Array(new SharedArrayBuffer(16));
const timeMs = new Float64Array(new SharedArrayBuffer(8));
let contenders: Worker[];

beforeAll(async () => {
  const module = new URL("../../dist/http/rate-limit.js", import.meta.url).href;
  contenders = Array.from(
    { length: THREADS },
    (_, i) =>
      new Worker(CONTENDER, { eval: true, workerData: { rounds, timeMs, originMs: 1_000 * i, module } }),
  );
  await Promise.all(contenders.map((contender) => once(contender, "message")));
});

afterAll(async () => {
  await Promise.all(contenders.map((contender) => contender.terminate()));
});

describe("one SlidingWindow on several threads", () => {
  it("accepts exactly what the definition accepts: never more than the limit, and none lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 25_000 }), gapsMs, async (max, gaps) => {
        const { memory } = new SlidingWindow(max);
        const ready = contenders.map((contender) => once(contender, "message"));
        Atomics.store(rounds, IS_OVER, 0);
        for (const contender of contenders) contender.postMessage({ limit: max, memory });
        await Promise.all(ready);
        const accepted: { readonly atMs: number; readonly count: number }[] = [];
        let nowMs = 0;

        try {
          for (const gapMs of gaps) {
            nowMs += gapMs;
            const recent = accepted.filter(({ atMs }) => atMs > nowMs - 60_000);
            const free = max - recent.reduce((sum, { count }) => sum + count, 0);
            const count = contendAt(nowMs);
            expect(count).toBe(Math.min(free, THREADS * ATTEMPTS));
            accepted.push({ atMs: nowMs, count });
          }
        } finally {
          const over = contenders.map((contender) => once(contender, "message"));
          Atomics.store(rounds, IS_OVER, 1);
          begin();
          await Promise.all(over);
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it("counts a request whose clock was read too early at the time of the newest one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.array(stepMs, { minLength: 1, maxLength: 60 }),
        (max, steps) => {
          const first = new SlidingWindow(max);
          const windows = [first, new SlidingWindow(max, 5_000, first.memory)];
          const acceptedAtMs: number[] = [];
          let nowMs = 0;

          for (const [i, { gapMs, lateMs }] of steps.entries()) {
            nowMs += gapMs;
            const atMs = Math.max(nowMs - lateMs, acceptedAtMs.at(-1) ?? -Infinity);
            const recent = acceptedAtMs.filter((at) => at > atMs - 60_000).length;
            const window = windows[i % 2]!;
            expect(window.accept(nowMs - lateMs - (i % 2) * 5_000)).toBe(recent < max);
            if (recent < max) acceptedAtMs.push(atMs);
          }
        },
      ),
    );
  });
});

/** One round of all threads at once; how many requests they had accepted. */
function contendAt(nowMs: number): number {
  timeMs[0] = nowMs;
  Atomics.store(rounds, DONE, 0);
  Atomics.store(rounds, ACCEPTED, 0);
  begin();
  for (let done = 0; done < THREADS; done = Atomics.load(rounds, DONE)) {
    if (Atomics.wait(rounds, DONE, done, 10_000) === "timed-out") throw new Error("a thread sleeps for ever");
  }
  return Atomics.load(rounds, ACCEPTED);
}

function begin(): void {
  Atomics.add(rounds, ROUND, 1);
  Atomics.notify(rounds, ROUND);
}

const gapsMs = fc.array(fc.integer({ min: 0, max: 25_000 }), { minLength: 1, maxLength: 12 });
const stepMs = fc.record({
  gapMs: fc.integer({ min: 0, max: 25_000 }),
  lateMs: fc.integer({ min: 0, max: 3_000 }),
});
