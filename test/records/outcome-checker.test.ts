import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { encodeForecast } from "../../src/domain/forecast-row.ts";
import { tickerOf } from "../../src/domain/ids.ts";
import { openCandleStore } from "../../src/ingest/candle-store.ts";
import { openForecastStore } from "../../src/ingest/forecast-store.ts";
import { checkOutcomes, type MarketRecords } from "../../src/records/outcome-checker.ts";
import { outcomesAfter, recordOutcomes } from "../../src/outcomes/outcome-table.ts";
import { calmBars } from "../support/calm-bars.ts";
import { forecastRow } from "../support/forecast-rows.ts";
import { opened, outcomeWith, RECORD_BACKENDS } from "../support/record-backends.ts";

const NOON = Date.UTC(2026, 5, 10, 12);
const BARS = calmBars(101, NOON);
/** Of an exchange whose market was always there. */
const ALWAYS = { sinceMs: Number.NEGATIVE_INFINITY };

describe.each(RECORD_BACKENDS)("checkOutcomes on $name", (backend) => {
  it.skipIf(!backend.isAvailable)(
    "checks what the engine's files allow, keeps it, and comes back for the rest",
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), "breakwater-checks-"));
      const database = await opened(await backend.newLocation());
      const engine = { candles: openCandleStore(dataDir), forecasts: openForecastStore(dataDir) };
      const reader = {
        ...ALWAYS,
        candles: openCandleStore(dataDir),
        forecasts: openForecastStore(dataDir),
      };
      const btc = tickerOf("BTC");
      await engine.candles.keepBars(btc, BARS.slice(0, 100));
      await engine.forecasts.append(
        btc,
        [1, 4].map((horizonHours) => encodeForecast(forecastRow({ timeMs: NOON - HOUR_MS, horizonHours }))),
      );
      const trade = { entryPrice: 100, exitPrice: 101, holdingPeriodHours: 1 };
      const trades = Array.from({ length: 1_100 }, (_, i) =>
        outcomeWith({ tradeId: `t-${i}`, ...trade, ...(i % 100 === 7 && { exitPrice: 110 }) }),
      );
      trades[3] = outcomeWith({ tradeId: "elsewhere", ...trade, asset: "k/PEPE:x" });
      for (let from = 0; from < trades.length; from += 500)
        await recordOutcomes(database, trades.slice(from, from + 500), NOON + 60_000);
      const findings = async (): Promise<(string | undefined)[]> =>
        (await outcomesAfter(database.queries, 0, 2_000)).map(({ check }) => check?.prices);

      // Nothing is read for what was recorded in the running hour.
      const unread = {
        loadBars: () => Promise.reject(new Error("read")),
        load: () => Promise.reject(new Error("read")),
      };
      const runningMs = NOON + HOUR_MS - 1;
      expect(
        await checkOutcomes(
          database,
          { ...ALWAYS, candles: unread, forecasts: unread },
          runningMs,
          new AbortController().signal,
        ),
      ).toBe(0);

      const check = (nowMs: number, signal = new AbortController().signal): Promise<number> =>
        checkOutcomes(database, reader, nowMs, signal);

      expect(await check(NOON + HOUR_MS)).toBe(0);
      expect((await findings()).every((finding) => finding === undefined)).toBe(true);

      await engine.candles.keepBars(btc, BARS.slice(100));
      expect(await check(NOON + HOUR_MS, AbortSignal.abort())).toBe(0);
      const loaded: string[] = [];
      const stopping = new AbortController();
      const stoppedByReading: MarketRecords = {
        ...reader,
        candles: {
          loadBars: (ticker) => {
            loaded.push(ticker);
            stopping.abort();
            return reader.candles.loadBars(ticker);
          },
        },
      };
      // More than are kept in one write, of one asset: its files are loaded once, and no other's after the signal.
      expect(await checkOutcomes(database, stoppedByReading, NOON + HOUR_MS, stopping.signal)).toBe(1_099);
      expect(loaded).toEqual(["BTC"]);
      expect(await check(NOON + HOUR_MS)).toBe(0);

      const found = await findings();
      expect(found.filter((finding) => finding === "outside")).toHaveLength(11);
      expect(found.filter((finding) => finding === "inside")).toHaveLength(1_088);
      expect(found[3]).toBeUndefined();
      const [first] = await outcomesAfter(database.queries, 0, 1);
      expect(first!.check).toEqual({ prices: "inside", var99Fraction: 0.04 });

      await check(NOON + 49 * HOUR_MS);
      expect((await findings())[3]).toBe("unknown");
      await database.close();
    },
  );

  it.skipIf(!backend.isAvailable)("reaches what lies behind a whole page that must wait", async () => {
    const database = await opened(await backend.newLocation());
    const trade = { action: "close", entryPrice: 100, exitPrice: 101, holdingPeriodHours: 1 } as const;
    const waiting = Array.from({ length: 8_192 }, (_, i) =>
      outcomeWith({ ...trade, tradeId: `t-${i}`, asset: "ETH" }),
    );
    for (let from = 0; from < waiting.length; from += 512)
      await recordOutcomes(database, waiting.slice(from, from + 512), NOON + 60_000);
    await recordOutcomes(database, [outcomeWith({ ...trade, tradeId: "last", asset: "BTC" })], NOON + 60_000);
    const records: MarketRecords = {
      ...ALWAYS,
      candles: { loadBars: (ticker) => Promise.resolve(barColumnsOf(ticker === "BTC" ? BARS : [])) },
      forecasts: { load: () => Promise.resolve(new Float64Array(0)) },
    };

    expect(await checkOutcomes(database, records, NOON + HOUR_MS, new AbortController().signal)).toBe(1);
    const last = (await outcomesAfter(database.queries, 0, 10_000)).at(-1);
    expect([last!.tradeId, last!.check?.prices]).toEqual(["last", "inside"]);
    await database.close();
  });

  it.skipIf(!backend.isAvailable)("leaves what was entered before the market began as it is", async () => {
    const database = await opened(await backend.newLocation());
    const elsewhere = { action: "close", entryPrice: 70, exitPrice: 70 } as const;
    const trades = [1, 0.25].map((holdingPeriodHours, i) =>
      outcomeWith({ ...elsewhere, tradeId: `t-${i}`, holdingPeriodHours }),
    );
    await recordOutcomes(database, trades, NOON + HOUR_MS / 2);
    const records: MarketRecords = {
      sinceMs: NOON,
      candles: { loadBars: () => Promise.resolve(barColumnsOf(BARS)) },
      forecasts: { load: () => Promise.resolve(new Float64Array(0)) },
    };

    for (const nowMs of [NOON + HOUR_MS, NOON + 50 * HOUR_MS])
      await checkOutcomes(database, records, nowMs, new AbortController().signal);

    const found = await outcomesAfter(database.queries, 0, 10);
    expect(found.map(({ check }) => check?.prices)).toEqual([undefined, "outside"]);
    await database.close();
  });
});
