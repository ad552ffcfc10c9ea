import { type Bar, BARS_KEPT, HOUR_MS } from "../domain/bar.ts";
import {
  appendBar,
  type BarColumns,
  barsFrom,
  lastOpenTimeMs,
  mergeBars,
  newestBars,
  newestBarsWhere,
  NO_BARS,
} from "../domain/bar-columns.ts";
import { rescaleAssetTails } from "../risk/scenarios/asset-tails.ts";
import { HORIZON_HOURS } from "../risk/scenarios/horizon.ts";
import { sigmaDrift } from "../risk/scenarios/rescale.ts";
import type { AssetTails } from "../risk/tails/var.ts";
import { volatilityFacts, type VolatilityFacts } from "../risk/volatility/volatility-facts.ts";
import { dailySigma, forecastVolatility } from "../risk/volatility/volatility-forecast.ts";
import { logSigmaRatioOf, type VolatilityModel } from "../risk/volatility/volatility-model.ts";
import {
  volatilityRegime,
  type VolatilityRegime,
  VOLATILITY_REGIME_WINDOW_HOURS,
} from "../risk/volatility/volatility-regime.ts";
import { isUsableBar } from "../risk/volatility/conditioned-bars.ts";
import { seasonalFactorFrom } from "../risk/volatility/seasonality.ts";
import {
  nowcastState,
  returnInSigmas,
  updateVolatility,
  type VolatilityState,
} from "../risk/volatility/volatility-state.ts";
import { HourlyScale } from "./hourly-scale.ts";

/** A nowcast this close to the one in force changes nothing worth publishing. */
const NOWCAST_STEP_MIN = 0.01;

/** A model that was fitted elsewhere, with its state after the newest bar it saw. */
export interface FittedModel {
  readonly model: VolatilityModel;
  readonly state: VolatilityState;
  readonly dailySigmas: Float64Array;
  readonly regime: VolatilityRegime | null;
  readonly logSigmaRatios: { readonly hoursMs: Float64Array; readonly values: Float64Array };
}

/** The asset's part of a sheet that was drawn elsewhere. */
export interface DrawnTails {
  readonly tails: AssetTails;
  readonly cumulativeVariance: readonly [number, number, number, number];
}

/** A model with its state after the last bar, and as the running hour shows it. */
interface Standing extends Pick<FittedModel, "model" | "state"> {
  readonly now: VolatilityState;
}

/** A bar closes an hour after it opens; with the running hour's, two hours and some delay are no gap. */
const RETURN_GAP_MS_MAX = 2.5 * HOUR_MS;

/**
 * One asset's bars and what its volatility model makes of them: a closed bar costs one step of the recursion, the
 * running hour a nowcast, and the tails follow sigma until they are drawn again.
 */
export class VolatilityTrack {
  #bars: BarColumns = NO_BARS;
  #fitted: Standing | null = null;
  #logSigmaRatios = new HourlyScale();
  #lastReturnInSigmas = 0;
  /** The newest instant that a running hour was seen at. */
  #seenAtMs = 0;
  /** The running hour as it was last seen, and how much of it had passed; null before the first. */
  #running: { readonly partial: Bar; readonly elapsedFraction: number } | null = null;
  /** Seasonal factor of the hour to come that the facts were made with. */
  #seasonalFactor = 1;
  #drawn: DrawnTails | null = null;
  #regime: VolatilityRegime | null = null;
  #facts: VolatilityFacts | null = null;
  #tails: AssetTails | null = null;
  #sigmaDayRatio = 1;
  #rescaling: ArrayLike<number> = HORIZON_HOURS.map(() => 1);
  /** A ring of one-day forecasts, in no order. */
  readonly #dailySigmas = new Float64Array(VOLATILITY_REGIME_WINDOW_HOURS);
  #dailySigmaCount = 0;
  #dailySigmaNext = 0;

