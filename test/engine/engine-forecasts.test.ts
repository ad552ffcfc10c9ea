import { describe, expect, it } from "vitest";
import { DAY_HOURS, DAY_MS, HOUR_MS } from "../../src/domain/bar.ts";
import { barColumnsOf } from "../../src/domain/bar-columns.ts";
import {
  decodeForecast,
  type ForecastRow,
  type SigmaMultipliers,
  splitForecasts,
} from "../../src/domain/forecast-row.ts";
import { replayJob } from "../../src/refit/replay-job.ts";
import {
  sigmaMultiplierOf,
  UNCORRECTED,
  updateMultipliers,
} from "../../src/risk/scenarios/sigma-recalibration.ts";
import { BTC, ETH } from "../support/builders.ts";
import {
  BARS,
  countingRunner,
  type ForecastDesk,
  forecastsKept,
  type KnownAsset,
  openForecasts,
} from "../support/forecast-desk.ts";
import { SYNTHETIC_START_MS } from "../support/synthetic-bars.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Mutants killed by hand: a bar recorded twice; missed hours not replayed; a replay from the start after a restart, and one
// from the model in force; live rows marked replayed; two jobs at once; no rest after a job; a failed job never tried
// again; a record judged with every change; a record begun before the history was whole.

/** Two days before the end: the rest comes live. */
const KNOWN = 46 * 24;
const temporary = temporaryFolder();

