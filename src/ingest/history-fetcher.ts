import { defer, EMPTY, type Observable } from "rxjs";
import type { FundingSettlement } from "../domain/asset.ts";
import {
  type BarColumns,
  barColumnsOf,
  lastOpenTimeMs,
  NO_BARS,
  openTimeMsAt,
} from "../domain/bar-columns.ts";
import { type Bar, BARS_KEPT, HOUR_MS, hourStartMsOf } from "../domain/bar.ts";
import type { Ticker } from "../domain/ids.ts";
import { ok } from "../domain/result.ts";
import type { HistoryLoaded } from "./bar-stream.ts";
import { type Attempted, FetchAttempts } from "./fetch-attempts.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { outsideOf, type Stretch, withStretch } from "./stretches.ts";

/** Enough to go live: a month, from which on the models need no pooled history. */
export const RECENT_HOURS = 750;
const FUNDING_HOURS = 720;
/** A gap up to this leaves what is on disk good enough to start with while the gap is being fetched. */
const DISK_TRUST_HOURS = 12;

/** What there is of one asset's history, here and on disk. */
interface Coverage {
  /** Whose bars are kept, or were asked for: what the exchange has no bar of is asked for once in a run. */
  readonly hours: readonly Stretch[];
  /** Later settlements are our estimates; from here on the exact figures are still to be fetched. */
  readonly settledUntilMs: number;
}