  /** Those that a start would read: what is to spare would have what is made of them tell the uptime. */
  get bars(): BarColumns {
    return newestBars(this.#bars, BARS_KEPT);
  }

  get model(): VolatilityModel | null {
    return this.#fitted?.model ?? null;
  }

  get facts(): VolatilityFacts | null {
    return this.#facts;
  }

  get tails(): AssetTails | null {
    return this.#tails;
  }

  /** Where the model stands after the last bar, or as the running hour shows it; null without a model. */
  get state(): VolatilityState | null {
    return this.#fitted?.now ?? null;
  }

  /** What the drawn log returns of each horizon are multiplied by: a day's is the ratio below as far as rescaling reaches. */
  get rescaling(): ArrayLike<number> {
    return this.#rescaling;
  }

  /** Sigma of the next day over the sigma that the tails were drawn with. */
  get sigmaDayRatio(): number {
    return this.#sigmaDayRatio;
  }

  /** How unusual sigma is for the asset, in robust standard deviations; null when it cannot be known. */
  get volatilityScore(): number | null {
    if (this.#fitted === null) return null;
    const { model, now } = this.#fitted;
    return this.#logSigmaRatios.scoreOf(logSigmaRatioOf(model, now.varianceStep), now.openTimeMs + HOUR_MS);
  }

  /**
   * Return of the running hour so far, or of the hour before it if that was the larger, each with the hours without a trade
   * before it, over what was expected of them before they began: a crash raises the forecast and would else hide itself. 0
   * without a forecast, and where the last bar is too old for the move since to be one hour's; what the last trades brought
   * is of the hour before no longer than that.
   */
  returnInSigmas(price: number, marketMs: number): number {
    const lastOpenMs = lastOpenTimeMs(this.#bars);
    if (this.#fitted === null || lastOpenMs === null || marketMs - lastOpenMs > RETURN_GAP_MS_MAX) return 0;
    const { model, state } = this.#fitted;
    const running = returnInSigmas(model, state, price, lastOpenMs + HOUR_MS);
    const before = marketMs - state.openTimeMs > RETURN_GAP_MS_MAX ? 0 : this.#lastReturnInSigmas;
    return Math.abs(running) > Math.abs(before) ? running : before;
  }

  /** Merges fetched bars, of which the newest are kept. */
  loadBars(bars: BarColumns): void {
    if (bars.length === 0) return;
    this.#bars = mergeBars(this.#bars, bars, BARS_KEPT);
    this.#catchUp();
  }

  /** Takes the bar that closed; false when it is not newer than what is known. */
  closeBar(bar: Bar): boolean {
    if (bar.openTimeMs <= (lastOpenTimeMs(this.#bars) ?? -Infinity)) return false;
    this.#bars = appendBar(this.#bars, bar, BARS_KEPT);
    this.#catchUp();
    return true;
  }

  /** The running hour as it stands; true when it moved the forecast. */
  nowcast(partial: Bar, marketTimeMs: number): boolean {
    const elapsedFraction = Math.min(1, Math.max(0, (marketTimeMs - partial.openTimeMs) / HOUR_MS));
    this.#running = { partial, elapsedFraction };
    this.#seenAtMs = Math.max(this.#seenAtMs, marketTimeMs);
    if (this.#fitted === null) return false;
    const { model, state, now: before } = this.#fitted;
    const now = this.#nowcastFrom(model, state);
    const seasonal =
      seasonalFactorFrom(model.seasonality, this.#forecastFromMs(state)) / this.#seasonalFactor;
    if (isNearly(now, before) && Math.abs(seasonal - 1) < NOWCAST_STEP_MIN) return false;
    this.#refresh(now);
    return true;
  }

  acceptModel({ model, state, dailySigmas, regime, logSigmaRatios }: FittedModel): void {
    this.#fitted = { model, state, now: state };
    this.#regime = regime;
    this.#logSigmaRatios = new HourlyScale();
    const { hoursMs, values } = logSigmaRatios;
    hoursMs.forEach((hourMs, i) => this.#logSigmaRatios.add(hourMs, values[i]!));
    this.#lastReturnInSigmas = this.#returnBehind(model, values.at(-1));
    this.#dailySigmas.set(dailySigmas);
    this.#dailySigmaCount = dailySigmas.length;
    this.#dailySigmaNext = dailySigmas.length % VOLATILITY_REGIME_WINDOW_HOURS;
    this.#catchUp();
  }

  acceptTails(drawn: DrawnTails): void {
    this.#drawn = drawn;
    if (this.#fitted !== null) this.#refresh(this.#fitted.now);
  }

  /** Steps the model over the bars that it has not seen. Those without a trade are no steps, but time that passes. */
  #catchUp(): void {
    if (this.#fitted === null) return;
    const { model } = this.#fitted;
    let { state } = this.#fitted;
    for (const bar of barsFrom(this.#bars, state.openTimeMs + 1)) {
      const next = updateVolatility(model, state, bar);
      if (next === state) continue;
      this.#logSigmaRatios.add(bar.openTimeMs, logSigmaRatioOf(model, state.varianceStep));
      this.#lastReturnInSigmas = returnInSigmas(model, state, bar.close, bar.openTimeMs);
      state = next;
      this.#dailySigmas[this.#dailySigmaNext] = dailySigma(model, state);
      this.#dailySigmaNext = (this.#dailySigmaNext + 1) % VOLATILITY_REGIME_WINDOW_HOURS;
      this.#dailySigmaCount = Math.min(VOLATILITY_REGIME_WINDOW_HOURS, this.#dailySigmaCount + 1);
    }
    this.#fitted = { model, state, now: state };
    this.#refresh(this.#nowcastFrom(model, state));
  }

  /** The state as the running hour shows it. */
  #nowcastFrom(model: VolatilityModel, state: VolatilityState): VolatilityState {
    if (this.#running === null) return state;
    return nowcastState(model, state, this.#running.partial, this.#running.elapsedFraction);
  }

  /** Return of the newest bar with trades over the forecast that a fit made for it; 0 when there is none before it. */
  #returnBehind(model: VolatilityModel, logSigmaRatio: number | undefined): number {
    const [previous, last] = newestBarsWhere(this.#bars, isUsableBar, 2);
    if (previous === undefined || last === undefined || logSigmaRatio === undefined) return 0;
    const varianceStep = model.longRunVarianceStep * Math.exp(2 * logSigmaRatio);
    return returnInSigmas(model, { ...previous, varianceStep }, last.close, last.openTimeMs);
  }

  /** When the hour to come begins: after the last bar, traded or not, or as far into the running hour as it was seen. */
  #forecastFromMs({ openTimeMs }: VolatilityState): number {
    return Math.max(this.#seenAtMs, Math.max(openTimeMs, lastOpenTimeMs(this.#bars) ?? openTimeMs) + HOUR_MS);
  }

  #refresh(now: VolatilityState): void {
    if (this.#fitted === null) return;
    const { model, state } = this.#fitted;
    const forecast = forecastVolatility(model, now, this.#forecastFromMs(state));
    this.#seasonalFactor = forecast.seasonalFactors[0]!;
    const { sigma1dAnnual, longRunSigmaAnnual } = forecast.sigmas;
    const trailing = this.#dailySigmas.subarray(0, this.#dailySigmaCount);
    this.#regime = volatilityRegime(sigma1dAnnual, longRunSigmaAnnual, trailing, this.#regime);
    this.#fitted = { model, state, now };
    this.#facts = volatilityFacts(model, forecast, this.#regime);
    if (this.#drawn === null) return;
    const { ratios } = sigmaDrift(forecast.cumulativeVariance, this.#drawn.cumulativeVariance);
    this.#sigmaDayRatio = Math.sqrt(forecast.cumulativeVariance[2] / this.#drawn.cumulativeVariance[2]);
    this.#rescaling = ratios;
    this.#tails = rescaleAssetTails(this.#drawn.tails, ratios);
  }
}

/** Neither model's h has moved enough to publish. */
function isNearly(now: VolatilityState, before: VolatilityState): boolean {
  const moved = Math.abs(now.varianceStep / before.varianceStep - 1);
  const second = now.second === null || before.second === null ? 1 : now.second[0]! / before.second[0]!;
  return Math.max(moved, Math.abs(second - 1)) < NOWCAST_STEP_MIN;
}
