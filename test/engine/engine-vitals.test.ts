import { NEVER } from "rxjs";
import { describe, expect, it } from "vitest";
import { EngineVitals } from "../../src/engine/engine-vitals.ts";
import type { Exchange } from "../../src/exchange/exchange.ts";
import { createLogger } from "../../src/process/logger.ts";
import { NOW_MS } from "../support/builders.ts";

describe("EngineVitals", () => {
  it("ends an engine whose clock was set back by more than limits of seconds bear", () => {
    const clock = { now: NOW_MS, nowMs: () => clock.now };
    const exchange = { name: "test", feed$: NEVER } as unknown as Exchange;
    const vitals = new EngineVitals({ exchange, clock, logger: createLogger("silent") });
    for (const stepMs of [1_000, 7_200_000, -2_000, 0]) {
      clock.now += stepMs;
      expect(() => vitals.checkClock()).not.toThrow();
    }

    clock.now -= 2_001;

    expect(() => vitals.checkClock()).toThrow("the machine's clock was set back by 2001 ms");
    // Another engine may begin at any time.
    expect(() => vitals.checkClock()).not.toThrow();
  });
});
