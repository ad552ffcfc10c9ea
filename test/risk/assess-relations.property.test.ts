import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ValidateResponse } from "../../src/contracts/generated/types.ts";
import type { WalletState } from "../../src/domain/account.ts";
import type { BookSide } from "../../src/domain/book.ts";
import { type Ticker, tickerOf } from "../../src/domain/ids.ts";
import { assessAccount } from "../../src/risk/assess-account.ts";
import { assess, type AssessInput } from "../../src/risk/assess.ts";
import type { AssetView } from "../../src/risk/asset-view.ts";
import { SIZING_LIMITS } from "../../src/risk/calibration/calibration.ts";
import { buildMarginSchedule } from "../../src/risk/margin/margin.ts";
import { bookSide, BTC, ETH, WALLET } from "../support/builders.ts";
import { SOL } from "../support/market.ts";
import { account, assessInputs, shownAs, UNKNOWN_TICKER } from "../support/market-arbitraries.ts";
import { plainMonitor, plainValidate } from "../support/plain-body.ts";

/**
 * How a whole answer moves with its question and its world, where the effect is known exactly. Factors are powers of two:
 * nothing is rounded but what is shown, and sums in another order.
 *
 * Mutants tried by hand, each killed here: a price in the bound of the book's depth and in the Greeks, coins in the
 * maintenance margin; dollars in the margin ratio and in the loss over equity; the first correlation found for the
 * largest, the isolated positions passed over where the first one is cross; the portfolio stressed as it was before.
 */
type World = AssessInput & { readonly account: WalletState };

const world: fc.Arbitrary<World> = fc.tuple(assessInputs, account).map(([input, held]) => {
  const trade = { ...input.trade, wantsMonteCarlo: true };
  return shownAs({ ...input, trade, account: held }, { input: fc.stringify(input), held });
});
const more = fc.integer({ min: 0, max: 12 }).map((power) => 2 ** power);
const factor = fc.oneof(
  more,
  more.map((k) => 1 / k),
);

const MODEL_VERSION = { engine_version: "0.0.0", calibration_hash: "0".repeat(64) };

function answerOf(input: AssessInput): ValidateResponse {
  const assessment = assess(input);
  const { ticker } = input.trade;
  return plainValidate({
    assessment,
    ticker,
    modelVersion: MODEL_VERSION,
    requestId: "id",
    latencyMs: () => 1,
  });
}

function monitorOf({ account: held, asset, viewOf, scenarios }: World) {
  const assessment = assessAccount({
    account: held,
    viewOf: (ticker) => (ticker === asset.listing.ticker ? asset : viewOf(ticker)),
    scenarios,
    isMarketStale: () => false,
    isWalletStale: false,
  });
  return plainMonitor({ wallet: WALLET, assessment, stateAgeMs: 5 });
}

/** The world with every view and the account changed; what is undefined stays unknown. */
function changed(
  { asset, viewOf, account: held, ...rest }: World,
  ofView: (view: AssetView) => AssetView,
  ofAccount: (held: WalletState) => WalletState,
): World {
  return {
    ...rest,
    asset: ofView(asset),
    viewOf: (ticker) => {
      const view = viewOf(ticker);
      return view === undefined ? undefined : ofView(view);
    },
    account: ofAccount(held),
  };
}

function scaledSide({ prices, sizesBase }: BookSide, ofPrice: number, ofSize: number): BookSide {
  return bookSide(Array.from(prices, (price, i) => [price * ofPrice, sizesBase[i]! * ofSize] as const));
}

function scaledBook(book: AssetView["book"], ofPrice: number, ofSize: number): AssetView["book"] {
  return (
    book && {
      midPrice: book.midPrice * ofPrice,
      bids: scaledSide(book.bids, ofPrice, ofSize),
      asks: scaledSide(book.asks, ofPrice, ofSize),
    }
  );
}

