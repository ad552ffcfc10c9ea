import { VolatilityTrack } from "../actors/volatility-track.ts";
import { type Bar, DAY_HOURS, HOUR_MS } from "../domain/bar.ts";
import { barsFrom } from "../domain/bar-columns.ts";
import { tickerOf } from "../domain/ids.ts";
import { fitVolatilityJob } from "../refit/volatility-job.ts";
import { SCORE } from "../risk/calibration/calibration.ts";
import type { OwnGarch } from "../risk/calibration-fit/prior-fit.ts";
import type { RegimeHours } from "../risk/calibration-fit/regime-run.ts";
import type { LargeMove } from "../risk/calibration-fit/residual-fit.ts";
import type { AdverseCase } from "../risk/calibration-fit/adverse-bands.ts";
import type { AdverseExcursion } from "../risk/calibration-fit/severity-fit.ts";
import type { CoinDay } from "../risk/calibration-fit/touch-fit.ts";
import { liquidationProbability } from "../risk/trade/liquidation-probability.ts";
import { horizonIndex } from "../risk/scenarios/horizon.ts";
import { sideTails } from "../risk/tails/var.ts";
import { conditionBars } from "../risk/volatility/conditioned-bars.ts";
import { fitRangeGarch } from "../risk/volatility/range-garch.ts";
import { filterVolatility } from "../risk/volatility/volatility-state.ts";
import { type CandleSeries, outcomeAfter } from "../risk/backtest/hourly-candles.ts";
import { ProductForecaster } from "./backtest-forecaster.ts";
import { type RecordedLiquidity, RegimeGatherer, type SeenHour } from "./calibration-regimes.ts";

/** What the past says, gathered from forecasts that were made before what they are compared with. */
export interface WalkFindings {
  readonly regimes: readonly RegimeHours[];
  readonly days: readonly (CoinDay & { readonly asset: string })[];
  readonly excursions: readonly AdverseExcursion[];
  readonly cases: readonly AdverseCase[];
  readonly moves: readonly LargeMove[];
  readonly assetHours: number;
  readonly garch: readonly OwnGarch[];
}

const REFIT_HOURS = 28 * DAY_HOURS;
/** A prime number of hours, so that drawn forecasts go through all hours of the week. */
const DRAW_HOURS = 167;
const LEVERAGES = [2, 3, 5, 10, 20, 40] as const;
/** Maintenance of a market with 50x, half of 1 / 50: the nearest liquidation that the exchange offers. */
const MAINTENANCE_FRACTION = 0.01;
const LARGE_MOVE = 5;
const PRIOR_HOURS = 4320;

/** Walks all series on one clock, then the episodes of the same assets, which only the regime is asked about. */
export function walkForCalibration(
  series: readonly CandleSeries[],
  episodes: readonly CandleSeries[],
  recorded: RecordedLiquidity,
  onProgress: (doneFraction: number) => void,
): WalkFindings {
  const first = Math.min(...series.map(({ firstHour }) => firstHour));
  const end = Math.max(...series.map(({ endHour }) => endHour));
  const walk = new CalibrationWalk(series, recorded);
  for (let hour = first; hour < end; hour++) {
    walk.step(hour);
    if (hour % REFIT_HOURS === 0) onProgress((hour - first) / (end - first));
  }
  const findings = walk.findings();
  walk.goThrough(episodes.filter(({ firstHour }) => firstHour >= end));
  return { ...findings, regimes: walk.regimes() };
}

class CalibrationWalk {
  readonly #series: readonly CandleSeries[];
  readonly #tracks: ReadonlyMap<string, VolatilityTrack>;
  readonly #forecaster = new ProductForecaster();
  readonly #regimes: RegimeGatherer;
  readonly #days: (CoinDay & { readonly asset: string })[] = [];
  readonly #excursions: AdverseExcursion[] = [];
  readonly #cases: AdverseCase[] = [];
  readonly #moves: LargeMove[] = [];
  #assetHours = 0;

  constructor(series: readonly CandleSeries[], recorded: RecordedLiquidity) {
    this.#series = series;
    this.#regimes = new RegimeGatherer(recorded);
    this.#tracks = new Map(series.map(({ asset }) => [asset, new VolatilityTrack()]));
    for (const { asset } of series) {
      this.#forecaster.load(asset, []);
    }
  }

