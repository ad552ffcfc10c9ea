import type { Observable } from "rxjs";
import type { FundingSettlement, PredictedFunding, Universe } from "../../domain/asset.ts";
import type { Bar } from "../../domain/bar.ts";
import { HOUR_MS } from "../../domain/bar.ts";
import type { ExchangeFailure } from "../../domain/errors.ts";
import type { Ticker } from "../../domain/ids.ts";
import type { Result } from "../../domain/result.ts";
import { ok } from "../../domain/result.ts";
import type { Exchange, FeedEvent, WatchedAsset } from "../exchange.ts";
import { ConnectProbe } from "./connect-probe.ts";
import { type ParseError, parseErrorText } from "./field-reader.ts";
import { InfoClient } from "./info-client.ts";
import { MarketFeed } from "./market-feed.ts";
import { parseBars, parseFundingHistory, parsePredictedFundings } from "./parse-history.ts";
import { parseExchangeStatus, parseTickersAtCap, parseUniverse } from "./parse-universe.ts";
import type { Timers, Uniform } from "./timers.ts";
import { SYSTEM_TIMERS } from "./timers.ts";
import type { HyperliquidTransport } from "./transport.ts";
import {
  MARKET_CONNECTS,
  MARKET_RETRY_MS_MAX,
  rowWeight,
  SUBSCRIBE_PACE,
  MARKET_MESSAGES,
  WeightBudget,
} from "./weight-budget.ts";

export interface HyperliquidOptions {
  readonly transport: HyperliquidTransport;
  /** This thread's share of the exchange's 1200 weight a minute. */
  readonly weightPerMinute: number;
  readonly timers?: Timers;
  readonly uniform?: Uniform;
}

/** The exchange keeps this many candles per coin and interval. */
const BARS_MAX = 5000;
/** Rows of one funding history page. */
const FUNDING_PAGE_ROWS = 500;
/** Seven months of settlements: an answer that goes on for ever ends here. */
const FUNDING_PAGES_MAX = 10;
/** Candles, and settlements, per unit of weight. */
const CANDLES_PER_WEIGHT = 60;
const SETTLEMENTS_PER_WEIGHT = 20;
const SNAPSHOT_WEIGHT = 20;
const STATUS_WEIGHT = 2;
const PATIENCE = { timeoutMs: 10_000, attemptsMax: 4, budgetWaitMsMax: Number.POSITIVE_INFINITY };

/** The market side of Hyperliquid over any transport: the network, a recording of it, or recorded data. */
export class HyperliquidExchange implements Exchange {
  readonly feed$: Observable<FeedEvent>;
  readonly #transport: HyperliquidTransport;
  readonly #timers: Timers;
  readonly #info: InfoClient;
  readonly #feed: MarketFeed;
  /** What the feed's sockets wait for. */
  readonly #paces: readonly WeightBudget[];
  #listed: ReadonlySet<Ticker> = new Set();
  #specialStatuses: string | null = null;