/** A coin of which k are what one was. */
function inUnits(view: AssetView, k: number): AssetView {
  const { context, drawdown } = view;
  return {
    ...view,
    context: {
      ...context,
      markPrice: context.markPrice * k,
      openInterestBase: context.openInterestBase / k,
    },
    book: scaledBook(view.book, k, 1 / k),
    drawdown: drawdown && {
      ...drawdown,
      peakPrice: drawdown.peakPrice * k,
      troughPrice: drawdown.troughPrice * k,
    },
  };
}

/** Every amount of a market in dollars of which k are what one was, the limits of its tiers and caps included. */
function inDollars(view: AssetView, k: number): AssetView {
  const { listing, context, bookStatistics, openInterest } = view;
  const marginTiers = listing.marginTiers.map((tier) => ({
    ...tier,
    notionalLowerUsd: tier.notionalLowerUsd * k,
  }));
  return {
    ...view,
    listing: { ...listing, marginTiers },
    marginSchedule: buildMarginSchedule(marginTiers),
    context: { ...context, volume24hUsd: context.volume24hUsd * k },
    book: scaledBook(view.book, 1, k),
    bookStatistics: bookStatistics && {
      ...bookStatistics,
      medianDepthUsd: bookStatistics.medianDepthUsd * k,
    },
    openInterest: {
      ...openInterest,
      openInterestUsd: openInterest.openInterestUsd * k,
      capUsd: openInterest.capUsd * k,
    },
  };
}

/** Every number of an answer by its path, with its lists of words. */
function numbersOf(value: unknown, path = ""): [string, unknown][] {
  if (value === null || typeof value !== "object") return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => numbersOf(inner, `${path}.${name}`));
}

function expectScaled(actual: unknown, expected: unknown, ofPath: (path: string) => number): void {
  const found = new Map(numbersOf(actual));
  for (const [path, before] of numbersOf(expected)) {
    const after = found.get(path);
    if (typeof before !== "number" || typeof after !== "number") {
      expect([path, after]).toEqual([path, before]);
      continue;
    }
    const k = ofPath(path);
    // Shown are ten decimals of either, and differences of larger numbers.
    const tolerance = 1e-9 * Math.abs(after) + 1e-7 * Math.max(1, k);
    expect([path, Math.abs(after - k * before) <= tolerance, before, after]).toEqual([
      path,
      true,
      before,
      after,
    ]);
  }
  expect(found.size).toBe(numbersOf(expected).length);
}

const PRICES =
  /^\.(slippage\.(fill|mid)_price|liquidation\.price|meta\.mark_price|drawdown\.(peak|trough)_equity)$/;
const AMOUNTS =
  /usd|dollar|lvar|depth_|oi\.current|greeks\.(delta|vega|theta)|\.portfolio_(var|es)_|portfolio_risk\.monte_carlo\.(var|es)_\d+$|(marginal|component)_var(_99)?$|total_var_99/;
/** Limits in dollars that no tier or cap states. */
const DOLLAR_FLAGS = new Set(["partial_liquidation", "low_volume", "below_min_order"]);