/** Reads an asset's past from the disk and the exchange, keeps what it fetched, and knows how far each reaches. */
export class HistoryFetcher {
  readonly #deps: IngestDeps;
  readonly #coverage = new Map<Ticker, Coverage>();
  /** Listed, and not yet read up to the present. */
  readonly #behind = new Set<Ticker>();
  readonly #attempts: FetchAttempts<HistoryLoaded>;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
    this.#attempts = new FetchAttempts(deps);
  }

  /** What failed before. */
  get retried$(): Observable<HistoryLoaded> {
    return this.#attempts.retried$;
  }

  tickers(): readonly Ticker[] {
    return [...this.#coverage.keys()];
  }

  /** What earlier runs kept on disk. */
  kept(ticker: Ticker): Observable<HistoryLoaded> {
    const { candleStore, marketClock } = this.#deps;
    return defer(async () => {
      this.#behind.add(ticker);
      const ofBars = `bars of ${ticker} on disk`;
      const bars = this.#pastBars(ofBars, await this.#read(ofBars, candleStore.loadBars(ticker), NO_BARS));
      const ofSettlements = `settlements of ${ticker} on disk`;
      const keptSettlements = await this.#read(ofSettlements, candleStore.loadSettlements(ticker), []);
      const settlements = keptSettlements.filter(({ timeMs }) => !marketClock.isToCome(timeMs));
      this.#reportFuture(ofSettlements, keptSettlements.length - settlements.length);
      this.#cover(ticker, hoursOf(bars), settlements);
      const nowMs = marketClock.nowMs();
      const keptUntilMs = (lastOpenTimeMs(bars) ?? -Infinity) + HOUR_MS;
      const reachesNow = nowMs - keptUntilMs <= DISK_TRUST_HOURS * HOUR_MS;
      const isWhole = reachesNow && this.#missingOf(ticker, BARS_KEPT, Math.min(nowMs, keptUntilMs)) === null;
      return loaded(ticker, { bars, settlements, reachesNow, isWhole });
    });
  }

  /**
   * From the first hour that is missing in the recent window until now; where the exchange refuses, the asset goes live
   * without.
   */
  recent(ticker: Ticker): Observable<HistoryLoaded> {
    const reach = { reachesNow: true };
    return this.#attempts.attempt(() => {
      const nowMs = this.#deps.marketClock.nowMs();
      const fromMs = this.#missingOf(ticker, RECENT_HOURS, nowMs)?.fromMs ?? nowMs;
      const call = this.#barsCall(ticker, fromMs, nowMs, reach);
      return {
        ...call,
        take: (bars) => {
          this.#behind.delete(ticker);
          return call.take(bars);
        },
        refused: () => {
          this.#behind.delete(ticker);
          return loaded(ticker, reach);
        },
      };
    });
  }

  /**
   * From the first hour that is missing in the deep window to the last before the recent ones, or until now where these
   * are still to come; with it the history is whole. Refused once it may still come, and what forecasts the past waits
   * for it; refused again it is whole as it is.
   */
  deep(ticker: Ticker): Observable<HistoryLoaded> {
    const reach = { reachesNow: true, isWhole: true };
    return this.#attempts.attempt(() => {
      const nowMs = this.#deps.marketClock.nowMs();
      const knownUntilMs = this.#coverageOf(ticker).hours.at(-1)?.untilMs ?? nowMs;
      const untilMs = this.#behind.has(ticker) ? nowMs : Math.min(nowMs, knownUntilMs);
      const missing = this.#missingOf(ticker, BARS_KEPT, untilMs);
      return {
        ...this.#barsCall(ticker, missing?.fromMs ?? untilMs, missing?.untilMs ?? untilMs, reach),
        step: `deep bars of ${ticker}`,
        refused: (refusals) => (refusals > 1 ? loaded(ticker, reach) : null),
      };
    });
  }

  /** Bars that opened in [fromMs, untilMs); none where the recent ones, which end with them, are still to come. */
  missed(ticker: Ticker, fromMs: number, untilMs: number): Observable<HistoryLoaded> {
    if (this.#behind.has(ticker)) return EMPTY;
    return this.#attempts.attempt(() => ({
      ...this.#barsCall(ticker, fromMs, untilMs, {}),
      step: `bars of ${ticker} from ${new Date(fromMs).toISOString()}`,
    }));
  }

  /** Exact settlements since the last exact one kept. */
  settlements(ticker: Ticker): Observable<HistoryLoaded> {
    const { exchange, candleStore, marketClock } = this.#deps;
    const step = `settlements of ${ticker}`;
    return this.#attempts.attempt(() => {
      const windowMs = marketClock.nowMs() - FUNDING_HOURS * HOUR_MS;
      const fromMs = Math.max(windowMs, this.#coverageOf(ticker).settledUntilMs + 1);
      return {
        step,
        fetch: () => exchange.fetchFundingHistory(ticker, fromMs),
        take: async (fetched) => {
          const settlements = this.#pastSettlements(step, fetched);
          await candleStore
            .keepSettlements(ticker, settlements)
            .catch((error: unknown) => this.#skip(`keep ${step}`, error));
          this.#cover(ticker, [], settlements);
          return loaded(ticker, { settlements });
        },
      };
    });
  }

  /** Bars opening from fromMs on and closed by untilMs, fetched and kept; no call where there can be none. */
  #barsCall(
    ticker: Ticker,
    fromMs: number,
    untilMs: number,
    reach: Partial<HistoryLoaded>,
  ): Attempted<readonly Bar[], HistoryLoaded> {
    const { exchange, candleStore } = this.#deps;
    const step = `bars of ${ticker}`;
    return {
      step,
      fetch: () =>
        fromMs + HOUR_MS > untilMs ? Promise.resolve(ok([])) : exchange.fetchBars(ticker, fromMs, untilMs),
      take: async (fetched) => {
        const bars = fetched.filter((bar) => bar.openTimeMs + HOUR_MS <= untilMs);
        await candleStore.keepBars(ticker, bars).catch((error: unknown) => this.#skip(`keep ${step}`, error));
        this.#cover(ticker, [{ fromMs, untilMs: hourStartMsOf(untilMs) }], []);
        return loaded(ticker, { bars: barColumnsOf(bars), ...reach });
      },
    };
  }

  #coverageOf(ticker: Ticker): Coverage {
    return this.#coverage.get(ticker) ?? NOTHING;
  }

  /** From the first to the last missing hour of the window that ends now, as far as it lies before a moment. */
  #missingOf(ticker: Ticker, windowHours: number, untilMs: number): Stretch | null {
    const fromMs = hourStartMsOf(this.#deps.marketClock.nowMs()) - windowHours * HOUR_MS;
    return outsideOf(this.#coverageOf(ticker).hours, { fromMs, untilMs });
  }

  #cover(ticker: Ticker, hours: readonly Stretch[], settlements: readonly FundingSettlement[]): void {
    const before = this.#coverageOf(ticker);
    // Our own estimates carry no premium; the exchange's figures do.
    const lastExact = settlements.findLast(({ premiumFraction }) => premiumFraction !== null);
    this.#coverage.set(ticker, {
      hours: hours.reduce(withStretch, before.hours),
      settledUntilMs: Math.max(before.settledUntilMs, lastExact?.timeMs ?? 0),
    });
  }

  /** What has not happened yet would count as the newest that is known, and keep out all that comes before it. */
  #pastBars(step: string, bars: BarColumns): BarColumns {
    let { length } = bars;
    while (length > 0 && this.#deps.marketClock.isToCome(openTimeMsAt(bars, length - 1))) length--;
    this.#reportFuture(step, bars.length - length);
    return { values: bars.values, length };
  }

  #pastSettlements(step: string, settlements: readonly FundingSettlement[]): readonly FundingSettlement[] {
    const past = settlements.filter(({ timeMs }) => this.#deps.marketClock.aheadMs(timeMs) === 0);
    this.#reportFuture(step, settlements.length - past.length);
    return past;
  }

  #reportFuture(step: string, leftOut: number): void {
    if (leftOut === 0) return;
    this.#deps.report({ step, detail: `${leftOut} dated ahead of the exchange's clock, left out` });
  }

  /** A file that cannot be read is as good as none, and keeps no other from being read. */
  #read<T>(step: string, reading: Promise<T>, nothing: T): Promise<T> {
    return reading.catch((error: unknown) => {
      this.#skip(`read ${step}`, error);
      return nothing;
    });
  }

  #skip(step: string, error: unknown): void {
    this.#deps.report({ step, detail: String(error) });
  }
}

const NOTHING: Coverage = { hours: [], settledUntilMs: 0 };

/** Of ascending bars. */
function hoursOf(bars: BarColumns): readonly Stretch[] {
  const runs: { fromMs: number; untilMs: number }[] = [];
  for (let i = 0; i < bars.length; i++) {
    const openTimeMs = openTimeMsAt(bars, i);
    const last = runs.at(-1);
    if (last?.untilMs === openTimeMs) last.untilMs += HOUR_MS;
    else runs.push({ fromMs: openTimeMs, untilMs: openTimeMs + HOUR_MS });
  }
  return runs;
}

function loaded(ticker: Ticker, part: Partial<HistoryLoaded>): HistoryLoaded {
  return {
    type: "history.loaded",
    ticker,
    bars: NO_BARS,
    settlements: [],
    reachesNow: false,
    isWhole: false,
    ...part,
  };
}
