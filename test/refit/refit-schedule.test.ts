import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import { RefitSchedule } from "../../src/refit/refit-schedule.ts";
import { BTC, ETH } from "../support/builders.ts";

// Mutants killed by hand: isUnderWay not set; failures not counted; the new-model mark not cleared by a draw; sigma
// moves drawn without spacing; hourly draw missing.

const anyone = (): boolean => true;

describe("RefitSchedule fits", () => {
  it("fits on new history at once, and a day after", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 0);

    expect([...schedule.takeDueFits(0, anyone)]).toEqual([[BTC, 0]]);
    schedule.noteFitted(BTC, true, 1_000);
    expect(schedule.takeDueFits(23 * HOUR_MS, anyone).size).toBe(0);
    expect(schedule.takeDueFits(24 * HOUR_MS, anyone).size).toBe(1);
  });

  it("fits once more when history came while a fit was under way", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 0);
    schedule.takeDueFits(0, anyone);
    schedule.noteHistory(BTC, 500);

    expect(schedule.takeDueFits(600, anyone).size).toBe(0);
    schedule.noteFitted(BTC, true, 1_000);
    expect(schedule.takeDueFits(1_000, anyone).size).toBe(1);
  });

  it("steps down a rung with every failure and up again after a fit", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 0);
    schedule.takeDueFits(0, anyone);
    schedule.noteFitFailed(BTC, 0);

    expect([...schedule.takeDueFits(60_000, anyone)]).toEqual([[BTC, 1]]);
    schedule.noteFitted(BTC, true, 60_000);
    expect([...schedule.takeDueFits(25 * HOUR_MS, anyone)]).toEqual([[BTC, 0]]);
  });

  it("leaves whom it may not start for later", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 0);
    schedule.noteHistory(ETH, 0);

    expect([...schedule.takeDueFits(0, (ticker) => ticker === ETH).keys()]).toEqual([ETH]);
    expect([...schedule.takeDueFits(0, anyone).keys()]).toEqual([BTC]);
  });
});

describe("RefitSchedule sheets", () => {
  it("draws the first sheet a second after the first model, then gathers models", () => {
    const schedule = fitted([BTC], 0);

    expect(schedule.takeSheet(999, 1)).toBe(false);
    expect(schedule.takeSheet(1_000, 1)).toBe(true);
    schedule.noteDrawn();
    addFitted(schedule, ETH, 1_500);
    expect(schedule.takeSheet(3_999, 1)).toBe(false);
    expect(schedule.takeSheet(4_000, 1)).toBe(true);
  });

  it("waits longer while fits are coming in", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(1_000, 1);
    schedule.noteDrawn();
    addFitted(schedule, ETH, 2_000);
    schedule.noteHistory(BTC, 2_000);
    schedule.takeDueFits(2_000, anyone);

    expect(schedule.takeSheet(15_999, 1)).toBe(false);
    expect(schedule.takeSheet(16_000, 1)).toBe(true);
  });

  it("draws hourly, and within seconds when sigma moved by more than a fifth", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(1_000, 1);
    schedule.noteDrawn();

    expect(schedule.takeSheet(HOUR_MS, 1.2)).toBe(false);
    expect(schedule.takeSheet(20_000, 1.21)).toBe(true);
    schedule.noteDrawn();
    expect(schedule.takeSheet(20_000 + HOUR_MS, 1)).toBe(true);
  });

  it("never has two sheets, nor two fits of an asset, under way", () => {
    const steps = fc.array(fc.constantFrom("history", "fit", "fitted", "failed", "sheet", "drawn"), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (names) => {
        const schedule = new RefitSchedule();
        let nowMs = 0;
        let fitsOut = 0;
        let sheetsOut = 0;
        for (const name of names) {
          nowMs += 20_000;
          if (name === "history") schedule.noteHistory(BTC, nowMs);
          if (name === "fit") fitsOut += schedule.takeDueFits(nowMs, anyone).size;
          if (name === "sheet" && schedule.takeSheet(nowMs, 2)) sheetsOut++;
          if (name === "drawn" && sheetsOut > 0) {
            schedule.noteDrawn();
            sheetsOut--;
          }
          if ((name === "fitted" || name === "failed") && fitsOut > 0) {
            if (name === "fitted") schedule.noteFitted(BTC, true, nowMs);
            else schedule.noteFitFailed(BTC, nowMs);
            fitsOut--;
          }
          expect(fitsOut).toBeLessThanOrEqual(1);
          expect(sheetsOut).toBeLessThanOrEqual(1);
          expect(schedule.fitsUnderWay).toBe(fitsOut);
        }
      }),
    );
  });
});

function fitted(tickers: readonly Ticker[], nowMs: number): RefitSchedule {
  const schedule = new RefitSchedule();
  for (const ticker of tickers) addFitted(schedule, ticker, nowMs);
  return schedule;
}

function addFitted(schedule: RefitSchedule, ticker: Ticker, nowMs: number): void {
  schedule.noteHistory(ticker, nowMs);
  schedule.takeDueFits(nowMs, anyone);
  schedule.noteFitted(ticker, true, nowMs);
}
