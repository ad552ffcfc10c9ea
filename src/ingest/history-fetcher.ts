import { catchError, defer, EMPTY, type Observable } from "rxjs";
import type { FundingSettlement } from "../domain/asset.ts";
import { type Bar, BARS_KEPT, HOUR_MS } from "../domain/bar.ts";
import { namedCauseText } from "../domain/cause-text.ts";
import type { Ticker } from "../domain/ids.ts";
import { ok } from "../domain/result.ts";
import type { HistoryLoaded } from "./bar-stream.ts";
import { type Attempted, FetchAttempts } from "./fetch-attempts.ts";
import type { IngestDeps } from "./ingest-deps.ts";

/** Enough to go live: a month, from which on the models need no pooled history. */
export const RECENT_HOURS = 750;
const FUNDING_HOURS = 720;
/** A gap up to this leaves what is on disk good enough to start with while the gap is being fetched. */
const DISK_TRUST_HOURS = 12;

/** How far the history of one asset reaches, here and on disk. */
interface Coverage {
  readonly firstBarMs: number;
  readonly lastBarMs: number;
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
      const bars = await candleStore.loadBars(ticker);
      const settlements = await candleStore.loadSettlements(ticker);
      const coverage = coverageOf(bars, settlements);
      this.#coverage.set(ticker, coverage);
      const nowMs = marketClock.nowMs();
      const reachesNow = nowMs - coverage.lastBarMs <= (DISK_TRUST_HOURS + 1) * HOUR_MS;
      const isWhole = reachesNow && coverage.firstBarMs <= nowMs - BARS_KEPT * HOUR_MS;
      return loaded(ticker, { bars, settlements, reachesNow, isWhole });
    }).pipe(catchError((error: unknown) => this.#skip(`read history of ${ticker}`, error)));
  }

  /**
   * From the last bar kept, or the recent window when there is none, until now; where the exchange refuses, the asset
   * goes live without.
   */
  recent(ticker: Ticker): Observable<HistoryLoaded> {
    const reach = { reachesNow: true };
    return this.#attempts.attempt(() => {
      const nowMs = this.#deps.marketClock.nowMs();
      const fromMs = Math.max(nowMs - RECENT_HOURS * HOUR_MS, this.#coverageOf(ticker).lastBarMs + HOUR_MS);
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
   * From the start of the deep window until the first bar kept, or until now where the recent ones are still to come; with
   * it the history is whole. Refused once it may still come, and what forecasts the past waits for it; refused again it is
   * whole as it is.
   */
  deep(ticker: Ticker): Observable<HistoryLoaded> {
    const reach = { reachesNow: true, isWhole: true };
    return this.#attempts.attempt(() => {
      const nowMs = this.#deps.marketClock.nowMs();
      const { firstBarMs } = this.#coverageOf(ticker);
      const untilMs = this.#behind.has(ticker) ? nowMs : Math.min(nowMs, firstBarMs);
      return {
        ...this.#barsCall(ticker, nowMs - BARS_KEPT * HOUR_MS, untilMs, reach),
        step: `deep bars of ${ticker}`,
        refused: (failures) => (failures > 1 ? loaded(ticker, reach) : null),
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
        take: async (settlements) => {
          await candleStore
            .keepSettlements(ticker, settlements)
            .catch((error: unknown) => this.#skip(`keep ${step}`, error));
          return this.#covered(loaded(ticker, { settlements }));
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
        const event = loaded(ticker, { bars, ...reach });
        // Hours that were missed may lie behind others still to come.
        return event.reachesNow ? this.#covered(event) : event;
      },
    };
  }

  #coverageOf(ticker: Ticker): Coverage {
    return this.#coverage.get(ticker) ?? NOTHING;
  }

  /** Of what leaves no hole between it and the rest. */
  #covered(event: HistoryLoaded): HistoryLoaded {
    const { ticker, bars, settlements } = event;
    const before = this.#coverageOf(ticker);
    const added = coverageOf(bars, settlements);
    this.#coverage.set(ticker, {
      firstBarMs: Math.min(before.firstBarMs, added.firstBarMs),
      lastBarMs: Math.max(before.lastBarMs, added.lastBarMs),
      settledUntilMs: Math.max(before.settledUntilMs, added.settledUntilMs),
    });
    return event;
  }

  #skip(step: string, error: unknown): Observable<never> {
    this.#deps.report({ step, detail: namedCauseText(error) });
    return EMPTY;
  }
}

const NOTHING: Coverage = { firstBarMs: Infinity, lastBarMs: -Infinity, settledUntilMs: 0 };

function coverageOf(bars: readonly Bar[], settlements: readonly FundingSettlement[]): Coverage {
  // Our own estimates carry no premium; the exchange's figures do.
  const lastExact = settlements.findLast(({ premiumFraction }) => premiumFraction !== null);
  return {
    firstBarMs: bars[0]?.openTimeMs ?? Infinity,
    lastBarMs: bars.at(-1)?.openTimeMs ?? -Infinity,
    settledUntilMs: lastExact?.timeMs ?? 0,
  };
}

function loaded(ticker: Ticker, part: Partial<HistoryLoaded>): HistoryLoaded {
  return {
    type: "history.loaded",
    ticker,
    bars: [],
    settlements: [],
    reachesNow: false,
    isWhole: false,
    ...part,
  };
}
