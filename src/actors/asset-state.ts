import type { AssetContext, AssetListing } from "../domain/asset.ts";
import type { Bar } from "../domain/bar.ts";
import { barsFrom } from "../domain/bar-columns.ts";
import type { OrderBook } from "../domain/book.ts";
import type { Calibrated } from "../domain/calibrated.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { AssetView } from "../risk/asset-view.ts";
import {
  type BookStatistics,
  buildBookStatistics,
  createBookHours,
  depthRatioOf,
  observeBook,
} from "../risk/book-statistics.ts";
import { type DrawdownState, drawdownFactsOf, EMPTY_DRAWDOWN, updateDrawdown } from "../risk/drawdown.ts";
import { buildMarginSchedule, type MarginSchedule } from "../risk/margin.ts";
import type { SheetDay } from "../risk/scenarios/sheet-day.ts";
import { type BookDepth, bookDepthOf } from "../risk/slippage.ts";
import { buildStressShocks, STRESS_CALIBRATION, type StressShocks } from "../risk/stress-shocks.ts";
import { FundingTrack } from "./funding-track.ts";
import { OpenInterestTrack } from "./open-interest-track.ts";
import { RegimeTrack } from "./regime-track.ts";
import type { SheetRowTrack } from "./sheet-row-track.ts";
import { VolatilityTrack } from "./volatility-track.ts";

export const NEW_LISTING_HOURS: Calibrated = {
  value: 336,
  unit: "hours",
  source: "chosen: two weeks, before which an asset has no seasonality of its own",
  fittedOn: "not fitted",
};

/** Everything that rolls for one asset. An event changes the parts it is about; the view is put together from them. */
export class AssetState {
  readonly volatility = new VolatilityTrack();
  readonly #regime = new RegimeTrack();
  readonly #funding: FundingTrack;
  readonly #openInterest: OpenInterestTrack;
  readonly #bookHours = createBookHours();
  #listing: AssetListing;
  #marginSchedule: MarginSchedule;
  #context: AssetContext;
  #book: OrderBook | null = null;
  #depth: BookDepth | null = null;
  #bookArrivedAtMs: number | null = null;
  #bookStatistics: BookStatistics | null = null;
  #drawdown: DrawdownState = EMPTY_DRAWDOWN;
  #drawdownFacts = drawdownFactsOf(EMPTY_DRAWDOWN);
  #stressShocks: StressShocks;
  #tailBeta: number = STRESS_CALIBRATION.betaPrior.value;
  #sheetRow: SheetRowTrack | null = null;

  constructor(listing: AssetListing, context: AssetContext) {
    this.#listing = listing;
    this.#context = context;
    this.#marginSchedule = buildMarginSchedule(listing.marginTiers);
    this.#stressShocks = buildStressShocks(listing, this.#tailBeta);
    this.#funding = new FundingTrack(context.fundingRateHourly);
    this.#openInterest = new OpenInterestTrack(context);
  }

  get listing(): AssetListing {
    return this.#listing;
  }

  get context(): AssetContext {
    return this.#context;
  }

  get bookArrivedAtMs(): number | null {
    return this.#bookArrivedAtMs;
  }

  /** Half of what the spread usually is, or is now; null before the first book. */
  get halfSpreadFraction(): number | null {
    const spread = this.#bookStatistics?.medianSpreadFraction ?? this.#depth?.spreadFraction;
    return spread === undefined ? null : spread / 2;
  }

