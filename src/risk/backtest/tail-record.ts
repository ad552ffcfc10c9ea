import { invariant } from "../../math/invariant.ts";

/**
 * What a model said of the tail before each period, and what happened.
 *
 * Shapes:  all columns of one length, in the order of time
 * Units:   fractions of notional, losses positive; tailProbability is 1 − confidence, for example 0.01
 * Holds:   expectedShortfall >= valueAtRisk
 */
export interface TailRecord {
  readonly tailProbability: number;
  readonly loss: Float64Array;
  readonly valueAtRisk: Float64Array;
  readonly expectedShortfall: Float64Array;
}

/** 1 where the loss exceeded the VaR, else 0; a loss of exactly the VaR is no breach. */
export function breachesOf(record: TailRecord): Uint8Array {
  const { loss, valueAtRisk } = record;
  invariant(loss.length === valueAtRisk.length, "a forecast for every outcome");
  const breaches = new Uint8Array(loss.length);
  for (let t = 0; t < loss.length; t++) breaches[t] = loss[t]! > valueAtRisk[t]! ? 1 : 0;
  return breaches;
}

export function breachCount(breaches: Uint8Array): number {
  let count = 0;
  for (const breach of breaches) count += breach;
  return count;
}
