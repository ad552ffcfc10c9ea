import { expect, it } from "vitest";
import { PROCESS_ORIGIN_MS } from "../../src/http/process-clock.ts";

// Mutants killed by hand: the time of a reading added instead of subtracted, or not at all; nanoseconds taken as microseconds.

it("gives this thread's times by the clock of the machine, which every thread reads alike", () => {
  const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

  const beforeMs = machineMs();
  const nowMs = performance.now() + PROCESS_ORIGIN_MS;

  // Nine readings were not each interrupted for so long, and a thread is older when it has loaded this.
  expect(nowMs).toBeGreaterThan(beforeMs - 10);
  expect(nowMs).toBeLessThan(machineMs() + 10);
});
