import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tickerOf } from "../../../src/domain/ids.ts";
import {
  FEED_KINDS,
  type FeedPlan,
  MARKET_SUBSCRIPTIONS_MAX,
  NO_PLAN,
  planFeed,
  plannedKinds,
  planWallet,
  STREAMED_USERS_MAX,
  subscriptionKey,
  SUBSCRIPTIONS_MAX,
} from "../../../src/exchange/hyperliquid/subscriptions.ts";
import { walletAddressOf } from "../../../src/domain/ids.ts";

// Mutants tried: sorting by ascending volume; `left` not reduced; a kind left out of FEED_KINDS' order; nothing
// kept, or kept for ever; the key without nSigFigs. Each fails below.

const assets = fc
  .uniqueArray(fc.nat(5000), { maxLength: 400 })
  .map((volumes) => volumes.map((volume24hUsd, i) => ({ ticker: tickerOf(`A${String(i)}`), volume24hUsd })));

describe("plannedKinds", () => {
  it.each([
    [195, [...FEED_KINDS]],
    [196, FEED_KINDS.filter((kind) => kind !== "fast")],
    [0, []],
  ])("are those that %i assets have subscriptions of", (count, kinds) => {
    const listed = Array.from({ length: count }, (_, i) => ({
      ticker: tickerOf(`A${String(i)}`),
      volume24hUsd: i,
    }));
    expect(plannedKinds(listed)).toEqual(kinds);
  });
});

describe("subscriptionKey", () => {
  it("is of one coin, as it is spelt, and of one user, however it is", () => {
    const ofCoin = (coin: string) => subscriptionKey({ type: "l2Book", coin });
    const ofUser = (user: string) => subscriptionKey({ type: "spotState", user });

    expect(ofCoin("kPEPE")).not.toBe(ofCoin("KPEPE"));
    expect(ofUser("0xAb")).toBe(ofUser("0xaB"));
    expect(ofUser("0xab")).not.toBe(ofUser("0xac"));
  });
});

describe("planFeed", () => {
  it("stays inside the limit and uses it as far as there are assets", () => {
    fc.assert(
      fc.property(assets, fc.integer({ min: 0, max: MARKET_SUBSCRIPTIONS_MAX }), (list, limit) => {
        const plan = planFeed(list, NO_PLAN, limit);
        const count = FEED_KINDS.reduce((sum, kind) => sum + plan[kind].length, 0);
        expect(count).toBe(Math.min(limit, list.length * FEED_KINDS.length));
      }),
    );
  });

  it("leaves out the least traded, and the later kinds first", () => {
    fc.assert(
      fc.property(assets, (list) => {
        const plan = planFeed(list);
        const byVolume = [...list]
          .sort((a, b) => b.volume24hUsd - a.volume24hUsd)
          .map(({ ticker }) => ticker);
        let before = list.length;
        for (const kind of FEED_KINDS) {
          const tickers = plan[kind].map(({ ticker }) => ticker);
          expect(tickers).toEqual(byVolume.slice(0, tickers.length));
          expect(tickers.length).toBeLessThanOrEqual(before);
          before = tickers.length;
        }
      }),
    );
  });

  it("lets an asset keep its fast book until another is traded a quarter more", () => {
    const volumes = Array.from({ length: 178 }, (_, i) => 1_000 + 10 * (178 - i));
    const watched = (overrides: Record<number, number> = {}) =>
      volumes.map((volume24hUsd, i) => ({
        ticker: tickerOf(`A${String(i)}`),
        volume24hUsd: overrides[i] ?? volume24hUsd,
      }));
    const has = (plan: FeedPlan, i: number): boolean =>
      plan.fast.some(({ ticker }) => ticker === tickerOf(`A${String(i)}`));
    const first = planFeed(watched());
    expect([has(first, 89), has(first, 90)]).toEqual([true, false]);

    const last = volumes[89]!;
    const close = planFeed(watched({ 90: 1.24 * last }), first);
    expect([has(close, 89), has(close, 90)]).toEqual([true, false]);
    const beyond = planFeed(watched({ 90: 1.26 * last }), first);
    expect([has(beyond, 89), has(beyond, 90)]).toEqual([false, true]);
    // Having changed places, the same volumes do not change them back.
    expect(has(planFeed(watched({ 90: last }), beyond), 90)).toBe(true);
  });

  it("does not flap: volumes that wander by a tenth change nothing", () => {
    const list = Array.from({ length: 178 }, (_, i) => ({ ticker: tickerOf(`A${String(i)}`), volume: 1e6 }));
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { minLength: 178, maxLength: 178 }),
        (noise) => {
          const first = planFeed(list.map(({ ticker, volume }) => ({ ticker, volume24hUsd: volume })));
          const next = planFeed(
            list.map(({ ticker, volume }, i) => ({ ticker, volume24hUsd: noise[i]! * volume })),
            first,
          );
          const fastOf = (plan: FeedPlan) => plan.fast.map(({ key }) => key).sort();
          expect(fastOf(next)).toEqual(fastOf(first));
        },
      ),
    );
  });

  it("gives 178 assets everything but the fast book, which the 90 most traded get", () => {
    const list = Array.from({ length: 178 }, (_, i) => ({
      ticker: tickerOf(`A${String(i)}`),
      volume24hUsd: i,
    }));
    const plan = planFeed(list);

    expect(FEED_KINDS.map((kind) => plan[kind].length)).toEqual([178, 178, 178, 178, 178, 90]);
    expect(MARKET_SUBSCRIPTIONS_MAX + 2 * STREAMED_USERS_MAX).toBe(SUBSCRIPTIONS_MAX);
  });

  it("plans no two subscriptions of one key", () => {
    const plan = planFeed([{ ticker: tickerOf("BTC"), volume24hUsd: 1 }]);
    const keys = FEED_KINDS.flatMap((kind) => plan[kind].map(({ key }) => key));
    expect(new Set(keys).size).toBe(FEED_KINDS.length);
  });
});

describe("subscriptionKey", () => {
  it("is the same for a subscription and its echo with defaults and lower-case address", () => {
    expect(subscriptionKey({ type: "l2Book", coin: "BTC" })).toBe(
      subscriptionKey({ type: "l2Book", coin: "BTC", nSigFigs: null, mantissa: null, fast: false }),
    );
    const [perp] = planWallet(walletAddressOf(`0x${"ab".repeat(20)}`) ?? neverWallet());
    expect(subscriptionKey({ type: "clearinghouseState", user: `0x${"AB".repeat(20)}`, dex: "" })).toBe(
      perp?.key,
    );
  });
});

function neverWallet(): never {
  throw new Error("no address");
}
