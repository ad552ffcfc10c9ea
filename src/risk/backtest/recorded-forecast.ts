import { BARS_KEPT } from "../../domain/bar.ts";
import type { ForecastRow, SigmaMultipliers, TailNumbers } from "../../domain/forecast-row.ts";
import type { HorizonTails } from "../scenarios/horizon-tails.ts";
import { HORIZON_HOURS } from "../scenarios/horizon.ts";
import type { HorizonTail } from "../tails/var.ts";
import { HOURS_PER_YEAR, type SigmaTermStructure } from "../volatility/term-structure.ts";
import type { VolatilityModelKind } from "../volatility/volatility-model.ts";

/** History that a forecast is estimated on, at most: what the service keeps of an asset's bars. */
export const ESTIMATION_HOURS = BARS_KEPT;
/** Time between fits, of the service and of its replay. */
export const LIVE_REFIT_HOURS = 24;
export const REPLAY_REFIT_HOURS = 168;

/** What an asset's model says at one moment. */
export interface ForecastMoment {
  readonly timeMs: number;
  /** How many of HORIZON_HOURS begin a judged period now. */
  readonly horizons: number;
  readonly tails: HorizonTails;
  readonly sigmas: SigmaTermStructure;
  readonly modelKind: VolatilityModelKind;
  readonly calibrationCode: number;
  readonly isReplayed: boolean;
  readonly multipliers: SigmaMultipliers;
}

/** The numbers in files; a rung is never renumbered. */
const MODEL_CODES: Readonly<Record<VolatilityModelKind, number>> = {
  "range-garch": 1,
  "gjr-garch": 2,
  ewma: 3,
  pooled: 4,
};

/** One row per horizon that is due, without outcomes. */
export function forecastRowsOf(moment: ForecastMoment): readonly ForecastRow[] {
  const { long, short } = moment.tails;
  const { sigma1hAnnual, sigma4hAnnual, sigma1dAnnual, sigma7dAnnual } = moment.sigmas;
  const annual = [sigma1hAnnual, sigma4hAnnual, sigma1dAnnual, sigma7dAnnual];
  return HORIZON_HOURS.slice(0, moment.horizons).map((horizonHours, horizon) => ({
    timeMs: moment.timeMs,
    horizonHours,
    sigma: annual[horizon]! * Math.sqrt(horizonHours / HOURS_PER_YEAR),
    modelCode: MODEL_CODES[moment.modelKind],
    calibrationCode: moment.calibrationCode,
    isReplayed: moment.isReplayed,
    multipliers: moment.multipliers,
    long: numbersOf(long.horizons[horizon]!),
    short: numbersOf(short.horizons[horizon]!),
    outcome: null,
  }));
}

function numbersOf(tail: HorizonTail): TailNumbers {
  const { var95, var99, expectedShortfall95, expectedShortfall99 } = tail;
  return { var95, var99, expectedShortfall95, expectedShortfall99 };
}
