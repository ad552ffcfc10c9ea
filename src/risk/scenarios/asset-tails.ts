import { DAY_HOURS } from "../../domain/bar.ts";
import type { Direction } from "../../domain/trade.ts";
import { clamp } from "../../math/clamp.ts";
import { harrellDavisOfDescending } from "../../math/harrell-davis.ts";
import { populationVariance } from "../../math/moments.ts";
import { quantileOfSorted } from "../../math/quantile.ts";
import { sortFloats } from "../../math/radix-sort.ts";
import { SIZING_LIMITS } from "../calibration/calibration.ts";
import { buildExtremeTail, EVT_THRESHOLD_CONFIDENCE, leastShortfall999 } from "../tails/evt.ts";
import { expectedShortfallOfDescending } from "../tails/expected-shortfall.ts";
import type { AssetTails, DayReturnFacts, HorizonTail, SideTails } from "../tails/var.ts";
import { orderedTails } from "../tails/var.ts";
import { HORIZON_HOURS, type HorizonHours, horizonIndex } from "./horizon.ts";
import type { TailEstimators } from "./horizon-tails.ts";
import { fillLossesDescending, rescaledLoss, rescaleHorizons, tailOf, turnLosses } from "./horizon-tails.ts";
import { PATH_FACTS, PATH_RISE_MAX } from "./path-kernel.ts";
import type { PathExtremes } from "./path-extremes.ts";
import { buildPathExtremes, depthsLengthOf, rescaleExtremes } from "./path-extremes.ts";
import { touchDistance } from "./touch-curve.ts";

/**
 * Reads everything a request may ask of one asset out of its simulated paths: log returns become simple returns (a
 * long loses 1 − e^c, at most all; a short e^c − 1, without limit), sorted once per horizon.
 *
 * Shapes:  paths as drawPaths writes them for HORIZON_HOURS and estimators.scenarios scenarios; `depths` is room for what
 *          is kept of their extremes
 */
export function buildAssetTails(
  paths: Float32Array,
  estimators: TailEstimators,
  depths: Float32Array = new Float32Array(extremesLengthOf(estimators.scenarios)),
): AssetTails {
  const { scenarios } = estimators;
  const depthsLength = depthsLengthOf(scenarios);
  const depthsAt = (vector: number): Float32Array =>
    depths.subarray(vector * depthsLength, (vector + 1) * depthsLength);
  const scratch = new Float32Array(scenarios);
  const losses = new Float64Array(scenarios);
  const long: SideDraft = { tails: [], adversePaths: [] };
  const short: SideDraft = { tails: [], adversePaths: [] };
  let sigmaDay = 0;

  HORIZON_HOURS.forEach((horizonHours, horizon) => {
    const at = horizon * PATH_FACTS.length * scenarios;
    scratch.set(paths.subarray(at, at + scenarios));
    sortFloats(scratch);
    if (horizonHours === DAY_HOURS) sigmaDay = Math.sqrt(populationVariance(scratch));
    fillLossesDescending(scratch, losses);
    keepTail(long, horizonHours, losses, estimators, 1);
    turnLosses(losses);
    keepTail(short, horizonHours, losses, estimators, -1);
    scratch.set(paths.subarray(at + scenarios, at + 2 * scenarios));
    long.adversePaths.push(buildPathExtremes(scratch, 1, depthsAt(2 * horizon)));
    scratch.set(paths.subarray(at + 2 * scenarios, at + 3 * scenarios));
    short.adversePaths.push(buildPathExtremes(scratch, -1, depthsAt(2 * horizon + 1)));
  });

  return {
    simulations: scenarios,
    sigmaDay,
    long: sideOf(long, scenarios, lossMaxOf(1), sigmaDay),
    short: sideOf(short, scenarios, lossMaxOf(-1), sigmaDay),
  };
}

/**
 * The same tails after the forecast of sigma moved, by the ratio at each horizon: a log return c becomes kc, so a long
 * loss L becomes 1 − (1−L)^k and a short one (1+L)^k − 1. Exact for every quantile; tail means as rescaledShortfall has
 * them, but that of 99.9 %, which is the Pareto tail's, scaled as a quantile: 2 to 12 % off at three times the sigma.
 *
 * Shapes:  one ratio per horizon
 */
export function rescaleAssetTails(tails: AssetTails, ratios: ArrayLike<number>): AssetTails {
  const sigmaDay = tails.sigmaDay * ratios[horizonIndex(DAY_HOURS)]!;
  return {
    simulations: tails.simulations,
    sigmaDay,
    long: rescaleSide(tails.long, ratios, 1, sigmaDay),
    short: rescaleSide(tails.short, ratios, -1, sigmaDay),
  };
}

/** Depths that are kept of one asset: of both sides at each horizon. */
export function extremesLengthOf(scenarios: number): number {
  return 2 * HORIZON_HOURS.length * depthsLengthOf(scenarios);
}

