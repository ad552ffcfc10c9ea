import { clamp } from "../../math/clamp.ts";
import { invariant } from "../../math/invariant.ts";
import { fitIsotonic, isotonicAt } from "./isotonic.ts";
import { fitPlatt, plattAt, type PlattMap } from "./platt.ts";
import type { TiedOutcomes } from "./tied-forecasts.ts";

/** Turns a published probability into the one that outcomes support; never decreasing. */
export type RecalibrationMap = (probability: number) => number;

export type RecalibrationMethod = "platt" | "isotonic";

/** A slope outside says more about the sample than about the score. */
const SLOPE_MIN = 0.2;
const SLOPE_MAX = 5;
/** Holds the map at the identity as four observations of a fair coin would. */
const PRIOR_WEIGHT = 1;
/** Fewer outcomes than this do not make a step of their own. */
const BLOCK_MIN = 25;
/** Where probabilities end: the published curve's own ends. */
const PROBABILITY_MIN = 0.0005;
const PROBABILITY_MAX = 0.99;
const BISECTIONS = 60;

/** Fits a map on what happened after each forecast. Both classes must occur. */
export function fitRecalibration(method: RecalibrationMethod, outcomes: TiedOutcomes): RecalibrationMap {
  return method === "platt" ? plattMap(outcomes) : isotonicMap(outcomes);
}

/** Logistic in the log-odds of the forecast, its slope held inside [0.2, 5]. */
function plattMap(outcomes: TiedOutcomes): RecalibrationMap {
  const { values, counts, events } = outcomes;
  const free = fitPlatt(values, events, counts, PRIOR_WEIGHT);
  const slope = clamp(free.slope, SLOPE_MIN, SLOPE_MAX);
  const map = slope === free.slope ? free : { slope, intercept: interceptFor(slope, outcomes) };
  return (probability) => plattAt(map, probability);
}

/** The intercept at which the recalibrated forecasts have the outcomes' mean, for a slope that is given. */
function interceptFor(slope: number, { values, counts, events }: TiedOutcomes): number {
  const total = (column: Float64Array): number => column.reduce((sum, value) => sum + value, 0);
  const happened = total(events);
  invariant(happened > 0 && happened < total(counts), "both classes occur");
  const excess = (map: PlattMap): number =>
    values.reduce((sum, value, i) => sum + counts[i]! * plattAt(map, value), -happened);
  let low = -200;
  let high = 200;
  for (let i = 0; i < BISECTIONS; i++) {
    const intercept = (low + high) / 2;
    if (excess({ slope, intercept }) < 0) low = intercept;
    else high = intercept;
  }
  return (low + high) / 2;
}

/**
 * Isotonic over blocks of at least 25 outcomes of neighbouring forecasts, straight between the blocks' means; equal
 * forecasts are of one block and so get one answer.
 */
function isotonicMap({ values, counts, events }: TiedOutcomes): RecalibrationMap {
  const blocks: { forecasts: number; events: number; count: number }[] = [];
  let block = { forecasts: 0, events: 0, count: 0 };
  values.forEach((value, i) => {
    block.forecasts += counts[i]! * value;
    block.events += events[i]!;
    block.count += counts[i]!;
    if (block.count >= BLOCK_MIN) {
      blocks.push(block);
      block = { forecasts: 0, events: 0, count: 0 };
    }
  });
  const last = blocks.at(-1);
  if (last !== undefined) {
    last.forecasts += block.forecasts;
    last.events += block.events;
    last.count += block.count;
  }
  const curve = fitIsotonic(
    blocks.map(({ forecasts, count }) => forecasts / count),
    blocks.map(({ events, count }) => events / count),
    blocks.map(({ count }) => count),
  );
  invariant(curve !== null, "there is a block of outcomes");
  return (probability) => clamp(isotonicAt(curve, probability), PROBABILITY_MIN, PROBABILITY_MAX);
}
