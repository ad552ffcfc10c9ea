import { Subject } from "rxjs";
import type { FundingSettlement, PredictedFunding, Universe } from "../../src/domain/asset.ts";
import type { Bar } from "../../src/domain/bar.ts";
import type { ExchangeFailure } from "../../src/domain/errors.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import { err, ok, type Result } from "../../src/domain/result.ts";
import type { Exchange, FeedEvent, WatchedAsset } from "../../src/exchange/exchange.ts";

type Answer<T> = Promise<Result<T, ExchangeFailure>>;

/** An exchange whose answers a test sets and whose calls it reads; by default one that knows nothing. */
export class ScriptedExchange implements Exchange {
  /** What its clock is ahead of this machine's. */
  exchangeAheadMs = 0;
  readonly feed$ = new Subject<FeedEvent>();
  readonly calls: string[] = [];
  watched: readonly WatchedAsset[] = [];
  universe: Universe = { assets: [], isWhole: true };
  bars: readonly Bar[] = [];
  settlements: readonly FundingSettlement[] = [];
  predicted: readonly PredictedFunding[] = [];
  atCap: ReadonlySet<Ticker> = new Set();
  /** As many of the next calls fail with this. */
  failures: ExchangeFailure[] = [];

  fetchUniverse(): Answer<Universe> {
    return this.#answer("universe", this.universe);
  }

  fetchBars(ticker: Ticker, fromMs: number, untilMs: number): Answer<readonly Bar[]> {
    const bars = this.bars.filter(({ openTimeMs }) => openTimeMs >= fromMs && openTimeMs < untilMs);
    return this.#answer(`bars ${ticker} ${fromMs}-${untilMs}`, bars);
  }

  fetchFundingHistory(ticker: Ticker, fromMs: number): Answer<readonly FundingSettlement[]> {
    const settlements = this.settlements.filter(({ timeMs }) => timeMs >= fromMs);
    return this.#answer(`settlements ${ticker} ${fromMs}`, settlements);
  }

  fetchPredictedFundings(): Answer<readonly PredictedFunding[]> {
    return this.#answer("predicted", this.predicted);
  }

  fetchTickersAtOpenInterestCap(): Answer<ReadonlySet<Ticker>> {
    return this.#answer("caps", this.atCap);
  }

  fetchExchangeTimeMs(): Answer<number> {
    return this.#answer("time", Date.now() + this.exchangeAheadMs);
  }

  watchAssets(assets: readonly WatchedAsset[]): void {
    this.watched = assets;
  }

  close(): Promise<void> {
    this.feed$.complete();
    return Promise.resolve();
  }

  #answer<T>(call: string, value: T): Answer<T> {
    this.calls.push(call);
    const failure = this.failures.shift();
    return Promise.resolve(failure === undefined ? ok(value) : err(failure));
  }
}
