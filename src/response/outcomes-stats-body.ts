import type {
  BandStatsEntry,
  CalibrationCurveEntry,
  OutcomesStatsResponse,
} from "../contracts/generated/types.ts";
import type { OutcomeStatistics } from "../risk/backtest/accuracy-report.ts";
import type { BandGroup, OutcomeGroup, ScoreRangeGroup, Share } from "../risk/backtest/outcome-groups.ts";
import { rounded, roundedOrNull, toPct, toPctOrNull } from "./units.ts";

/** Body of GET /v1/outcomes/stats. */
export function outcomesStatsBody(statistics: OutcomeStatistics): OutcomesStatsResponse {
  return {
    total_outcomes: statistics.count,
    scored_outcomes: statistics.scoredCount,
    left_out: {
      prices_outside_market: statistics.leftOut.pricesOutsideMarket,
      over_key_cap: statistics.leftOut.overKeyCap,
    },
    brier_score: roundedOrNull(statistics.brierScore),
    calibration_curve: statistics.byScore.map(curveEntry),
    band_stats: statistics.byBand.map(bandEntry),
  };
}

function curveEntry(range: ScoreRangeGroup): CalibrationCurveEntry {
  return {
    predicted_risk_range: `${range.fromScore}-${range.toScore}`,
    count: range.count,
    actual_loss_rate: rateOf(range.lost),
    avg_pnl_pct: toPctOrNull(range.meanPnlFraction),
    loss_rate_interval: intervalOf(range.lost, rounded),
    ...adverseFields(range),
  };
}

function bandEntry(band: BandGroup): BandStatsEntry {
  return {
    recommendation: band.recommendation,
    count: band.count,
    profitable_pct: toPctOrNull(band.profitable?.rate ?? null),
    avg_pnl_pct: toPctOrNull(band.meanPnlFraction),
    avg_pnl_usd: roundedOrNull(band.meanPnlUsd),
    median_pnl_pct: toPctOrNull(band.medianPnlFraction),
    profitable_interval_pct: intervalOf(band.profitable, toPct),
    ...adverseFields(band),
  };
}

function adverseFields({
  scored,
}: OutcomeGroup): Pick<BandStatsEntry, "predicted_adverse_rate" | "adverse_rate" | "adverse_rate_interval"> {
  const adverse = scored?.adverse ?? null;
  return {
    predicted_adverse_rate: roundedOrNull(scored?.meanForecast ?? null),
    adverse_rate: rateOf(adverse),
    adverse_rate_interval: intervalOf(adverse, rounded),
  };
}

function rateOf(share: Share | null): number | null {
  return share === null ? null : rounded(share.rate);
}

function intervalOf(share: Share | null, render: (fraction: number) => number): [number, number] | null {
  return share === null ? null : [render(share.interval.low), render(share.interval.high)];
}
