import { describe, expect, it } from "vitest";
import { HourRecorder, type WatchedMoment } from "../../src/actors/hour-recorder.ts";
import { HOUR_MS } from "../../src/domain/bar.ts";

// Mutants killed by hand: the earlier run's most taken for the hour's, whatever was open since; an hour of another time
// taken for this one; its means not weighed by how often it looked.

describe("the hour under way", () => {
  it("is of both runs when a moment came before what the earlier one learned", () => {
    const earlier = hourOf([moment(2, 300), moment(4, 100)]);
    for (const openInterestUsd of [200, 400]) {
      const recorder = new HourRecorder();
      recorder.observe(moment(9, openInterestUsd), HOUR_MS + 1);

      recorder.resume(earlier);

      expect(recorder.openHour).toEqual(hourOf([moment(2, 300), moment(4, 100), moment(9, openInterestUsd)]));
    }
  });

  it("has nothing of an earlier hour", () => {
    const recorder = new HourRecorder();
    recorder.observe(moment(9, 1), 2 * HOUR_MS);

    recorder.resume(hourOf([moment(2, 300)]));

    expect(recorder.openHour).toMatchObject({ samples: 1, fundingSize: 9, openInterestMaxUsd: 1 });
  });
});

function hourOf(moments: readonly WatchedMoment[]) {
  const recorder = new HourRecorder();
  for (const each of moments) recorder.observe(each, HOUR_MS);
  return recorder.openHour!;
}

function moment(fundingSize: number, openInterestUsd: number): WatchedMoment {
  return {
    spreadFraction: null,
    depth100BpsUsd: null,
    thinness50Bps: null,
    openInterestFall: null,
    fundingSize,
    openInterestUsd,
    learnedCapUsd: null,
  };
}