describe("a whole answer", () => {
  it("does not depend on the unit of a coin, the traded one's or another's", () => {
    fc.assert(
      fc.property(world, factor, fc.constantFrom(BTC, ETH, SOL, UNKNOWN_TICKER), (given, k, coin) => {
        const scaled = changed(
          given,
          (view) => (view.listing.ticker === coin ? inUnits(view, k) : view),
          (held) => ({
            ...held,
            positions: held.positions.map((position) =>
              position.ticker === coin
                ? { ...position, sizeBase: position.sizeBase / k, entryPrice: position.entryPrice * k }
                : position,
            ),
          }),
        );
        const ofPrice = coin === BTC ? k : 1;
        expectScaled(answerOf(scaled), answerOf(given), (path) =>
          PRICES.test(path) ? ofPrice : path === ".greeks.delta" ? 1 / ofPrice : 1,
        );
      }),
    );
  });

  it("has the same percents whatever a dollar is worth, where no limit is one in dollars", () => {
    const withoutDollarLimits = (answer: ValidateResponse) => ({
      ...answer,
      sizing: null,
      flags: answer.flags.filter((flag) => !DOLLAR_FLAGS.has(flag)),
    });
    fc.assert(
      // A millionth of a dollar is the least that is owed, 100 million the most that is ordered; no volume counts as a dollar's.
      fc.property(world, more, (given, k) => {
        const notionalUsd = given.trade.notionalUsd * k;
        fc.pre(given.asset.context.volume24hUsd > 0 && notionalUsd <= SIZING_LIMITS.notionalMaxUsd.value);
        const richer = changed(
          given,
          (view) => inDollars(view, k),
          (held) => ({
            ...held,
            crossCashUsd: held.crossCashUsd * k,
            positions: held.positions.map((position) => ({
              ...position,
              sizeBase: position.sizeBase * k,
              isolatedCashUsd: position.isolatedCashUsd === null ? null : position.isolatedCashUsd * k,
            })),
          }),
        );
        const trade = { ...given.trade, notionalUsd };
        expectScaled(
          withoutDollarLimits(answerOf({ ...richer, trade })),
          withoutDollarLimits(answerOf(given)),
          (path) => (AMOUNTS.test(path) ? k : 1),
        );
      }),
    );
  });

  it("is the same by any name of its assets, and in any order of its positions", () => {
    const renamed = (ticker: Ticker): Ticker => tickerOf(`${ticker}-R`);
    const original = (ticker: Ticker): Ticker => tickerOf(ticker.slice(0, -2));
    /** By asset, each pair's first name first. */
    const inOrder = (answer: ValidateResponse): unknown =>
      JSON.parse(JSON.stringify(answer).replaceAll("-R", ""), (_, value: unknown) =>
        Array.isArray(value) && value.some((entry) => typeof entry === "object")
          ? value.map(orderedPair).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
          : value,
      );
    fc.assert(
      fc.property(world, (given) => {
        const { viewOf } = given;
        const other = changed(
          { ...given, viewOf: (ticker) => viewOf(original(ticker)) },
          (view) => ({ ...view, listing: { ...view.listing, ticker: renamed(view.listing.ticker) } }),
          (held) => ({
            ...held,
            positions: held.positions
              .map((position) => ({ ...position, ticker: renamed(position.ticker) }))
              .reverse(),
          }),
        );
        const trade = { ...given.trade, ticker: renamed(given.trade.ticker) };
        expectScaled(inOrder(answerOf({ ...other, trade })), inOrder(answerOf(given)), () => 1);
      }),
    );
  });

  it("tells of the account that an order leaves what the monitor tells once it is carried out", () => {
    fc.assert(
      fc.property(world, (given) => {
        const { applied } = assess(given);
        const before = answerOf(given);
        const after = monitorOf({ ...given, account: applied.account });
        const held = after.positions.find(({ asset }) => asset === given.trade.ticker);

        expect(held === undefined).toBe(applied.position === null);
        if (held !== undefined) {
          expectScaled(held.liquidation_distance_pct, before.liquidation.distance_pct, () => 1);
        }
        if (before.portfolio_risk !== undefined && after.portfolio_risk !== undefined) {
          expectScaled(after.portfolio_risk, before.portfolio_risk, () => 1);
        }
        if (before.portfolio_stress !== undefined && after.portfolio_stress !== undefined) {
          expectScaled(after.portfolio_stress, before.portfolio_stress, () => 1);
        }
      }),
    );
  });
});

function orderedPair(entry: unknown): unknown {
  const pair = entry as { asset_a?: string; asset_b?: string };
  if (pair.asset_a === undefined || pair.asset_b === undefined || pair.asset_a < pair.asset_b) return entry;
  return { ...pair, asset_a: pair.asset_b, asset_b: pair.asset_a };
}

function nameOf(entry: unknown): string {
  const { asset, asset_a, asset_b, scenario } = entry as Record<string, string | undefined>;
  return asset ?? scenario ?? `${asset_a}/${asset_b}`;
}