  step(hour: number): void {
    const seen = this.#series.flatMap((series) => {
      const bar = series.barAt(hour);
      return bar === undefined ? [] : [this.#closeBar(series, hour, bar)];
    });
    this.#regimes.remember(hour, seen, false);
    for (const series of this.#series) {
      if (series.barAt(hour) === undefined) continue;
      if ((hour + 1) % DAY_HOURS === 0) this.#rememberDay(series, hour);
      if ((hour + 1) % REFIT_HOURS === 0) this.#refit(series.asset);
    }
    if ((hour + 1) % DRAW_HOURS === 0) this.#judgeDraws(hour);
  }

  /** Hours after the walk's end: nothing is fitted, drawn or counted. */
  goThrough(episodes: readonly CandleSeries[]): void {
    const first = Math.min(...episodes.map(({ firstHour }) => firstHour));
    const end = Math.max(...episodes.map(({ endHour }) => endHour));
    for (let hour = first; hour < end; hour++) {
      const seen = episodes.flatMap((series) => {
        const bar = series.barAt(hour);
        return bar === undefined ? [] : [seenAt(this.#tracks.get(series.asset)!, series.asset, bar)];
      });
      this.#regimes.remember(hour, seen, true);
    }
  }

  regimes(): readonly RegimeHours[] {
    return this.#regimes.findings();
  }

  findings(): Omit<WalkFindings, "regimes"> {
    return {
      days: this.#days,
      excursions: this.#excursions,
      cases: this.#cases,
      moves: this.#moves,
      assetHours: this.#assetHours,
      garch: this.#series.flatMap(({ asset }) => ownGarchOf(this.#tracks.get(asset)!)),
    };
  }

  #closeBar(series: CandleSeries, hour: number, bar: Bar): SeenHour {
    const { asset } = series;
    const track = this.#tracks.get(asset)!;
    if (isReady(track)) {
      const excursion = Math.max(
        -track.returnInSigmas(bar.low, bar.openTimeMs),
        track.returnInSigmas(bar.high, bar.openTimeMs),
      );
      const residual = Math.abs(track.returnInSigmas(bar.close, bar.openTimeMs));
      this.#assetHours++;
      if (Math.max(residual, excursion) > LARGE_MOVE) this.#moves.push({ asset, hour, residual, excursion });
    }
    this.#forecaster.closeBar(asset, bar);
    return seenAt(track, asset, bar);
  }

  #rememberDay(series: CandleSeries, hour: number): void {
    const outcome = outcomeAfter(series, hour, DAY_HOURS);
    if (outcome === null) return;
    const day = Math.floor((hour + 1) / DAY_HOURS);
    this.#days.push({ asset: series.asset, day, depth: -Math.expm1(outcome.logLow) });
    const track = this.#tracks.get(series.asset)!;
    if (!isReady(track)) return;
    const { sigmaDay } = track.facts!;
    this.#excursions.push({ day, inSigmas: -outcome.logLow / sigmaDay, inShortfalls: null });
    this.#excursions.push({ day, inSigmas: outcome.logHigh / sigmaDay, inShortfalls: null });
  }

  /** What the score would have said of positions of every leverage, and what came of them. */
  #judgeDraws(hour: number): void {
    this.#forecaster.fit();
    if (this.#forecaster.draw(hour * HOUR_MS, false) === null) return;
    const day = Math.floor((hour + 1) / DAY_HOURS);
    for (const series of this.#series) {
      const tails = series.barAt(hour) === undefined ? null : this.#forecaster.tailsOf(series.asset);
      const outcome = tails === null ? null : outcomeAfter(series, hour, DAY_HOURS);
      if (tails === null || outcome === null) continue;
      for (const direction of [1, -1] as const) {
        const logAdverse = direction === 1 ? -outcome.logLow : outcome.logHigh;
        const adverse = direction === 1 ? -Math.expm1(outcome.logLow) : Math.expm1(outcome.logHigh);
        const shortfall = sideTails(tails, direction).horizons[horizonIndex(DAY_HOURS)]!.expectedShortfall99;
        this.#excursions.push({
          day,
          inSigmas: logAdverse / tails.sigmaDay,
          inShortfalls: adverse / shortfall,
        });
        for (const leverage of LEVERAGES) {
          // Equity 1 / leverage of the notional, liquidated when what is left equals the maintenance at that price.
          const liquidation = (1 / leverage - MAINTENANCE_FRACTION) / (1 - direction * MAINTENANCE_FRACTION);
          const loss = SCORE.adverseMarginFraction.value / leverage;
          const nearest = Math.min(liquidation, loss);
          const probabilityAt = (distance: number): number =>
            liquidationProbability(tails, direction, 1, 1 - direction * distance, DAY_HOURS);
          this.#cases.push({
            day,
            liquidationProbability: probabilityAt(liquidation),
            liquidationSigmas: Math.abs(Math.log1p(-direction * liquidation)) / tails.sigmaDay,
            adverseProbability: probabilityAt(nearest),
            accountLossFraction: shortfall * leverage,
            isAdverse: adverse >= nearest,
          });
        }
      }
    }
  }

  #refit(asset: string): void {
    const track = this.#tracks.get(asset)!;
    const options = {
      pooledSeasonality: null,
      peer: null,
      halfSpreadFraction: 0,
      previous: track.model,
    };
    const fitted = fitVolatilityJob({
      kind: "volatility",
      ticker: tickerOf(asset),
      bars: track.bars,
      options,
    });
    if (fitted !== null) track.acceptModel(fitted);
  }
}

/** Closes the bar and tells what the regime is asked with. */
function seenAt(track: VolatilityTrack, asset: string, bar: Bar): SeenHour {
  const returnInSigmas = track.returnInSigmas(bar.close, bar.openTimeMs);
  track.closeBar(bar);
  return {
    asset,
    volatilityScore: track.volatilityScore,
    returnInSigmas,
    logReturn: Math.log(bar.close / bar.open),
    isReady: isReady(track),
  };
}

function isReady(track: VolatilityTrack): boolean {
  return track.model !== null && !track.model.warnings.includes("limited_history");
}

/** The asset's last half year by itself: no prior, the seasonality of its model. */
function ownGarchOf(track: VolatilityTrack): readonly OwnGarch[] {
  const { model } = track;
  if (model === null || track.bars.length < PRIOR_HOURS) return [];
  const bars = conditionBars(barsFrom(track.bars));
  const { seasonalFactor, rangeVarianceStep } = filterVolatility(model, bars);
  const returns = bars.logReturn.map((r, t) => r / (Math.sqrt(bars.gapHours[t]!) * seasonalFactor[t]!));
  const recursion = fitRangeGarch(returns, rangeVarianceStep, {
    prior: null,
    start: null,
    evaluationsMax: 800,
  });
  const { alpha: reaction, asymmetry, beta } = recursion;
  return [{ reaction, asymmetry, beta, returns, ranges: rangeVarianceStep }];
}