  constructor(options: HyperliquidOptions) {
    const { transport, timers = SYSTEM_TIMERS, uniform = Math.random } = options;
    const weight = { capacity: options.weightPerMinute, windowMs: 60_000 };
    this.#transport = transport;
    this.#timers = timers;
    const budget = new WeightBudget([weight], timers);
    this.#info = new InfoClient({ transport, budget, timers, uniform }, PATIENCE);
    const connects = new WeightBudget([MARKET_CONNECTS], timers);
    const messages = new WeightBudget([MARKET_MESSAGES, SUBSCRIBE_PACE], timers);
    this.#paces = [connects, messages];
    this.#feed = new MarketFeed({
      transport,
      timers,
      uniform,
      connects,
      retryMsMax: MARKET_RETRY_MS_MAX,
      probe: new ConnectProbe(),
      messages,
    });
    this.feed$ = this.#feed.events$;
  }

  async fetchUniverse(): Promise<Result<Universe, ExchangeFailure>> {
    const universe = await this.#info.call({
      body: { type: "metaAndAssetCtxs" },
      weight: SNAPSHOT_WEIGHT,
      priority: "live",
      parse: (json) => parseUniverse(json, this.#timers.nowMs()),
    });
    if (universe.ok) {
      for (const error of universe.value.rejected)
        this.#feed.reject(`metaAndAssetCtxs: ${parseErrorText(error)}`);
      this.#listed = listedAfter(this.#listed, universe.value);
    }
    return universe;
  }

  async fetchBars(
    ticker: Ticker,
    fromMs: number,
    untilMs: number,
  ): Promise<Result<readonly Bar[], ExchangeFailure>> {
    const req = { coin: ticker, interval: "1h", startTime: fromMs, endTime: untilMs - 1 };
    const rows = Math.min(BARS_MAX, Math.ceil((untilMs - fromMs) / HOUR_MS) + 1);
    const bars = await this.#info.call({
      body: { type: "candleSnapshot", req },
      weight: rowWeight(rows, CANDLES_PER_WEIGHT),
      priority: "backfill",
      parse: (json) => parseBars(json, ticker),
    });
    if (!bars.ok) return bars;
    this.#reject(`candleSnapshot of ${ticker}`, bars.value.rejected);
    return ok(bars.value.rows.filter((bar) => bar.openTimeMs >= fromMs && bar.openTimeMs < untilMs));
  }

  async fetchFundingHistory(
    ticker: Ticker,
    fromMs: number,
  ): Promise<Result<readonly FundingSettlement[], ExchangeFailure>> {
    const settlements: FundingSettlement[] = [];
    let startMs = fromMs;
    for (let pages = 1; ; pages++) {
      const rows = Math.min(
        FUNDING_PAGE_ROWS,
        Math.max(1, Math.ceil((this.#timers.nowMs() - startMs) / HOUR_MS)),
      );
      const page = await this.#info.call({
        body: { type: "fundingHistory", coin: ticker, startTime: startMs },
        weight: rowWeight(rows, SETTLEMENTS_PER_WEIGHT),
        priority: "backfill",
        parse: (json) => parseFundingHistory(json, ticker),
      });
      if (!page.ok) return page;
      this.#reject(`fundingHistory of ${ticker}`, page.value.rejected);
      const fresh = page.value.rows.filter((settlement) => settlement.timeMs >= startMs);
      settlements.push(...fresh);
      const last = fresh.at(-1);
      if (last === undefined || page.value.sentCount < FUNDING_PAGE_ROWS || pages >= FUNDING_PAGES_MAX)
        return ok(settlements);
      startMs = last.timeMs + 1;
    }
  }

  async fetchPredictedFundings(): Promise<Result<readonly PredictedFunding[], ExchangeFailure>> {
    const predicted = await this.#info.call({
      body: { type: "predictedFundings" },
      weight: SNAPSHOT_WEIGHT,
      priority: "live",
      parse: parsePredictedFundings,
    });
    if (!predicted.ok) return predicted;
    this.#reject("predictedFundings", predicted.value.rejected);
    return ok(predicted.value.rows);
  }

  async fetchTickersAtOpenInterestCap(): Promise<Result<ReadonlySet<Ticker>, ExchangeFailure>> {
    const atCap = await this.#info.call({
      body: { type: "perpsAtOpenInterestCap" },
      weight: SNAPSHOT_WEIGHT,
      priority: "live",
      parse: parseTickersAtCap,
    });
    if (!atCap.ok) return atCap;
    this.#reject("perpsAtOpenInterestCap", atCap.value.rejected);
    return ok(new Set(atCap.value.rows));
  }

  /** A change of what the exchange says is special is reported like its complaints, and has no other consequence. */
  async fetchExchangeTimeMs(): Promise<Result<number, ExchangeFailure>> {
    const status = await this.#info.call({
      body: { type: "exchangeStatus" },
      weight: STATUS_WEIGHT,
      priority: "live",
      parse: parseExchangeStatus,
    });
    if (!status.ok) return status;
    const { timeMs, specialStatuses } = status.value;
    if (specialStatuses !== this.#specialStatuses) {
      this.#specialStatuses = specialStatuses;
      this.#feed.reject(`the exchange says: special statuses ${specialStatuses ?? "none"}`);
    }
    return ok(timeMs);
  }

  /**
   * Names that no universe has listed as live are left out: an unknown coin drops the whole socket. One that a universe
   * does not name is known until it is named as delisted, for that answer may be cut short: its caller decides.
   */
  watchAssets(assets: readonly WatchedAsset[]): void {
    this.#feed.watch(assets.filter(({ ticker }) => this.#listed.has(ticker)));
  }

  #reject(answer: string, rejected: readonly ParseError[]): void {
    const [first] = rejected;
    if (first === undefined) return;
    this.#feed.reject(`${answer}: ${String(rejected.length)} rows, the first ${parseErrorText(first)}`);
  }

  async close(): Promise<void> {
    this.#feed.close();
    for (const pace of this.#paces) pace.close();
    this.#info.close();
    await this.#transport.close();
  }
}

function listedAfter(before: ReadonlySet<Ticker>, universe: Universe): ReadonlySet<Ticker> {
  const listed = new Set(before);
  for (const { listing } of universe.assets) {
    if (listing.isDelisted) listed.delete(listing.ticker);
    else listed.add(listing.ticker);
  }
  return listed;
}
