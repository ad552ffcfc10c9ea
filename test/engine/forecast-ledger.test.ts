import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { type BarColumns, barColumnsOf } from "../../src/domain/bar-columns.ts";
import { encodeForecast, type ForecastRow, joinForecasts } from "../../src/domain/forecast-row.ts";
import { ForecastLedger } from "../../src/engine/forecast-ledger.ts";
import { UNCORRECTED, updateMultipliers } from "../../src/risk/scenarios/sigma-recalibration.ts";
import { forecastRow } from "../support/forecast-rows.ts";
import { syntheticBars, SYNTHETIC_START_MS } from "../support/synthetic-bars.ts";

// Mutants killed by hand: a day that teaches nothing; what was learned, or open periods, lost at a restart; a period
// settled twice.

const BARS = syntheticBars({ seed: 3, length: 72, sigmaHour: 0.03 });
const START = 24;

describe("ForecastLedger", () => {
  it("settles a period when its last bar is there, not before, and once", () => {
    const ledger = ledgerOf(rowAt(START, 4));

    expect(settledAt(ledger, START + 3)).toEqual([]);
    const [settled] = settledAt(ledger, START + 4);
    expect(settledAt(ledger, START + 5)).toEqual([]);

    const change = Math.log(BARS[START + 3]!.close / BARS[START - 1]!.close);
    expect(settled).toEqual({ ...rowAt(START, 4), outcome: settled!.outcome });
    expect(settled!.outcome!.logReturn).toBeCloseTo(change, 12);
  });

  it("learns from days, and from nothing else", () => {
    const ledger = ledgerOf(rowAt(START, 1), rowAt(START, 4));
    settledAt(ledger, START + 4);
    expect(ledger.multipliers).toEqual(UNCORRECTED);

    ledger.noteMade([rowAt(START, 24)]);
    const [day] = settledAt(ledger, START + 24);

    expect(ledger.multipliers).toEqual(updateMultipliers(UNCORRECTED, { ...day!, outcome: day!.outcome! }));
    expect(ledger.multipliers).not.toEqual(UNCORRECTED);
  });

  it("goes on after a restart as if there had been none, whether the day was over or not", () => {
    for (const stoppedAt of [START + 10, START + 24, START + 30]) {
      const unbroken = ledgerOf(rowAt(START, 24));
      const day = settledAt(unbroken, stoppedAt)[0] ?? rowAt(START, 24);
      const newest = rowAt(stoppedAt, 1);
      unbroken.noteMade([newest]);

      const restarted = new ForecastLedger();
      restarted.restore(joinForecasts([day, newest].map(encodeForecast)), timeOf(stoppedAt));
      const [first, second] = [unbroken, restarted].map((ledger) => settledAt(ledger, START + 48));

      expect(second).toEqual(first);
      expect(restarted.multipliers).toEqual(unbroken.multipliers);
      expect(restarted.multipliers).not.toEqual(UNCORRECTED);
      expect(restarted.recordedToMs).toBe(newest.timeMs);
    }
  });

  it("has learned nothing from a day that ends after its newest hour, though the outcome is known", () => {
    const [day] = settledAt(ledgerOf(rowAt(START, 24)), START + 24);
    const ledger = new ForecastLedger();

    ledger.restore(joinForecasts([day!, rowAt(START + 5, 1)].map(encodeForecast)), timeOf(START + 30));

    expect(ledger.multipliers).toEqual(UNCORRECTED);
    expect(settledAt(ledger, START + 24)).toContainEqual(day);
    expect(ledger.multipliers).not.toEqual(UNCORRECTED);
  });

  it("does not go by what was kept of a time to come: the record would stand still until then", () => {
    const ledger = new ForecastLedger();
    const ahead = { ...rowAt(START + 48, 24), multipliers: { ...UNCORRECTED, long99: 1.2 } };

    ledger.restore(joinForecasts([rowAt(START, 1), ahead].map(encodeForecast)), timeOf(START + 1));

    expect(ledger.recordedToMs).toBe(timeOf(START));
    expect(ledger.multipliers).toEqual(UNCORRECTED);
  });

  it("takes over what a replay left open, beside what was open before", () => {
    const ledger = ledgerOf(rowAt(START - 3, 4));
    const learned = { ...UNCORRECTED, long99: 1.1 };

    ledger.noteReplayed(joinForecasts([encodeForecast(rowAt(START, 1))]), learned, timeOf(START));

    expect(ledger.multipliers).toEqual(learned);
    const settled = settledAt(ledger, START + 1);
    expect(settled.map(({ horizonHours }) => horizonHours)).toEqual([4, 1]);
  });

  it("lets a period go whose closing bar the exchange does not have", () => {
    const ledger = ledgerOf(rowAt(START, 1), rowAt(START, 4));
    const bars = columnsTo(START + 5, START);

    const settled = ledger.settle(bars, timeOf(START + 5));

    expect(settled.map(({ horizonHours }) => horizonHours)).toEqual([4]);
    expect(settledAt(ledger, START + 6)).toEqual([]);
  });

  it("never goes back", () => {
    const ledger = new ForecastLedger();
    ledger.noteReached(timeOf(START));
    ledger.noteReached(timeOf(START - 5));

    expect(ledger.recordedToMs).toBe(timeOf(START));
  });
});

function rowAt(hour: number, horizonHours: number): ForecastRow {
  return forecastRow({ timeMs: timeOf(hour), horizonHours });
}

function timeOf(hour: number): number {
  return SYNTHETIC_START_MS + hour * HOUR_MS;
}

function ledgerOf(...rows: readonly ForecastRow[]): ForecastLedger {
  const ledger = new ForecastLedger();
  ledger.noteMade(rows);
  return ledger;
}

/** What is settled when the bars up to an hour have closed. */
function settledAt(ledger: ForecastLedger, hour: number): readonly ForecastRow[] {
  return ledger.settle(columnsTo(hour), timeOf(hour));
}

function columnsTo(hour: number, missing = -1): BarColumns {
  return barColumnsOf(BARS.slice(0, hour).filter((_, i) => i !== missing));
}
