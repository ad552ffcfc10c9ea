import { christoffersenTest, type ChristoffersenTest } from "./christoffersen.ts";
import { dynamicQuantileTest } from "./dynamic-quantile.ts";
import { breachDurationTest } from "./breach-durations.ts";
import { eProcessesOf } from "./e-process.ts";
import { mcNeilFreyTest, shortfallZ2 } from "./es-tests.ts";
import { fzLoss } from "./fz-loss.ts";
import { kupiecTest, type KupiecTest } from "./kupiec.ts";
import { breachCount, breachesOf, type TailRecord } from "./tail-record.ts";
import { type BaselZone, trafficLight } from "./traffic-light.ts";

/** Everything the tests say of one record. */
export interface TailVerdict {
  readonly observations: number;
  readonly breaches: number;
  readonly expected: number;
  readonly kupiec: KupiecTest;
  readonly christoffersen: ChristoffersenTest;
  readonly zone: BaselZone;
  /** Null where there are too few breaches. */
  readonly durationPValue: number | null;
  readonly dynamicQuantilePValue: number | null;
  readonly shortfallZ2: number;
  readonly mcNeilFreyPValue: number | null;
  readonly fzLossMean: number;
  /**
   * Largest capital won against the VaR and against the shortfall, betting the tail probability, as logarithms: in the
   * running month where the times are known, else ever.
   */
  readonly logEvidenceVar: number;
  readonly logEvidenceShortfall: number;
}

/** Shapes: at least one observation; timeMs as in eProcessesOf. */
export function judgeTail(record: TailRecord, timeMs: Float64Array | null = null): TailVerdict {
  const { tailProbability } = record;
  const breaches = breachesOf(record);
  const observations = breaches.length;
  const count = breachCount(breaches);
  const evidence = eProcessesOf(record, tailProbability, timeMs);
  return {
    observations,
    breaches: count,
    expected: observations * tailProbability,
    kupiec: kupiecTest(count, observations, tailProbability),
    christoffersen: christoffersenTest(breaches, tailProbability),
    zone: trafficLight(count, observations, tailProbability).zone,
    durationPValue: breachDurationTest(breaches)?.pValue ?? null,
    dynamicQuantilePValue: dynamicQuantileTest(record)?.pValue ?? null,
    shortfallZ2: shortfallZ2(record),
    mcNeilFreyPValue: mcNeilFreyTest(record)?.pValue ?? null,
    fzLossMean: fzLosses(record).reduce((sum, loss) => sum + loss, 0) / observations,
    logEvidenceVar: evidence.valueAtRisk.logCapitalMax,
    logEvidenceShortfall: evidence.expectedShortfall.logCapitalMax,
  };
}

/** FZ0 of every observation, to be compared with another model's. */
export function fzLosses(record: TailRecord): Float64Array {
  const { loss, valueAtRisk, expectedShortfall, tailProbability } = record;
  return loss.map((value, t) => fzLoss(value, valueAtRisk[t]!, expectedShortfall[t]!, tailProbability));
}
