import type { Calibrated } from "../../domain/calibrated.ts";
import type { Evidence } from "../calibration-fit/fit-finding.ts";
import type { Ramp } from "../../math/ramp.ts";

/** A constant with the numbers behind it. */
export interface FittedConstant<T = unknown> extends Calibrated<T> {
  readonly evidence: Evidence;
}

/** Every constant that recorded data can speak for; `npm run calibrate` writes them as one file. */
export interface FittedConstants {
  readonly fundingPersistence: FittedConstant<number>;
  readonly fundingMeanHours: FittedConstant<number>;
  readonly impactCoefficient: FittedConstant<number>;
  readonly regimeCutpoints: FittedConstant<readonly [number, number]>;
  readonly pooledTouch: FittedConstant<readonly (readonly [number, number])[]>;
  readonly pooledDaySigma: FittedConstant<number>;
  readonly liquidationSigmas: FittedConstant<Ramp>;
  readonly accountLoss: FittedConstant<Ramp>;
  readonly adverseCurve: FittedConstant<Ramp>;
  readonly rangeGarchPrior: FittedConstant<{
    readonly centre: readonly [number, number, number, number];
    readonly spread: readonly [number, number, number, number];
  }>;
  readonly residualMax: FittedConstant<number>;
  readonly excursionMax: FittedConstant<number>;
}
