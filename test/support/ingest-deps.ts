import { asyncScheduler } from "rxjs";
import { type Bar, HOUR_MS } from "../../src/domain/bar.ts";
import { SYSTEM_CLOCK } from "../../src/domain/clock.ts";
import type { IngestDeps } from "../../src/ingest/ingest-deps.ts";
import { MarketClock } from "../../src/ingest/market-clock.ts";

/** Timers that a test may fake, and a report that goes into a list. */
export function reportingInto(problems: string[]): Pick<IngestDeps, "scheduler" | "report"> {
  return {
    scheduler: asyncScheduler,
    report: ({ step, detail }) => problems.push(`${step}: ${detail}`),
  };
}

/** What a stream needs besides the exchange and the candles that a test scripts. */
export function ingestDeps(
  scripted: Pick<IngestDeps, "exchange" | "candleStore"> & Partial<IngestDeps>,
  problems: string[] = [],
): IngestDeps {
  return {
    clock: SYSTEM_CLOCK,
    marketClock: new MarketClock(SYSTEM_CLOCK),
    ...reportingInto(problems),
    ...scripted,
  };
}

/** The bar that opened in an hour since 1970. */
export function barAt(hour: number): Bar {
  return bar(hour, 100 + (hour % 7));
}

export function bar(hour: number, close: number): Bar {
  return { openTimeMs: hour * HOUR_MS, open: 100, high: 110, low: 90, close, volumeBase: 1 };
}
