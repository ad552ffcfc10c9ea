import type { Logger } from "pino";
import { NEVER, Subject } from "rxjs";
import { describe, expect, it, vi } from "vitest";
import { EngineVitals } from "../../src/engine/engine-vitals.ts";
import type { Exchange, FeedEvent } from "../../src/exchange/exchange.ts";
import { createLogger } from "../../src/process/logger.ts";
import type { Readiness } from "../../src/snapshot/engine-status.ts";
import { assetContext, BTC, NOW_MS } from "../support/builders.ts";

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

  it("calls the feed connected when something was heard and every socket that was lost is back", () => {
    const { vitals, hear, status } = listening();
    hear({ type: "feed.restored", socket: "slow" });
    expect([status().isFeedConnected, status().lastMessageAtMs, vitals.silenceMs()]).toEqual([
      false,
      null,
      null,
    ]);

    hear(CONTEXT);
    expect(status().isFeedConnected).toBe(true);
    for (const socket of ["slow", "fast"]) hear({ type: "feed.lost", socket, tickers: [BTC], detail: "" });
    hear({ type: "feed.restored", socket: "slow" });
    expect(status().isFeedConnected).toBe(false);
    hear({ type: "feed.restored", socket: "fast" });

    expect(status().isFeedConnected).toBe(true);
  });

  it("measures its silence from the newest fact of any kind", () => {
    const { vitals, clock, hear, status } = listening();
    const facts: FeedEvent[] = [
      CONTEXT,
      { type: "book.received", frame: null as never },
      { type: "bar.received", ticker: BTC, bar: null as never },
    ];

    for (const fact of facts) {
      clock.now += 5_000;
      hear(fact);
      expect(status().lastMessageAtMs).toBe(clock.now);
    }
    clock.now += 700;
    hear({ type: "frame.rejected", detail: "" });

    expect(vitals.silenceMs()).toBe(700);
  });

  it("logs ten losses and ten returns a minute of an exchange that takes sockets and then is silent", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { hear, lines } = listening();

    for (let i = 0; i < 20; i++) {
      hear({ type: "feed.lost", socket: "fast", tickers: [BTC], detail: "silent for 3000 ms" });
      hear({ type: "feed.restored", socket: "fast" });
      vi.advanceTimersByTime(2_999);
    }
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();

    for (const event of ["feed.lost", "feed.restored"]) {
      const said = lines.filter((line) => line["event"] === event);
      expect(said).toHaveLength(11);
      expect(said.at(-1)).toEqual({ level: "warn", event, more: 10 });
    }
  });

  it("does not fill the log where the exchange sends nonsense, or no asset's file can be written", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { vitals, hear, lines } = listening();

    for (let i = 0; i < 5_000; i++) hear({ type: "frame.rejected", detail: `fast: ${i}` });
    for (let i = 0; i < 230; i++) vitals.noteProblem("keep history", "ENOSPC");
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();

    expect(lines.filter(({ event }) => event === "frame.rejected").map((line) => line["detail"])).toEqual([
      ...Array.from({ length: 10 }, (_, i) => `fast: ${i}`),
      undefined,
    ]);
    expect(lines.filter(({ event }) => event === "step.failed")).toHaveLength(11);
    expect(lines.flatMap(({ more }) => more ?? [])).toEqual([4_990, 220]);
  });

  it("tells at its end of what it left out of a minute that is not over", () => {
    const { vitals, hear, lines } = listening();
    for (let i = 0; i < 12; i++) hear({ type: "frame.rejected", detail: "" });

    vitals.stop();

    expect(lines.at(-1)).toEqual({ level: "warn", event: "frame.rejected", more: 2 });
  });

  it("warns of an engine that is degraded, and says that it is ready", () => {
    const { status, lines } = listening();

    for (const readiness of ["starting", "ready", "ready", "degraded", "degraded", "ready"] as const) {
      status(readiness);
    }

    expect(lines.map(({ level, event }) => [level, event])).toEqual([
      ["info", "engine.ready"],
      ["warn", "engine.degraded"],
      ["info", "engine.ready"],
    ]);
  });
});

const CONTEXT: FeedEvent = { type: "context.received", ticker: BTC, context: assetContext() };

function listening() {
  const clock = { now: NOW_MS, nowMs: () => clock.now };
  const feed$ = new Subject<FeedEvent>();
  const exchange = { feed$ } as unknown as Exchange;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const noted =
    (level: string) =>
    (facts: Readonly<Record<string, unknown>>): void =>
      void lines.push({ level, ...facts });
  const logger = { info: noted("info"), warn: noted("warn"), error: noted("error") } as unknown as Logger;
  const vitals = new EngineVitals({ exchange, clock, logger });
  vitals.listen();
  const assets = { listed: 0, warming: 0, live: 0, stale: 0, delisted: 0, withoutModel: 0, closeOnly: 0 };
  const status = (readiness: Readiness = "starting") =>
    vitals.status(readiness, assets, { refitsDone: 7, refitsFailed: 4 });
  return { vitals, clock, lines, hear: (event: FeedEvent) => feed$.next(event), status };
}
