import { tickerOf } from "../../src/domain/ids.ts";
import type { Ticker } from "../../src/domain/ids.ts";
import type { AssessInput } from "../../src/risk/assess.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import type { BookStatistics } from "../../src/risk/liquidity/book-statistics.ts";
import type { DrawdownFacts } from "../../src/risk/drawdown.ts";
import type { FundingOutlook } from "../../src/risk/funding.ts";
import { buildMarginSchedule } from "../../src/risk/margin/margin.ts";
import { buildOpenInterest } from "../../src/risk/liquidity/open-interest.ts";
import { createPortfolioScratch, type ScenarioAccess } from "../../src/risk/portfolio/scenario-access.ts";
import type { LiquidityRegimeFacts } from "../../src/risk/regime/liquidity-regime.ts";
import { buildScenarioSheet } from "../../src/risk/scenarios/sheet-builder.ts";
import { buildStressShocks } from "../../src/risk/stress/stress-shocks.ts";
import type { VolatilityFacts } from "../../src/risk/volatility/volatility-facts.ts";
import { HOURS_PER_YEAR } from "../../src/risk/volatility/term-structure.ts";
import { assetContext, assetListing, BTC, ETH, evenBook, proposedTrade, walletState } from "./builders.ts";
import { testAsset, testHistory, testInputs } from "./scenarios.ts";

export const SOL = tickerOf("SOL");

/** One joint sheet of three correlated assets, drawn once for all tests of a file. */
const built = buildScenarioSheet(
  testInputs(
    7,
    [1, 2, 3].map((seed) =>
      testAsset(seed, {
        history: testHistory(seed, { loading: 0.9 }),
        seasonalFactors: new Float64Array(168).fill(1),
      }),
    ),
  ),
);
export const TEST_SCENARIOS: ScenarioAccess = {
  sheet: built.sheet,
  scratch: createPortfolioScratch(built.sheet),
};

/** Volatility as the test sheet's models have it: about 0.45 % an hour, times `scale`. */
export function volatilityFacts(scale = 1): VolatilityFacts {
  const sigmaHour = 0.0045 * scale;
  const sigmaAnnual = sigmaHour * Math.sqrt(HOURS_PER_YEAR);
  return {
    sigmas: {
      sigma1hAnnual: sigmaAnnual,
      sigma4hAnnual: sigmaAnnual,
      sigma1dAnnual: sigmaAnnual,
      sigma7dAnnual: sigmaAnnual,
      longRunSigmaAnnual: sigmaAnnual,
    },
    sigmaHour,
    sigmaDay: sigmaHour * Math.sqrt(24),
    regime: "normal",
    model: "range-garch",
    warnings: [],
  };
}

export function bookStatistics(changes: Partial<BookStatistics> = {}): BookStatistics {
  return {
    observedHours: 720,
    medianSpreadFraction: 0.0001,
    meanSpreadFraction: 0.00012,
    sdSpreadFraction: 0.00005,
    spreadFactor95: 2,
    spreadFactor99: 4,
    medianDepthUsd: 80_000_000,
    depthRatio95: 0.5,
    depthRatio99: 0.25,
    ...changes,
  };
}

export function fundingOutlook(
  rateHourly = 0.0000125,
  changes: Partial<FundingOutlook> = {},
): FundingOutlook {
  return {
    rateHourly,
    zScore: 0,
    cexRatio: 1,
    drag24hFraction: 24 * rateHourly,
    historyHours: 720,
    ...changes,
  };
}

export function regimeFacts(stressed = 0.05, crisis = 0.01): LiquidityRegimeFacts {
  return {
    state: "normal",
    confidence: 1 - stressed - crisis,
    probability: { normal: 1 - stressed - crisis, stressed, crisis },
  };
}

export const DRAWDOWN: DrawdownFacts = {
  maxDrawdownFraction: 0.3,
  currentDrawdownFraction: 0.1,
  peakPrice: 110_000,
  troughPrice: 77_000,
  durationHours: 100,
  calmarRatio: 1.5,
  trailingStopFraction: 0.036,
};

const MARKS: ReadonlyMap<Ticker, number> = new Map([
  [BTC, 100_000],
  [ETH, 4_000],
  [SOL, 200],
]);

/** A liquid asset of the test sheet with everything known. */
export function assetView(ticker: Ticker = BTC, changes: Partial<AssetView> = {}): AssetView {
  const row = [...MARKS.keys()].indexOf(ticker);
  const markPrice = MARKS.get(ticker)!;
  const listing = changes.listing ?? assetListing({ ticker, assetIndex: row });
  const context =
    changes.context ??
    assetContext({
      markPrice,
      midPrice: markPrice,
      openInterestBase: 2.5e9 / markPrice,
    });
  return {
    listing,
    marginSchedule: buildMarginSchedule(listing.marginTiers),
    context,
    book: evenBook(markPrice),
    bookStatistics: bookStatistics(),
    openInterest: buildOpenInterest({
      openInterestBase: context.openInterestBase,
      markPrice: context.markPrice,
      isAtCap: false,
      learnedCapUsd: 10e9,
      observedMaxUsd: 3e9,
      volume24hUsd: context.volume24hUsd,
    }),
    funding: fundingOutlook(),
    volatility: volatilityFacts(),
    tails: built.tails[row]!,
    liquidityRegime: regimeFacts(),
    drawdown: DRAWDOWN,
    stressShocks: buildStressShocks(listing, 1.3),
    sheetRow: row,
    historyHours: 4096,
    isNewListing: false,
    ...changes,
  };
}

const VIEWS: ReadonlyMap<Ticker, AssetView> = new Map(
  [...MARKS.keys()].map((ticker) => [ticker, assetView(ticker)]),
);

/** The three assets of the test sheet; any other ticker is unknown. */
export function testViewOf(ticker: Ticker): AssetView | undefined {
  return VIEWS.get(ticker);
}

export function assessInput(changes: Partial<AssessInput> = {}): AssessInput {
  return {
    trade: proposedTrade(),
    asset: assetView(),
    account: walletState(),
    viewOf: testViewOf,
    scenarios: TEST_SCENARIOS,
    isMarketStale: false,
    isWalletStale: false,
    sizings: null,
    ...changes,
  };
}
