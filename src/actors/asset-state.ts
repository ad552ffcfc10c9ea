import type { AssetContext, AssetListing, FundingSettlement } from "../domain/asset.ts";
import { BARS_KEPT, DAY_HOURS, HOUR_MS } from "../domain/bar.ts";
import { barAt, lastOpenTimeMs } from "../domain/bar-columns.ts";
import type { OrderBook } from "../domain/book.ts";
import type { KeptRegime } from "../domain/kept-regime.ts";
import type { LearnedHour } from "../domain/learned-hour.ts";
import type { MarketEvent } from "../domain/market-event.ts";
import type { AssetView } from "../risk/asset-view.ts";
import { BOOK_STATISTICS_CALIBRATION } from "../risk/liquidity/book-statistics.ts";
import { buildMarginSchedule, type MarginSchedule } from "../risk/margin/margin.ts";
import { horizonIndex } from "../risk/scenarios/horizon.ts";
import type { SheetDay } from "../risk/scenarios/sheet-day.ts";
import { hasRegimeAlarm, REGIME_SCALE, type RegimeAlarms } from "../risk/regime/liquidity-regime.ts";
import { FLAG_THRESHOLDS } from "../risk/scoring/flag-thresholds.ts";
import { buildStressShocks, type StressShocks } from "../risk/stress/stress-shocks.ts";
import { BookTrack } from "./book-track.ts";
import { ContextTrack } from "./context-track.ts";
import { DrawdownTrack } from "./drawdown-track.ts";
import { FundingTrack } from "./funding-track.ts";
import { hasLateBars } from "./late-bars.ts";
import { OpenInterestTrack } from "./open-interest-track.ts";
import { RegimeTrack } from "./regime-track.ts";
import type { SheetRowTrack } from "./sheet-row-track.ts";
import { VolatilityTrack } from "./volatility-track.ts";

/** Everything that rolls for one asset. An event changes the parts it is about; the view is put together from them. */
export class AssetState {
  readonly volatility = new VolatilityTrack();
  readonly context: ContextTrack;
  readonly #book = new BookTrack();
  readonly #regime = new RegimeTrack();
  readonly #drawdown = new DrawdownTrack();
  readonly #funding: FundingTrack;
  readonly #openInterest: OpenInterestTrack;
  #listing: AssetListing;
  #marginSchedule: MarginSchedule;
  #stressShocks: StressShocks;
  #tailBeta: number | null = null;
  #isRestored = false;
  #isHistoryRead = false;
  #isModelBehind = false;
  #sheetRow: SheetRowTrack | null = null;

  constructor(listing: AssetListing, context: AssetContext | null) {
    this.#listing = listing;
    this.context = new ContextTrack(context);
    this.#marginSchedule = buildMarginSchedule(listing.marginTiers);
    this.#stressShocks = buildStressShocks(listing, this.#tailBeta);
    this.#funding = new FundingTrack(context?.fundingRateHourly ?? 0);
    this.#openInterest = new OpenInterestTrack(context);
  }

  get listing(): AssetListing {
    return this.#listing;
  }

  get book(): OrderBook | null {
    return this.#book.book;
  }

  get bookArrivedAtMs(): number | null {
    return this.#book.arrivedAtMs;
  }

  /** Hours with trades among those that a start would read: an asset's age goes by them, and not by hours before its launch. */
  get historyHours(): number {
    return this.#drawdown.barCount;
  }

  /** Whether the history read last brought bars that the model in force has stepped over, or one that is being fitted will. */
  get isModelBehind(): boolean {
    return this.#isModelBehind;
  }

  get settlements(): readonly FundingSettlement[] {
    return this.#funding.settlements;
  }

