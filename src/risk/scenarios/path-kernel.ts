import type { Calibrated } from "../../domain/calibrated.ts";
import type {
  HexpRecursion,
  ScalarVarianceRecursion,
  VarianceRecursion,
} from "../volatility/variance-recursion.ts";
import { persistenceOf, varianceNext } from "../volatility/variance-recursion.ts";
import type { ResidualPool } from "./residual-pool.ts";
import { TUPLE_LENGTH } from "./residual-pool.ts";
import type { ScenarioIndex } from "./scenario-index.ts";

export const PATH_PERSISTENCE_MAX: Calibrated = {
  value: 0.9995,
  unit: "mean growth of variance per hour",
  source:
    "chosen: half-life 58 days; above it a 7-day path explodes for no other reason than a noisy estimate",
  fittedOn: "not fitted",
};

/** A simulated hour's standard deviation stays below 100 %: beyond it only overflow is left to model. */
export const PATH_VARIANCE_MAX = 1;
/** Stored log returns stay within a factor of 22 000, so that every loss made of them is finite. */
export const LOG_RETURN_MAX = 10;

/** A variance model and its state now: [h] or, for HExp, [h, E_1 … E_K]; h is the variance of the coming hour. */
export interface PathModel {
  readonly recursion: VarianceRecursion;
  readonly state: Float64Array;
}

/** Models as paths are drawn with them: no mean that grows for no other reason than a noisy estimate. */
export function stationaryModels(models: readonly PathModel[], pool: ResidualPool): readonly PathModel[] {
  return models.map(({ recursion, state }) => ({ recursion: stationaryRecursion(recursion, pool), state }));
}

/** The three facts kept of a path at each horizon. */
export const PATH_FACTS = ["terminal", "low", "high"] as const;
export type PathFact = (typeof PATH_FACTS)[number];

export interface PathDraw {
  readonly pool: ResidualPool;
  readonly index: ScenarioIndex;
  /** One model, or several that share the scenarios of every block equally (a mixture). */
  readonly models: readonly PathModel[];
  /** Per step: seasonal factor of that hour times every multiplier of sigma. */
  readonly sigmaFactors: Float64Array;
  /** Ascending; the last is at most the index's steps. */
  readonly horizonSteps: readonly number[];
}

/**
 * Simulates log-price paths by replaying standardised hours and keeps, at each horizon, the terminal, lowest and
 * highest log return: q = f√h, low = min(low, c + q z_low), high = max(high, c + q z_high), c += q z, h = next(h, z, ξ).
 *
 * Shapes:  out[(horizon × 3 + fact) × scenarios + scenario], fact in the order of PATH_FACTS
 * Holds:   low <= min(0, terminal), high >= max(0, terminal); low falls and high rises with the horizon
 * Source:  Barone-Adesi, Giannopoulos and Vosper, VaR without correlations (1999), with ranges beside the returns
 */
export function drawPaths(draw: PathDraw, out: Float32Array | Float64Array): void {
  const { pool, index, models } = draw;
  const table = new Float64Array(pool.tuples.length);
  models.forEach((model, place) => {
    const { recursion } = model;
    const isScalar = recursion.kind !== "hexp";
    packTable(pool, isScalar ? recursion : undefined, table);
    for (let first = 0; first < index.scenarios; first += index.windowHours) {
      const count = Math.min(index.windowHours, index.scenarios - first);
      const from = first + Math.floor((count * place) / models.length);
      const to = first + Math.floor((count * (place + 1)) / models.length);
      if (isScalar) drawScalarPaths(draw, table, omegaOf(recursion), model.state[0]!, from, to, out);
      else drawHexpPaths(draw, table, recursion, model.state, from, to, out);
    }
  });
}

/** Which of the mixture's models moves a scenario. */
export function modelOfScenario(
  models: readonly PathModel[],
  index: ScenarioIndex,
  scenario: number,
): number {
  const first = scenario - (scenario % index.windowHours);
  const count = Math.min(index.windowHours, index.scenarios - first);
  for (let place = 0; place < models.length; place++) {
    if (scenario < first + Math.floor((count * (place + 1)) / models.length)) return place;
  }
  return models.length - 1;
}

/**
 * The recursion with its reaction to news scaled down, if needed, so that the pool's own mean of ξ (or z²) does not
 * make paths grow: reaction × mean + memory <= 0.9995.
 */
export function stationaryRecursion(recursion: VarianceRecursion, pool: ResidualPool): VarianceRecursion {
  let ratio = 0;
  let square = 0;
  for (let at = 0; at < pool.tuples.length; at += TUPLE_LENGTH) {
    const z = pool.tuples[at]!;
    square += (z * z) / pool.windowHours;
    ratio += pool.tuples[at + 3]! / pool.windowHours;
  }
  const limit = PATH_PERSISTENCE_MAX.value;
  switch (recursion.kind) {
    case "range-garch": {
      const cut = reactionCut(recursion.alpha * ratio, limit - recursion.beta);
      return cut === 1 ? recursion : { ...recursion, alpha: recursion.alpha * cut };
    }
    case "gjr-garch": {
      const cut = reactionCut((recursion.alpha + recursion.gamma / 2) * square, limit - recursion.beta);
      return cut === 1
        ? recursion
        : { ...recursion, alpha: recursion.alpha * cut, gamma: recursion.gamma * cut };
    }
    case "ewma": {
      // EWMA has persistence 1 by definition; its news must only not add to that.
      const cut = reactionCut(square, 1);
      const reaction = (1 - recursion.decay) * cut;
      return cut === 1
        ? recursion
        : { kind: "gjr-garch", omega: 0, alpha: reaction, gamma: 0, beta: recursion.decay };
    }
    case "hexp": {
      const cut = reactionCut(persistenceOf(recursion) * ratio, limit);
      if (cut === 1) return recursion;
      const weights = recursion.weights.map((weight) => weight * cut);
      return { ...recursion, weights, leverage: recursion.leverage * cut };
    }
  }
}

