import { appendFile, mkdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import {
  decodeForecast,
  encodeForecast,
  FORECAST_COLUMNS,
  type ForecastRow,
  splitForecasts,
} from "../../src/domain/forecast-row.ts";
import { openForecastStore } from "../../src/ingest/forecast-store.ts";
import { SIGMA_RECALIBRATION, UNCORRECTED } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC } from "../support/builders.ts";
import { forecastRow, returned, TAIL } from "../support/forecast-rows.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { unreadableCopy } from "../support/unreadable-copy.ts";

// Mutants killed by hand: append behind a torn tail, or behind what a failed append left; a later forecast of the same period wins; what could not be written
// forgotten, or left out of what is read.

const FIRST_MS = Date.UTC(2026, 0, 5);
const temporary = temporaryFolder();
const file = (): string => join(temporary.path, "forecasts", "BTC.bin");

describe("openForecastStore", () => {
  it("gives a new process what an old one appended, each forecast with the outcome that came later", async () => {
    await keep([hourRow(0), hourRow(1)]);
    await keep([{ ...hourRow(0), outcome: returned(-0.01) }, hourRow(2)]);

    expect(await kept()).toEqual([{ ...hourRow(0), outcome: returned(-0.01) }, hourRow(1), hourRow(2)]);
  });

  it("lets a forecast stand as it was first made", async () => {
    const later = { ...hourRow(0), sigma: 9 };

    await keep([hourRow(0)]);
    await keep([later]);

    expect(await kept()).toEqual([hourRow(0)]);
  });

  it("lets an outcome stand as it was first told", async () => {
    const told = { ...hourRow(0), outcome: returned(-0.01) };

    await keep([told]);
    await keep([{ ...told, outcome: returned(0.02) }]);

    expect(await kept()).toEqual([told]);
  });

  it("tells horizons of one hour apart", async () => {
    const rows = [1, 4, 24, 168].map((horizonHours) => forecastRow({ horizonHours }));

    await keep(rows.toReversed());

    expect(await kept()).toEqual(rows);
  });

  it("writes what could not be written with what comes next, and gives it out meanwhile", async () => {
    await writeFile(join(temporary.path, "forecasts"), "in the way");
    const early = openForecastStore(temporary.path);
    await expect(early.append(BTC, [encodeForecast(hourRow(1))])).rejects.toThrow();
    await expect(early.append(BTC, [encodeForecast(hourRow(2))])).rejects.toThrow();

    await rm(join(temporary.path, "forecasts"));
    const read = splitForecasts(await early.load(BTC)).map(decodeForecast);
    await early.append(BTC, [encodeForecast({ ...hourRow(1), outcome: returned(0.02) })]);

    expect(read).toEqual([hourRow(1), hourRow(2)]);
    expect(await kept()).toEqual([{ ...hourRow(1), outcome: returned(0.02) }, hourRow(2)]);

    const { size } = await stat(file());
    await early.append(BTC, [encodeForecast(hourRow(3))]);
    expect((await stat(file())).size - size).toBe(8 * FORECAST_COLUMNS + 4);
  });

  it("does not go on behind what an append that failed has left", async () => {
    const store = openForecastStore(temporary.path);
    await store.append(BTC, [encodeForecast(hourRow(0))]);
    await store.append(BTC, [encodeForecast(hourRow(1))]);
    const whole = await readFile(file());
    await rm(file());
    await mkdir(file());
    await expect(store.append(BTC, [encodeForecast(hourRow(2))])).rejects.toThrow();

    // A disk that is full takes half of a row.
    await rm(file(), { recursive: true });
    await writeFile(file(), Buffer.concat([whole, Buffer.alloc(50, 1)]));
    await store.append(BTC, [encodeForecast(hourRow(3))]);

    expect(await kept()).toEqual([0, 1, 2, 3].map(hourRow));
  });

  it("begins a file anew that was removed while it ran: behind no header nothing could be read", async () => {
    const store = openForecastStore(temporary.path);
    await store.append(BTC, [encodeForecast(hourRow(0))]);
    await rm(file());

    await store.append(BTC, [encodeForecast(hourRow(1))]);
    await store.append(BTC, [encodeForecast(hourRow(2))]);

    expect(await kept()).toEqual([hourRow(1), hourRow(2)]);
  });

  it("sets a damaged file aside before it writes its own", async () => {
    await keep([hourRow(0), hourRow(1), hourRow(2)]);
    const bytes = await readFile(file());
    bytes.writeUInt8(255 - bytes.readUInt8(200), 200);
    await writeFile(file(), bytes);

    const told: string[] = [];
    const store = openForecastStore(temporary.path, (detail) => told.push(detail));
    await store.append(BTC, [encodeForecast(hourRow(3))]);

    expect(await kept()).toEqual([hourRow(0), hourRow(3)]);
    expect(told).toHaveLength(1);
    expect(await readFile(unreadableCopy(file(), bytes))).toEqual(bytes);
  });

  it("keeps forecasts at the ends of what lessons may reach", async () => {
    const { multiplierMin, multiplierMax } = SIGMA_RECALIBRATION.value;
    const ends = { ...UNCORRECTED, long99: multiplierMin, short99: multiplierMax };
    const row = { ...hourRow(0), multipliers: ends };
    await keep([row]);

    expect(await kept()).toEqual([row]);
  });

  it.each<[string, Partial<ForecastRow>]>([
    ["a time within the hour", { timeMs: FIRST_MS + 2.5 * HOUR_MS }],
    ["a time that is none", { timeMs: 1e200 }],
    ["no horizon", { horizonHours: Number.NaN }],
    ["a sigma beyond any market's", { sigma: 1e200 }],
    ["a model of no number", { modelCode: Number.NaN }],
    ["a lesson of a hundredth", { multipliers: { ...UNCORRECTED, long99: 0.01 } }],
    ["a lesson beyond any", { multipliers: { ...UNCORRECTED, short95: 1e200 } }],
    ["a long that loses more than it is worth", { long: { ...TAIL, var99: 1e200 } }],
    ["a short's loss of no number", { short: { ...TAIL, expectedShortfall95: Number.NaN } }],
    ["half an outcome", { outcome: { logReturn: 0, logLow: Number.NaN, logHigh: 0 } }],
    ["an outcome beyond any market's", { outcome: { logReturn: 0, logLow: 0, logHigh: 1e200 } }],
  ])("passes over a forecast with %s, and sets the file aside before it writes", async (_, changes) => {
    await keep([hourRow(0), { ...hourRow(1), ...changes }]);
    const bytes = await readFile(file());

    const told: string[] = [];
    const store = openForecastStore(temporary.path, (detail) => told.push(detail));
    expect(splitForecasts(await store.load(BTC)).map(decodeForecast)).toEqual([hourRow(0)]);
    await store.append(BTC, [encodeForecast(hourRow(3))]);

    expect(await kept()).toEqual([hourRow(0), hourRow(3)]);
    expect(told).toHaveLength(1);
    expect(await readFile(unreadableCopy(file(), bytes))).toEqual(bytes);
  });

  it.each([1, 30, 90, 171])(
    "drops a tail torn %i bytes short and goes on behind what is whole",
    async (bytes) => {
      await keep([hourRow(0), hourRow(1)]);
      await truncate(file(), (await stat(file())).size - bytes);

      await keep([hourRow(2)]);
      await keep([hourRow(3)]);

      expect(await kept()).toEqual([hourRow(0), hourRow(2), hourRow(3)]);
    },
  );

  it("drops what a crash left behind the last whole row, also while it runs", async () => {
    await keep([hourRow(0)]);
    await appendFile(file(), Buffer.from("half a row"));

    const store = openForecastStore(temporary.path);
    expect(splitForecasts(await store.load(BTC))).toHaveLength(1);
    await store.append(BTC, [hourRow(1)].map(encodeForecast));

    expect(await kept()).toEqual([hourRow(0), hourRow(1)]);
  });

  it("appends nothing behind what it found damaged when it read its own file again", async () => {
    const store = openForecastStore(temporary.path);
    await store.append(BTC, [encodeForecast(hourRow(0))]);
    await appendFile(file(), Buffer.from("half a row"));

    await store.load(BTC);
    await store.append(BTC, [encodeForecast(hourRow(1))]);

    expect(await kept()).toEqual([hourRow(0), hourRow(1)]);
  });

  it("stays within half a year, however long it runs, and keeps the newest", async () => {
    const store = openForecastStore(temporary.path);
    for (let batch = 0; batch < 13; batch++) {
      const rows = Array.from({ length: 1_000 }, (_, i) => hourRow(batch * 1_000 + i));
      await store.append(BTC, rows.map(encodeForecast));
    }

    const rows = await kept();
    expect(rows).toHaveLength(5_700);
    expect(rows.at(-1)).toEqual(hourRow(12_999));
    expect((await readFile(file())).length).toBeLessThan(11_400 * (FORECAST_COLUMNS * 8 + 4) + 100);
  });

  it("appends to a file of another asset's name without leaving its folder", async () => {
    const odd = "xyz:GOLD/.." as typeof BTC;
    const store = openForecastStore(temporary.path);

    await store.append(odd, [encodeForecast(hourRow(0))]);

    expect(splitForecasts(await store.load(odd))).toHaveLength(1);
    expect((await stat(join(temporary.path, "forecasts", "xyz%3AGOLD%2F...bin"))).isFile()).toBe(true);
  });
});