  /** Half of what the spread usually is, or is now; null before the first book. */
  get halfSpreadFraction(): number | null {
    return this.#book.halfSpreadFraction;
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
        this.#isHistoryRead ||= event.reachesNow;
        this.#funding.load(event.settlements);
        this.#isModelBehind = hasLateBars(this.volatility.bars, event.bars, this.#steppedToMs);
        if (event.bars.length === 0) return true;
        this.context.noteClose(barAt(event.bars, event.bars.length - 1).close);
        this.volatility.loadBars(event.bars);
        this.#drawdown.replay(this.volatility.bars);
        return true;
      case "bar.closed":
        if (!this.volatility.closeBar(event.bar)) return false;
        if (this.volatility.bars.length === BARS_KEPT) this.#drawdown.replay(this.volatility.bars);
        else this.#drawdown.addBar(event.bar);
        return true;
      case "bar.updated": {
        const movesStop = this.#drawdown.watch(event.bar);
        return this.volatility.nowcast(event.bar, marketTimeMs) || movesStop;
      }
      case "book.updated":
        this.#book.keep(event.book, event.arrivedAtMs, marketTimeMs, event.isWhole);
        if (event.book !== null) this.context.noteBook(event.book.midPrice);
        return true;
      case "context.updated":
        this.context.update(event.context);
        this.#funding.updateRate(event.context.fundingRateHourly);
        this.#openInterest.update(event.context, marketTimeMs);
        return true;
      case "funding.settled":
        this.#funding.estimate(event.settlement);
        return true;
      case "funding.predicted":
        this.#funding.compare(event.cexRatesHourly);
        return true;
      case "cap.reported":
        this.#openInterest.reportCap(event.isAtCap);
        return true;
      case "feed.lost":
        return false;
    }
  }

  /** The asset's part of the joint scenarios at its sigma now; null before the first draw. */
  get sheetDay(): SheetDay | null {
    return this.#sheetRow?.dayAt(this.volatility.rescaling[horizonIndex(DAY_HOURS)]!) ?? null;
  }

  acceptRow(sheetRow: SheetRowTrack, tailBeta: number | null): void {
    this.#sheetRow = sheetRow;
    if (tailBeta === this.#tailBeta) return;
    this.#tailBeta = tailBeta;
    this.#stressShocks = buildStressShocks(this.#listing, tailBeta);
  }

  /** True where the market has come to rule a normal regime out since it was looked at: that does not wait its turn. */
  isNewlyAlarmed(marketTimeMs: number): boolean {
    if (this.context.latest === null || this.#regime.facts?.probability.normal === 0) return false;
    return hasRegimeAlarm(this.#regimeAlarms(marketTimeMs));
  }

  /** Nothing before what was kept is known: the regime goes on from there, and is not told to be another meanwhile. */
  updateRegime(marketVolatilityScore: number | null, marketTimeMs: number): void {
    const context = this.context.latest;
    if (context === null || !this.#isRestored) return;
    const { openInterestBase, fundingRateHourly, markPrice } = context;
    const { outlook } = this.#funding;
    const { depth } = this.#book;
    this.#regime.update(
      {
        ...this.#regimeAlarms(marketTimeMs),
        spreadFraction: depth?.spreadFraction ?? null,
        depth50BpsUsd: depth?.depth50BpsUsd ?? null,
        depth100BpsUsd: depth?.depth100BpsUsd ?? null,
        openInterestBase,
        openInterestUsd: openInterestBase * markPrice,
        learnedCapUsd: this.#openInterest.learnedCapUsd,
        fundingRateHourly,
        fundingScore: outlook.historyHours > 0 ? outlook.zScore : null,
        volatilityScore: this.volatility.volatilityScore,
        marketVolatilityScore,
      },
      marketTimeMs,
    );
  }

  #regimeAlarms(marketTimeMs: number): RegimeAlarms {
    return {
      returnInSigmas: this.volatility.returnInSigmas(this.context.shown.markPrice, marketTimeMs),
      depthRatio: this.#book.depthRatio,
    };
  }

  /**
   * What earlier runs learned by watching, oldest first, each part as far back as it is still believed, and nothing that is
   * to come where the market's time begins anew with each run. Taken once: what is read later, as when the asset is
   * relisted, holds the hours that were seen here.
   */
  restore(hours: readonly LearnedHour[], keptRegime: KeptRegime | null, marketTimeMs: number): void {
    if (this.#isRestored) return;
    this.#isRestored = true;
    const past = hours.filter(({ hourStartMs }) => hourStartMs <= marketTimeMs);
    const since = (hoursBack: number): readonly LearnedHour[] =>
      past.filter(({ hourStartMs }) => hourStartMs >= marketTimeMs - hoursBack * HOUR_MS);
    const remembered = since(REGIME_SCALE.value.windowHours);
    this.#openInterest.restore(remembered, marketTimeMs);
    this.#regime.restore(remembered, keptRegime, marketTimeMs);
    this.#book.restore(since(BOOK_STATISTICS_CALIBRATION.windowHours.value));
  }

  /** To be given back after a restart; null before it was measured. */
  get keptRegime(): KeptRegime | null {
    return this.#regime.kept;
  }

  /** Learned since it was last asked; with the hour under way, which comes again when it is over. */
  takeLearned(withOpenHour: boolean): readonly LearnedHour[] {
    return this.#regime.takeUnsaved(withOpenHour);
  }

  view(): AssetView {
    const { volatility, historyHours } = this;
    const context = this.context.shown;
    const isYoung = this.#isHistoryRead && historyHours < FLAG_THRESHOLDS.newListingHours.value;
    return {
      listing: this.#listing,
      marginSchedule: this.#marginSchedule,
      context,
      book: this.book,
      bookStatistics: this.#book.statistics,
      openInterest: this.#openInterest.facts,
      funding: this.#funding.outlook,
      volatility: volatility.facts,
      tails: volatility.tails,
      liquidityRegime: this.#regime.facts,
      drawdown: this.#drawdown.factsAt(context.markPrice),
      stressShocks: this.#stressShocks,
      sheetRow: this.#sheetRow?.row ?? null,
      historyHours,
      isNewListing: isYoung && !this.#listing.isDelisted,
    };
  }

  /** Up to where the model in force has stepped; without one, where one begins that is being fitted to the known bars. */
  get #steppedToMs(): number {
    const { bars, state } = this.volatility;
    return state?.openTimeMs ?? lastOpenTimeMs(bars) ?? -Infinity;
  }

  #relist(listing: AssetListing): void {
    this.#listing = listing;
    this.#marginSchedule = buildMarginSchedule(listing.marginTiers);
    this.#stressShocks = buildStressShocks(listing, this.#tailBeta);
  }
}
