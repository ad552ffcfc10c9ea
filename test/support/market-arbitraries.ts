import * as fc from "fast-check";
import type { MarginMode, Position, WalletState } from "../../src/domain/account.ts";
import type { OrderBook } from "../../src/domain/book.ts";
import { tickerOf, type Ticker } from "../../src/domain/ids.ts";
import type { ProposedTrade, TradeAction } from "../../src/domain/trade.ts";
import type { AssessInput } from "../../src/risk/assess.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import { buildOpenInterest } from "../../src/risk/liquidity/open-interest.ts";
import { rescaleAssetTails } from "../../src/risk/scenarios/asset-tails.ts";
import { between, direction, fraction, magnitude, nullable } from "./arbitraries.ts";
import {
  assetContext,
  assetListing,
  BTC,
  ETH,
  orderBook,
  position,
  proposedTrade,
  walletState,
} from "./builders.ts";
import {
  assetView,
  bookStatistics,
  DRAWDOWN,
  fundingOutlook,
  regimeFacts,
  SOL,
  TEST_SCENARIOS,
  testViewOf,
  volatilityFacts,
} from "./market.ts";

export const UNKNOWN_TICKER = tickerOf("NOVIEW");
const MARK_OF: ReadonlyMap<Ticker, number> = new Map([
  [BTC, 100_000],
  [ETH, 4_000],
  [SOL, 200],
  [UNKNOWN_TICKER, 3],
]);

/** Levels a side as [gap to the previous one, USD]; the first gap is the half spread. */
const ladder = fc.array(fc.tuple(magnitude(1e-5, 0.01), magnitude(1e3, 1e8)), {
  minLength: 1,
  maxLength: 20,
});

export const bookShape = fc.record({
  halfSpreadFraction: magnitude(1e-6, 0.005),
  bids: ladder,
  asks: ladder,
});
export type BookShape = typeof bookShape extends fc.Arbitrary<infer T> ? T : never;

/** A book of this shape around a mid, every level `sizeScale` times as large. */
export function bookOfShape(shape: BookShape, midPrice: number, sizeScale = 1): OrderBook {
  const side = (sign: 1 | -1, steps: BookShape["bids"]): [number, number][] => {
    let distance = shape.halfSpreadFraction;
    return steps.map(([gap, levelUsd]) => {
      const price = midPrice * (1 + sign * distance);
      distance = Math.min(0.9, distance + gap);
      return [price, (sizeScale * levelUsd) / price];
    });
  };
  return orderBook(side(-1, shape.bids), side(1, shape.asks));
}

/** Everything that can differ between two moments of one asset, BTC of the test sheet. */
export const marketShape = fc.record({
  volatilityScale: magnitude(0.3, 6),
  book: bookShape,
  fundingRateHourly: between(-0.002, 0.002),
  fundingZ: between(-20, 20),
  cexRatio: between(-100, 100),
  volume24hUsd: fc.oneof(magnitude(1e4, 1e10), fc.constant(0)),
  openInterestBase: fc.oneof(magnitude(1, 1e6), fc.constant(0)),
  capUsd: nullable(magnitude(1e6, 1e11)),
  isAtCap: fc.boolean(),
  maxLeverage: fc.integer({ min: 3, max: 50 }),
  tierUsd: magnitude(1e5, 1e8),
  stressed: fraction.map((p) => p / 2),
  crisis: fraction.map((p) => p / 2),
  historyHours: fc.integer({ min: 0, max: 5000 }),
  isNewListing: fc.boolean(),
});
export type MarketShape = typeof marketShape extends fc.Arbitrary<infer T> ? T : never;

/** What can be missing from a view. */
export const missingParts: fc.Arbitrary<(keyof AssetView)[]> = fc.subarray<keyof AssetView>([
  "book",
  "bookStatistics",
  "volatility",
  "tails",
  "liquidityRegime",
  "drawdown",
  "sheetRow",
]);

