import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/domain/bar.ts";
import { type Ticker, tickerOf } from "../../src/domain/ids.ts";
import { RefitSchedule } from "../../src/refit/refit-schedule.ts";
import { BTC, ETH } from "../support/builders.ts";

// Mutants killed by hand: isUnderWay not set; failures not counted; the new-model mark not cleared by a draw; sigma
// moves drawn without spacing; hourly draw missing; a quick sheet after a full one; settled while a fit is under way; the
// duration of a draw forgotten; the first draws spaced by their duration whether or not a first fit waits, or never; a
// quick sheet for models of assets that have one; every fit counted as a first one.

const anyone = (): boolean => true;

describe("RefitSchedule fits", () => {
  it("fits on new history at once, and a day after", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 750, 0);

    expect([...schedule.takeDueFits(0, anyone)]).toEqual([[BTC, 0]]);
    schedule.noteFitted(BTC, true, 1_000);
    expect(schedule.takeDueFits(23 * HOUR_MS, anyone).size).toBe(0);
    expect(schedule.takeDueFits(24 * HOUR_MS, anyone).size).toBe(1);
  });

  it("fits once more when history came while a fit was under way", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 750, 0);
    schedule.takeDueFits(0, anyone);
    schedule.noteHistory(BTC, 750, 500);

    expect(schedule.takeDueFits(600, anyone).size).toBe(0);
    schedule.noteFitted(BTC, true, 1_000);
    expect(schedule.takeDueFits(1_000, anyone).size).toBe(1);
  });

  it("does so too where that fit failed, or found no model", () => {
    for (const end of ["failed", "unfitted"]) {
      const schedule = new RefitSchedule();
      schedule.noteHistory(BTC, 750, 0);
      schedule.takeDueFits(0, anyone);
      schedule.noteHistory(BTC, 750, 500);
      if (end === "failed") schedule.noteFitFailed(BTC, 1_000);
      else schedule.noteFitted(BTC, false, 1_000);

      expect(schedule.takeDueFits(1_000, anyone).size).toBe(1);
    }
  });

  it("asks an asset without a model again after ten minutes, and not before", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 10, 0);
    schedule.takeDueFits(0, anyone);
    schedule.noteFitted(BTC, false, 1_000);

    expect(schedule.takeDueFits(600_999, anyone).size).toBe(0);
    expect(schedule.takeDueFits(601_000, anyone).size).toBe(1);
  });

  it("counts the day from when a fit was taken, however late", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 750, 0);
    schedule.takeDueFits(40 * HOUR_MS, anyone);
    schedule.noteFitted(BTC, true, 40 * HOUR_MS);

    expect(schedule.takeDueFits(64 * HOUR_MS - 1, anyone).size).toBe(0);
    expect(schedule.takeDueFits(64 * HOUR_MS, anyone).size).toBe(1);
  });

  it("fits anew for a deep history, not for a gap that was closed", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 0, 0);
    expect(schedule.takeDueFits(0, anyone).size).toBe(1);
    schedule.noteFitted(BTC, true, 1_000);
    schedule.noteHistory(BTC, 47, 1_000);
    expect(schedule.takeDueFits(1_000, anyone).size).toBe(0);
    schedule.noteHistory(BTC, 48, 1_000);
    expect(schedule.takeDueFits(1_000, anyone).size).toBe(1);
  });

  it("steps down a rung with every failure and up again after a fit", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 750, 0);
    schedule.takeDueFits(0, anyone);
    schedule.noteFitFailed(BTC, 0);

    expect([...schedule.takeDueFits(60_000, anyone)]).toEqual([[BTC, 1]]);
    schedule.noteFitted(BTC, true, 60_000);
    expect([...schedule.takeDueFits(25 * HOUR_MS, anyone)]).toEqual([[BTC, 0]]);
  });

  it("leaves whom it may not start for later", () => {
    const schedule = new RefitSchedule();
    schedule.noteHistory(BTC, 750, 0);
    schedule.noteHistory(ETH, 750, 0);

    expect([...schedule.takeDueFits(0, (ticker) => ticker === ETH).keys()]).toEqual([ETH]);
    expect([...schedule.takeDueFits(0, anyone).keys()]).toEqual([BTC]);
  });
});

