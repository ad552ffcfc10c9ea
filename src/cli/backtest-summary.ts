import { JUDGED_LEVELS, type JudgedLevel } from "../risk/backtest/asset-diagnostics.ts";
import {
  comparePooled,
  poolVerdicts,
  type PooledComparison,
  type PooledVerdict,
} from "../risk/backtest/pooled-verdict.ts";
import { judgeTail, type TailVerdict } from "../risk/backtest/tail-verdict.ts";
import { z2CriticalValue } from "../risk/backtest/z2-critical-value.ts";
import { HORIZON_HOURS } from "../risk/scenarios/horizon.ts";
import type { SeriesKey } from "./backtest-ledger.ts";
import { PORTFOLIO_MODELS, PORTFOLIO_NAMES } from "./backtest-portfolios.ts";
import type { TouchRow } from "./backtest-touches.ts";
import { MODELS, PRODUCT, type WalkResult } from "./backtest-walk.ts";

export interface JudgedSeries {
  readonly key: SeriesKey;
  readonly level: JudgedLevel;
  readonly verdict: TailVerdict;
  /** What Z2 of a correct model falls below once in twenty. */
  readonly z2Critical: number;
}

export interface PooledModel {
  readonly horizonHours: number;
  readonly level: JudgedLevel;
  readonly model: string;
  readonly verdict: PooledVerdict;
  /** Against the service's own model; null for that itself. */
  readonly comparison: PooledComparison | null;
}

export interface BacktestSummary {
  readonly assets: readonly JudgedSeries[];
  readonly pooled: readonly PooledModel[];
  readonly portfolios: readonly JudgedSeries[];
  readonly falls: readonly TouchRow[];
  readonly rises: readonly TouchRow[];
}

/** Newey–West lags in periods: a week of days, two days of hours. */
const LAGS: Readonly<Record<(typeof HORIZON_HOURS)[number], number>> = { 1: 48, 4: 12, 24: 7, 168: 4 };

export function summarise({ ledger, touches }: WalkResult): BacktestSummary {
  const criticals = new Map<string, number>();
  const criticalOf = (observations: number, p: number): number => {
    const name = `${String(observations)}|${String(p)}`;
    const known = criticals.get(name) ?? z2CriticalValue(observations, p, 0.05);
    criticals.set(name, known);
    return known;
  };
  const isPortfolio = (key: SeriesKey): boolean => PORTFOLIO_NAMES.includes(key.subject);
  const assets: JudgedSeries[] = [];
  const pooled: PooledModel[] = [];
  const portfolios: JudgedSeries[] = [];
  const judge = (matches: (key: SeriesKey) => boolean, level: JudgedLevel, into: JudgedSeries[]): void => {
    for (const { key, record } of ledger.records(matches, level)) {
      const z2Critical = criticalOf(record.loss.length, record.tailProbability);
      into.push({ key, level, verdict: judgeTail(record), z2Critical });
    }
  };
  for (const horizonHours of HORIZON_HOURS) {
    for (const level of JUDGED_LEVELS) {
      const matching = (model: string) => (key: SeriesKey) =>
        key.horizonHours === horizonHours && key.model === model && !isPortfolio(key);
      const ours = ledger.records(matching(PRODUCT), level);
      if (ours.length === 0) continue;
      for (const model of MODELS) {
        const records = model === PRODUCT ? ours : ledger.records(matching(model), level);
        const judged: JudgedSeries[] = [];
        judge(matching(model), level, judged);
        assets.push(...judged);
        pooled.push({
          horizonHours,
          level,
          model,
          verdict: poolVerdicts(
            records,
            judged.map(({ verdict }) => verdict),
          ),
          comparison: model === PRODUCT ? null : comparePooled(ours, records, LAGS[horizonHours]),
        });
      }
    }
  }
  for (const level of JUDGED_LEVELS) {
    for (const model of PORTFOLIO_MODELS) {
      judge((key) => isPortfolio(key) && key.model === model, level, portfolios);
    }
  }
  return { assets, pooled, portfolios, falls: touches.rows("falls"), rises: touches.rows("rises") };
}
