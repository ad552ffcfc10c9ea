import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tickerOf } from "../../../src/domain/ids.ts";
import {
  diffSubscriptions,
  FEED_KINDS,
  MARKET_SUBSCRIPTIONS_MAX,
  planFeed,
  planWallet,
  STREAMED_USERS_MAX,
  subscriptionKey,
  SUBSCRIPTIONS_MAX,
  subscriptionsByKey,
} from "../../../src/exchange/hyperliquid/subscriptions.ts";
import { walletAddressOf } from "../../../src/domain/ids.ts";

// Mutants tried: sorting by ascending volume; `left` not reduced; a kind left out of FEED_KINDS' order; toAdd and
// toRemove exchanged; the key without nSigFigs. Each fails below.

const assets = fc
  .uniqueArray(fc.nat(5000), { maxLength: 400 })
  .map((volumes) => volumes.map((volume24hUsd, i) => ({ ticker: tickerOf(`A${String(i)}`), volume24hUsd })));

describe("planFeed", () => {
  it("stays inside the limit and uses it as far as there are assets", () => {
    fc.assert(
      fc.property(assets, fc.integer({ min: 0, max: MARKET_SUBSCRIPTIONS_MAX }), (list, limit) => {
        const plan = planFeed(list, limit);
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

describe("diffSubscriptions", () => {
  it("is what turns the present set into the wanted one", () => {
    fc.assert(
      fc.property(assets, assets, (a, b) => {
        const present = subscriptionsByKey(planFeed(a).touch);
        const wanted = subscriptionsByKey(planFeed(b).touch);
        const { toAdd, toRemove } = diffSubscriptions(present, wanted);

        const result = new Set([...present.keys(), ...toAdd.map(({ key }) => key)]);
        for (const { key } of toRemove) result.delete(key);
        expect(result).toEqual(new Set(wanted.keys()));
        expect(toAdd.filter(({ key }) => present.has(key))).toEqual([]);
      }),
    );
  });
});

function neverWallet(): never {
  throw new Error("no address");
}