describe("RefitSchedule sheets", () => {
  it("draws a quick first sheet a quarter of a second after the first model, and every model's soon after", () => {
    const schedule = fitted([BTC], 0);

    addFitted(schedule, tickerOf("SOL"), 200);
    expect(schedule.takeSheet(249, 1)).toBeNull();
    expect(schedule.takeSheet(250, 1)).toBe("quick");
    schedule.noteDrawn(true, 700);
    addFitted(schedule, ETH, 1_500);
    expect(schedule.takeSheet(3_249, 1)).toBeNull();
    expect(schedule.takeSheet(3_250, 1)).toBe("quick");
  });

  it("draws in full once no model came for three seconds, without a new one, and never quickly again", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(500, 1);
    schedule.noteDrawn(true, 700);

    expect(schedule.takeSheet(3_499, 1)).toBeNull();
    expect(schedule.takeSheet(3_500, 1)).toBe("full");
    schedule.noteDrawn(true, 3_700);
    expect(schedule.takeSheet(60_000, 1)).toBeNull();
    addFitted(schedule, ETH, 60_000);
    expect(schedule.takeSheet(60_000, 1)).toBe("full");
  });

  it("does not take a pause for the end while a fit is under way", () => {
    const schedule = fitted([BTC], 0);
    schedule.noteHistory(ETH, 750, 0);
    schedule.takeDueFits(0, anyone);

    expect(schedule.takeSheet(10_000, 1)).toBe("quick");
    schedule.noteDrawn(true, 10_100);
    expect(schedule.takeSheet(20_000, 1)).toBeNull();
    schedule.noteFitted(ETH, false, 20_000);
    expect(schedule.takeSheet(20_000, 1)).toBe("full");
  });

  it("spends at most a fifth of the time on drawing what new models ask for", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(3_000, 1);
    schedule.noteDrawn(true, 7_000);
    addFitted(schedule, ETH, 8_000);

    expect(schedule.takeSheet(22_999, 1)).toBeNull();
    expect(schedule.takeSheet(23_000, 1)).toBe("full");
  });

  it("takes no clock that was set forward for a slow draw", () => {
    const steppedMs = 86_400_000;
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(3_000, 1);
    schedule.noteDrawn(true, steppedMs);

    expect(schedule.takeSheet(steppedMs, 1.3)).toBe("full");
  });

  it("lets neither a slow first draw nor the fits of others hold up an asset's first numbers", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(500, 1);
    schedule.noteDrawn(true, 10_500);
    addFitted(schedule, ETH, 10_600);
    schedule.noteHistory(BTC, 100, 10_600);
    schedule.takeDueFits(10_600, anyone);

    expect(schedule.takeSheet(11_099, 1)).toBeNull();
    expect(schedule.takeSheet(11_100, 1)).toBe("quick");
  });

  it("draws first models together while they come, unless that takes as long as eight draws", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(500, 1);
    schedule.noteDrawn(true, 1_500);
    schedule.noteHistory(tickerOf("SOL"), 750, 1_500);
    expect(schedule.takeDueFits(1_500, anyone).size).toBe(1);
    addFitted(schedule, ETH, 1_600);

    expect(schedule.firstFitsUnderWay).toBe(1);
    expect(schedule.takeSheet(8_499, 1)).toBeNull();
    expect(schedule.takeSheet(8_500, 1)).toBe("quick");
    schedule.noteFitted(tickerOf("SOL"), true, 8_600);
    expect(schedule.firstFitsUnderWay).toBe(0);
  });

  it("draws no quick sheet for better models of assets that have numbers: they wait for the full one", () => {
    const schedule = fitted([BTC], 0);
    expect(schedule.takeSheet(500, 1)).toBe("quick");
    schedule.noteDrawn(true, 700);
    addFitted(schedule, BTC, 5_000);

    expect(schedule.takeSheet(7_999, 1)).toBeNull();
    expect(schedule.takeSheet(8_000, 1)).toBe("full");
  });

  it("counts an asset whose model was lost among those without numbers", () => {
    const schedule = fitted([BTC, ETH], 0);
    schedule.takeSheet(500, 1);
    schedule.noteDrawn(true, 700);
    schedule.noteModelLost(BTC, 800);
    expect(schedule.takeDueFits(800, anyone).size).toBe(1);
    expect(schedule.firstFitsUnderWay).toBe(1);
    schedule.noteFitted(BTC, true, 2_900);

    expect(schedule.takeSheet(3_500, 1)).toBe("quick");
  });

  it("draws in full as soon as the models are complete, however long the quick sheet took", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(500, 1);
    schedule.noteDrawn(true, 6_500);
    addFitted(schedule, BTC, 7_000);

    expect(schedule.takeSheet(9_999, 1)).toBeNull();
    expect(schedule.takeSheet(10_000, 1)).toBe("full");
  });

  it("draws hourly, and within seconds when sigma moved by more than a fifth", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(5_000, 1);
    schedule.noteDrawn(true, 5_000);

    expect(schedule.takeSheet(HOUR_MS, 1.2)).toBeNull();
    expect(schedule.takeSheet(19_999, 1.21)).toBeNull();
    expect(schedule.takeSheet(20_000, 1.21)).toBe("full");
    schedule.noteDrawn(true, 20_000);
    expect(schedule.takeSheet(20_000 + HOUR_MS, 1)).toBe("full");
  });

  it("draws what records have come to teach five minutes after the first of them, and once", () => {
    const schedule = fitted([BTC], 0);
    schedule.noteLessons(0, 0);
    schedule.takeSheet(5_000, 1);
    schedule.noteDrawn(true, 6_000);
    schedule.noteLessons(1, 20_000);
    schedule.noteLessons(2, 200_000);

    expect(schedule.takeSheet(319_999, 1)).toBeNull();
    expect(schedule.takeSheet(320_000, 1)).toBe("full");
    schedule.noteDrawn(true, 321_000);
    schedule.noteLessons(2, 330_000);
    // One delisted teaches no more.
    schedule.noteLessons(1, 340_000);
    expect(schedule.takeSheet(320_000 + HOUR_MS - 1, 1)).toBeNull();
  });

  it("draws again a minute after a failure, sooner with a new model, and is not complete before it has drawn", () => {
    const schedule = fitted([BTC], 0);
    expect(schedule.takeSheet(5_000, 1)).toBe("full");
    schedule.noteDrawn(false, 6_000);
    expect(schedule.takeSheet(65_999, 1)).toBe("full");
    schedule.noteDrawn(true, 66_000);
    expect(schedule.takeSheet(600_000, 1)).toBeNull();

    addFitted(schedule, ETH, 600_000);
    expect(schedule.takeSheet(600_000, 1)).toBe("full");
    schedule.noteDrawn(false, 600_100);
    expect(schedule.takeSheet(660_099, 1)).toBeNull();
    expect(schedule.takeSheet(660_100, 1)).toBe("full");
    schedule.noteDrawn(true, 660_200);
    expect(schedule.takeSheet(720_300, 1)).toBeNull();
  });

  it("spends at most a fifth of the time on following sigma", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(5_000, 1);
    schedule.noteDrawn(true, 9_000);

    expect(schedule.takeSheet(24_999, 1.21)).toBeNull();
    expect(schedule.takeSheet(25_000, 1.21)).toBe("full");
  });

  it("draws at once when sigma moved beyond what rescaling is for, at most half of the time", () => {
    const schedule = fitted([BTC], 0);
    schedule.takeSheet(5_000, 1);
    schedule.noteDrawn(true, 5_000);

    expect(schedule.takeSheet(8_000, 2)).toBeNull();
    expect(schedule.takeSheet(7_999, 2.1)).toBeNull();
    expect(schedule.takeSheet(8_000, 2.1)).toBe("full");
    schedule.noteDrawn(true, 10_000);
    expect(schedule.takeSheet(11_999, 2.1)).toBeNull();
    expect(schedule.takeSheet(12_000, 2.1)).toBe("full");
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
          if (name === "history") schedule.noteHistory(BTC, 750, nowMs);
          if (name === "fit") fitsOut += schedule.takeDueFits(nowMs, anyone).size;
          if (name === "sheet" && schedule.takeSheet(nowMs, 2) !== null) sheetsOut++;
          if (name === "drawn" && sheetsOut > 0) {
            schedule.noteDrawn(true, nowMs);
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
  schedule.noteHistory(ticker, 750, nowMs);
  schedule.takeDueFits(nowMs, anyone);
  schedule.noteFitted(ticker, true, nowMs);
}