interface DayDraft {
  readonly returns: DayReturnFacts;
  readonly threshold: number;
  readonly excesses: Float64Array;
  readonly var999: number;
  readonly expectedShortfall999: number;
}

interface SideDraft {
  readonly tails: HorizonTail[];
  readonly adversePaths: PathExtremes[];
  day?: DayDraft;
}

function keepTail(
  draft: SideDraft,
  horizonHours: HorizonHours,
  losses: Float64Array,
  estimators: TailEstimators,
  direction: Direction,
): void {
  draft.tails.push(tailOf(losses, estimators, direction));
  if (horizonHours === DAY_HOURS) draft.day = dayDraft(losses, estimators);
}

function dayDraft(losses: Float64Array, estimators: TailEstimators): DayDraft {
  const { scenarios } = estimators;
  // Read from the far end: the type-7 quantile of descending losses at 1 − c is that of ascending ones at c.
  const threshold = quantileOfSorted(losses, 1 - EVT_THRESHOLD_CONFIDENCE.value);
  let exceedances = 0;
  while (exceedances < scenarios && losses[exceedances]! > threshold) exceedances++;
  return {
    returns: {
      medianReturn: 0 - harrellDavisOfDescending(losses, estimators.at50),
      worstReturn: 0 - losses[0]!,
      lowerReturn: 0 - harrellDavisOfDescending(losses, estimators.at97_5),
      upperReturn: 0 - harrellDavisOfDescending(losses, estimators.at2_5),
    },
    threshold,
    excesses: losses.slice(0, exceedances).map((loss) => loss - threshold),
    var999: harrellDavisOfDescending(losses, estimators.at99_9),
    expectedShortfall999: expectedShortfallOfDescending(losses, scenarios, 0.999),
  };
}

function sideOf(draft: SideDraft, scenarios: number, lossMax: number, sigmaDay: number): SideTails {
  const horizons = orderedTails(draft.tails);
  const tail = horizons[horizonIndex(DAY_HOURS)]!;
  const day = draft.day!;
  const empirical = {
    var99: tail.var99,
    expectedShortfall99: tail.expectedShortfall99,
    var999: day.var999,
    expectedShortfall999: day.expectedShortfall999,
  };
  return {
    horizons,
    dayReturns: boundedReturns(day.returns, tail),
    extreme: buildExtremeTail(day.excesses, day.threshold, scenarios, empirical, lossMax),
    adversePaths: draft.adversePaths,
    safeLogDistance: safeLogDistanceOf(draft.adversePaths, sigmaDay),
  };
}

/** Keeps worst <= −ES99 and −VaR99 <= lower <= −VaR95 after the tails were ordered. */
function boundedReturns(returns: DayReturnFacts, tail: HorizonTail): DayReturnFacts {
  return {
    medianReturn: returns.medianReturn,
    worstReturn: Math.min(returns.worstReturn, -tail.expectedShortfall99),
    lowerReturn: clamp(returns.lowerReturn, -tail.var99, -tail.var95),
    upperReturn: returns.upperReturn,
  };
}

function rescaleSide(
  side: SideTails,
  ratios: ArrayLike<number>,
  direction: Direction,
  sigmaDay: number,
): SideTails {
  const day = ratios[horizonIndex(DAY_HOURS)]!;
  const returnOf = (value: number): number => 0 - rescaledLoss(-value, day, direction);
  const horizons = rescaleHorizons(side.horizons, ratios, direction);
  const { medianReturn, worstReturn, lowerReturn, upperReturn } = side.dayReturns;
  const tail = horizons[horizonIndex(DAY_HOURS)]!;
  // A longer horizon's ratio may have raised the 24 h tail through the ordering.
  const var999 = Math.max(rescaledLoss(side.extreme.var999, day, direction), tail.var99);
  const adversePaths = side.adversePaths.map((paths, horizon) => rescaleExtremes(paths, ratios[horizon]!));
  return {
    horizons,
    dayReturns: boundedReturns(
      {
        medianReturn: returnOf(medianReturn),
        worstReturn: returnOf(worstReturn),
        lowerReturn: returnOf(lowerReturn),
        upperReturn: returnOf(upperReturn),
      },
      tail,
    ),
    extreme: {
      var999,
      expectedShortfall999: Math.min(
        lossMaxOf(direction),
        Math.max(
          rescaledLoss(side.extreme.expectedShortfall999, day, direction),
          leastShortfall999(var999, tail.expectedShortfall99),
        ),
      ),
    },
    adversePaths,
    safeLogDistance: safeLogDistanceOf(adversePaths, sigmaDay),
  };
}

function safeLogDistanceOf(adversePaths: readonly PathExtremes[], sigmaDay: number): number {
  return touchDistance(adversePaths, sigmaDay, SIZING_LIMITS.liquidationProbabilityMax.value);
}

/** The largest loss a side can make per USD of notional. */
function lossMaxOf(direction: Direction): number {
  return direction === 1 ? 1 : PATH_RISE_MAX.value;
}
