import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BusyPolling } from "../../src/http/busy-polling.ts";

// Mutants killed by hand: as many busy threads as cores; its own place not noted, noted in another's; busy for ever, or
// for twice as long; times of two threads compared without their origins; polling from another time on; hope for ever,
// none at first, lost with three late requests, kept after four; prompt within two polls, or by when it is answered.

const POLL_MS = 0.1;
/** Asked before the last answer was there: as promptly as can be. */
const AT_ONCE = Number.NEGATIVE_INFINITY;

/** Threads of one process: each has begun at another time of the clock that they share. */
function threadsOf(count: number, cores: number): Pick<BusyPolling, "untilMs">[] {
  const memory = BusyPolling.memoryFor(count);
  return Array.from({ length: count }, (_, place) => {
    const originMs = 1_000 * place;
    const polling = new BusyPolling(POLL_MS, cores, memory, place, originMs);
    return {
      untilMs: (atMs, askedAtMs) => polling.untilMs(atMs - originMs, askedAtMs - originMs) + originMs,
    };
  });
}

describe("BusyPolling", () => {
  it("lets a thread look for the next request while it is the only busy one of two on two cores", () => {
    const [first, second] = threadsOf(2, 2) as [Pick<BusyPolling, "untilMs">, Pick<BusyPolling, "untilMs">];

    expect(first.untilMs(5_000, AT_ONCE)).toBeCloseTo(5_000 + POLL_MS, 9);
    expect(second.untilMs(5_001, AT_ONCE)).toBe(5_001);
    expect(first.untilMs(5_002, AT_ONCE)).toBe(5_002);
    // The second's last request was 5 ms ago.
    expect(first.untilMs(5_006, AT_ONCE)).toBeCloseTo(5_006 + POLL_MS, 9);
  });

  it("leaves the only core to others", () => {
    expect(threadsOf(1, 1)[0]!.untilMs(5_000, AT_ONCE)).toBe(5_000);
  });

  it("lets a thread look exactly while fewer threads are busy than there are cores", () => {
    const run = fc.record({
      threads: fc.integer({ min: 1, max: 8 }),
      cores: fc.integer({ min: 1, max: 8 }),
      turns: fc.array(fc.record({ place: fc.nat(7), afterMs: fc.integer({ min: 0, max: 4 }) }), {
        maxLength: 40,
      }),
    });
    fc.assert(
      fc.property(run, ({ threads: count, cores, turns }) => {
        const threads = threadsOf(count, cores);
        const lastAtMs = new Map<number, number>();
        let atMs = 20_000;
        for (const { place, afterMs } of turns) {
          atMs += afterMs;
          const thread = place % count;
          lastAtMs.set(thread, atMs);
          const busy = [...lastAtMs.values()].filter((lastMs) => atMs - lastMs < 5).length;

          expect(threads[thread]!.untilMs(atMs, AT_ONCE) > atMs).toBe(busy < cores);
        }
      }),
    );
  });

  it("lets a thread look after a prompt request and the three after it, and after its first three", () => {
    const turn = fc.record({
      waitMs: fc.constantFrom(0, 0.15, 0.39, 0.41, 0.5, 100),
      takesMs: fc.constantFrom(0.02, 0.3),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 20 }), (turns) => {
        const [thread] = threadsOf(1, 2);
        let atMs = 5_000;
        let lateTurns = 0;
        for (const [i, { waitMs, takesMs }] of turns.entries()) {
          const askedAtMs = atMs + waitMs;
          atMs = askedAtMs + takesMs;
          lateTurns = i > 0 && waitMs < 4 * POLL_MS ? 0 : lateTurns + 1;

          expect(thread!.untilMs(atMs, askedAtMs) > atMs).toBe(lateTurns < 4);
        }
      }),
    );
  });
});