describe("EngineForecasts", () => {
  it("replays what was before, then records every bar as it closes, before the next one", async () => {
    const desk = open(KNOWN);
    await desk.settle();
    const replayed = await rows();

    for (let i = KNOWN; i < KNOWN + 30; i++) desk.close(BARS[i]!);
    await desk.idle();
    const all = await rows();

    expect(replayed.every(({ isReplayed }) => isReplayed)).toBe(true);
    // The model in force has seen all of it: the replay may not start from there.
    const fromNothing = replayJob({
      kind: "replay",
      ticker: BTC,
      bars: barColumnsOf(BARS.slice(0, KNOWN)),
      cursor: { hour: 0, model: null, multipliers: UNCORRECTED, openDay: null },
      hoursMax: 14 * 24,
      calibrationCode: replayed[0]!.calibrationCode,
    });
    const first = splitForecasts(fromNothing.rows).map(decodeForecast);
    expect(replayed.slice(0, first.length)).toEqual(first);
    const live = all.filter(({ isReplayed }) => !isReplayed);
    expect(live.filter(({ horizonHours }) => horizonHours === 1).map(({ timeMs }) => timeMs)).toEqual(
      Array.from({ length: 30 }, (_, i) => SYNTHETIC_START_MS + (KNOWN + 1 + i) * HOUR_MS),
    );
    // Hours and four-hour periods are over and settled, the newest not.
    for (const { timeMs, horizonHours, outcome } of live) {
      const end = (timeMs - SYNTHETIC_START_MS) / HOUR_MS + horizonHours;
      const entry = BARS[end - horizonHours - 1]!.close;
      if (end > KNOWN + 30) expect(outcome).toBeNull();
      else expect(outcome!.logReturn).toBeCloseTo(Math.log(BARS[end - 1]!.close / entry), 12);
    }
    const tails = desk.registry.stateOf(BTC)!.volatility.tails!;
    expect(all.at(-1)!.long.var99).toBe(tails.long.horizons[0]!.var99);
  });

  it("ignores a bar that comes again or late: the clock of the exchange may go back, the record does not", async () => {
    const desk = open(KNOWN);
    await desk.settle();
    desk.close(BARS[KNOWN]!);
    await desk.idle();
    const before = await rows();
    const appended = [...desk.appended];

    desk.close(BARS[KNOWN]!);
    desk.close(BARS[KNOWN - 5]!);
    desk.forecasts.note({ type: "bar.closed", ticker: BTC, bar: BARS[KNOWN]! });
    await desk.idle();

    expect(await rows()).toEqual(before);
    expect(desk.appended).toEqual(appended);
  });

  it("waits for the older bars that are on their way, and replays all", async () => {
    const desk = open(KNOWN, { recentBars: 750 });
    await desk.settle();
    expect(await rows()).toEqual([]);
    expect(desk.published).toEqual([]);

    desk.load(BARS.slice(0, KNOWN - 750));
    await desk.settle();

    const hourly = (await rows()).filter(({ horizonHours }) => horizonHours === 1);
    // A month after the first bar, at the next fit: models are fitted weekly.
    expect(hourly[0]!.timeMs).toBeLessThanOrEqual(SYNTHETIC_START_MS + (720 + 168) * HOUR_MS);
    expect(hourly.at(-1)!.timeMs).toBe(SYNTHETIC_START_MS + KNOWN * HOUR_MS);
  });

  it("replays the hours that it missed while it ran", async () => {
    const desk = open(KNOWN);
    await desk.settle();

    desk.load(BARS.slice(KNOWN, KNOWN + 6));
    desk.close(BARS[KNOWN + 6]!);
    await desk.settle();
    desk.close(BARS[KNOWN + 7]!);
    await desk.idle();

    const newest = (await rows()).filter(
      ({ timeMs, horizonHours }) => horizonHours === 1 && timeMs > SYNTHETIC_START_MS + KNOWN * HOUR_MS,
    );
    expect(newest.map(({ isReplayed }) => isReplayed)).toEqual([...new Array<boolean>(7).fill(true), false]);
    expect(newest.slice(0, -1).every(({ outcome }) => outcome !== null)).toBe(true);
  });

  it("learns from a day once that ends between two jobs of a replay", async () => {
    // A job's hours end in the last day that is known, which is over before the next.
    const known = 721 + 14 * DAY_HOURS + 20;
    const desk = open(known);
    await desk.turn(0); // reads
    await desk.turn(1_000);
    for (let i = known; i < known + 30; i++) desk.close(BARS[i]!);
    await desk.settle();

    const days = (await rows()).filter(({ horizonHours }) => horizonHours === DAY_HOURS);
    let multipliers = days[0]!.multipliers;
    for (const { outcome, ...day } of days) {
      expect(day.multipliers).toEqual(multipliers);
      if (outcome !== null) multipliers = updateMultipliers(multipliers, { ...day, outcome });
    }
    expect(desk.forecasts.sigmaMultiplierOf(BTC)).toBe(sigmaMultiplierOf(multipliers));
  });

  it("goes on after a restart where it stopped: same lesson, no forecast made anew, open periods settled", async () => {
    const first = open(KNOWN);
    await first.settle();
    for (let i = KNOWN; i < KNOWN + 5; i++) first.close(BARS[i]!);
    await first.idle();
    const before = await rows();
    const multiplier = first.forecasts.sigmaMultiplierOf(BTC);

    const jobs: number[] = [];
    const second = open(KNOWN + 9, { runner: countingRunner(jobs) });
    await second.settle();
    const after = await rows();

    expect(jobs).toEqual([1]);
    expect(second.forecasts.sigmaMultiplierOf(BTC)).toBe(multiplier);
    before.forEach((row) => {
      const now = after.find(
        ({ timeMs, horizonHours }) => timeMs === row.timeMs && horizonHours === row.horizonHours,
      )!;
      expect({ ...now, outcome: null }).toEqual({ ...row, outcome: null });
      if (row.outcome !== null) expect(now.outcome).toEqual(row.outcome);
    });
    const isOver = ({ timeMs, horizonHours }: ForecastRow): boolean =>
      timeMs + horizonHours * HOUR_MS <= SYNTHETIC_START_MS + (KNOWN + 9) * HOUR_MS;
    expect(after.filter((row) => isOver(row) && row.outcome === null)).toEqual([]);
    const missed = after.filter(
      ({ timeMs, horizonHours }) => horizonHours === 1 && timeMs > before.at(-1)!.timeMs,
    );
    expect(missed.map(({ isReplayed }) => isReplayed)).toEqual([true, true, true, true]);
  });

  it.each([
    // A job's hours end in a day that is over, and known, by then.
    ["a replay", 721 + 14 * DAY_HOURS + 40, 721 + 14 * DAY_HOURS + 40],
    ["the day before", KNOWN, KNOWN + 30],
  ])("lets no hour know how its day ended after it was stopped in %s", async (_, known, knownLater) => {
    const first = open(known);
    await first.turn(0); // reads
    await first.turn(1_000);
    if (knownLater > known) {
      await first.settle();
      for (let i = known; i < known + 5; i++) first.close(BARS[i]!);
      await first.idle();
    }
    const second = open(knownLater);
    await second.settle();

    let [lesson, day]: [SigmaMultipliers, ForecastRow | null] = [UNCORRECTED, null];
    for (const row of await rows()) {
      if (day?.outcome && row.timeMs >= day.timeMs + DAY_MS) {
        lesson = updateMultipliers(day.multipliers, { ...day, outcome: day.outcome });
        day = null;
      }
      expect(row.multipliers, new Date(row.timeMs).toISOString()).toEqual(lesson);
      if (row.horizonHours === DAY_HOURS) day = row;
    }
    expect(lesson).not.toEqual(UNCORRECTED);
  });

  it("judges a record that changed, once an hour, and publishes what it finds", async () => {
    const desk = open(KNOWN);
    await desk.settle();
    expect(desk.published).toHaveLength(1);
    expect(desk.published[0]).toMatchObject({ ticker: BTC, status: "insufficient_data" });
    expect(desk.published[0]!.results.some(({ quantileLosses }) => quantileLosses !== null)).toBe(true);

    desk.closeAtOnce(BARS[KNOWN]!);
    await desk.settle(1_000);
    expect(desk.published).toHaveLength(1);
    await desk.settle(HOUR_MS);

    expect(desk.published).toHaveLength(2);
    expect(desk.published[1]!.periods).toBeGreaterThan(desk.published[0]!.periods);
    // The losses against the baselines are those of the day.
    expect(desk.published[1]!.results[0]!.quantileLosses).toEqual(
      desk.published[0]!.results[0]!.quantileLosses,
    );
  });

  it("gives an asset its own lesson, and what all have learned to one without", async () => {
    const desk = open(KNOWN);
    expect(desk.forecasts.sigmaMultiplierOf(BTC)).toBe(1);
    expect(desk.forecasts.facts().assets).toBe(0);
    await desk.settle();

    const own = desk.forecasts.sigmaMultiplierOf(BTC);

    expect(own).not.toBe(1);
    expect(desk.forecasts.sigmaMultiplierOf(ETH)).toBe(own);
    expect(desk.forecasts.facts()).toMatchObject({
      assets: 1,
      smallestMultiplier: own,
      largestMultiplier: own,
    });
  });

  it("takes what an asset that is young by its trades has learned for none, however many hours without any precede", async () => {
    const desk = open(300);
    const before = BARS.slice(0, 600).map((bar, hour) => {
      const openTimeMs = SYNTHETIC_START_MS + (hour - 600) * HOUR_MS;
      return { ...bar, openTimeMs, volumeBase: 0 };
    });
    desk.load(before);
    await desk.settle();
    expect(desk.registry.stateOf(BTC)!.volatility.bars.length).toBe(900);

    expect(desk.forecasts.facts().assets).toBe(0);
  });

  it("runs one job at a time, rests three times as long as it took, and tries a failed one again later", async () => {
    const jobs: number[] = [];
    const desk: ForecastDesk = open(KNOWN, { runner: countingRunner(jobs, () => (desk.clock.nowMs += 400)) });
    let isFirst = true;
    desk.failNext = () => isFirst && ((isFirst = false), true);

    await desk.turn(0); // reads
    desk.clock.nowMs += 1;
    desk.forecasts.tick(); // fails
    desk.forecasts.tick(); // waits for it
    await desk.idle();
    expect(jobs).toEqual([1]);
    await desk.turn(60_000);
    expect(jobs).toEqual([1]);
    await desk.turn(10 * 60_000);
    expect(jobs).toEqual([1, 1]);
    await desk.turn(1_100);
    expect(jobs).toEqual([1, 1]);
    await desk.turn(100);
    expect(jobs).toHaveLength(3);
    expect(desk.problems).toEqual(["replay of BTC"]);
  });

  it("rests for as long as a job took, not for three days after one in which the clock was set a day ahead", async () => {
    const jobs: number[] = [];
    const desk = open(KNOWN, { runner: countingRunner(jobs, () => (desk.clock.nowMs += 400)) });
    await desk.turn(0); // reads
    desk.failNext = () => {
      desk.clock.nowMs += DAY_MS;
      desk.clock.setByMs += DAY_MS;
      desk.failNext = () => false;
      return false;
    };

    await desk.turn(1);
    expect(jobs).toEqual([1]);
    await desk.turn(1_100);
    expect(jobs).toEqual([1]);
    await desk.turn(100);

    expect(jobs).toEqual([1, 1]);
  });
});

function open(knownBars: number, others: Partial<KnownAsset> = {}): ForecastDesk {
  return openForecasts({ dataDir: temporary.path, knownBars, ...others });
}

function rows(): Promise<readonly ForecastRow[]> {
  return forecastsKept(temporary.path);
}