export function viewOfShape(shape: MarketShape, missing: readonly (keyof AssetView)[] = []): AssetView {
  const markPrice = MARK_OF.get(BTC)!;
  const listing = assetListing({
    maxLeverage: shape.maxLeverage,
    marginTiers: [
      { notionalLowerUsd: 0, maxLeverage: shape.maxLeverage },
      { notionalLowerUsd: shape.tierUsd, maxLeverage: Math.max(1, Math.floor(shape.maxLeverage / 2)) },
    ],
  });
  const context = assetContext({
    fundingRateHourly: shape.fundingRateHourly,
    openInterestBase: shape.openInterestBase,
    volume24hUsd: shape.volume24hUsd,
  });
  const ratio = shape.volatilityScale;
  const known = assetView(BTC, {
    listing,
    context,
    book: bookOfShape(shape.book, markPrice),
    bookStatistics: bookStatistics(),
    openInterest: buildOpenInterest({
      openInterestBase: shape.openInterestBase,
      markPrice,
      isAtCap: shape.isAtCap,
      learnedCapUsd: shape.capUsd,
      observedMaxUsd: 0,
      volume24hUsd: shape.volume24hUsd,
    }),
    funding: fundingOutlook(shape.fundingRateHourly, { zScore: shape.fundingZ, cexRatio: shape.cexRatio }),
    volatility: volatilityFacts(ratio),
    tails: rescaleAssetTails(assetView().tails!, [ratio, ratio, ratio, ratio]),
    liquidityRegime: regimeFacts(shape.stressed, shape.crisis),
    drawdown: DRAWDOWN,
    historyHours: shape.historyHours,
    isNewListing: shape.isNewListing,
  });
  return { ...known, ...Object.fromEntries(missing.map((part) => [part, null])) };
}

export const marginMode = fc.constantFrom<MarginMode[]>("cross", "isolated");
const action = fc.constantFrom<TradeAction[]>("long", "short", "close");
export const opening = fc.constantFrom<TradeAction[]>("long", "short");

const positionIn = (ticker: Ticker): fc.Arbitrary<Position> =>
  fc
    .record({
      side: direction,
      notionalUsd: magnitude(10, 1e7),
      entryRatio: magnitude(0.5, 2),
      mode: marginMode,
      leverage: fc.integer({ min: 1, max: 50 }),
    })
    .map(({ side, notionalUsd, entryRatio, mode, leverage }) => {
      const mark = MARK_OF.get(ticker)!;
      const sizeBase = (side * notionalUsd) / mark;
      const entryPrice = mark * entryRatio;
      return position({
        ticker,
        sizeBase,
        entryPrice,
        marginMode: mode,
        leverage,
        isolatedCashUsd:
          mode === "cross" ? null : (Math.abs(sizeBase) * entryPrice) / leverage - sizeBase * entryPrice,
      });
    });

const optionalPositions = (tickers: readonly Ticker[]): fc.Arbitrary<Position[]> =>
  fc
    .tuple(...tickers.map((ticker) => fc.option(positionIn(ticker))))
    .map((found) => found.filter((held) => held !== null));

/** Any account: in profit or under water, with assets unknown here. */
export const account: fc.Arbitrary<WalletState> = fc
  .record({
    cashUsd: between(-1e6, 1e7),
    positions: optionalPositions([BTC, ETH, SOL, UNKNOWN_TICKER]),
    mode: fc.constantFrom("standard" as const, "unified" as const, "portfolio_margin" as const),
    takerFeeFraction: nullable(between(0, 0.001)),
  })
  .map(({ cashUsd, positions, mode, takerFeeFraction }) => ({
    ...walletState(0, positions),
    crossCashUsd: cashUsd,
    mode,
    takerFeeFraction,
  }));

/** An account with collateral and nothing else. */
export const freshAccount: fc.Arbitrary<WalletState> = fc
  .oneof(magnitude(1, 1e8), fc.constant(0))
  .map((equityUsd) => walletState(equityUsd));

const trade: fc.Arbitrary<ProposedTrade> = fc
  .record({
    action,
    notionalUsd: magnitude(0.01, 1e8),
    leverage: fc.option(magnitude(1, 50), { nil: undefined }),
    marginMode,
  })
  .map((changes) => proposedTrade(changes));

/** Anything that a request could meet. */
export const assessInputs: fc.Arbitrary<AssessInput> = fc
  .record({
    trade,
    shape: marketShape,
    missing: fc.oneof(fc.constant<(keyof AssetView)[]>([]), missingParts),
    account: nullable(account),
    hasScenarios: fc.boolean(),
    isMarketStale: fc.boolean(),
    isWalletStale: fc.boolean(),
  })
  .map((recipe) => {
    const { shape, missing, hasScenarios, ...rest } = recipe;
    const input = {
      ...rest,
      asset: viewOfShape(shape, missing),
      viewOf: testViewOf,
      scenarios: hasScenarios ? TEST_SCENARIOS : null,
      sizings: null,
    };
    return shownAs(input, recipe);
  });

/** Prints as the recipe it was built from: a counterexample without thousands of scenario numbers. */
export function shownAs<T extends object>(value: T, recipe: object): T {
  return Object.defineProperty(value, fc.toStringMethod, { value: () => JSON.stringify(recipe) });
}