  /** Takes one fact in; false when it changed nothing that a request could see. */
  apply(event: MarketEvent, marketTimeMs: number): boolean {
    switch (event.type) {
      case "asset.listed":
      case "listing.changed":
      case "asset.delisted":
        this.#relist(event.listing);
        return true;
      case "history.loaded":
        this.#funding.load(event.settlements);
        if (this.volatility.loadBars(event.bars)) this.#replayDrawdown();
        return true;
      case "bar.closed":
        if (!this.volatility.closeBar(event.bar)) return false;
        this.#fold([event.bar]);
        return true;
      case "bar.updated":
        return this.volatility.nowcast(event.bar, marketTimeMs);
      case "book.updated":
        this.#keepBook(event.book, event.arrivedAtMs);
        return true;
      case "context.updated":
        this.#context = event.context;
        this.#funding.updateRate(event.context.fundingRateHourly);
        this.#openInterest.update(event.context);
        return true;
      case "funding.settled":
        this.#funding.load([event.settlement]);
        return true;
      case "funding.predicted":
        this.#funding.compare(event.venues);
        return true;
      case "cap.reported":
        this.#openInterest.reportCap(event.isAtCap);
        return true;
      case "feed.lost":
      case "feed.restored":
        return false;
    }
  }

  /** The asset's part of the joint scenarios at its sigma now; null before the first draw. */
  get sheetDay(): SheetDay | null {
    return this.#sheetRow?.dayAt(this.volatility.dayRescaling) ?? null;
  }

  acceptRow(sheetRow: SheetRowTrack, tailBeta: number): void {
    this.#sheetRow = sheetRow;
    if (tailBeta === this.#tailBeta) return;
    this.#tailBeta = tailBeta;
    this.#stressShocks = buildStressShocks(this.#listing, tailBeta);
  }

  updateRegime(marketVolatilityScore: number | null, nowMs: number): void {
    const { outlook } = this.#funding;
    const depth = this.#depth;
    this.#regime.update(
      {
        spreadFraction: depth?.spreadFraction ?? null,
        depth50BpsUsd: depth?.depth50BpsUsd ?? null,
        openInterestBase: this.#context.openInterestBase,
        fundingScore: outlook.historyHours > 0 ? outlook.zScore : null,
        volatilityScore: this.volatility.volatilityScore,
        marketVolatilityScore,
        returnInSigmas: this.volatility.returnInSigmas(this.#context.markPrice),
        depthRatio: depth === null ? null : depthRatioOf(depth.depth100BpsUsd, this.#bookStatistics),
      },
      nowMs,
    );
  }

  view(): AssetView {
    const { volatility } = this;
    const historyHours = this.#drawdown.barCount;
    return {
      listing: this.#listing,
      marginSchedule: this.#marginSchedule,
      context: this.#context,
      book: this.#book,
      bookStatistics: this.#bookStatistics,
      openInterest: this.#openInterest.facts,
      funding: this.#funding.outlook,
      volatility: volatility.facts,
      tails: volatility.tails,
      liquidityRegime: this.#regime.facts,
      drawdown: this.#drawdownFacts,
      stressShocks: this.#stressShocks,
      sheetRow: this.#sheetRow?.row ?? null,
      historyHours,
      isNewListing: historyHours < NEW_LISTING_HOURS.value,
    };
  }

  #relist(listing: AssetListing): void {
    this.#listing = listing;
    this.#marginSchedule = buildMarginSchedule(listing.marginTiers);
    this.#stressShocks = buildStressShocks(listing, this.#tailBeta);
  }

  #keepBook(book: OrderBook | null, arrivedAtMs: number): void {
    this.#book = book;
    this.#bookArrivedAtMs = arrivedAtMs;
    this.#depth = book === null ? null : bookDepthOf(book);
    if (this.#depth === null) return;
    const { spreadFraction, depth100BpsUsd } = this.#depth;
    const hasClosedHour = observeBook(this.#bookHours, spreadFraction, depth100BpsUsd, arrivedAtMs);
    if (hasClosedHour || this.#bookStatistics === null) {
      this.#bookStatistics = buildBookStatistics(this.#bookHours);
    }
  }

  #replayDrawdown(): void {
    this.#drawdown = EMPTY_DRAWDOWN;
    this.#fold(barsFrom(this.volatility.bars));
  }

  #fold(bars: readonly Bar[]): void {
    for (const bar of bars) this.#drawdown = updateDrawdown(this.#drawdown, bar);
    this.#drawdownFacts = drawdownFactsOf(this.#drawdown);
  }
}