describe("encodeForecast", () => {
  it("is undone by decodeForecast, whatever the numbers", () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    const tail = fc.record({
      var95: value,
      var99: value,
      expectedShortfall95: value,
      expectedShortfall99: value,
    });
    const row: fc.Arbitrary<ForecastRow> = fc.record({
      timeMs: fc.nat(),
      horizonHours: fc.constantFrom(1, 4, 24, 168),
      sigma: value,
      modelCode: fc.integer({ min: 1, max: 4 }),
      calibrationCode: fc.integer({ min: 0, max: 2 ** 48 }),
      isReplayed: fc.boolean(),
      multipliers: fc.record({ long95: value, long99: value, short95: value, short99: value }),
      long: tail,
      short: tail,
      outcome: fc.option(fc.record({ logReturn: value, logLow: value, logHigh: value })),
    });
    fc.assert(
      fc.property(row, (one) => {
        expect(decodeForecast(encodeForecast(one))).toEqual(one);
      }),
    );
  });
});

function keep(rows: readonly ForecastRow[]): Promise<void> {
  return openForecastStore(temporary.path).append(BTC, rows.map(encodeForecast));
}

async function kept(): Promise<readonly ForecastRow[]> {
  return splitForecasts(await openForecastStore(temporary.path).load(BTC)).map(decodeForecast);
}

function hourRow(hour: number): ForecastRow {
  return forecastRow({ timeMs: FIRST_MS + hour * HOUR_MS, horizonHours: 1 });
}