function reactionCut(reaction: number, room: number): number {
  return reaction > room ? Math.max(0, room) / reaction : 1;
}

function omegaOf(recursion: ScalarVarianceRecursion): number {
  return recursion.kind === "ewma" ? 0 : recursion.omega;
}

/** Copies the pool; for scalar recursions ξ is replaced by the hour's growth factor (h' − ω)/h, the same for every h. */
function packTable(
  pool: ResidualPool,
  recursion: ScalarVarianceRecursion | undefined,
  table: Float64Array,
): void {
  table.set(pool.tuples);
  if (recursion === undefined) return;
  const memoryless = recursion.kind === "ewma" ? recursion : { ...recursion, omega: 0 };
  for (let at = 0; at < table.length; at += TUPLE_LENGTH) {
    table[at + 3] = varianceNext(memoryless, 1, table[at]!, table[at + 3]!);
  }
}

function drawScalarPaths(
  draw: PathDraw,
  table: Float64Array,
  omega: number,
  varianceNow: number,
  from: number,
  to: number,
  out: Float32Array | Float64Array,
): void {
  const { horizonSteps, sigmaFactors } = draw;
  const { hours, steps, scenarios } = draw.index;
  for (let scenario = from; scenario < to; scenario++) {
    const first = scenario * steps;
    let close = 0;
    let low = 0;
    let high = 0;
    let variance = varianceNow;
    let step = 0;
    for (let horizon = 0; horizon < horizonSteps.length; horizon++) {
      const end = horizonSteps[horizon]!;
      for (; step < end; step++) {
        const at = hours[first + step]! * TUPLE_LENGTH;
        const sigma = Math.sqrt(variance) * sigmaFactors[step]!;
        low = Math.min(low, close + sigma * table[at + 1]!);
        high = Math.max(high, close + sigma * table[at + 2]!);
        close += sigma * table[at]!;
        variance = Math.min(omega + variance * table[at + 3]!, PATH_VARIANCE_MAX);
      }
      store(out, horizon * PATH_FACTS.length * scenarios + scenario, scenarios, close, low, high);
    }
  }
}

function drawHexpPaths(
  draw: PathDraw,
  table: Float64Array,
  recursion: HexpRecursion,
  stateNow: Float64Array,
  from: number,
  to: number,
  out: Float32Array | Float64Array,
): void {
  const { horizonSteps, sigmaFactors } = draw;
  const { hours, steps, scenarios } = draw.index;
  const { baseVarianceStep, leverage } = recursion;
  const count = recursion.weights.length;
  const weights = Float64Array.from(recursion.weights);
  const decays = Float64Array.from(recursion.decays);
  const averages = new Float64Array(count);
  for (let scenario = from; scenario < to; scenario++) {
    const first = scenario * steps;
    for (let k = 0; k < count; k++) averages[k] = stateNow[k + 1]!;
    let close = 0;
    let low = 0;
    let high = 0;
    let variance = stateNow[0]!;
    let step = 0;
    for (let horizon = 0; horizon < horizonSteps.length; horizon++) {
      const end = horizonSteps[horizon]!;
      for (; step < end; step++) {
        const at = hours[first + step]! * TUPLE_LENGTH;
        const z = table[at]!;
        const sigma = Math.sqrt(variance) * sigmaFactors[step]!;
        low = Math.min(low, close + sigma * table[at + 1]!);
        high = Math.max(high, close + sigma * table[at + 2]!);
        close += sigma * z;
        const news = variance * table[at + 3]!;
        let next = z < 0 ? baseVarianceStep + leverage * news : baseVarianceStep;
        for (let k = 0; k < count; k++) {
          const decay = decays[k]!;
          const average = decay * averages[k]! + (1 - decay) * news;
          averages[k] = average;
          next += weights[k]! * average;
        }
        variance = Math.min(next, PATH_VARIANCE_MAX);
      }
      store(out, horizon * PATH_FACTS.length * scenarios + scenario, scenarios, close, low, high);
    }
  }
}

function store(
  out: Float32Array | Float64Array,
  at: number,
  scenarios: number,
  close: number,
  low: number,
  high: number,
): void {
  out[at] = Math.max(-LOG_RETURN_MAX, Math.min(LOG_RETURN_MAX, close));
  out[at + scenarios] = Math.max(-LOG_RETURN_MAX, low);
  out[at + 2 * scenarios] = Math.min(LOG_RETURN_MAX, high);
}
