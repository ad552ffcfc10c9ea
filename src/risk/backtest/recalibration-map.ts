import { clamp } from "../../math/clamp.ts";
import { invariant } from "../../math/invariant.ts";
import { fitIsotonic, isotonicAt } from "./isotonic.ts";
import type { ForecastColumns } from "./outcome-columns.ts";
import { fitPlatt, plattAt, type PlattMap } from "./platt.ts";

/** Turns a published probability into the one that outcomes support; never decreasing. */
export type RecalibrationMap = (probability: number) => number;

export type RecalibrationMethod = "platt" | "isotonic";

/** A slope outside says more about the sample than about the score. */
const SLOPE_MIN = 0.2;
const SLOPE_MAX = 5;
/** Observations of a fair coin that hold the map at the identity. */
const PRIOR_WEIGHT = 1;
/** Fewer outcomes than this do not make a step of their own. */
const BLOCK_MIN = 25;
/** Where probabilities end: the published curve's own ends. */
const PROBABILITY_MIN = 0.0005;
const PROBABILITY_MAX = 0.99;
const BISECTIONS = 60;

/** Fits a map on forecasts and what happened. Both classes must occur. */
export function fitRecalibration(method: RecalibrationMethod, forecasts: ForecastColumns): RecalibrationMap {
  return method === "platt" ? plattMap(forecasts) : isotonicMap(forecasts);
}

/** Logistic in the log-odds of the forecast, its slope held inside [0.2, 5]. */
function plattMap(forecasts: ForecastColumns): RecalibrationMap {
  const { probabilities, outcomes } = forecasts;
  const free = fitPlatt(probabilities, outcomes, PRIOR_WEIGHT);
  const slope = clamp(free.slope, SLOPE_MIN, SLOPE_MAX);
  const map = slope === free.slope ? free : { slope, intercept: interceptFor(slope, forecasts) };
  return (probability) => plattAt(map, probability);
}

/** The intercept at which the recalibrated forecasts have the outcomes' mean, for a slope that is given. */
function interceptFor(slope: number, { probabilities, outcomes }: ForecastColumns): number {
  const events = outcomes.reduce((sum, outcome) => sum + outcome, 0);
  invariant(events > 0 && events < outcomes.length, "both classes occur");
  const excess = (map: PlattMap): number =>
    probabilities.reduce((sum, probability) => sum + plattAt(map, probability), -events);
  let low = -200;
  let high = 200;
  for (let i = 0; i < BISECTIONS; i++) {
    const intercept = (low + high) / 2;
    if (excess({ slope, intercept }) < 0) low = intercept;
    else high = intercept;
  }
  return (low + high) / 2;
}

/** Isotonic over blocks of at least 25 outcomes of neighbouring forecasts, straight between the blocks' means. */
function isotonicMap({ probabilities, outcomes }: ForecastColumns): RecalibrationMap {
  const order = Array.from(probabilities, (_, i) => i).sort((a, b) => probabilities[a]! - probabilities[b]!);
  const blocks: { forecasts: number; events: number; count: number }[] = [];
  let block = { forecasts: 0, events: 0, count: 0 };
  order.forEach((i, rank) => {
    block.forecasts += probabilities[i]!;
    block.events += outcomes[i]!;
    block.count += 1;
    // Equal forecasts stay together: they must get one answer.
    const isEnd = rank + 1 === order.length || probabilities[order[rank + 1]!] !== probabilities[i];
    if (isEnd && block.count >= BLOCK_MIN) {
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
