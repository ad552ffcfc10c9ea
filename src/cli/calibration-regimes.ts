import { HourlyScale } from "../actors/hourly-scale.ts";
import { HOUR_MS } from "../domain/bar.ts";
import type { FundingHistory } from "../risk/calibration-fit/funding-fit.ts";
import type { RegimeHour, RegimeHours } from "../risk/calibration-fit/regime-run.ts";
import { buildFundingOutlook, FUNDING_CALIBRATION, usualFundingOf } from "../risk/funding.ts";

/** What a book showed on a full hour. */
export interface BookHour {
  readonly spreadFraction: number;
  readonly depthUsd: number;
}

/** What was recorded beside the candles, by asset; books by the number of the hour that begins then. */
export interface RecordedLiquidity {
  readonly funding: ReadonlyMap<string, FundingHistory>;
  readonly books: ReadonlyMap<string, ReadonlyMap<number, BookHour>>;
}

/** One asset's closed hour as its volatility track saw it. */
export interface SeenHour {
  readonly asset: string;
  readonly volatilityScore: number | null;
  readonly returnInSigmas: number;
  readonly logReturn: number;
  /** Hours before the asset has a settled model are part of the market's mean and not judged. */
  readonly isReady: boolean;
}

interface RecordedScores {
  readonly funding: number | null;
  readonly spread: number | null;
  readonly depth: number | null;
}

/** Gathers the regime's scores hour by hour, each against the past of its own asset alone, as the service does. */
export class RegimeGatherer {
  readonly #recorded: RecordedLiquidity;
  readonly #scales = new Map<string, RecordedScales>();
  readonly #hours = new Map<string, RegimeHour[]>();

  constructor(recorded: RecordedLiquidity) {
    this.#recorded = recorded;
  }

  /** What closed with the hour; an episode is remembered for its date and left out of the shares of history. */
  remember(hour: number, seen: readonly SeenHour[], isEpisode: boolean): void {
    const known = seen.flatMap(({ volatilityScore }) => (volatilityScore === null ? [] : [volatilityScore]));
    const marketVolatility =
      known.length === 0 ? null : known.reduce((sum, score) => sum + score, 0) / known.length;
    for (const { asset, volatilityScore, returnInSigmas, logReturn, isReady } of seen) {
      const recorded = this.#scalesOf(asset).scoresAt(hour + 1);
      if (!isReady) continue;
      const hours = this.#hours.get(asset) ?? [];
      this.#hours.set(asset, hours);
      hours.push({
        timeMs: (hour + 1) * HOUR_MS,
        features: { ...recorded, volatility: volatilityScore, marketVolatility, openInterest: null },
        returnInSigmas,
        logReturn,
        isEpisode,
      });
    }
  }

  findings(): readonly RegimeHours[] {
    return [...this.#hours].map(([asset, hours]) => ({ asset, hours }));
  }

  #scalesOf(asset: string): RecordedScales {
    const known = this.#scales.get(asset);
    if (known !== undefined) return known;
    const scales = new RecordedScales(this.#recorded.funding.get(asset), this.#recorded.books.get(asset));
    this.#scales.set(asset, scales);
    return scales;
  }
}

/** The past of one asset's recorded funding and books, against which the next hour of them is unusual. */
class RecordedScales {
  readonly #funding: FundingHistory | undefined;
  readonly #books: ReadonlyMap<number, BookHour> | undefined;
  readonly #fundingSizes = new HourlyScale(FUNDING_CALIBRATION.scaleFloorHourly.value);
  readonly #spreads = new HourlyScale();
  readonly #thinness = new HourlyScale();

  constructor(funding: FundingHistory | undefined, books: ReadonlyMap<number, BookHour> | undefined) {
    this.#funding = funding;
    this.#books = books;
  }

  /** Scores of a full hour's values, which then join what later ones are compared with. */
  scoresAt(hour: number): RecordedScores {
    const timeMs = hour * HOUR_MS;
    const book = this.#books?.get(hour);
    const thinness = book === undefined ? Number.NaN : -Math.log(book.depthUsd);
    const scores = {
      funding: this.#fundingScore(hour),
      spread: book === undefined ? null : this.#spreads.scoreOf(book.spreadFraction, timeMs),
      depth: book === undefined ? null : this.#thinness.scoreOf(thinness, timeMs),
    };
    if (book !== undefined) this.#spreads.add(timeMs, book.spreadFraction);
    this.#thinness.add(timeMs, thinness);
    return scores;
  }

  /** Against the same hour of the week, else the distance from the month's median. */
  #fundingScore(hour: number): number | null {
    const rateHourly = settledAt(this.#funding, hour);
    if (this.#funding === undefined || Number.isNaN(rateHourly)) return null;
    const timeMs = hour * HOUR_MS;
    const sameHour = this.#fundingSizes.sameHourScoreOf(Math.abs(rateHourly), timeMs);
    this.#fundingSizes.add(timeMs, Math.abs(rateHourly));
    if (sameHour !== null) return sameHour;
    const past: number[] = [];
    for (let at = hour - FUNDING_CALIBRATION.usualHours.value; at < hour; at++) {
      const settled = settledAt(this.#funding, at);
      if (!Number.isNaN(settled)) past.push(settled);
    }
    if (past.length === 0) return null;
    return Math.abs(buildFundingOutlook(usualFundingOf(Float64Array.from(past)), rateHourly, []).zScore);
  }
}

function settledAt(history: FundingHistory | undefined, hour: number): number {
  return history?.ratesHourly[hour - history.firstHour] ?? Number.NaN;
}
