import { mean, meanSquare } from "../../math/moments.ts";
import { invariant } from "../../math/invariant.ts";
import type { ResidualPool } from "../scenarios/residual-pool.ts";
import { setTuple, TUPLE_LENGTH } from "../scenarios/residual-pool.ts";
import { drawPaths, PATH_FACTS } from "../scenarios/path-kernel.ts";
import type { ScenarioIndex } from "../scenarios/scenario-index.ts";
import { fitGjrGarch, filterGjrGarch, updateGjrGarch } from "../volatility/gjr-garch.ts";
import { cumulativeVariance } from "../volatility/term-structure.ts";
import { persistenceOf, type GjrGarchRecursion } from "../volatility/variance-recursion.ts";
import {
  normalTails,
  tailsOfSample,
  tailsOfSorted,
  type SampleTailWeights,
  type TwoSidedForecast,
} from "./tail-forecast.ts";

/** What the model has to beat. */
export const BASELINES = ["historical-simulation", "ewma-normal", "garch-normal", "gjr-t-fhs"] as const;
export type Baseline = (typeof BASELINES)[number];

/** RiskMetrics' decay of daily returns, and the monthly one for hourly returns. */
const EWMA_DECAY_DAILY = 0.94;
const EWMA_DECAY_HOURLY = 0.97;
const FIT_EVALUATIONS = 400;

/** Deviation of the next return of a series, σ² ← λσ² + (1−λ)r², started at the mean square. */
export function ewmaSigma(logReturns: Float64Array, isDaily: boolean): number {
  const decay = isDaily ? EWMA_DECAY_DAILY : EWMA_DECAY_HOURLY;
  let sigma = Math.sqrt(meanSquare(logReturns));
  for (const value of logReturns) sigma = nextSigma(sigma, value, decay);
  return sigma;
}

/** One hour more. */
export function nextEwmaSigma(sigma: number, logReturnHour: number): number {
  return nextSigma(sigma, logReturnHour, EWMA_DECAY_HOURLY);
}

function nextSigma(sigma: number, logReturn: number, decay: number): number {
  return Math.sqrt(decay * sigma * sigma + (1 - decay) * logReturn * logReturn);
}

/** A textbook GARCH on hourly returns: no seasonality, no ranges. */
export interface GarchBaseline {
  readonly recursion: GjrGarchRecursion;
  /** Variance of the coming hour. */
  varianceStep: number;
}

/** GARCH(1,1) by Gaussian likelihood, or GJR by Student's. */
export function fitGarchBaseline(
  hourlyLogReturns: Float64Array,
  kind: "garch-normal" | "gjr-t-fhs",
): GarchBaseline {
  const { recursion } = fitGjrGarch(hourlyLogReturns, {
    likelihood: kind === "garch-normal" ? "gaussian" : "student-t",
    isAsymmetric: kind === "gjr-t-fhs",
    prior: null,
    evaluationsMax: FIT_EVALUATIONS,
  });
  return { recursion, varianceStep: filterGjrGarch(recursion, hourlyLogReturns).at(-1)! };
}

export function stepGarchBaseline(garch: GarchBaseline, logReturnHour: number): void {
  garch.varianceStep = updateGjrGarch(garch.recursion, garch.varianceStep, logReturnHour);
}

/** GARCH's expected variance over the horizon with the normal's quantiles. */
export function garchNormalTails(
  { recursion, varianceStep }: GarchBaseline,
  horizonHours: number,
): TwoSidedForecast {
  const persistence = persistenceOf(recursion);
  return normalTails(Math.sqrt(cumulativeVariance(varianceStep, recursion.omega, persistence, horizonHours)));
}

/**
 * Standardised returns of a window, centred: what plain filtered historical simulation resamples. Of a price that never
 * moved there is nothing to standardise, and they are 0.
 */
export function residualsOfReturns(garch: GarchBaseline, hourlyLogReturns: Float64Array): ResidualPool {
  const variances = filterGjrGarch(garch.recursion, hourlyLogReturns);
  const z = hourlyLogReturns.map((value, t) => (variances[t]! > 0 ? value / Math.sqrt(variances[t]!) : 0));
  const centre = mean(z);
  const tuples = new Float64Array(z.length * TUPLE_LENGTH);
  z.forEach((value, hour) => {
    setTuple(tuples, hour, value - centre, 0, 0, value * value);
  });
  return { windowHours: z.length, tuples };
}

/** What filtered simulation needs besides the recursion. */
export interface FhsTables {
  readonly pool: ResidualPool;
  /** z of the pool, ascending. */
  readonly sortedResiduals: Float64Array;
  /** Over the pool's window. */
  readonly index: ScenarioIndex;
  /** Of samples as large as the index's scenarios, and as large as the pool. */
  readonly pathWeights: SampleTailWeights;
  readonly poolWeights: SampleTailWeights;
  /** As long as drawPaths writes for the horizons. */
  readonly scratch: Float64Array;
}

/** Plain filtered historical simulation: over one hour the residuals times sigma, beyond it paths of the recursion. */
export function gjrFhsTails(
  garch: GarchBaseline,
  tables: FhsTables,
  horizonSteps: readonly number[],
): readonly TwoSidedForecast[] {
  const { pool, index, scratch, sortedResiduals } = tables;
  invariant(index.windowHours === pool.windowHours, "the index draws from the pool's hours");
  const sigma = Math.sqrt(garch.varianceStep);
  const hour = sortedResiduals.map((z) => sigma * z);
  const first = tailsOfSorted(hour, tables.poolWeights);
  if (horizonSteps.length === 1) return [first];
  const models = [{ recursion: garch.recursion, state: Float64Array.of(garch.varianceStep) }];
  const sigmaFactors = new Float64Array(index.steps).fill(1);
  drawPaths({ pool, index, models, sigmaFactors, horizonSteps }, scratch);
  return horizonSteps.map((_, horizon) => {
    if (horizon === 0) return first;
    const at = horizon * PATH_FACTS.length * index.scenarios;
    return tailsOfSample(scratch.subarray(at, at + index.scenarios), tables.pathWeights);
  });
}
