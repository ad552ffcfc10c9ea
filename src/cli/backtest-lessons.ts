import type { VolatilityTrack } from "../actors/volatility-track.ts";
import { DAY_HOURS, HOUR_MS } from "../domain/bar.ts";
import { tickerOf } from "../domain/ids.ts";
import { ForecastLedger } from "../engine/forecast-ledger.ts";
import { replayJob } from "../refit/replay-job.ts";
import { forecastRowsOf } from "../risk/backtest/recorded-forecast.ts";
import { CALIBRATION_CODE } from "../risk/calibration/calibration-hash.ts";
import { horizonIndex } from "../risk/scenarios/horizon.ts";
import { FULL_HISTORY_HOURS } from "../risk/scenarios/short-history.ts";
import { marketMultiplierOf, sigmaMultiplierOf, UNCORRECTED } from "../risk/scenarios/sigma-recalibration.ts";

/**
 * What the assets' records of forecasts have taught by a morning, kept by the service's own ledger: at the start of the
 * walk it replays its candles as a service that was started then, from then on it records what was forecast.
 *
 * Holds:   a morning's multipliers rest on outcomes that were over by then
 */
export class BacktestLessons {
  readonly #ledgers = new Map<string, ForecastLedger>();
  readonly #grown = new Set<string>();

  /** At 00 UTC, before the scenarios are drawn: yesterday's outcomes move the multipliers. */
  startDay(tracks: ReadonlyMap<string, VolatilityTrack>, timeMs: number): void {
    for (const [asset, { bars }] of tracks) {
      if (bars.length === 0) continue;
      const ledger = this.#ledgers.get(asset);
      if (ledger === undefined) this.#ledgers.set(asset, replayedLedger(asset, bars));
      else ledger.settle(bars, timeMs);
      if (bars.length >= FULL_HISTORY_HOURS.value) this.#grown.add(asset);
    }
  }

  /** Records what is forecast now for the coming day. */
  noteDay(asset: string, { tails, facts }: VolatilityTrack, timeMs: number): void {
    const ledger = this.#ledgers.get(asset);
    if (ledger === undefined || tails === null || facts === null || timeMs <= ledger.recordedToMs) return;
    const rows = forecastRowsOf({
      timeMs,
      horizons: horizonIndex(DAY_HOURS) + 1,
      tails,
      sigmas: facts.sigmas,
      modelKind: facts.model,
      calibrationCode: CALIBRATION_CODE,
      isReplayed: false,
      multipliers: ledger.multipliers,
    });
    // The only horizon that teaches.
    ledger.noteMade(rows.filter(({ horizonHours }) => horizonHours === DAY_HOURS));
    ledger.noteReached(timeMs);
  }

  /** As the service: the asset's own lesson, a young one's that of the market; 1 before the first morning. */
  sigmaMultiplierOf(asset: string): number {
    if (this.#grown.has(asset)) return this.#ownOf(asset);
    return marketMultiplierOf([...this.#grown].map((grown) => this.#ownOf(grown)));
  }

  #ownOf(asset: string): number {
    return sigmaMultiplierOf(this.#ledgers.get(asset)!.multipliers);
  }
}

function replayedLedger(asset: string, bars: VolatilityTrack["bars"]): ForecastLedger {
  const ledger = new ForecastLedger();
  const { rows, next } = replayJob({
    kind: "replay",
    ticker: tickerOf(asset),
    bars,
    cursor: { hour: 0, model: null, multipliers: UNCORRECTED, openDay: null },
    hoursMax: bars.length,
    calibrationCode: CALIBRATION_CODE,
  });
  ledger.noteReplayed(rows, next.multipliers, (next.hour - 1) * HOUR_MS);
  return ledger;
}
