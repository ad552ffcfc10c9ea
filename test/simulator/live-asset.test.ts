import { beforeAll, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/domain/bar.ts";
import type { LiveAsset } from "../../src/simulator/live-asset.ts";
import { Scenarios } from "../../src/simulator/scenarios.ts";
import { SimulatedMarket } from "../../src/simulator/simulated-market.ts";
import { START_MS } from "./support/manual-exchange.ts";

const scenarios = new Scenarios();
let market: SimulatedMarket;
beforeAll(() => {
  market = new SimulatedMarket(7, START_MS, scenarios, { historyHours: 60 });
});
const live = (): readonly LiveAsset[] => market.assets.filter(({ isLive }) => isLive);
const assetOf = (coin: string): LiveAsset => market.assetOf(coin)!;

/** Mean price of so many USD taken from the best level on. */
function meanPrice(
  side: { readonly prices: ArrayLike<number>; readonly sizes: ArrayLike<number> },
  usd: number,
) {
  let leftUsd = usd;
  let base = 0;
  for (let i = 0; leftUsd > 0; i++) {
    const takenUsd = Math.min(leftUsd, side.prices[i]! * side.sizes[i]!);
    base += takenUsd / side.prices[i]!;
    leftUsd -= takenUsd;
  }
  return usd / base;
}

describe("an asset's context", () => {
  it("has impact prices of 20,000 USD for BTC and ETH and of 6,000 for the others, looked at or not", () => {
    for (const [coin, usd] of [
      ["BTC", 20_000],
      ["ETH", 20_000],
      ["SOL", 6_000],
      ["DOGE", 6_000],
    ] as const) {
      const asset = assetOf(coin);
      market.advanceTo(market.nowMs + 5_000);
      // Thin until the next instant, so that the first level alone does not do.
      asset.stress.depthFactor = 0.001;
      const beforeBook = asset.impactPrices!;
      const { bids, asks } = asset.book;
      expect(asset.impactPrices).toEqual(beforeBook);
      expect(beforeBook[0] / meanPrice(bids, usd)).toBeCloseTo(1, 6);
      expect(beforeBook[1] / meanPrice(asks, usd)).toBeCloseTo(1, 6);
    }
  });

  it("has the close of a day before, and the volume of the day since", () => {
    for (const asset of [assetOf("BTC"), assetOf("WISP")]) {
      const { coin, szDecimals } = asset.spec;
      const sinceMs = market.nowMs - DAY_MS;
      const [first, ...others] = asset.candles.rowsFrom(coin, szDecimals, "1h", sinceMs, market.nowMs);
      const shareLeft = (first!.t + HOUR_MS - sinceMs) / HOUR_MS;
      const rows = [{ row: first!, share: shareLeft }, ...others.map((row) => ({ row, share: 1 }))];
      const base = rows.reduce((sum, { row, share }) => sum + share * Number(row.v), 0);
      const usd = rows.reduce(
        (sum, { row, share }) => sum + (share * Number(row.v) * (Number(row.h) + Number(row.l))) / 2,
        0,
      );
      const { prevDayPx, dayBaseVlm, dayNtlVlm } = asset.context(market.nowMs);
      expect(prevDayPx).toBe(first!.c);
      expect(Number(dayBaseVlm) / base).toBeCloseTo(1, 4);
      expect(Number(dayNtlVlm) / usd).toBeCloseTo(1, 3);
    }
  });

  it("has an oracle that is the fair price without the basis", () => {
    for (let tick = 0; tick < 10; tick++) {
      market.advanceTo((Math.floor(market.nowMs / 3000) + 1) * 3000);
      for (const { fairPrice, oraclePrice, basis } of ["BTC", "BERA", "ZEC"].map(assetOf)) {
        expect((oraclePrice * (1 + basis)) / fairPrice).toBeCloseTo(1, 4);
      }
    }
  });

  it("has an open interest that moves, but at its cap", () => {
    const before = live().map(({ openInterestBase }) => openInterestBase);
    market.advanceTo(market.nowMs + 10_000);
    for (const [i, { spec, openInterestBase }] of live().entries()) {
      expect([spec.coin, openInterestBase === before[i]]).toEqual([
        spec.coin,
        spec.atOpenInterestCap === true,
      ]);
      expect(openInterestBase / before[i]!).toBeCloseTo(1, 1);
      expect((openInterestBase * spec.startPrice) / spec.openInterestUsd).toBeCloseTo(1, 1);
    }
  });
});

it("a book that is out adds nothing to the hour's premium", () => {
  const { funding } = assetOf("BERA");
  const meanBefore = funding.meanPremium;
  expect(Math.abs(meanBefore)).toBeGreaterThan(1e-5);
  scenarios.start({ kind: "book_outage", coin: "BERA", magnitude: 1, durationMs: 60_000 }, market.nowMs);
  market.advanceTo(market.nowMs + 50_000);
  expect(funding.meanPremium).toBe(meanBefore);
});
